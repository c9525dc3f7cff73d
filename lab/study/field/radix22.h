/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The field modulo p = 2^130 - 5 in floating point, radix 2^22, six limbs, one element in each lane:
 * "vectorized floating-point implementation targeting x86_64 AVX unit", Polyakov, "Poly1305 revised". He
 * gives only the radix; limbs, carries and scaling follow Bernstein 2005, section 4: an element is a_0 +
 * ... + a_5, where a_i is a multiple of 2^(22 i), and a part at 2^130 is reduced to 5 * 2^-130 times
 * itself. Blocks are split with the integer operations of the lanes. */
#ifndef HORNET_STUDY_FIELD_RADIX22_H
#define HORNET_STUDY_FIELD_RADIX22_H

#include <stdint.h>

#include "../../../src/core/words.h"
#include "../../../src/poly1305/lanes.h"

enum { RADIX22_LIMBS = 6 };

typedef double doubles __attribute__((vector_size(8 * LANES)));

/* In units of 2^(22 i): after a carry, |a_i| <= 2^21 + 2^8 and |a_5| <= 2^19 + 2^8; with a block added,
 * 2^22 more. */
typedef struct {
    doubles limb[RADIX22_LIMBS];
} doubles_fe;

/* b_i, and 5 * 2^-130 b_i; b is carried. */
typedef struct {
    doubles limb[RADIX22_LIMBS], wrapped[RADIX22_LIMBS];
} doubles_multiplier;

HORNET_INLINE doubles doubles_splat(double value) { return value - (doubles){0}; }

/* 2^(22 i), and 2^52 times that. */
HORNET_INLINE double radix22_unit(int i)
{
    static const double units[RADIX22_LIMBS] = {1, 0x1p22, 0x1p44, 0x1p66, 0x1p88, 0x1p110};
    return units[i];
}

/* Bits below 2^52 become the mantissa of a number from which 2^52 is subtracted. */
HORNET_INLINE doubles doubles_from(vec bits, int i)
{
    const vec exponent = vec_splat((uint64_t)(1023 + 52 + 22 * i) << 52);
    return (doubles)vec_or(bits, exponent) - doubles_splat(0x1p52 * radix22_unit(i));
}

/* lo + hi 2^64 + top 2^128, with top <= 6. */
HORNET_INLINE doubles_fe doubles_from_words(vec lo, vec hi, vec top)
{
    const vec mask = vec_splat((1 << 22) - 1);
    return (doubles_fe){
        {doubles_from(vec_and(lo, mask), 0), doubles_from(vec_and(vec_shr(lo, 22), mask), 1),
         doubles_from(vec_and(vec_or(vec_shr(lo, 44), vec_shl(hi, 20)), mask), 2),
         doubles_from(vec_and(vec_shr(hi, 2), mask), 3), doubles_from(vec_and(vec_shr(hi, 24), mask), 4),
         doubles_from(vec_add(vec_shr(hi, 46), vec_shl(top, 18)), 5)}};
}

HORNET_INLINE doubles_fe doubles_add(doubles_fe a, doubles_fe b)
{
    HORNET_UNROLL
    for (int i = 0; i < RADIX22_LIMBS; i++)
        a.limb[i] += b.limb[i];
    return a;
}

/* Carries from limb i into the next, which is at 2^130 after limb 5: the part that is a multiple of its
 * unit. */
HORNET_INLINE void doubles_carry_limb(doubles limb[RADIX22_LIMBS], int i)
{
    const doubles alpha = doubles_splat(0x1.8p52 * (i == 5 ? 0x1p130 : radix22_unit(i + 1)));
    const doubles carry = limb[i] + alpha - alpha;
    limb[i] -= carry;
    if (i == 5)
        limb[0] += carry * doubles_splat(5 * 0x1p-130);
    else
        limb[i + 1] += carry;
}

/* Carries limbs below 2^51 units. Two independent chains: 0-1-2-3-4 and 3-4-5-0-1. */
HORNET_INLINE doubles_fe doubles_carry(doubles_fe a)
{
    static const int8_t order[] = {0, 3, 1, 4, 2, 5, 3, 0, 4, 1};
    HORNET_UNROLL
    for (size_t i = 0; i < sizeof order; i++)
        doubles_carry_limb(a.limb, order[i]);
    return a;
}

/* b must be carried. */
HORNET_INLINE doubles_multiplier doubles_multiplier_from(doubles_fe b)
{
    doubles_multiplier m;
    HORNET_UNROLL
    for (int i = 0; i < RADIX22_LIMBS; i++) {
        m.limb[i] = b.limb[i];
        m.wrapped[i] = b.limb[i] * doubles_splat(5 * 0x1p-130);
    }
    return m;
}

/* a b, not carried. In units of limb k, the sum of at most (1 + 5 * 20) products of 1.51 * 2^22 and 1.01
 * * 2^21, because 5 * 2^-130 makes a carry out of limb 5 count 20 times: below 2^50.3. */
HORNET_INLINE doubles_fe doubles_mul(doubles_fe a, const doubles_multiplier *b)
{
    doubles_fe product;
    HORNET_UNROLL
    for (int k = 0; k < RADIX22_LIMBS; k++) {
        product.limb[k] = a.limb[0] * b->limb[k];
        HORNET_UNROLL
        for (int i = 1; i < RADIX22_LIMBS; i++)
            product.limb[k] += a.limb[i] * (i <= k ? b->limb[k - i] : b->wrapped[k - i + 6]);
    }
    return product;
}

/* Returns the sum over all lanes of a carried element. 16 p is added to make each limb positive: up to 8
 * lanes sum up to 2^24.1 units, 2^22.1 in limb 5. */
HORNET_INLINE void doubles_sum_to_words(uint64_t words[3], doubles_fe a)
{
    static const int64_t p16[RADIX22_LIMBS] = {(1 << 26) - 80, (1 << 26) - 16, (1 << 26) - 16,
                                               (1 << 26) - 16, (1 << 26) - 16, (1 << 24) - 16};
    words[0] = words[1] = words[2] = 0;
    for (int i = RADIX22_LIMBS; i-- != 0;) {
        const double unit = radix22_unit(i);
        double sum = 0;
        for (int j = 0; j < LANES; j++)
            sum += a.limb[i][j];
        const uint64_t limb = (uint64_t)((int64_t)(sum / unit) + p16[i]);
        const int word = 22 * i / 64, shift = 22 * i % 64;
        const uint64_t low = limb << shift, high = shift == 0 ? 0 : limb >> (64 - shift);
        add_words(words, word == 0 ? low : 0, word == 0 ? high : low, word == 0 ? 0 : high);
    }
}

#endif
