/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^26 in Goll and Gueron's packing: the elements of all lanes are in three vectors, two limbs per
 * lane, and a multiplier is in two. Bhattacharyya and Sarkar 2020, sections 3.1 and 4.1, figures 2 to 11;
 * step by step, Bhattacharyya 2018, sections 3.4, 3.5 and 4.4. Include it after
 * src/poly1305/field/radix26.h, whose sums and carries are the paper's: five vectors S_0 to S_4, carried
 * 0-1-2-3-4 and 3-4-0-1.
 *
 *     lane         3              2              1              0
 *     t_0     t_3,2  t_3,0   t_2,2  t_2,0   t_1,2  t_1,0   t_0,2  t_0,0
 *     t_1     t_3,3  t_3,1   t_2,3  t_2,1   t_1,3  t_1,1   t_0,3  t_0,1
 *     t_2       0    t_3,4     0    t_2,4     0    t_1,4     0    t_0,4
 *     r_0      5r_4   5r_3    5r_2   r_4     r_3    r_2     r_1    r_0
 *     r_1      5r_1   5r_1    5r_1   5r_1    5r_1   5r_1    5r_1   5r_1
 *
 * Block i is in lane i. Limbs have the bounds of radix26.h: below 2^26 or slightly more after a carry,
 * twice that with a block added. */
#ifndef HORNET_STUDY_FIELD_PACKED26_H
#define HORNET_STUDY_FIELD_PACKED26_H

#include "../../../src/poly1305/field.h"
#include "../lanes/packed.h"

/* The packed element in figure 3. */
typedef struct {
    vec t[3];
} packed_fe;

/* The packed multiplier in figure 2. Eight lanes hold it twice. */
typedef struct {
    vec r0, r1;
} packed_multiplier;

/* The same in quads, for one element at a time. */
typedef struct {
    packed_quad r0, r1;
} single_multiplier;

KERNEL_INLINE single_multiplier single_multiplier_from(fe a)
{
    uint64_t g[5];
    HORNET_UNROLL
    for (int i = 0; i < 5; i++)
        g[i] = factor_word(a.limb[i]);
    return (single_multiplier){quad_set(g[0] | g[1] << 32, g[2] | g[3] << 32, g[4] | (5 * g[2]) << 32,
                                        5 * g[3] | (5 * g[4]) << 32),
                               quad_splat(5 * g[1] | (5 * g[1]) << 32)};
}

KERNEL_INLINE packed_multiplier packed_multiplier_from(fe a)
{
    const single_multiplier r = single_multiplier_from(a);
    return (packed_multiplier){vec_of_quads(r.r0), vec_of_quads(r.r1)};
}

/* Packs the words of the lanes' blocks, as loaded by src/poly1305/lanes.h. */
KERNEL_INLINE packed_fe packed_from_words(vec lo, vec hi, vec top)
{
    lo = vec_natural(lo);
    hi = vec_natural(hi);
    const vec mask = vec_splat(MASK26 | MASK26 << 32);
    const vec limb2 = vec_or(vec_shr(lo, 20), vec_shl(hi, 44)); /* in the high 32 bits; so is limb 3 */
    return (packed_fe){{vec_and(vec_blend_odd32(lo, limb2), mask),
                        vec_and(vec_blend_odd32(vec_shr(lo, 26), vec_shl(hi, 18)), mask),
                        vec_add(vec_shr(hi, 40), vec_shl(vec_natural(top), 24))}};
}

KERNEL_INLINE packed_fe packed_add(packed_fe a, packed_fe b)
{
    return (packed_fe){{vec_add(a.t[0], b.t[0]), vec_add(a.t[1], b.t[1]), vec_add(a.t[2], b.t[2])}};
}

/* The paper's vecReduce. */
KERNEL_INLINE packed_fe packed_reduce(wide s)
{
    const fe a = fe_carry(s);
    return (packed_fe){{vec_blend_odd32(vec_from(a.limb[0]), vec_shl(vec_from(a.limb[2]), 32)),
                        vec_blend_odd32(vec_from(a.limb[1]), vec_shl(vec_from(a.limb[3]), 32)),
                        vec_from(a.limb[4])}};
}

KERNEL_INLINE factor low_factor(vec a) { return factor_from_low32(a); }

