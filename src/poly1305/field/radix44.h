/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The field modulo p = 2^130 - 5 in radix 2^44, with three limbs and one element in each lane.
 *
 * For lanes that multiply 52 x 52 bits and add the low or the high 52 bits of the product to a sum. field.h
 * documents the functions. The bounds hold for all inputs: tests/proofs/ runs this very file over
 * intervals.
 *
 * The product of a = sum a_i 2^(44 i) and b is, since 2^132 = 20 modulo p,
 *
 *            a_0      a_1      a_2
 *     d_0    b_0    20 b_2   20 b_1
 *     d_1    b_1      b_0    20 b_2
 *     d_2    b_2      b_1      b_0
 *
 * where d_i is the sum over its row, in two halves: d_i = lo_i + 2^52 hi_i. The half hi_i has
 * weight 2^(44 i + 52) and so belongs to the next limb, times 2^8; hi_2 is added back times 20 * 2^8:
 *
 *     limb 0:  lo_0 + 20 * 2^8 hi_2        limb 1:  lo_1 + 2^8 hi_0        limb 2:  lo_2 + 2^8 hi_1
 *
 * Limbs have 8 spare bits when they are multiplied, and sums 11 or more. So one parallel round of carries
 * is enough (the parallel reduction of the z14 paper).
 *
 * Long sums take 12 multiplications of halves per product instead of 18, by Karatsuba's identity with its
 * subtractions deferred to the reduction: see long_sum. */
#ifndef HORNET_POLY1305_FIELD_IMPLEMENTATION
#define HORNET_POLY1305_FIELD_IMPLEMENTATION

#include "../../core/words.h"
#include "../lanes.h"

#ifndef LANES_MULTIPLY_52
#error "radix 2^44 needs lanes with LANES_MULTIPLY_52"
#endif

#define FACTOR_BITS      64
#define LIMBS            3
#define MULTIPLIER_WORDS 5

/* An element. Every limb is <= FE_LIMB_MAX, so that the element, and the sum of two, can be multiplied. */
typedef struct {
    factor limb[3];
} fe;

/* A sum of products and elements before carrying: the halves of d_0 to d_2. */
typedef struct {
    vec lo[3], hi[3];
} wide;

/* b_0 to b_2, and 20 b_1 and 20 b_2. Each is <= MULTIPLIER_MAX. */
typedef struct {
    factor limb[3], limb1_times20, limb2_times20;
} multiplier;

#define FE_LIMB_MAX    ((UINT64_C(1) << 46) - 1)
#define MULTIPLIER_MAX ((UINT64_C(1) << 50) - 1)
/* The bound of a carried element's limbs: the sum of two such elements is an element, and each of them can
 * become a multiplier. */
#define FE_CARRIED_MAX ((UINT64_C(1) << 45) - 1)
/* Bound of a sum that is carried: 5 times the carry out of limb 2, plus 44 bits, fits into an element. */
#define WIDE_LIMB_MAX ((UINT64_C(1) << 63) - 1)

#define MASK44 ((UINT64_C(1) << 44) - 1)
#define MASK42 ((UINT64_C(1) << 42) - 1)

KERNEL_INLINE fe fe_checked(fe a)
{
    VEC_CHECK_MAX(vec_from(a.limb[0]), FE_LIMB_MAX);
    VEC_CHECK_MAX(vec_from(a.limb[1]), FE_LIMB_MAX);
    VEC_CHECK_MAX(vec_from(a.limb[2]), FE_LIMB_MAX);
    return a;
}

KERNEL_INLINE fe fe_checked_carried(fe a)
{
    VEC_CHECK_MAX(vec_from(a.limb[0]), FE_CARRIED_MAX);
    VEC_CHECK_MAX(vec_from(a.limb[1]), FE_CARRIED_MAX);
    VEC_CHECK_MAX(vec_from(a.limb[2]), FE_CARRIED_MAX);
    return a;
}

KERNEL_INLINE fe fe_from_words(vec lo, vec hi, vec top)
{
    const vec mask = vec_splat(MASK44);
    return fe_checked(
        (fe){{factor_from(vec_and(lo, mask)), factor_from(vec_and(vec_shr44_pair(lo, hi), mask)),
              factor_from(vec_add(vec_shr(hi, 24), vec_shl(top, 40)))}});
}

