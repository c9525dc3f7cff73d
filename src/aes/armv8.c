/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AES-128 with the AES instructions of Armv8. Arm ARM, section C7.2: AESE adds a round key, then
 * substitutes and shifts; AESMC mixes. Keys are expanded as in aesni.c. */
#include "aes.h"

#include "../core/cpu.h"
#include "../core/stack_wipe.h"

#if HORNET_NEON && defined(__aarch64__)

#include <stdbool.h>

#ifdef __clang__
#define HORNET_TARGET "aes"
#else
#define HORNET_TARGET "+crypto"
#endif
#include "../core/target_begin.h"

typedef uint8x16_t aes_block;

HORNET_INLINE aes_block aes_load(const uint8_t *bytes) { return vld1q_u8(bytes); }
HORNET_INLINE void aes_store(uint8_t *bytes, aes_block a) { vst1q_u8(bytes, a); }

HORNET_INLINE aes_block aes_next_round_key(aes_block key, uint8_t rcon)
{
    /* RotWord of the last word, in all four words: with equal columns, AESE's ShiftRows changes nothing. */
    const uint8x16_t rot_word = vreinterpretq_u8_u32(vdupq_n_u32(0x0c0f0e0d)), zero = vdupq_n_u8(0);
    const uint8x16_t word =
        veorq_u8(vaeseq_u8(vqtbl1q_u8(key, rot_word), zero), vreinterpretq_u8_u32(vdupq_n_u32(rcon)));
    key = veorq_u8(key, vextq_u8(zero, key, 12));
    key = veorq_u8(key, vextq_u8(zero, key, 8));
    return veorq_u8(key, word);
}

HORNET_INLINE aes_block aes_begin(aes_block block, aes_block key)
{
    (void)key;
    return block;
}

HORNET_INLINE aes_block aes_round(aes_block block, aes_block key, aes_block next_key, bool is_last)
{
    (void)next_key;
    block = vaeseq_u8(block, key);
    return is_last ? block : vaesmcq_u8(block);
}

HORNET_INLINE aes_block aes_end(aes_block block, aes_block key) { return veorq_u8(block, key); }

#include "by_instructions.h"

#include "../core/target_end.h"
#undef HORNET_TARGET

const struct hornet_aes hornet_aes_armv8 = {
    .implementation = {.name = "armv8", .required = CPU_aes},
    .lanes = AES_SIDE_BY_SIDE,
    .encrypt = aes_encrypt,
};

#endif
