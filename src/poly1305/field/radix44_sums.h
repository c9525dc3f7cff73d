/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The field modulo p = 2^130 - 5 in three limbs of 44, 44 and 42 bits, for lanes whose products are summed.
 *
 * The z14 paper, sections 4 to 6. The product is that of radix44.h, with whole sums instead of halves:
 *
 *     d_0 = a_0 b_0 + 20 a_1 b_2 + 20 a_2 b_1
 *     d_1 = a_0 b_1 +    a_1 b_0 + 20 a_2 b_2
 *     d_2 = a_0 b_2 +    a_1 b_1 +    a_2 b_0
 *
 * each over both lanes, which takes 9 instructions for two blocks. Two such sums are carried in parallel,
 * one in each lane: the paper's parallel reduction. The bounds hold for all inputs: tests/proofs/ runs this
 * very file over ranges. */
#ifndef HORNET_POLY1305_FIELD_RADIX44_SUMS_H
#define HORNET_POLY1305_FIELD_RADIX44_SUMS_H

#include <stdint.h>

#include "../lanes/vmsl.h"

/* An element in each lane. */
typedef struct {
    vec limb[3];
} fe;

/* b_0 to b_2, and 20 b_1 and 20 b_2. */
typedef struct {
    vec limb[3], limb1_times20, limb2_times20;
} multiplier;

/* One element, before carrying. */
typedef struct {
    sum d[3];
} summed;

/* VMSL takes constant time for operands up to this value. */
#define OPERAND_MAX ((UINT64_C(1) << 56) - 1)
/* The bound of a carried element's limbs; 20 times a limb is an operand. */
#define FE_LIMB_MAX ((UINT64_C(1) << 45) - 1)

#define MASK44 ((UINT64_C(1) << 44) - 1)
#define MASK42 ((UINT64_C(1) << 42) - 1)

/* Lanes may keep compilers from making a multiplication of shifts and additions. */
#ifndef LANES_SEPARATE
#define LANES_SEPARATE(a) ((void)0)
#endif
HORNET_INLINE vec times5(vec a)
{
    vec fourfold = vec_shl(a, 2);
    LANES_SEPARATE(fourfold);
    return vec_add(a, fourfold);
}
HORNET_INLINE vec times20(vec a) { return vec_shl(times5(a), 2); }

HORNET_INLINE fe fe_from_words(vec lo, vec hi, vec top)
{
    const vec mask = vec_splat(MASK44);
    return (fe){{vec_and(lo, mask), vec_and(vec_or(vec_shr(lo, 44), vec_shl(hi, 20)), mask),
                 vec_add(vec_shr(hi, 24), vec_shl(top, 40))}};
}

HORNET_INLINE fe fe_add(fe a, fe b)
{
    return (fe){
        {vec_add(a.limb[0], b.limb[0]), vec_add(a.limb[1], b.limb[1]), vec_add(a.limb[2], b.limb[2])}};
}

/* Returns the element of one lane in lane 0, and 0 in lane 1. */
HORNET_INLINE fe fe_alone(fe a, int lane)
{
    return (fe){{vec_alone(a.limb[0], lane), vec_alone(a.limb[1], lane), vec_alone(a.limb[2], lane)}};
}

HORNET_INLINE multiplier multiplier_from(fe a)
{
    return (multiplier){{a.limb[0], a.limb[1], a.limb[2]}, times20(a.limb[1]), times20(a.limb[2])};
}

HORNET_INLINE sum operand_mul_add(sum total, vec a, vec b)
{
    SUM_CHECK_MAX(a, OPERAND_MAX);
    SUM_CHECK_MAX(b, OPERAND_MAX);
    return sum_mul_add(total, a, b);
}

HORNET_INLINE summed vmsl_zero(void) { return (summed){{sum_zero(), sum_zero(), sum_zero()}}; }

/* Returns s plus the sum over both lanes of a b. Dependent instructions are three apart. */
HORNET_INLINE summed vmsl_mul_add(summed s, fe a, const multiplier *b)
{
    s.d[0] = operand_mul_add(s.d[0], a.limb[0], b->limb[0]);
    s.d[1] = operand_mul_add(s.d[1], a.limb[0], b->limb[1]);
    s.d[2] = operand_mul_add(s.d[2], a.limb[0], b->limb[2]);
    s.d[0] = operand_mul_add(s.d[0], a.limb[1], b->limb2_times20);
    s.d[1] = operand_mul_add(s.d[1], a.limb[1], b->limb[0]);
    s.d[2] = operand_mul_add(s.d[2], a.limb[1], b->limb[1]);
    s.d[0] = operand_mul_add(s.d[0], a.limb[2], b->limb1_times20);
    s.d[1] = operand_mul_add(s.d[1], a.limb[2], b->limb2_times20);
    s.d[2] = operand_mul_add(s.d[2], a.limb[2], b->limb[0]);
    return s;
}

/* Adds each carry to the next limb, all in parallel. A carry is below 2^61, so that 5 times a carry plus
 * 2^44 is below 2^64. */
HORNET_INLINE fe carry_once(const vec low[3], const vec carry[3])
{
    return (fe){{vec_add(vec_and(low[0], vec_splat(MASK44)), times5(carry[2])),
                 vec_add(vec_and(low[1], vec_splat(MASK44)), carry[0]),
                 vec_add(vec_and(low[2], vec_splat(MASK42)), carry[1])}};
}

/* Returns two sums as the elements of the two lanes, after the first carries. d_0 and d_1 are below 2^105
 * and d_2 below 2^103, so that carries are below 2^61. */
HORNET_INLINE fe fe_of_sums(summed first, summed second)
{
    vec low[3], carry[3];
    HORNET_UNROLL
    for (int i = 0; i < 3; i++) {
        const int bits = i < 2 ? 44 : 42;
        const vec high = sums_high(first.d[i], second.d[i]);
        low[i] = sums_low(first.d[i], second.d[i]);
        SUM_CHECK_MAX(high, (UINT64_C(1) << (bits - 3)) - 1);
        carry[i] = vec_or(vec_shl(high, 64 - bits), vec_shr(low[i], bits));
    }
    return carry_once(low, carry);
}

/* The same after two carries: each limb slightly exceeds its 44 or 42 bits at most. */
HORNET_INLINE fe fe_carry(summed first, summed second)
{
    const fe once = fe_of_sums(first, second);
    vec carry[3];
    HORNET_UNROLL
    for (int i = 0; i < 3; i++)
        carry[i] = vec_shr(once.limb[i], i < 2 ? 44 : 42);
    const fe carried = carry_once(once.limb, carry);
    HORNET_UNROLL
    for (int i = 0; i < 3; i++)
        VEC_CHECK_MAX(carried.limb[i], FE_LIMB_MAX);
    return carried;
}

#endif
