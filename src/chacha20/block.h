/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The rounds of one block in general-purpose registers (RFC 8439, section 2.1). */
#ifndef HORNET_CHACHA20_BLOCK_H
#define HORNET_CHACHA20_BLOCK_H

#include <stdint.h>

#include "../core/compiler.h"

/* A word in a register. RISC-V's instructions for words extend the sign of their results; gcc 12 would do
 * so again where a word passes from one round to the next, copy it by that, and lack registers: 187
 * instructions for a double round instead of 166. */
#if defined(__riscv) && __riscv_xlen == 64 && !defined(__clang__)
typedef int64_t chacha20_word;
HORNET_INLINE chacha20_word chacha20_word_of(uint32_t a)
{
    chacha20_word word = (int32_t)a;
    HORNET_VALUE_BARRIER("r", word);
    return word;
}
#else
typedef uint32_t chacha20_word;
HORNET_INLINE chacha20_word chacha20_word_of(uint32_t a) { return a; }
#endif

HORNET_INLINE chacha20_word chacha20_rotl(chacha20_word word, int bits)
{
    uint32_t a = (uint32_t)word;
#if defined(__riscv) && !defined(__riscv_zbb)
    /* gcc 12 would see a rotation, take it apart later, and extend the sign of each result: 33 instructions
     * a byte instead of 36. */
    uint32_t left = a << bits;
    HORNET_VALUE_BARRIER("r", left);
    return chacha20_word_of(left + (a >> (32 - bits)));
#else
    a = a << bits | a >> (32 - bits);
#if HORNET_HAS_VECTORS || HORNET_SIMD128
    HORNET_VALUE_BARRIER("r", a); /* keeps clang 19 from using vectors, whose latency is longer */
#endif
    return chacha20_word_of(a);
#endif
}

HORNET_INLINE void chacha20_quarter_round(chacha20_word *a, chacha20_word *b, chacha20_word *c,
                                          chacha20_word *d)
{
    *d = chacha20_rotl(*d ^ (*a = chacha20_word_of((uint32_t)(*a + *b))), 16);
    *b = chacha20_rotl(*b ^ (*c = chacha20_word_of((uint32_t)(*c + *d))), 12);
    *d = chacha20_rotl(*d ^ (*a = chacha20_word_of((uint32_t)(*a + *b))), 8);
    *b = chacha20_rotl(*b ^ (*c = chacha20_word_of((uint32_t)(*c + *d))), 7);
}

/* The quarter rounds of two columns (diagonal 0) or diagonals (diagonal 1), from number `first` on. */
HORNET_INLINE void chacha20_half_round(chacha20_word x[16], int diagonal, int first)
{
    HORNET_UNROLL
    for (int i = first; i < first + 2; i++)
        chacha20_quarter_round(&x[i], &x[4 + (i + diagonal) % 4], &x[8 + (i + 2 * diagonal) % 4],
                               &x[12 + (i + 3 * diagonal) % 4]);
}

HORNET_INLINE void chacha20_double_round(chacha20_word x[16])
{
    HORNET_UNROLL
    for (int half = 0; half < 4; half++)
        chacha20_half_round(x, half / 2, half % 2 * 2);
}

#endif