KERNEL_INLINE fe fe_from_blocks(const uint8_t *blocks)
{
    vec lo, hi;
    vec_load_blocks(blocks, &lo, &hi);
    return fe_from_words(lo, hi, vec_splat(1));
}

KERNEL_INLINE vec times20(vec a) { return vec_shl(times5(a), 2); }

/* One instruction instead of three; the product is below 2^52. */
KERNEL_INLINE factor factor_times20(factor a)
{
    return factor_from(vec_madd52lo(vec_splat(0), a, factor_splat(20)));
}

KERNEL_INLINE multiplier multiplier_from(fe a)
{
    const multiplier b = {
        {a.limb[0], a.limb[1], a.limb[2]}, factor_times20(a.limb[1]), factor_times20(a.limb[2])};
    VEC_CHECK_MAX(vec_from(b.limb1_times20), MULTIPLIER_MAX);
    VEC_CHECK_MAX(vec_from(b.limb2_times20), MULTIPLIER_MAX);
    return b;
}

KERNEL_INLINE fe multiplier_element(const multiplier *a)
{
    return (fe){{a->limb[0], a->limb[1], a->limb[2]}};
}

KERNEL_INLINE void multiplier_to_words(uint64_t *words, const multiplier *a)
{
    words[0] = factor_word(a->limb[0]);
    words[1] = factor_word(a->limb[1]);
    words[2] = factor_word(a->limb[2]);
    words[3] = factor_word(a->limb1_times20);
    words[4] = factor_word(a->limb2_times20);
}

KERNEL_INLINE multiplier multiplier_from_words(const uint64_t *words)
{
    return (multiplier){{factor_splat(words[0]), factor_splat(words[1]), factor_splat(words[2])},
                        factor_splat(words[3]),
                        factor_splat(words[4])};
}

KERNEL_INLINE wide wide_from(fe a)
{
    const vec zero = vec_splat(0);
    return (wide){{vec_from(a.limb[0]), vec_from(a.limb[1]), vec_from(a.limb[2])}, {zero, zero, zero}};
}

KERNEL_INLINE fe fe_zero(void)
{
    const factor zero = factor_splat(0);
    return (fe){{zero, zero, zero}};
}

KERNEL_INLINE wide wide_zero(void) { return wide_from(fe_zero()); }

/* The order completes those halves first that have the longest path through the carries: hi[2], which is
 * added back times 20, and then limb 2, whose carry is added back too. */
KERNEL_INLINE wide wide_mul_add(wide sum, fe a, const multiplier *b)
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

/* The halves combined into three limbs, each <= WIDE_LIMB_MAX. */
typedef struct {
    vec limb[3];
} uncarried;

KERNEL_INLINE uncarried wide_limbs(wide sum)
{
    /* 20 * 2^8 = 2^12 + 2^10: the two shifts are independent of each other. */
    const vec back = LANES_KEEP_SHIFT(vec_barrier, vec_shl(sum.hi[2], 10));
    const uncarried d = {{vec_add(vec_add(sum.lo[0], vec_shl(sum.hi[2], 12)), back),
                          vec_add(sum.lo[1], vec_shl(sum.hi[0], 8)),
                          vec_add(sum.lo[2], vec_shl(sum.hi[1], 8))}};
    VEC_CHECK_MAX(d.limb[0], WIDE_LIMB_MAX);
    VEC_CHECK_MAX(d.limb[1], WIDE_LIMB_MAX);
    VEC_CHECK_MAX(d.limb[2], WIDE_LIMB_MAX);
    return d;
}

KERNEL_INLINE fe fe_carry(wide sum)
{
    const uncarried d = wide_limbs(sum);
    const vec carry2 = vec_shr(d.limb[2], 42);
    return fe_checked_carried((fe){{
        factor_from(vec_add(vec_and(d.limb[0], vec_splat(MASK44)), times5(carry2))),
        factor_from(vec_add(vec_and(d.limb[1], vec_splat(MASK44)), vec_shr(d.limb[0], 44))),
        factor_from(vec_add(vec_and(d.limb[2], vec_splat(MASK42)), vec_shr(d.limb[1], 44))),
    }});
}

KERNEL_INLINE fe fe_mul(fe a, const multiplier *b) { return fe_carry(wide_mul_add(wide_zero(), a, b)); }

