/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The field modulo p = 2^130 - 5 in radix 2^26, with five limbs and one element in each lane.
 *
 * Goll and Gueron 2015; Bhattacharyya and Sarkar 2020, section 3.1, equation (8). For lanes that multiply
 * 32 x 32 -> 64 bits. field.h documents the functions. The bounds below hold for all inputs: tests/proofs/
 * runs this very file over intervals.
 *
 * The product of a = sum a_i 2^(26 i) and b is, since 2^130 = 5 modulo p,
 *
 *            a_0     a_1     a_2     a_3     a_4
 *     d_0    b_0    5 b_4   5 b_3   5 b_2   5 b_1
 *     d_1    b_1     b_0    5 b_4   5 b_3   5 b_2
 *     d_2    b_2     b_1     b_0    5 b_4   5 b_3
 *     d_3    b_3     b_2     b_1     b_0    5 b_4
 *     d_4    b_4     b_3     b_2     b_1     b_0
 *
 * where d_i is the sum over its row. */
#ifndef HORNET_POLY1305_FIELD_IMPLEMENTATION
#define HORNET_POLY1305_FIELD_IMPLEMENTATION

#include "../../core/memory.h"
#include "../../core/words.h"
#include "../lanes.h"

#ifndef LANES_MULTIPLY_32
#error "radix 2^26 needs lanes with LANES_MULTIPLY_32"
#endif

#define FACTOR_BITS      32
#define LIMBS            5
#define MULTIPLIER_WORDS 9

/* An element. Every limb is <= FE_LIMB_MAX, so that it can be multiplied. */
typedef struct {
    factor limb[5];
} fe;

/* A sum of products and elements before carrying. Every limb is <= WIDE_LIMB_MAX, so that 5 times a carry
 * out of one limb can be added to another. */
typedef struct {
    vec limb[5];
} wide;

/* b_0 to b_4 in v[0] to v[4], and 5 b_1 to 5 b_4 in v[5] to v[8]. Each is <= MULTIPLIER_MAX. */
typedef struct {
    factor v[9];
} multiplier;

/* The sum of two elements with carried limbs is an fe too. A product adds at most 21 * 2^27 * 1.01 * 2^26 <
 * 2^57.5 to a limb, so a wide holds 40 products. */
#define FE_LIMB_MAX    ((UINT64_C(1) << 27) + (UINT64_C(1) << 20))
#define FE_CARRIED_MAX (FE_LIMB_MAX / 2)
#define MULTIPLIER_MAX ((UINT64_C(1) << 29) - 1)
#define WIDE_LIMB_MAX  ((UINT64_C(1) << 63) - 1)

#define MASK26 ((UINT64_C(1) << 26) - 1)

KERNEL_INLINE fe fe_checked(fe a)
{
    VEC_CHECK_MAX(vec_from(a.limb[0]), FE_LIMB_MAX);
    VEC_CHECK_MAX(vec_from(a.limb[1]), FE_LIMB_MAX);
    VEC_CHECK_MAX(vec_from(a.limb[2]), FE_LIMB_MAX);
    VEC_CHECK_MAX(vec_from(a.limb[3]), FE_LIMB_MAX);
    VEC_CHECK_MAX(vec_from(a.limb[4]), FE_LIMB_MAX);
    return a;
}

/* Makes an element of five limbs that are small enough to be multiplied. */
KERNEL_INLINE fe fe_from_limbs(const vec d[5])
{
    return fe_checked((fe){
        {factor_from(d[0]), factor_from(d[1]), factor_from(d[2]), factor_from(d[3]), factor_from(d[4])}});
}

KERNEL_INLINE fe fe_from_carried(const vec d[5])
{
    VEC_CHECK_MAX(d[0], FE_CARRIED_MAX);
    VEC_CHECK_MAX(d[1], FE_CARRIED_MAX);
    VEC_CHECK_MAX(d[2], FE_CARRIED_MAX);
    VEC_CHECK_MAX(d[3], FE_CARRIED_MAX);
    VEC_CHECK_MAX(d[4], FE_CARRIED_MAX);
    return fe_from_limbs(d);
}

KERNEL_INLINE fe fe_from_words(vec lo, vec hi, vec top)
{
    const vec mask = vec_splat(MASK26);
    const vec d[5] = {vec_and(lo, mask), vec_and(vec_shr(lo, 26), mask),
                      vec_and(vec_or(vec_shr(lo, 52), vec_shl(hi, 12)), mask),
                      vec_and(vec_shr(hi, 14), mask), vec_add(vec_shr(hi, 40), vec_shl(top, 24))};
    return fe_from_limbs(d);
}

