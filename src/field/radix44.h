/* The field modulo p = 2^130 - 5 in radix 2^44, three limbs, one element in each lane.
 *
 * For lanes that multiply 52 x 52 bits and add the low or the high 52 bits of the product to a sum. A
 * product a_i * b_j = lo + hi * 2^52 stands at 2^(44 (i + j)), so that hi belongs to the next limb, times
 * 2^8; what reaches 2^132 comes back times 20, since 2^130 = 5. Limbs have 8 bits to spare when they are
 * multiplied, sums 11 or more: one round of carries, all at once, is enough (the z14 paper's parallel
 * reduction).
 *
 * Long messages take three multiplications of halves less for each group of blocks, by Karatsuba's identity
 * with its subtractions put off to the reduction: `lazy` below. The bounds hold for all inputs:
 * proofs/ runs this very file over intervals. */
#ifndef HORNET_FIELD_RADIX44_H
#define HORNET_FIELD_RADIX44_H

#include "../words.h"
#include "vector.h"

#define LIMBS 3

/* An element. Every limb <= FE_LIMB_MAX, so that it, and the sum of two, can be multiplied. */
typedef struct {
    vec limb[3];
} fe;

/* A sum of products and elements that waits for its carries: lo[k] + 2^8 hi[k - 1], and 20 * 2^8 hi[2]. */
typedef struct {
    vec lo[3], hi[3];
} wide;

/* An element to multiply by: its limbs, and 20 times limbs 1 and 2. Every one <= POWER_LIMB_MAX. */
typedef struct {
    vec limb[3], limb1_times20, limb2_times20;
} power;

/* An element and a sum of up to LAZY_MAX products by Karatsuba: P_00, P_11, P_22, P_01, P_02, P_12 with
 * P_ii = sum of a_i b_i and P_ij = sum of (a_i + a_j)(b_i + b_j), each in halves. */
typedef struct {
    vec lo[6], hi[6];
    fe element;
} lazy;
#define LAZY_MAX 20

/* An element to multiply by in such a sum: its limbs, and the sums of limbs 0 + 1, 0 + 2 and 1 + 2. */
typedef struct {
    vec v[6];
} lazy_power;

#define FE_LIMB_MAX    ((UINT64_C(1) << 46) - 1)
#define POWER_LIMB_MAX ((UINT64_C(1) << 50) - 1)
/* A sum that is carried: 5 times the carry out of limb 2, and 44 bits, fit in an element. */
#define WIDE_LIMB_MAX ((UINT64_C(1) << 63) - 1)

#define MASK44 ((UINT64_C(1) << 44) - 1)
#define MASK42 ((UINT64_C(1) << 42) - 1)

HORNET_INLINE fe fe_checked(fe a)
{
    VEC_CHECK_MAX(a.limb[0], FE_LIMB_MAX);
    VEC_CHECK_MAX(a.limb[1], FE_LIMB_MAX);
    VEC_CHECK_MAX(a.limb[2], FE_LIMB_MAX);
    return a;
}

/* lo + hi * 2^64 + top * 2^128, with top <= 6. */
HORNET_INLINE fe fe_from_words(vec lo, vec hi, vec top)
{
    const vec mask = vec_splat(MASK44);
    return fe_checked((fe){{vec_and(lo, mask), vec_and(vec_shr_pair(lo, hi, 44), mask),
                            vec_add(vec_shr(hi, 24), vec_shl(top, 40))}});
}

HORNET_INLINE vec times20(vec a) { return vec_shl(times5(a), 2); }

HORNET_INLINE power power_from(fe a)
{
    const power b = {{a.limb[0], a.limb[1], a.limb[2]}, times20(a.limb[1]), times20(a.limb[2])};
    VEC_CHECK_MAX(b.limb1_times20, POWER_LIMB_MAX);
    VEC_CHECK_MAX(b.limb2_times20, POWER_LIMB_MAX);
    return b;
}

HORNET_INLINE fe power_element(const power *a) { return (fe){{a->limb[0], a->limb[1], a->limb[2]}}; }

HORNET_INLINE lazy_power lazy_power_from(fe a)
{
    return (lazy_power){{a.limb[0], a.limb[1], a.limb[2], vec_add(a.limb[0], a.limb[1]),
                         vec_add(a.limb[0], a.limb[2]), vec_add(a.limb[1], a.limb[2])}};
}

HORNET_INLINE wide wide_from(fe a)
{
    const vec zero = vec_splat(0);
    return (wide){{a.limb[0], a.limb[1], a.limb[2]}, {zero, zero, zero}};
}

HORNET_INLINE fe fe_zero(void)
{
    const vec zero = vec_splat(0);
    return (fe){{zero, zero, zero}};
}

HORNET_INLINE wide wide_zero(void) { return wide_from(fe_zero()); }

/* sum + a * b. In an order that has the halves ready first from which the longest way leads through the
 * carries: hi[2], which comes back times 20, then limb 2, whose carry does. */
