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

/* From f, the sum of r^i over i < n, that over i < 2n: f + f r^n, where r^n = (r - 1) f + 1. With `odd`,
 * that over i < 2n + 1: the former times r, plus 1. The factor r does not wait for r^n. */
KERNEL_INLINE fe powers_summed(fe f, const multiplier *r, const multiplier *r_minus_one, bool odd)
{
    const uint64_t one_words[3] = {1, 0, 0}, two_words[3] = {2, 0, 0};
    const fe one = fe_from_three_words(one_words), two = fe_from_three_words(two_words);
    const multiplier factors = multiplier_from(odd ? fe_mul(f, r) : f);
    return fe_carry(
        wide_mul_add(odd ? wide_from(one) : wide_zero(), fe_add(fe_mul(f, r_minus_one), two), &factors));
}

/* The value of n blocks of zeros, 2^128 (r^n + ... + r), in at most 3 log2(n) + 5 multiplications. The bits
 * of n are public. r must be carried. */
KERNEL_INLINE fe zeros_value(fe r, uint64_t n)
{
    const uint64_t top[3] = {0, 0, 1};
    const multiplier by_r = multiplier_from(r);
    const multiplier by_r_minus_one = multiplier_from(fe_carry(wide_from(fe_add(r, fe_minus_one()))));
    fe f = fe_zero();
    for (int bit = 63; bit >= 0; bit--)
        if (n >> bit != 0)
            f = powers_summed(f, &by_r, &by_r_minus_one, (n >> bit & 1) != 0);
    const multiplier factors = multiplier_from(f);
    return fe_mul(fe_mul(fe_from_three_words(top), &by_r), &factors);
}

/* (left + block) r: the value with a block at the end, which is below 2^128. */
KERNEL_INLINE wide append_block(fe left, const uint64_t block[2], fe r)
{
    const uint64_t words[3] = {block[0], block[1], 0};
    const multiplier by_r = multiplier_from(r);
    return wide_mul_add(wide_zero(), fe_add(left, fe_from_three_words(words)), &by_r);
}

#endif