#ifdef LANES_CUT_26
KERNEL_INLINE fe fe_from_blocks(const uint8_t *blocks)
{
    fe a;
    factor_load_26(blocks, a.limb);
    a.limb[4] = factor_add(a.limb[4], factor_splat(1 << 24));
    return fe_checked(a);
}
#else
KERNEL_INLINE fe fe_from_blocks(const uint8_t *blocks)
{
    vec lo, hi;
    vec_load_blocks(blocks, &lo, &hi);
    return fe_from_words(lo, hi, vec_splat(1));
}
#endif

KERNEL_INLINE multiplier multiplier_from(fe a)
{
    multiplier b;
    HORNET_UNROLL
    for (int i = 0; i < 5; i++)
        b.v[i] = factor_barrier(a.limb[i]);
    HORNET_UNROLL
    for (int i = 1; i < 5; i++) {
        b.v[4 + i] = factor_barrier(factor_times5(a.limb[i]));
        VEC_CHECK_MAX(vec_from(b.v[4 + i]), MULTIPLIER_MAX);
    }
    return b;
}

KERNEL_INLINE void multiplier_to_words(uint64_t *words, const multiplier *a)
{
    HORNET_UNROLL
    for (int i = 0; i < MULTIPLIER_WORDS; i++)
        words[i] = factor_word(a->v[i]);
}

KERNEL_INLINE multiplier multiplier_from_words(const uint64_t *words)
{
    multiplier a;
    HORNET_UNROLL
    for (int i = 0; i < MULTIPLIER_WORDS; i++)
        a.v[i] = factor_splat(words[i]);
    return a;
}

KERNEL_INLINE fe multiplier_element(const multiplier *a)
{
    return (fe){{a->v[0], a->v[1], a->v[2], a->v[3], a->v[4]}};
}

KERNEL_INLINE vec mul_add(vec sum, factor a, factor b) { return vec_barrier(vec_mul_add32(sum, a, b)); }

/* The table by diagonals: all uses of one number of b come before the next number, so that only five sums,
 * five limbs of a and one number of b must stay in registers. NEXT(i, j) stands for taking number i, which
 * is v[j], and ADD(k, l) for adding its product with a_l to d_k. */
/* clang-format off */
#define BY_DIAGONALS(NEXT, ADD)                                                                            \
    NEXT(0, 0) ADD(0, 0) ADD(1, 1) ADD(2, 2) ADD(3, 3) ADD(4, 4)                                           \
    NEXT(1, 1) ADD(1, 0) ADD(2, 1) ADD(3, 2) ADD(4, 3)                                                     \
    NEXT(2, 5) ADD(0, 4)                                                                                   \
    NEXT(3, 2) ADD(2, 0) ADD(3, 1) ADD(4, 2)                                                               \
    NEXT(4, 6) ADD(0, 3) ADD(1, 4)                                                                         \
    NEXT(5, 3) ADD(3, 0) ADD(4, 1)                                                                         \
    NEXT(6, 7) ADD(0, 2) ADD(1, 3) ADD(2, 4)                                                               \
    NEXT(7, 4) ADD(4, 0)                                                                                   \
    NEXT(8, 8) ADD(0, 1) ADD(1, 2) ADD(2, 3) ADD(3, 4)
/* clang-format on */

KERNEL_INLINE wide wide_mul_add(wide sum, fe a, const multiplier *b)
{
#ifdef LANES_MULTIPLIERS_IN_MEMORY
    HORNET_IN_ORDER("r", b);
#endif
    vec *d = sum.limb;
    factor b_limb;
#define NEXT(i, j) b_limb = factor_barrier(b->v[j]);
#define ADD(k, l)  d[k] = mul_add(d[k], a.limb[l], b_limb);
    BY_DIAGONALS(NEXT, ADD)
#undef NEXT
#undef ADD
    return sum;
}

#ifdef LANES_MULTIPLY_BLOCK
/* A multiplier that is the same in every lane: its nine numbers, one for each block of a factor, in the
 * order in which they are used. So one factor of them at a time is in a register; with four lanes there are
 * three. */
