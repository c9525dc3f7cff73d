/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The rounds of one block in general-purpose registers (RFC 8439, section 2.1). */
#ifndef HORNET_CHACHA20_BLOCK_H
#define HORNET_CHACHA20_BLOCK_H

#include <stdint.h>

#include "../core/compiler.h"

HORNET_INLINE uint32_t chacha20_rotl(uint32_t a, int bits)
{
#if defined(__riscv) && !defined(__riscv_zbb)
    /* gcc 12 would see a rotation, take it apart later, and extend the sign of each result: 33 instructions
     * a byte instead of 36. */
    uint32_t left = a << bits;
    HORNET_VALUE_BARRIER("r", left);
    return left + (a >> (32 - bits));
#else
    a = a << bits | a >> (32 - bits);
#if HORNET_HAS_VECTORS || HORNET_SIMD128
    HORNET_VALUE_BARRIER("r", a); /* keeps clang 19 from using vectors, whose latency is longer */
#endif
    return a;
#endif
}

HORNET_INLINE void chacha20_quarter_round(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *d = chacha20_rotl(*d ^ (*a += *b), 16);
    *b = chacha20_rotl(*b ^ (*c += *d), 12);
    *d = chacha20_rotl(*d ^ (*a += *b), 8);
    *b = chacha20_rotl(*b ^ (*c += *d), 7);
}

/* The quarter rounds of two columns (turn 0) or diagonals (turn 1), from number `first` on. */
HORNET_INLINE void chacha20_half_round(uint32_t x[16], int turn, int first)
{
    HORNET_UNROLL
    for (int i = first; i < first + 2; i++)
        chacha20_quarter_round(&x[i], &x[4 + (i + turn) % 4], &x[8 + (i + 2 * turn) % 4],
                               &x[12 + (i + 3 * turn) % 4]);
}

HORNET_INLINE void chacha20_double_round(uint32_t x[16])
{
    HORNET_UNROLL
    for (int half = 0; half < 4; half++)
        chacha20_half_round(x, half / 2, half % 2 * 2);
}

#endif