KERNEL_INLINE fe fe_blend(int bit, fe even, fe odd)
{
    return (fe){{factor_blend(bit, even.limb[0], odd.limb[0]), factor_blend(bit, even.limb[1], odd.limb[1]),
                 factor_blend(bit, even.limb[2], odd.limb[2])}};
}

KERNEL_INLINE fe fe_first(fe a)
{
    return (fe){{factor_first(a.limb[0]), factor_first(a.limb[1]), factor_first(a.limb[2])}};
}

KERNEL_INLINE fe fe_add(fe a, fe b)
{
    return fe_checked((fe){{factor_add(a.limb[0], b.limb[0]), factor_add(a.limb[1], b.limb[1]),
                            factor_add(a.limb[2], b.limb[2])}});
}

KERNEL_INLINE void fe_finish(vec *lo, vec *hi, fe a, vec s_lo, vec s_hi)
{
    const vec mask = vec_splat(MASK44);
    const wide s = wide_from(fe_from_words(s_lo, s_hi, vec_splat(0)));
    /* a < 2 * 2^130. The carries go from limb to limb; the part above 2^130 is added back, which leaves a
     * below 2^130 + 5 * 2^88. */
    vec d0 = vec_from(a.limb[0]), d1 = vec_add(vec_from(a.limb[1]), vec_shr(d0, 44)),
        d2 = vec_add(vec_from(a.limb[2]), vec_shr(d1, 44));
    const vec carry = vec_shr(d2, 42);
    d0 = vec_add(vec_and(d0, mask), times5(carry));
    d1 = vec_add(vec_and(d1, mask), vec_shr(d0, 44));
    d2 = vec_add(vec_and(d2, vec_splat(MASK42)), vec_shr(d1, 44));
    d0 = vec_and(d0, mask);
    d1 = vec_and(d1, mask);
    /* a >= p if and only if a + 5 >= 2^130; a - p = a + 5 modulo 2^128. */
    const vec five = vec_splat(5);
    vec over = vec_shr(vec_add(d0, five), 44);
    over = vec_shr(vec_add(d1, over), 44);
    over = vec_shr(vec_add(d2, over), 42);
    d0 = vec_add(vec_add(d0, s.lo[0]), times5(over));
    d1 = vec_add(vec_add(d1, s.lo[1]), vec_shr(d0, 44));
    d2 = vec_add(vec_add(d2, s.lo[2]), vec_shr(d1, 44));
    *lo = vec_or(vec_and(d0, mask), vec_shl(d1, 44));
    *hi = vec_or(vec_shr(vec_and(d1, mask), 20), vec_shl(d2, 24));
}

KERNEL_INLINE void wide_sum_to_words(uint64_t words[3], wide sum, uint64_t addend)
{
    const uncarried d = wide_limbs(sum);
    const uint64_t d0 = vec_sum(d.limb[0]);
    const uint64_t d1 = vec_sum(d.limb[1]) + (d0 >> 44);
    const uint64_t d2 = vec_sum(d.limb[2]) + (d1 >> 44);
    /* The limbs form a number below 2^130; adding 5 * 2^22 leaves it below 5 * 2^128. */
    words[0] = (d0 & MASK44) | d1 << 44;
    words[1] = (d1 & MASK44) >> 20 | d2 << 24;
    words[2] = (d2 & MASK42) >> 40;
    add_words(words, 5 * (d2 >> 42) + addend, 0, 0);
}

/* A long sum, by Karatsuba's identity: six sums of products, P_ii = sum a_i b_i and
 * P_ij = sum (a_i + a_j)(b_i + b_j), each in two halves. For either half, the products combine into
 *
 *     d_0 = P_00 + 20 (P_12 - P_11 - P_22)
 *     d_1 = P_01 - P_00 - P_11 + 20 P_22
 *     d_2 = P_02 - P_00 - P_22 + P_11
 *
 * To include an element e in the sum, P_00 starts with e_0, P_01 with e_0 + e_1 and P_02 with e_0 + e_2.
 *
 * The subtractions can make a limb negative, down to -40 * 2^52 LONG_SUM_MAX. So that every limb ends above
 * zero, a multiple of p is added at the beginning, the bias. Its limbs have the weights of the limbs of d;
 * P_12 counts 20 times:
 *
 *     20 BIAS p  =   20 BIAS (2^44 - 5)  +  20 BIAS (2^44 - 1) 2^44  +  20 BIAS (2^42 - 1) 2^88
 *     in             20 P_12                P_01                        P_02
 *
 * 2^14 is what 32 low halves need; the rest is for the high halves.
 */