#define FIELD_SPLAT_MULTIPLIER
#define SPLAT_FACTORS          ((9 + LANES - 1) / LANES)
#define SPLAT_MULTIPLIER_WORDS (SPLAT_FACTORS * LANES) /* or half of it */

typedef struct {
    factor v[SPLAT_FACTORS];
} splat_multiplier;

#ifndef HORNET_LANES_HOOK
_Static_assert(sizeof(splat_multiplier) <= 8 * SPLAT_MULTIPLIER_WORDS,
               "a factor has at most 64 bits for each lane");
#endif

KERNEL_INLINE splat_multiplier splat_multiplier_from(fe a)
{
    const multiplier b = multiplier_from(a);
    factor numbers[SPLAT_FACTORS * LANES];
    splat_multiplier packed;
    HORNET_UNROLL
    for (int i = 9; i < SPLAT_FACTORS * LANES; i++)
        numbers[i] = b.v[8];
#define NEXT(i, j) numbers[i] = b.v[j];
#define ADD(k, l)
    BY_DIAGONALS(NEXT, ADD)
#undef NEXT
#undef ADD
    HORNET_UNROLL
    for (int i = 0; i < SPLAT_FACTORS; i++) {
        factor *const n = numbers + i * LANES;
        HORNET_UNROLL
        for (int bit = 0; LANES >> bit > 1; bit++) {
            HORNET_UNROLL
            for (int j = 0; j < LANES >> (bit + 1); j++)
                n[j] = factor_blend(bit, n[2 * j], n[2 * j + 1]);
        }
        packed.v[i] = factor_barrier(n[0]);
        VEC_CHECK_MAX(vec_from(packed.v[i]), MULTIPLIER_MAX);
    }
    return packed;
}

KERNEL_INLINE void splat_multiplier_to_words(uint64_t *words, const splat_multiplier *a)
{
    memcpy(words, a, sizeof *a);
}

KERNEL_INLINE splat_multiplier splat_multiplier_from_words(const uint64_t *words)
{
    splat_multiplier a;
    memcpy(&a, words, sizeof a);
    return a;
}

KERNEL_INLINE wide wide_mul_add_splat(wide sum, fe a, const splat_multiplier *b)
{
#ifdef LANES_SPLAT_IN_MEMORY
    HORNET_IN_ORDER("r", b);
#endif
    vec *d = sum.limb;
    factor numbers;
    int block;
#define NEXT(i, j)                                                                                         \
    numbers = b->v[(i) / LANES];                                                                           \
    block = (i) % LANES;
#define ADD(k, l) d[k] = vec_barrier(vec_mul_add32_block(d[k], a.limb[l], numbers, block));
    BY_DIAGONALS(NEXT, ADD)
#undef NEXT
#undef ADD
    return sum;
}
#endif

KERNEL_INLINE wide wide_from(fe a)
{
    return (wide){{vec_from(a.limb[0]), vec_from(a.limb[1]), vec_from(a.limb[2]), vec_from(a.limb[3]),
                   vec_from(a.limb[4])}};
}

KERNEL_INLINE fe fe_zero(void)
{
    const factor zero = factor_splat(0);
    return (fe){{zero, zero, zero, zero, zero}};
}

KERNEL_INLINE wide wide_zero(void) { return wide_from(fe_zero()); }

/* Carries from limb `from` into the next limb, and from limb 4, times 5, into limb 0. */
KERNEL_INLINE void carry_limb(vec limb[5], int from)
{
    const vec carry = vec_shr(limb[from], 26);
    limb[from] = vec_and(limb[from], vec_splat(MASK26));
    if (from == 4)
        limb[0] = vec_add(limb[0], times5(carry));
    else
        limb[from + 1] = vec_add(limb[from + 1], carry);
}

/* Leaves limbs 0, 2 and 3 below 2^26, and limbs 1 and 4 slightly above 2^26 at most. Two chains of carries
 * are interleaved, 0-1-2-3-4 and 3-4-0-1: Bernstein's order, which the z14 paper quotes in section 2. */