/* Unpacks to one limb per lane. */
KERNEL_INLINE fe packed_unpack(packed_fe a)
{
    return (fe){{low_factor(a.t[0]), low_factor(a.t[1]), factor_from_high32(a.t[0]),
                 factor_from_high32(a.t[1]), low_factor(a.t[2])}};
}

KERNEL_INLINE vec packed_mul(vec a, vec b) { return vec_mul32(low_factor(a), low_factor(b)); }
KERNEL_INLINE vec packed_mul_add(vec sum, vec a, vec b)
{
    return vec_mul_add32(sum, low_factor(a), low_factor(b));
}

/* Returns sum + T R, or T R without a sum: the paper's vecMult, in the order of the dissertation's 25
 * steps, in the last of which the indices of g are too small by 1. Each of A to D holds two limbs of R;
 * the lower one is multiplied, and the two are swapped in between. The same holds for t_0 and t_1. */
KERNEL_INLINE wide packed_mult(const wide *sum, packed_fe a, const packed_multiplier *r)
{
    const vec swap = vec_swap_index();
    vec t0 = a.t[0], t1 = a.t[1];
    const vec t4 = a.t[2];
    vec A = vec_permute64(r->r0, 0x00), B = vec_permute64(r->r0, 0x55);
    wide s;
    if (sum == NULL) {
        s.limb[0] = packed_mul(t0, A); /* r_0 */
        s.limb[1] = packed_mul(t1, A);
        s.limb[4] = packed_mul(t4, A);
        s.limb[2] = packed_mul(t0, B); /* r_2 */
        s.limb[3] = packed_mul(t1, B);
    } else {
        s.limb[0] = packed_mul_add(sum->limb[0], t0, A);
        s.limb[1] = packed_mul_add(sum->limb[1], t1, A);
        s.limb[4] = packed_mul_add(sum->limb[4], t4, A);
        s.limb[2] = packed_mul_add(sum->limb[2], t0, B);
        s.limb[3] = packed_mul_add(sum->limb[3], t1, B);
    }
    A = vec_permute32(A, swap); /* r_1 */
    B = vec_permute32(B, swap); /* r_3 */
    s.limb[1] = packed_mul_add(s.limb[1], t0, A);
    s.limb[2] = packed_mul_add(s.limb[2], t1, A);
    s.limb[3] = packed_mul_add(s.limb[3], t0, B);
    s.limb[4] = packed_mul_add(s.limb[4], t1, B);
    vec C = vec_permute64(r->r0, 0xAA); /* r_4 */
    s.limb[4] = packed_mul_add(s.limb[4], t0, C);
    t0 = vec_permute32(t0, swap); /* limb 2 */
    t1 = vec_permute32(t1, swap); /* limb 3 */
    C = vec_permute32(C, swap);   /* 5 r_2 */
    s.limb[0] = packed_mul_add(s.limb[0], t1, C);
    s.limb[1] = packed_mul_add(s.limb[1], t4, C);
    s.limb[3] = packed_mul_add(s.limb[3], t0, A);
    s.limb[4] = packed_mul_add(s.limb[4], t1, A);
    A = vec_permute32(A, swap); /* r_0 */
    B = vec_permute32(B, swap); /* r_2 */
    s.limb[2] = packed_mul_add(s.limb[2], t0, A);
    s.limb[3] = packed_mul_add(s.limb[3], t1, A);
    s.limb[4] = packed_mul_add(s.limb[4], t0, B);
    vec D = vec_permute64(r->r0, 0xFF); /* 5 r_3 */
    s.limb[0] = packed_mul_add(s.limb[0], t0, D);
    s.limb[1] = packed_mul_add(s.limb[1], t1, D);
    s.limb[2] = packed_mul_add(s.limb[2], t4, D);
    D = vec_permute32(D, swap); /* 5 r_4 */
    s.limb[3] = packed_mul_add(s.limb[3], t4, D);
    s.limb[1] = packed_mul_add(s.limb[1], t0, D);
    s.limb[2] = packed_mul_add(s.limb[2], t1, D);
    t1 = vec_permute32(t1, swap); /* limb 1 */
    s.limb[0] = packed_mul_add(s.limb[0], t1, D);
    s.limb[0] = packed_mul_add(s.limb[0], t4, r->r1);
    return s;
}

