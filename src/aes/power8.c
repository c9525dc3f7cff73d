/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AES-128 with the AES instructions of POWER8. Power ISA 2.07, section 6.16: vcipher substitutes, shifts,
 * mixes and adds a round key; vcipherlast does not mix; vsbox substitutes. Byte 0 of a block is at the high
 * end of the register. */
#include "aes.h"

#include "../core/cpu.h"
#include "../core/memory.h"
#include "../core/stack_wipe.h"

#if HORNET_POWER

#include <stdbool.h>

#ifdef __clang__
#define HORNET_TARGET "power8-vector,crypto"
#define VCIPHER       __builtin_altivec_crypto_vcipher
#define VCIPHERLAST   __builtin_altivec_crypto_vcipherlast
#define VSBOX         __builtin_altivec_crypto_vsbox
#else
#define HORNET_TARGET "cpu=power8"
#define VCIPHER       __builtin_crypto_vcipher
#define VCIPHERLAST   __builtin_crypto_vcipherlast
#define VSBOX         __builtin_crypto_vsbox
#endif
#include "../core/target_begin.h"

typedef unsigned char aes_bytes __attribute__((vector_size(16)));
typedef unsigned aes_words __attribute__((vector_size(16)));
typedef unsigned long long aes_block __attribute__((vector_size(16)));

/* Little-endian programs count from the low end of the register. Shuffle elements from 4 on are zeros. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define WORD(i)         (3 - (i))
#define WORD_BEFORE     1, 2, 3, 4
#define WORD_TWO_BEFORE 2, 3, 4, 4
HORNET_INLINE aes_block in_order(aes_bytes a)
{
    return (aes_block)HORNET_SHUFFLE(aes_bytes, a, a, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
}
#else
#define WORD(i)         (i)
#define WORD_BEFORE     4, 0, 1, 2
#define WORD_TWO_BEFORE 4, 4, 0, 1
HORNET_INLINE aes_block in_order(aes_bytes a) { return (aes_block)a; }
#endif

HORNET_INLINE aes_block aes_load(const uint8_t *bytes)
{
    aes_bytes a;
    memcpy(&a, bytes, sizeof a);
    return in_order(a);
}

HORNET_INLINE void aes_store(uint8_t *bytes, aes_block a)
{
    const aes_block ordered = in_order((aes_bytes)a);
    memcpy(bytes, &ordered, sizeof ordered);
}

HORNET_INLINE aes_block aes_next_round_key(aes_block key, uint8_t rcon)
{
    const aes_words zero = {0, 0, 0, 0};
    aes_words words = (aes_words)key;
    const aes_words last = HORNET_SHUFFLE(aes_words, words, words, WORD(3), WORD(3), WORD(3), WORD(3));
    const aes_words word = (aes_words)VSBOX((aes_block)(last << 8 | last >> 24)) ^ (unsigned)rcon << 24;
    words ^= HORNET_SHUFFLE(aes_words, words, zero, WORD_BEFORE);
    words ^= HORNET_SHUFFLE(aes_words, words, zero, WORD_TWO_BEFORE);
    return (aes_block)(words ^ word);
}

HORNET_INLINE aes_block aes_begin(aes_block block, aes_block key) { return block ^ key; }

HORNET_INLINE aes_block aes_round(aes_block block, aes_block key, aes_block next_key, bool is_last)
{
    (void)key;
    return is_last ? VCIPHERLAST(block, next_key) : VCIPHER(block, next_key);
}

HORNET_INLINE aes_block aes_end(aes_block block, aes_block key)
{
    (void)key;
    return block;
}

#include "by_instructions.h"

#include "../core/target_end.h"
#undef HORNET_TARGET
#undef VCIPHER
#undef VCIPHERLAST
#undef VSBOX
#undef WORD
#undef WORD_BEFORE
#undef WORD_TWO_BEFORE

const struct hornet_aes hornet_aes_power8 = {
    .implementation = {.name = "power8", .required = CPU_vsx | CPU_crypto},
    .lanes = AES_SIDE_BY_SIDE,
    .encrypt = aes_encrypt,
};

#endif
