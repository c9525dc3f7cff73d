/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AES-128 by the instructions of Armv8. Arm ARM, section C7.2: AESE adds a round key, and then substitutes
 * and shifts; AESMC mixes. Keys are expanded as in aesni.c. */
#include "../core/residue.h"
#include "aes.h"

#include "../core/cpu.h"

#if HORNET_NEON && defined(__aarch64__)

#ifdef __clang__
#define HORNET_TARGET "aes"
#else
#define HORNET_TARGET "+crypto"
#endif
#include "../core/target_begin.h"

/* Blocks worked on side by side, each with its round key. */
enum { ARMV8_BLOCKS = 4 };

/* FIPS 197, section 5.2: the round key after `key`. */
HORNET_INLINE uint8x16_t armv8_next_round_key(uint8x16_t key, uint8_t rcon)
{
    /* RotWord of the last word, in all four: with equal columns AESE's shift of rows changes nothing. */
    const uint8x16_t rot_word = vreinterpretq_u8_u32(vdupq_n_u32(0x0c0f0e0d)), zero = vdupq_n_u8(0);
    const uint8x16_t word =
        veorq_u8(vaeseq_u8(vqtbl1q_u8(key, rot_word), zero), vreinterpretq_u8_u32(vdupq_n_u32(rcon)));
    key = veorq_u8(key, vextq_u8(zero, key, 12));
    key = veorq_u8(key, vextq_u8(zero, key, 8));
    return veorq_u8(key, word);
}

/* n blocks, n a constant. */
HORNET_INLINE void armv8_side_by_side(size_t n, uint8_t (*out)[16], const uint8_t (*in)[16],
                                      const uint8_t (*keys)[32])
{
    static const uint8_t rcon[AES_ROUNDS] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36};
    uint8x16_t block[ARMV8_BLOCKS], key[ARMV8_BLOCKS];
    HORNET_UNROLL
    for (size_t i = 0; i < n; i++) {
        key[i] = vld1q_u8(keys[i]);
        block[i] = vld1q_u8(in[i]);
    }
    HORNET_UNROLL
    for (int round = 0; round < AES_ROUNDS; round++) {
        HORNET_UNROLL
        for (size_t i = 0; i < n; i++) {
            block[i] = vaeseq_u8(block[i], key[i]);
            if (round < AES_ROUNDS - 1)
                block[i] = vaesmcq_u8(block[i]);
            key[i] = armv8_next_round_key(key[i], rcon[round]);
        }
    }
    HORNET_UNROLL
    for (size_t i = 0; i < n; i++)
        vst1q_u8(out[i], veorq_u8(block[i], key[i]));
}

HORNET_NOINLINE uintptr_t armv8_all(uint8_t (*out)[16], const uint8_t (*in)[16], const uint8_t (*keys)[32],
                                    size_t count)
{
    size_t i = 0;
    for (; i + ARMV8_BLOCKS <= count; i += ARMV8_BLOCKS)
        armv8_side_by_side(ARMV8_BLOCKS, out + i, in + i, keys + i);
    for (; i < count; i++)
        armv8_side_by_side(1, out + i, in + i, keys + i);
    return stack_end(STACK_BELOW_BYTES);
}

static void armv8_encrypt(uint8_t (*out)[16], const uint8_t (*in)[16], const uint8_t (*keys)[32],
                          size_t count)
{
    clear_stack_and_registers(armv8_all(out, in, keys, count));
}

#include "../core/target_end.h"
#undef HORNET_TARGET

const struct hornet_aes hornet_aes_armv8 = {
    .implementation = {.name = "armv8", .needs = CPU_aes},
    .encrypt = armv8_encrypt,
};

#endif
