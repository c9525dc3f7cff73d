/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The field of src/poly1305/field/radix44_sums.h with the z14 paper's first reduction, which its
 * appendix 2 calls serial: h_0 -> h_1 -> h_2 -> h_0 -> h_1, each carry after the previous one. The
 * bounds hold for all inputs: test_study_bounds.py runs this file over ranges. */
#ifndef HORNET_STUDY_FIELD_RADIX44_SERIAL_H
#define HORNET_STUDY_FIELD_RADIX44_SERIAL_H

/* The library's field, whose fe_carry is the parallel one. A kernel of the study is the only one in its
 * file, so fe_carry does not need its own name */
#undef fe_carry
#define fe_carry fe_carry_parallel
#include "../../../src/poly1305/field/radix44_sums.h"
#undef fe_carry

/* Converts two sums to the elements of the two lanes: limbs 0 and 2 below 2^44 and 2^42, limb 1 slightly
 * above 2^44. d_0 and d_1 are below 2^105 and d_2 below 2^103: carries, and their sums, are below
 * 2^61 + 2^22, so that 5 times one plus 2^44 is below 2^64. */
HORNET_INLINE fe fe_carry(summed first, summed second)
{
    vec limb[3], carry[3];
    HORNET_UNROLL
    for (int i = 0; i < 3; i++) {
        const int bits = i < 2 ? 44 : 42;
        const vec high = sums_high(first.d[i], second.d[i]), low = sums_low(first.d[i], second.d[i]);
        SUM_CHECK_MAX(high, (UINT64_C(1) << (bits - 3)) - 1);
        limb[i] = vec_and(low, vec_splat(i < 2 ? MASK44 : MASK42));
        carry[i] = vec_or(vec_shl(high, 64 - bits), vec_shr(low, bits));
    }
    limb[1] = vec_add(limb[1], carry[0]);
    carry[1] = vec_add(carry[1], vec_shr(limb[1], 44));
    limb[2] = vec_add(limb[2], carry[1]);
    carry[2] = vec_add(carry[2], vec_shr(limb[2], 42));
    limb[0] = vec_add(limb[0], times5(carry[2]));
    limb[1] = vec_add(vec_and(limb[1], vec_splat(MASK44)), vec_shr(limb[0], 44));
    return (fe){{vec_and(limb[0], vec_splat(MASK44)), limb[1], vec_and(limb[2], vec_splat(MASK42))}};
}

#endif