/* One element: limbs 0 to 3 in the low 32 bits of four lanes, and limb 4 in the low 32 bits of every
 * lane. Figure 8. */
typedef struct {
    packed_quad limbs, top;
} single_fe;

/* d_0 to d_3 in four lanes, and products whose sum is d_4. */
typedef struct {
    packed_quad d, d4;
} single_wide;

/* Bounds as in radix26.h: words[2] <= 6. */
KERNEL_INLINE single_fe single_from_words(const uint64_t words[3])
{
    return (single_fe){quad_set(words[0] & MASK26, words[0] >> 26 & MASK26,
                                (words[0] >> 52 | words[1] << 12) & MASK26, words[1] >> 14 & MASK26),
                       quad_splat(words[1] >> 40 | words[2] << 24)};
}

/* Selects the 32-bit numbers i0 to i3 of r_0, one for the low half of each lane. */
KERNEL_INLINE packed_quad single_limbs(packed_quad r0, uint64_t i0, uint64_t i1, uint64_t i2, uint64_t i3)
{
    return quad_permute32(r0, quad_set(i0, i1, i2, i3));
}

/* The multipliers of lanes 0 to 3 as they are rotated, and of limb 4. */
typedef struct {
    packed_quad rotated[4], top, limb4, top4;
} single_operands;

KERNEL_INLINE single_operands single_operands_of(const single_multiplier *r)
{
    const packed_quad r0 = r->r0, only0 = quad_set(UINT64_MAX, 0, 0, 0);
    return (single_operands){
        {single_limbs(r0, 0, 0, 0, 0), single_limbs(r0, 5, 1, 1, 1), single_limbs(r0, 6, 6, 2, 2),
         single_limbs(r0, 7, 7, 7, 3)},
        quad_add(quad_and(r->r1, only0),
                 quad_and(single_limbs(r0, 0, 5, 6, 7), quad_set(0, UINT64_MAX, UINT64_MAX, UINT64_MAX))),
        single_limbs(r0, 4, 3, 2, 1),
        quad_and(r0, only0)};
}

/* Five multiplications: all products except r_0 times limb 4. */
KERNEL_INLINE single_wide single_mul_limbs(packed_quad limbs, packed_quad top, const single_operands *r)
{
    packed_quad d = quad_mul32(limbs, r->rotated[0]);
    d = quad_add(d, quad_mul32(quad_permute64(limbs, 0x93), r->rotated[1])); /* limbs 3, 0, 1, 2 */
    d = quad_add(d, quad_mul32(quad_permute64(limbs, 0x4E), r->rotated[2])); /* limbs 2, 3, 0, 1 */
    d = quad_add(d, quad_mul32(quad_permute64(limbs, 0x39), r->rotated[3])); /* limbs 1, 2, 3, 0 */
    d = quad_add(d, quad_mul32(top, r->top));
    return (single_wide){d, quad_mul32(limbs, r->limb4)};
}

/* Section 4.1 for rho = 1: 7 multiplications. */
KERNEL_INLINE single_wide single_mul(single_fe a, const single_operands *r)
{
    single_wide s = single_mul_limbs(a.limbs, a.top, r);
    s.d4 = quad_add(s.d4, quad_mul32(a.top, r->top4));
    return s;
}

/* Returns the sum of the lanes in every lane. */
KERNEL_INLINE packed_quad quad_sum(packed_quad a)
{
    a = quad_add(a, quad_permute64(a, 0x4E));
    return quad_add(a, quad_permute64(a, 0xB1));
}

