/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AES-128 by the instructions of x86. Intel, "Advanced Encryption Standard (AES) New Instructions Set",
 * 2012; the key expansion after its section on parallelizing it: SubWord by aesenclast, which is several
 * times as fast as aeskeygenassist. */
#include "../core/residue.h"
#include "aes.h"

#include "../core/cpu.h"

#if HORNET_X86

#define HORNET_TARGET "sse2,ssse3,aes"
#include "../core/target_begin.h"

/* Blocks worked on side by side, each with its round key: an instruction takes four cycles, and two begin
 * in each. */
enum { AESNI_BLOCKS = 4 };

/* FIPS 197, section 5.2: the round key after `key`; constant is Rcon in all four words. */
HORNET_INLINE __m128i aesni_next_round_key(__m128i key, __m128i constant)
{
    /* RotWord of the last word, in all four: with equal columns aesenclast's ShiftRows changes nothing. */
    const __m128i rot_word = _mm_set1_epi32(0x0c0f0e0d);
    const __m128i word = _mm_aesenclast_si128(_mm_shuffle_epi8(key, rot_word), constant);
    key = _mm_xor_si128(key, _mm_slli_si128(key, 4));
    key = _mm_xor_si128(key, _mm_slli_si128(key, 8));
    return _mm_xor_si128(key, word);
}

/* n blocks, n a constant. */
HORNET_INLINE void aesni_side_by_side(size_t n, uint8_t (*out)[16], const uint8_t (*in)[16],
                                      const uint8_t (*keys)[32])
{
    static const uint8_t rcon[AES_ROUNDS] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36};
    __m128i block[AESNI_BLOCKS], key[AESNI_BLOCKS];
    HORNET_UNROLL
    for (size_t i = 0; i < n; i++) {
        key[i] = _mm_loadu_si128((const __m128i *)keys[i]);
        block[i] = _mm_xor_si128(_mm_loadu_si128((const __m128i *)in[i]), key[i]);
    }
    HORNET_UNROLL
    for (int round = 0; round < AES_ROUNDS; round++) {
        HORNET_UNROLL
        for (size_t i = 0; i < n; i++) {
            key[i] = aesni_next_round_key(key[i], _mm_set1_epi32(rcon[round]));
            block[i] = round < AES_ROUNDS - 1 ? _mm_aesenc_si128(block[i], key[i])
                                              : _mm_aesenclast_si128(block[i], key[i]);
        }
    }
    HORNET_UNROLL
    for (size_t i = 0; i < n; i++)
        _mm_storeu_si128((__m128i *)out[i], block[i]);
}

HORNET_NOINLINE uintptr_t aesni_all(uint8_t (*out)[16], const uint8_t (*in)[16], const uint8_t (*keys)[32],
                                    size_t count)
{
    size_t i = 0;
    for (; i + AESNI_BLOCKS <= count; i += AESNI_BLOCKS)
        aesni_side_by_side(AESNI_BLOCKS, out + i, in + i, keys + i);
    for (; i < count; i++)
        aesni_side_by_side(1, out + i, in + i, keys + i);
    return stack_end(STACK_BELOW_BYTES);
}

static void aesni_encrypt(uint8_t (*out)[16], const uint8_t (*in)[16], const uint8_t (*keys)[32],
                          size_t count)
{
    clear_stack_and_registers(aesni_all(out, in, keys, count));
}

#include "../core/target_end.h"
#undef HORNET_TARGET

const struct hornet_aes hornet_aes_aesni = {
    .implementation = {.name = "aesni", .needs = CPU_sse2 | CPU_ssse3 | CPU_aes},
    .encrypt = aesni_encrypt,
};

#endif