#define BIAS ((UINT64_C(1) << 14) + 512)
enum { P_00, P_11, P_22, P_01, P_02, P_12, KARATSUBA_PRODUCTS };

typedef struct {
    vec lo[KARATSUBA_PRODUCTS], hi[KARATSUBA_PRODUCTS];
} long_sum;
#define LONG_SUM_MAX 32

/* b_0 to b_2, then b_0 + b_1, b_0 + b_2 and b_1 + b_2. */
typedef struct {
    factor v[KARATSUBA_PRODUCTS];
} long_multiplier;

KERNEL_INLINE long_multiplier long_multiplier_from(fe a)
{
    return (long_multiplier){{a.limb[0], a.limb[1], a.limb[2], factor_add(a.limb[0], a.limb[1]),
                              factor_add(a.limb[0], a.limb[2]), factor_add(a.limb[1], a.limb[2])}};
}

KERNEL_INLINE long_sum long_sum_from(fe e)
{
    const vec zero = vec_splat(0), e0 = vec_from(e.limb[0]);
    return (long_sum){{[P_00] = e0,
                       [P_11] = zero,
                       [P_22] = zero,
                       [P_01] = vec_add(vec_add(e0, vec_from(e.limb[1])), vec_splat(20 * BIAS * MASK44)),
                       [P_02] = vec_add(vec_add(e0, vec_from(e.limb[2])), vec_splat(20 * BIAS * MASK42)),
                       [P_12] = vec_splat(BIAS * (MASK44 - 4))},
                      {zero, zero, zero, zero, zero, zero}};
}

/* Adds the two halves of a b to the halves of one sum of products. */
KERNEL_INLINE void karatsuba_mul_add(long_sum *sum, int product, factor a, const long_multiplier *b,
                                     size_t block)
{
    const factor b_factor = factor_block(&b->v[product], block);
    sum->hi[product] = vec_madd52hi(sum->hi[product], a, b_factor);
    sum->lo[product] = vec_madd52lo(sum->lo[product], a, b_factor);
}

/* 12 multiplications of halves, where wide_mul_add takes 18. */
KERNEL_INLINE long_sum long_sum_mul_add(long_sum sum, fe a, const long_multiplier *b, size_t block)
{
    karatsuba_mul_add(&sum, P_00, a.limb[0], b, block);
    karatsuba_mul_add(&sum, P_11, a.limb[1], b, block);
    karatsuba_mul_add(&sum, P_22, a.limb[2], b, block);
    karatsuba_mul_add(&sum, P_01, factor_add(a.limb[0], a.limb[1]), b, block);
    karatsuba_mul_add(&sum, P_02, factor_add(a.limb[0], a.limb[2]), b, block);
    karatsuba_mul_add(&sum, P_12, factor_add(a.limb[1], a.limb[2]), b, block);
    return sum;
}

KERNEL_INLINE long_sum long_sum_add_blocks(long_sum sum, vec lo, vec hi, const long_multiplier *b,
                                           size_t block)
{
    return long_sum_mul_add(sum, fe_from_words(lo, hi, vec_splat(1)), b, block);
}

/* Does nothing: the tops are already part of the products. */
KERNEL_INLINE wide long_tops_add(wide tops, const long_multiplier *b, size_t block)
{
    (void)b, (void)block;
    return tops;
}

KERNEL_INLINE fe long_tops_carry(wide tops)
{
    (void)tops;
    return fe_zero();
}

/* Combines one half of the products. */
KERNEL_INLINE void karatsuba_half(vec d[3], const vec p[KARATSUBA_PRODUCTS])
{
    d[0] = vec_add(p[P_00], times20(vec_sub(vec_sub(p[P_12], p[P_11]), p[P_22])));
    d[1] = vec_add(vec_sub(vec_sub(p[P_01], p[P_00]), p[P_11]), times20(p[P_22]));
    d[2] = vec_add(vec_sub(vec_sub(p[P_02], p[P_00]), p[P_22]), p[P_11]);
}

KERNEL_INLINE fe long_sum_carry(long_sum sum, fe tops)
{
    (void)tops;
    wide all;
    karatsuba_half(all.lo, sum.lo);
    karatsuba_half(all.hi, sum.hi);
    return fe_carry(all);
}

#endif