/* Carries all limbs at once, twice: values up to 2^63 become 2^26 + 5 * 2^37, and then 2^26 + 5 * 2^14. */
KERNEL_INLINE single_fe single_reduce(single_wide s)
{
    const packed_quad mask = quad_splat(MASK26), only0 = quad_set(UINT64_MAX, 0, 0, 0),
                      but0 = quad_set(0, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    packed_quad d = s.d, d4 = quad_sum(s.d4);
    HORNET_UNROLL
    for (int round = 0; round < 2; round++) {
        const packed_quad carry = quad_shr(d, 26), carry4 = quad_and(quad_shr(d4, 26), only0);
        d = quad_add(quad_and(d, mask), quad_and(quad_permute64(carry, 0x93), but0));
        d4 = quad_add(quad_and(d4, mask), quad_permute64(carry, 0xFF));
        const packed_quad twice = quad_add(carry4, carry4);
        d = quad_add(d, quad_add(quad_add(twice, twice), carry4));
    }
    return (single_fe){d, d4};
}

KERNEL_INLINE single_fe single_add(single_fe a, single_fe b)
{
    return (single_fe){quad_add(a.limbs, b.limbs), quad_add(a.top, b.top)};
}

KERNEL_INLINE single_wide single_wide_add(single_wide a, single_wide b)
{
    return (single_wide){quad_add(a.d, b.d), quad_add(a.d4, b.d4)};
}

/* Returns the sum over all lanes. */
KERNEL_INLINE single_wide single_of_sums(wide s)
{
    packed_quad q[5], half[2];
    for (int i = 0; i < 5; i++)
        q[i] = quad_folded(s.limb[i]);
    for (int i = 0; i < 2; i++)
        half[i] = quad_add(quad_unpack_lo(q[2 * i], q[2 * i + 1]), quad_unpack_hi(q[2 * i], q[2 * i + 1]));
    return (single_wide){quad_add(quad_low_halves(half[0], half[1]), quad_high_halves(half[0], half[1])),
                         q[4]};
}

/* Returns S_0 to S_4 with the element in the last lane and zeros in the others. Figure 9. */
KERNEL_INLINE wide packed_of_single(single_wide s)
{
    const packed_quad only3 = quad_set(0, 0, 0, UINT64_MAX);
    return (wide){{vec_top_quad(quad_and(quad_permute64(s.d, 0x39), only3)),
                   vec_top_quad(quad_and(quad_permute64(s.d, 0x4E), only3)),
                   vec_top_quad(quad_and(quad_permute64(s.d, 0x93), only3)),
                   vec_top_quad(quad_and(s.d, only3)), vec_top_quad(quad_and(quad_sum(s.d4), only3))}};
}

/* Section 4.1 for rho = 2: the products of two elements and the same multiplier in the last two lanes.
 * Takes 13 multiplications, because those of r_0 and the two limbs 4 are combined. Figures 10 and 11. */
KERNEL_INLINE wide packed_of_pair(single_fe c0, single_fe c1, const single_operands *r)
{
    const packed_quad only23 = quad_set(0, 0, UINT64_MAX, UINT64_MAX);
    const single_wide s0 = single_mul_limbs(c0.limbs, c0.top, r);
    const single_wide s1 = single_mul_limbs(c1.limbs, c1.top, r);
    const packed_quad tops = quad_and(quad_unpack_lo(c0.top, c1.top), only23);
    const packed_quad top4 = quad_mul32(tops, r->rotated[0]);
    const packed_quad d02 = quad_unpack_lo(s0.d, s1.d), d13 = quad_unpack_hi(s0.d, s1.d);
    packed_quad d4 = quad_add(quad_unpack_lo(s0.d4, s1.d4), quad_unpack_hi(s0.d4, s1.d4));
    d4 = quad_add(quad_and(quad_add(d4, quad_permute64(d4, 0x4E)), only23), top4);
    return (wide){{vec_top_quad(quad_and(quad_permute64(d02, 0x4E), only23)),
                   vec_top_quad(quad_and(quad_permute64(d13, 0x4E), only23)),
                   vec_top_quad(quad_and(d02, only23)), vec_top_quad(quad_and(d13, only23)),
                   vec_top_quad(d4)}};
}

/* Any numbers may be in the lanes if their sum is the element. */
KERNEL_INLINE wide wide_of_single(single_wide s)
{
    return (wide){{vec_top_quad(quad_and(s.d, quad_set(UINT64_MAX, 0, 0, 0))),
                   vec_top_quad(quad_and(s.d, quad_set(0, UINT64_MAX, 0, 0))),
                   vec_top_quad(quad_and(s.d, quad_set(0, 0, UINT64_MAX, 0))),
                   vec_top_quad(quad_and(s.d, quad_set(0, 0, 0, UINT64_MAX))), vec_top_quad(s.d4)}};
}

#endif