HORNET_INLINE wide wide_mul_add(wide sum, fe a, const power *b)
{
    vec *lo = sum.lo, *hi = sum.hi;
    hi[2] = vec_madd52hi(hi[2], a.limb[0], b->limb[2]);
    hi[1] = vec_madd52hi(hi[1], a.limb[0], b->limb[1]);
    lo[2] = vec_madd52lo(lo[2], a.limb[0], b->limb[2]);
    hi[0] = vec_madd52hi(hi[0], a.limb[0], b->limb[0]);
    hi[2] = vec_madd52hi(hi[2], a.limb[1], b->limb[1]);
    hi[1] = vec_madd52hi(hi[1], a.limb[1], b->limb[0]);
    lo[2] = vec_madd52lo(lo[2], a.limb[1], b->limb[1]);
    lo[0] = vec_madd52lo(lo[0], a.limb[0], b->limb[0]);
    hi[2] = vec_madd52hi(hi[2], a.limb[2], b->limb[0]);
    hi[1] = vec_madd52hi(hi[1], a.limb[2], b->limb2_times20);
    lo[2] = vec_madd52lo(lo[2], a.limb[2], b->limb[0]);
    lo[1] = vec_madd52lo(lo[1], a.limb[0], b->limb[1]);
    hi[0] = vec_madd52hi(hi[0], a.limb[1], b->limb2_times20);
    lo[0] = vec_madd52lo(lo[0], a.limb[1], b->limb2_times20);
    lo[1] = vec_madd52lo(lo[1], a.limb[1], b->limb[0]);
    hi[0] = vec_madd52hi(hi[0], a.limb[2], b->limb1_times20);
    lo[0] = vec_madd52lo(lo[0], a.limb[2], b->limb1_times20);
    lo[1] = vec_madd52lo(lo[1], a.limb[2], b->limb2_times20);
    return sum;
}

/* The sum as three limbs, every one <= WIDE_LIMB_MAX. */
typedef struct {
    vec limb[3];
} uncarried;

HORNET_INLINE uncarried wide_limbs(wide sum)
{
    const uncarried d = {{vec_add(sum.lo[0], vec_shl(times20(sum.hi[2]), 8)),
                          vec_add(sum.lo[1], vec_shl(sum.hi[0], 8)),
                          vec_add(sum.lo[2], vec_shl(sum.hi[1], 8))}};
    VEC_CHECK_MAX(d.limb[0], WIDE_LIMB_MAX);
    VEC_CHECK_MAX(d.limb[1], WIDE_LIMB_MAX);
    VEC_CHECK_MAX(d.limb[2], WIDE_LIMB_MAX);
    return d;
}

HORNET_INLINE fe fe_carry(wide sum)
{
    const uncarried d = wide_limbs(sum);
    const vec carry2 = vec_shr(d.limb[2], 42);
    return fe_checked((fe){{
        vec_add(vec_and(d.limb[0], vec_splat(MASK44)), times5(carry2)),
        vec_add(vec_and(d.limb[1], vec_splat(MASK44)), vec_shr(d.limb[0], 44)),
        vec_add(vec_and(d.limb[2], vec_splat(MASK42)), vec_shr(d.limb[1], 44)),
    }});
}

HORNET_INLINE fe fe_mul(fe a, const power *b) { return fe_carry(wide_mul_add(wide_zero(), a, b)); }

/* The elements a takes for blocks whose number has bit `bit` clear, b for the others. */
HORNET_INLINE fe fe_blend(int bit, fe a, fe b)
{
    return (fe){{vec_blend(bit, a.limb[0], b.limb[0]), vec_blend(bit, a.limb[1], b.limb[1]),
                 vec_blend(bit, a.limb[2], b.limb[2])}};
}

/* The element of block 0, in every lane. */
HORNET_INLINE fe fe_first(fe a)
{
    return (fe){{vec_first(a.limb[0]), vec_first(a.limb[1]), vec_first(a.limb[2])}};
}

HORNET_INLINE fe fe_add(fe a, fe b)
{
    return fe_checked((fe){
        {vec_add(a.limb[0], b.limb[0]), vec_add(a.limb[1], b.limb[1]), vec_add(a.limb[2], b.limb[2])}});
}

