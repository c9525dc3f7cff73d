/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Powers of an element: consecutive ones, spread over the lanes, in a table for many groups, or a single
 * one. */
#ifndef HORNET_POLY1305_HORNER_POWERS_H
#define HORNET_POLY1305_HORNER_POWERS_H

#include <stddef.h>
#include <stdint.h>

#include "../field.h"

/* Sets powers[i] to a^(i + 1) for i from 1 to n - 1; n is a constant, and powers[0] already holds a. The
 * element is passed as well because the callers have it: extracting it from powers[0] costs gcc 12
 * registers. */
HORNET_INLINE void raise_in_turn(multiplier *powers, size_t n, fe a)
{
    HORNET_UNROLL
    for (size_t i = 1; i < n; i++) {
        a = fe_mul(a, &powers[0]);
        powers[i] = multiplier_from(a);
    }
}

/* Raises a to powers over the lanes in the time of log2(n) - 1 multiplications, for n <= LANES, a power of
 * 2. Starts from a and its square, which give a^3 and a^4, and so on. Block i gets a^(n - i mod n);
 * *highest is a^n in every lane. With n = 4:
 *
 *     block       0      1      2      3
 *     bit 0      a^2     a     a^2     a        a^2 where bit 0 of the block's number is clear
 *     bit 1      a^4    a^3    a^2     a        times a^2 where bit 1 is clear
 */
HORNET_INLINE fe raise_over_lanes(size_t n, fe a, fe square, fe *highest)
{
    fe powers = a;
    *highest = a;
    if (n > 1) {
        powers = fe_blend(0, square, a);
        *highest = square;
    }
    HORNET_UNROLL
    for (int bit = 1; (size_t)1 << bit < n; bit++) {
        const multiplier factors = multiplier_from(*highest);
        const fe higher = fe_mul(powers, &factors);
        powers = fe_blend(bit, higher, powers);
        *highest = fe_first(higher);
    }
    return powers;
}

/* A table of the powers a to a^n for n = 8, 16 or 32, up to LONG_SUM_MAX, several per vector. With
 * P = POWERS_IN_VECTOR, a^(k + 1) is in the lane of block P - 1 - k mod P of vector k / P. With four lanes:
 *
 *     block        0       1       2       3
 *     table[0]    a^4     a^3     a^2      a
 *     table[1]    a^8     a^7     a^6     a^5
 *
 * Raising them in this form takes few multiplications. Each power is broadcast to all lanes where it is
 * used. */
#define POWERS_IN_VECTOR (LANES < 8 ? (size_t)LANES : (size_t)8)
#define TABLE_VECTORS(n) ((n) / POWERS_IN_VECTOR)

KERNEL_INLINE void raise_table(long_multiplier *table, size_t n, fe a, fe square)
{
    fe highest, powers = raise_over_lanes(POWERS_IN_VECTOR, a, square, &highest);
    const multiplier factors = multiplier_from(highest);
    table[0] = long_multiplier_from(powers);
    HORNET_KEEP_LOOP
    for (size_t i = 1; i < TABLE_VECTORS(n); i++) {
        powers = fe_mul(powers, &factors);
        table[i] = long_multiplier_from(powers);
    }
}

/* The position of a^(k + 1) in the table: the vector, and the block whose lane holds it. */
HORNET_INLINE const long_multiplier *table_vector(const long_multiplier *table, size_t k)
{
    return &table[k / POWERS_IN_VECTOR];
}

HORNET_INLINE size_t table_block(size_t k) { return POWERS_IN_VECTOR - 1 - k % POWERS_IN_VECTOR; }

/* words[0] + words[1] 2^64 + words[2] 2^128 in every lane; words[2] <= 4. */
KERNEL_INLINE fe fe_from_three_words(const uint64_t words[3])
{
    return fe_from_words(vec_splat(words[0]), vec_splat(words[1]), vec_splat(words[2]));
}

KERNEL_INLINE fe fe_square(fe a)
{
    const multiplier same = multiplier_from(a);
    return fe_mul(a, &same);
}

/* a^n by squaring and multiplying, in at most 2 log2(n) + 1 multiplications. The bits of n are public. a
 * must be carried. */
KERNEL_INLINE fe fe_power(fe a, uint64_t n)
{
    const uint64_t one[3] = {1, 0, 0};
    fe result = fe_from_three_words(one);
    const multiplier factors = multiplier_from(a);
    for (int bit = 63; bit >= 0; bit--) {
        if (n >> bit > 1)
            result = fe_square(result);
        if ((n >> bit & 1) != 0)
            result = fe_mul(result, &factors);
    }
    return result;
}

#endif
