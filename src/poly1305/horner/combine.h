/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Horner's rule in segments: partial evaluations, shifted to their position by a power of r. Bernstein
 * 2005, section 1: "parallelizable and incremental". Uses one lane. */
#ifndef HORNET_POLY1305_HORNER_COMBINE_H
#define HORNET_POLY1305_HORNER_COMBINE_H

#include <stdbool.h>

#include "../field.h"
#include "powers.h"

/* left * shift + right: the value over both segments, where shift is r^(blocks of the right segment). */
KERNEL_INLINE wide combine(fe left, fe right, fe shift)
{
    const multiplier factors = multiplier_from(shift);
    return wide_mul_add(wide_from(right), left, &factors);
}

/* p - 1 = 2^130 - 6, whose limbs are below 2^26, as a multiplier requires. */
KERNEL_INLINE fe fe_minus_one(void)
{
    const uint64_t words[3] = {UINT64_MAX - 5, UINT64_MAX, 3};
    return fe_from_three_words(words);
}

/* whole + (replacement - replaced) * shift, where shift is r^(blocks after the segment). */
KERNEL_INLINE wide replace_segment(fe whole, fe replaced, fe replacement, fe shift)
{
    const multiplier minus_one = multiplier_from(fe_minus_one());
    const fe difference = fe_carry(wide_mul_add(wide_from(replacement), replaced, &minus_one));
    return combine(difference, whole, shift);
}

/* a - 1, carried. a must be carried. */
KERNEL_INLINE fe fe_less_one(fe a) { return fe_carry(wide_from(fe_add(a, fe_minus_one()))); }

/* From f, the sum of r^i over i < n, that over i < 2n: f + f r^n, where r^n = (r - 1) f + 1. With `odd`,
 * that over i < 2n + 1: the former times r, plus 1. The factor r does not wait for r^n. */
KERNEL_INLINE fe powers_summed(fe f, const multiplier *r, const multiplier *r_minus_one, bool odd)
{
    const uint64_t one_or_zero[3] = {odd, 0, 0}, two[3] = {2, 0, 0};
    const multiplier factors = multiplier_from(odd ? fe_mul(f, r) : f);
    const fe power_and_one = fe_add(fe_mul(f, r_minus_one), fe_from_three_words(two));
    return fe_carry(wide_mul_add(wide_from(fe_from_three_words(one_or_zero)), power_and_one, &factors));
}

/* The value of n blocks of zeros, of which the last is 2^128 + excess, not 2^128: (2^128 f + excess) r,
 * from f, the sum of r^i over i < n. */
KERNEL_INLINE wide zeros_of_powers(fe f, const uint64_t excess[3], const multiplier *r)
{
    const uint64_t top[3] = {0, 0, 1};
    const multiplier by_top = multiplier_from(fe_from_three_words(top));
    return wide_mul_add(wide_zero(), fe_add(fe_mul(f, &by_top), fe_from_three_words(excess)), r);
}

/* The same in at most 3 log2(n) + 5 multiplications. The bits of n are public. r must be carried. */
KERNEL_INLINE wide zeros_value(fe r, uint64_t n, const uint64_t excess[3])
{
    const multiplier by_r = multiplier_from(r), by_r_minus_one = multiplier_from(fe_less_one(r));
    fe f = fe_zero();
    for (int bit = 63; bit >= 0; bit--)
        if (n >> bit != 0)
            f = powers_summed(f, &by_r, &by_r_minus_one, (n >> bit & 1) != 0);
    return zeros_of_powers(f, excess, &by_r);
}

#endif