/* In each lane lo + hi * 2^64 = (a mod p + s_lo + s_hi * 2^64) mod 2^128. */
HORNET_INLINE void fe_finish(vec *lo, vec *hi, fe a, vec s_lo, vec s_hi)
{
    const vec mask = vec_splat(MASK44);
    const fe s = fe_from_words(s_lo, s_hi, vec_splat(0));
    /* a < 2 * 2^130, from limb to limb: what it has above 2^130 comes back, and then it is below
     * 2^130 + 5 * 2^88. */
    vec d0 = a.limb[0], d1 = vec_add(a.limb[1], vec_shr(d0, 44)), d2 = vec_add(a.limb[2], vec_shr(d1, 44));
    const vec carry = vec_shr(d2, 42);
    d0 = vec_add(vec_and(d0, mask), times5(carry));
    d1 = vec_add(vec_and(d1, mask), vec_shr(d0, 44));
    d2 = vec_add(vec_and(d2, vec_splat(MASK42)), vec_shr(d1, 44));
    d0 = vec_and(d0, mask);
    d1 = vec_and(d1, mask);
    /* It is p or more if 5 more reach 2^130; a - p = a + 5 modulo 2^128. */
    const vec five = vec_splat(5);
    vec over = vec_shr(vec_add(d0, five), 44);
    over = vec_shr(vec_add(d1, over), 44);
    over = vec_shr(vec_add(d2, over), 42);
    d0 = vec_add(vec_add(d0, s.limb[0]), times5(over));
    d1 = vec_add(vec_add(d1, s.limb[1]), vec_shr(d0, 44));
    d2 = vec_add(vec_add(d2, s.limb[2]), vec_shr(d1, 44));
    *lo = vec_or(vec_and(d0, mask), vec_shl(d1, 44));
    *hi = vec_or(vec_shr(vec_and(d1, mask), 20), vec_shl(d2, 24));
}

/* words = the sum over all lanes, with words[2] <= 4 (HORNET_H2_MAX). */
HORNET_INLINE void wide_sum_to_words(uint64_t words[3], wide sum)
{
    const uncarried d = wide_limbs(sum);
    const uint64_t d0 = vec_sum(d.limb[0]);
    const uint64_t d1 = vec_sum(d.limb[1]) + (d0 >> 44);
    const uint64_t d2 = vec_sum(d.limb[2]) + (d1 >> 44);
    /* The limbs make a number below 2^130; adding 5 * 2^22 leaves it below 5 * 2^128. */
    words[0] = (d0 & MASK44) | d1 << 44;
    words[1] = (d1 & MASK44) >> 20 | d2 << 24;
    words[2] = (d2 & MASK42) >> 40;
    add_words(words, 5 * (d2 >> 42), 0, 0);
}

/* The subtractions that lazy_carry makes leave up to 40 * 2^52 LAZY_MAX less than nothing in a limb. So
 * that every limb ends above zero, 20 * 2^14 p is added before: P_12 comes in 20 times. */
HORNET_INLINE lazy lazy_from(fe a)
{
    const vec zero = vec_splat(0);
    const vec bias0 = vec_splat((MASK44 - 4) << 14), bias1 = vec_splat(20 * MASK44 << 14),
              bias2 = vec_splat(20 * MASK42 << 14);
    return (lazy){{zero, zero, zero, bias1, bias2, bias0}, {zero, zero, zero, zero, zero, zero}, a};
}

/* The two halves of a * b, each added to its sum. */
HORNET_INLINE void mul_add(vec *lo, vec *hi, vec a, vec b)
{
    *hi = vec_madd52hi(*hi, a, b);
    *lo = vec_madd52lo(*lo, a, b);
}

/* sum + a * b, with 12 multiplications of halves where wide_mul_add takes 18. */
HORNET_INLINE lazy lazy_mul_add(lazy sum, fe a, lazy_power b)
{
    mul_add(&sum.lo[0], &sum.hi[0], a.limb[0], b.v[0]);
    mul_add(&sum.lo[1], &sum.hi[1], a.limb[1], b.v[1]);
    mul_add(&sum.lo[2], &sum.hi[2], a.limb[2], b.v[2]);
    mul_add(&sum.lo[3], &sum.hi[3], vec_add(a.limb[0], a.limb[1]), b.v[3]);
    mul_add(&sum.lo[4], &sum.hi[4], vec_add(a.limb[0], a.limb[2]), b.v[4]);
    mul_add(&sum.lo[5], &sum.hi[5], vec_add(a.limb[1], a.limb[2]), b.v[5]);
    return sum;
}

/* One half of the products put together:
 *   d_0 = P_00 + 20 (P_12 - P_11 - P_22)
 *   d_1 = P_01 - P_00 - P_11 + 20 P_22
 *   d_2 = P_02 - P_00 - P_22 + P_11 */
HORNET_INLINE void lazy_half(vec d[3], const vec p[6])
{
    d[0] = vec_add(p[0], times20(vec_sub(vec_sub(p[5], p[1]), p[2])));
    d[1] = vec_add(vec_sub(vec_sub(p[3], p[0]), p[1]), times20(p[2]));
    d[2] = vec_add(vec_sub(vec_sub(p[4], p[0]), p[2]), p[1]);
}

HORNET_INLINE fe lazy_carry(lazy sum)
{
    wide all;
    lazy_half(all.lo, sum.lo);
    lazy_half(all.hi, sum.hi);
    all.lo[0] = vec_add(all.lo[0], sum.element.limb[0]);
    all.lo[1] = vec_add(all.lo[1], sum.element.limb[1]);
    all.lo[2] = vec_add(all.lo[2], sum.element.limb[2]);
    return fe_carry(all);
}

#endif
