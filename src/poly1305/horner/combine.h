/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Horner's rule in segments: partial evaluations, shifted to their position by a power of r. Bernstein
 * 2005, section 1: "parallelizable and incremental". Uses one lane. */
#ifndef HORNET_POLY1305_HORNER_COMBINE_H
#define HORNET_POLY1305_HORNER_COMBINE_H

#include "../field.h"
#include "powers.h"

/* left * shift + right: the value over both segments, where shift is r^(blocks of the right segment). */
KERNEL_INLINE wide combine(fe left, fe right, fe shift)
{
    const multiplier factors = multiplier_from(shift);
    return wide_mul_add(wide_from(right), left, &factors);
}

/* whole + (replacement - replaced) * shift, where shift is r^(blocks after the segment). */
KERNEL_INLINE wide replace_segment(fe whole, fe replaced, fe replacement, fe shift)
{
    /* p - 1 = 2^130 - 6, whose limbs are below 2^26, as a multiplier requires. */
    const uint64_t minus_one_words[3] = {UINT64_MAX - 5, UINT64_MAX, 3};
    const multiplier minus_one = multiplier_from(fe_from_three_words(minus_one_words));
    const fe difference = fe_carry(wide_mul_add(wide_from(replacement), replaced, &minus_one));
    return combine(difference, whole, shift);
}

#endif