KERNEL_INLINE fe fe_carry(wide sum)
{
    vec *d = sum.limb;
    VEC_CHECK_MAX(d[0], WIDE_LIMB_MAX);
    VEC_CHECK_MAX(d[1], WIDE_LIMB_MAX);
    VEC_CHECK_MAX(d[2], WIDE_LIMB_MAX);
    VEC_CHECK_MAX(d[3], WIDE_LIMB_MAX);
    VEC_CHECK_MAX(d[4], WIDE_LIMB_MAX);
    carry_limb(d, 0);
    carry_limb(d, 3);
    carry_limb(d, 1);
    carry_limb(d, 4);
    carry_limb(d, 2);
    carry_limb(d, 0);
    carry_limb(d, 3);
    const vec carried[5] = {vec_barrier(d[0]), vec_barrier(d[1]), vec_barrier(d[2]), vec_barrier(d[3]),
                            vec_barrier(d[4])};
    return fe_from_carried(carried);
}

KERNEL_INLINE fe fe_mul(fe a, const multiplier *b) { return fe_carry(wide_mul_add(wide_zero(), a, b)); }

KERNEL_INLINE fe fe_add(fe a, fe b)
{
    return fe_checked((fe){{factor_add(a.limb[0], b.limb[0]), factor_add(a.limb[1], b.limb[1]),
                            factor_add(a.limb[2], b.limb[2]), factor_add(a.limb[3], b.limb[3]),
                            factor_add(a.limb[4], b.limb[4])}});
}

/* Long sums multiply blocks that are not divided into limbs but into four words of 32 bits, the full width
 * of the multiplier's operand. Each word is multiplied by a power in radix 2^26 that was prepared for the
 * word's position:
 *
 *     (w_0 + 2^32 w_1 + 2^64 w_2 + 2^96 w_3) b  =  w_0 b + w_1 (2^32 b) + w_2 (2^64 b) + w_3 (2^96 b)
 *
 * That takes 20 multiplications, 20 additions and 2 shifts per vector of blocks, instead of 25
 * multiplications, 25 additions and 11 operations to divide the blocks into limbs. The 2^128 of each block
 * is the same for all messages; these parts are added once, as long_tops. */
typedef wide long_sum;

/* b 2^(32 k) in word[k], and 5 b_1 to 5 b_4. */
typedef struct {
    factor word[4][5], times5[4];
} long_multiplier;

/* 28 products of 32 and slightly more than 26 bits are below 2^62.9. Twice as many would be below 2^64 and
 * gain 3 % at 64 KiB, but clearing the memory of the additional powers costs as much at 4 KiB. */
#define LONG_SUM_MAX 8

KERNEL_INLINE long_sum long_sum_from(fe a) { return wide_from(a); }

KERNEL_INLINE fe long_sum_carry(long_sum sum, fe tops)
{
    HORNET_UNROLL
    for (int i = 0; i < 5; i++)
        sum.limb[i] = vec_add(sum.limb[i], vec_from(tops.limb[i]));
    return fe_carry(sum);
}

/* Returns 2^32 a, carried, for a carried a: each limb receives 2^6 times the limb before it. */
KERNEL_INLINE fe fe_times_2_32(fe a)
{
    vec before = times5(vec_from(a.limb[4])), two_before = vec_from(a.limb[3]), d[5];
    HORNET_UNROLL
    for (int i = 0; i < 5; i++) {
        const vec carry = vec_shr(two_before, 20);
        d[i] = vec_add(vec_and(vec_shl(before, 6), vec_splat(MASK26)), i == 0 ? times5(carry) : carry);
        two_before = before;
        before = vec_from(a.limb[i]);
    }
    return fe_from_carried(d);
}

KERNEL_INLINE long_multiplier long_multiplier_from(fe a)
{
    long_multiplier b;
    HORNET_UNROLL
    for (int i = 0; i < 4; i++)
        b.times5[i] = factor_times5(a.limb[1 + i]);
    HORNET_UNROLL
    for (int k = 0; k < 4; k++) {
        HORNET_UNROLL
        for (int i = 0; i < 5; i++)
            b.word[k][i] = a.limb[i];
        a = fe_times_2_32(a);
    }
    return b;
}

KERNEL_INLINE long_sum long_sum_mul_add(long_sum sum, fe a, const long_multiplier *b, size_t block)
{
    multiplier of_a;
    HORNET_UNROLL
    for (int i = 0; i < 9; i++)
        of_a.v[i] = factor_block(i < 5 ? &b->word[0][i] : &b->times5[i - 5], block);
    return wide_mul_add(sum, a, &of_a);
}

