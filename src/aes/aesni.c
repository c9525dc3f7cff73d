/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AES-128 with the AES instructions of x86. Intel, "Advanced Encryption Standard (AES) New Instructions
 * Set", 2012. The key expansion follows its section on parallelizing it: SubWord by aesenclast, which is
 * several times as fast as aeskeygenassist. */
#include "aes.h"

#include "../core/cpu.h"
#include "../core/stack_wipe.h"

#if HORNET_X86

#include <stdbool.h>

#include "../core/intrinsics.h"

#define HORNET_TARGET "sse2,ssse3,aes"
#include "../core/target_begin.h"

typedef __m128i aes_block;

HORNET_INLINE aes_block aes_load(const uint8_t *bytes) { return _mm_loadu_si128((const __m128i *)bytes); }
HORNET_INLINE void aes_store(uint8_t *bytes, aes_block a) { _mm_storeu_si128((__m128i *)bytes, a); }

HORNET_INLINE aes_block aes_next_round_key(aes_block key, uint8_t rcon)
{
    /* RotWord of the last word, in all four words: with equal columns, aesenclast's ShiftRows changes
     * nothing. */
    const __m128i rot_word = _mm_set1_epi32(0x0c0f0e0d);
    const __m128i word = _mm_aesenclast_si128(_mm_shuffle_epi8(key, rot_word), _mm_set1_epi32(rcon));
    key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
    key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
    return _mm_xor_si128(key, word);
}

HORNET_INLINE aes_block aes_begin(aes_block block, aes_block key) { return _mm_xor_si128(block, key); }

HORNET_INLINE aes_block aes_round(aes_block block, aes_block key, aes_block next_key, bool is_last)
{
    (void)key;
    return is_last ? _mm_aesenclast_si128(block, next_key) : _mm_aesenc_si128(block, next_key);
}

HORNET_INLINE aes_block aes_end(aes_block block, aes_block key)
{
    (void)key;
    return block;
}

#include "by_instructions.h"

#include "../core/target_end.h"
#undef HORNET_TARGET

const struct hornet_aes hornet_aes_aesni = {
    .implementation = {.name = "aesni", .required = CPU_sse2 | CPU_ssse3 | CPU_aes},
    .lanes = AES_SIDE_BY_SIDE,
    .encrypt = aes_encrypt,
};

#endif
