/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AES-128 with the AES instructions of Armv8, for 64-bit and 32-bit programs. Arm ARM, sections C7.2 and
 * F6.1: AESE adds a round key, then substitutes and shifts; AESMC mixes. Keys are expanded as in aesni.c.
 */
#include "aes.h"

#include "../core/cpu.h"
#include "../core/stack_wipe.h"

#if HORNET_NEON

#include <stdbool.h>

#include "../core/intrinsics.h"

#if defined(__aarch64__) && defined(__clang__)
#define HORNET_TARGET "aes"
#elif defined(__aarch64__)
#define HORNET_TARGET "+crypto"
#elif defined(__clang__)
#define HORNET_TARGET "v8,aes"
#else
#define HORNET_TARGET "fpu=crypto-neon-fp-armv8"
#endif
#include "../core/target_begin.h"

typedef uint8x16_t aes_block;

HORNET_INLINE aes_block aes_load(const uint8_t *bytes) { return vld1q_u8(bytes); }
HORNET_INLINE void aes_store(uint8_t *bytes, aes_block a) { vst1q_u8(bytes, a); }

/* In a program for Armv7, clang 19 declares the intrinsics of Armv8 only if all of it is for Armv8. */
#if defined(__arm__) && defined(__clang__)
HORNET_INLINE aes_block aes_add_sub_shift(aes_block a, aes_block key)
{
    __asm__("aese.8 %q0, %q1" : "+w"(a) : "w"(key));
    return a;
}
HORNET_INLINE aes_block aes_mix(aes_block a)
{
    __asm__("aesmc.8 %q0, %q0" : "+w"(a));
    return a;
}
#else
HORNET_INLINE aes_block aes_add_sub_shift(aes_block a, aes_block key) { return vaeseq_u8(a, key); }
HORNET_INLINE aes_block aes_mix(aes_block a) { return vaesmcq_u8(a); }
#endif

/* RotWord of the last word, in all four words. */
HORNET_INLINE aes_block aes_last_rotated(aes_block key)
{
#ifdef __aarch64__
    return vqtbl1q_u8(key, vreinterpretq_u8_u32(vdupq_n_u32(0x0c0f0e0d)));
#else
    const uint8x8_t words = vtbl1_u8(vget_high_u8(key), vreinterpret_u8_u32(vdup_n_u32(0x04070605)));
    return vcombine_u8(words, words);
#endif
}

HORNET_INLINE aes_block aes_next_round_key(aes_block key, uint8_t rcon)
{
    /* With equal columns, AESE's ShiftRows changes nothing. */
    const uint8x16_t zero = vdupq_n_u8(0);
    const uint8x16_t word =
        veorq_u8(aes_add_sub_shift(aes_last_rotated(key), zero), vreinterpretq_u8_u32(vdupq_n_u32(rcon)));
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
    block = aes_add_sub_shift(block, key);
    return is_last ? block : aes_mix(block);
}

HORNET_INLINE aes_block aes_end(aes_block block, aes_block key) { return veorq_u8(block, key); }

#include "by_instructions.h"

#include "../core/target_end.h"
#undef HORNET_TARGET

const struct hornet_aes hornet_aes_armv8 = {
    .implementation = {.name = "armv8", .required = CPU_neon | CPU_aes},
    .lanes = AES_SIDE_BY_SIDE,
    .encrypt = aes_encrypt,
};

#endif