KERNEL_INLINE long_sum long_sum_add_blocks(long_sum sum, vec lo, vec hi, const long_multiplier *b,
                                           size_t block)
{
    HORNET_UNROLL
    for (int k = 0; k < 4; k++) {
        const vec half = k < 2 ? lo : hi;
        const factor word = k % 2 == 0 ? factor_from_low32(half) : factor_from_high32(half);
        HORNET_UNROLL
        for (int i = 0; i < 5; i++)
            sum.limb[i] = mul_add(sum.limb[i], word, factor_block(&b->word[k][i], block));
    }
    return sum;
}

KERNEL_INLINE wide long_tops_add(wide tops, const long_multiplier *b, size_t block)
{
    HORNET_UNROLL
    for (int i = 0; i < 5; i++)
        tops.limb[i] = vec_add(tops.limb[i], vec_from(factor_block(&b->word[3][i], block)));
    return tops;
}

KERNEL_INLINE fe long_tops_carry(wide tops) { return fe_times_2_32(fe_carry(tops)); }

KERNEL_INLINE fe fe_blend(int bit, fe even, fe odd)
{
    return (fe){{factor_blend(bit, even.limb[0], odd.limb[0]), factor_blend(bit, even.limb[1], odd.limb[1]),
                 factor_blend(bit, even.limb[2], odd.limb[2]), factor_blend(bit, even.limb[3], odd.limb[3]),
                 factor_blend(bit, even.limb[4], odd.limb[4])}};
}

KERNEL_INLINE fe fe_first(fe a)
{
    return (fe){{factor_first(a.limb[0]), factor_first(a.limb[1]), factor_first(a.limb[2]),
                 factor_first(a.limb[3]), factor_first(a.limb[4])}};
}

KERNEL_INLINE void fe_finish(vec *lo, vec *hi, fe a, vec s_lo, vec s_hi)
{
    const vec mask = vec_splat(MASK26);
    const wide s = wide_from(fe_from_words(s_lo, s_hi, vec_splat(0)));
    wide all = wide_from(a);
    vec *d = all.limb, carry = vec_splat(0);
    /* The part of a above 2^130 is added back, which leaves a below 2^130 + 5 * 2^104. */
    HORNET_UNROLL
    for (int i = 0; i < 5; i++) {
        d[i] = vec_add(d[i], carry);
        carry = vec_shr(d[i], 26);
        d[i] = vec_and(d[i], mask);
    }
    carry = times5(carry);
    HORNET_UNROLL
    for (int i = 0; i < 4; i++) {
        d[i] = vec_add(d[i], carry);
        carry = vec_shr(d[i], 26);
        d[i] = vec_and(d[i], mask);
    }
    d[4] = vec_add(d[4], carry);
    /* a >= p if and only if a + 5 >= 2^130; a - p = a + 5 modulo 2^128. */
    vec over = vec_splat(5);
    HORNET_UNROLL
    for (int i = 0; i < 5; i++)
        over = vec_shr(vec_add(d[i], over), 26);
    carry = times5(over);
    HORNET_UNROLL
    for (int i = 0; i < 4; i++) {
        d[i] = vec_add(vec_add(d[i], s.limb[i]), carry);
        carry = vec_shr(d[i], 26);
        d[i] = vec_and(d[i], mask);
    }
    d[4] = vec_add(vec_add(d[4], s.limb[4]), carry);
    *lo = vec_or(vec_or(d[0], vec_shl(d[1], 26)), vec_shl(d[2], 52));
    *hi = vec_or(vec_or(vec_shr(d[2], 12), vec_shl(d[3], 14)), vec_shl(d[4], 40));
}

/* The sum of the lanes of a limb must not wrap, even with the incoming carry below 2^38: it is at most
 * WIDE_LIMB_MAX. */
KERNEL_INLINE void wide_sum_to_words(uint64_t words[3], wide sum, uint64_t addend)
{
    uint64_t limb[5], carry = 0;
#if !HORNET_INT128 /* a word takes two registers, and an iteration 20 instructions (gcc 12) */
    HORNET_UNROLL
#endif
    for (int i = 0; i < 5; i++) {
        const uint64_t value = vec_sum(sum.limb[i]) + carry;
        limb[i] = value & MASK26;
        carry = value >> 26;
    }
    /* The limbs form a number below 2^130; adding 5 * 2^38 leaves it below 5 * 2^128. */
    words[0] = limb[0] | limb[1] << 26 | limb[2] << 52;
    words[1] = limb[2] >> 12 | limb[3] << 14 | limb[4] << 40;
    words[2] = limb[4] >> 24;
    add_words(words, 5 * carry + addend, 0, 0);
}

#endif
