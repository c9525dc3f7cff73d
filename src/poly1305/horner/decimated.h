/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Horner's rule decimated over the lanes of one message.
 *
 * Bhattacharyya and Sarkar 2020, sections 3.2, 4 and 4.2, after Goll and Gueron 2015. With L lanes, let
 * R = r^L and divide the blocks into groups of L. Lane i runs Horner's rule with R over the blocks i,
 * L + i, 2 L + i, ...; at the end the lanes are multiplied by r^L, r^(L-1), ..., r and summed. Zero blocks
 * in front fill the first group, which leaves h = 0 unchanged. A short block comes last. The last group
 * does not wait for the groups before it:
 *
 *     group 0            group 1                 group 2
 *     0 0 c_1 c_2      | c_3  c_4  c_5  c_6  |   c_7  c_8  c_9  c_10          (L = 4; c_10 may be short)
 *     T = group 0 + h;   T = T R + group 1;      h = sum(T [r^8 r^7 r^6 r^5] + group 2 [r^4 r^3 r^2 r])
 *
 * The evaluation is open: evaluation_begin raises the powers, evaluation_first computes T from a group,
 * evaluation_step and evaluation_long_step absorb groups, and evaluation_end sums the lanes. Other code
 * may run between any two of them, and the powers may be kept for another message under the same r.
 * decimated_kernel.h combines them into one call. */
#ifndef HORNET_POLY1305_HORNER_DECIMATED_H
#define HORNET_POLY1305_HORNER_DECIMATED_H

#include <stddef.h>
#include <stdint.h>

#include "../../core/tuning.h"
#include "../field.h"
#include "../padding.h"
#include "../scalar_field.h"
#include "powers.h"

#define GROUP_BYTES (16 * (size_t)LANES)

/* The number of groups that share one reduction, lambda in section 4.2, for a message of a number of
 * groups: a list of core/tuning.h, which a kernel file may choose; everything that depends on it reads it,
 * including the proofs. Up to n = 4, the powers of R are separate variables; long sums, n = 8, 16 or 32,
 * take them from a table. */
#ifndef GROUPS_TO_A_REDUCTION
#if LIMBS == 3
#define GROUPS_TO_A_REDUCTION(X) GROUPS_RADIX44(X)
#else
#define GROUPS_TO_A_REDUCTION(X) GROUPS_RADIX26(X)
#endif
#endif

/* The list for a family of cores, which a kernel file defines together with KERNEL_TUNING, the name that
 * kernels.def gives to the tuning. */
#ifndef KERNEL_TUNING
#define TUNED_GROUPS(X)
#endif

#define STEPS_MAX 4

#define CHECK_LENGTH(n, min_groups)                                                                        \
    _Static_assert((n) <= STEPS_MAX || (n) <= LONG_SUM_MAX,                                                \
                   "n powers must fit into the table, or n products into a long sum");
GROUPS_TO_A_REDUCTION(CHECK_LENGTH)
TUNED_GROUPS(CHECK_LENGTH)
#undef CHECK_LENGTH

/* Returns how many of ngroups groups share a reduction; 0 for fewer than two groups. Tests the smallest
 * numbers first. */
#define SHORTER_OR(n, min_groups)                                                                          \
    if (ngroups < (min_groups))                                                                            \
        return groups;                                                                                     \
    groups = n;

HORNET_INLINE size_t groups_to_a_reduction(size_t ngroups)
{
    size_t groups = 0;
    GROUPS_TO_A_REDUCTION(SHORTER_OR)
    return groups;
}

#ifdef KERNEL_TUNING
HORNET_INLINE size_t tuned_groups_to_a_reduction(size_t ngroups)
{
    size_t groups = 0;
    TUNED_GROUPS(SHORTER_OR)
    return groups;
}
#endif
#undef SHORTER_OR

/* The number of groups in len_bytes bytes. */
HORNET_INLINE size_t groups_in(size_t len_bytes) { return (blocks_in(len_bytes) + LANES - 1) / LANES; }

/* The powers of r that an evaluation needs. Whoever has long sums sets `table` to memory for R to R^n. */
typedef struct {
    fe of_last, of_others;             /* r^(L - i) and r^(2 L - i) for block i of a group */
    splat_multiplier steps[STEPS_MAX]; /* R to R^n for n <= 4; otherwise only R */
    long_multiplier *table;            /* R to R^n for n > 4: TABLE_VECTORS(n) vectors */
} evaluation_powers;

/* a b, carried. */
HORNET_INLINE fe fe_mul_splat(fe a, const splat_multiplier *b)
{
    return fe_carry(wide_mul_add_splat(wide_zero(), a, b));
}

/* Raises r, the same in every lane, to the powers for n groups per reduction. square is r^2. */
HORNET_INLINE void evaluation_begin(evaluation_powers *powers, size_t n, fe r, fe square)
{
    fe step;
    powers->of_last = raise_over_lanes(LANES, r, square, &step);
    powers->steps[0] = splat_multiplier_from(step);
    powers->of_others = fe_mul_splat(powers->of_last, &powers->steps[0]);
    HORNET_UNROLL
    for (int i = 0; i < LIMBS; i++) {
        powers->of_last.limb[i] = factor_in_order(powers->of_last.limb[i]);
        powers->of_others.limb[i] = factor_in_order(powers->of_others.limb[i]);
    }
    const fe step_square = fe_first(powers->of_others);
    if (n > STEPS_MAX) {
        raise_table(powers->table, n, step, step_square);
        return;
    }
    powers->steps[1] = splat_multiplier_from(step_square);
    if (n == 4) {
        powers->steps[2] = splat_multiplier_from(fe_mul_splat(step_square, &powers->steps[0]));
        powers->steps[3] = splat_multiplier_from(fe_mul_splat(step_square, &powers->steps[1]));
    }
}

/* Raises r to the powers for n groups per reduction. r^2 comes from scalar code, which takes half the time
 * for it, except in 32-bit programs, where it takes three times as many instructions as the lanes. */
HORNET_INLINE void raise_r(evaluation_powers *powers, size_t n, const uint64_t r_words[2])
{
    const uint64_t r[3] = {r_words[0], r_words[1], 0};
#if HORNET_INT128
    uint64_t square[3];
    scalar_fe_to_words(square, scalar_small_mul(scalar_fe_from_words(r), scalar_r_from_words(r)), 0);
    evaluation_begin(powers, n, fe_from_three_words(r), fe_from_three_words(square));
#else
    const fe r_of_each = fe_from_three_words(r);
    evaluation_begin(powers, n, r_of_each, fe_square(r_of_each));
#endif
}

/* Returns T for the first group, which has LANES - absent blocks at `blocks`. */
KERNEL_INLINE fe evaluation_first(const uint8_t *blocks, size_t absent)
{
    vec lo, hi, top;
    vec_load_first_blocks(blocks, absent, &lo, &hi, &top);
    return fe_from_words(lo, hi, top);
}

/* Returns T with a value h added to the first of these blocks. */
KERNEL_INLINE fe evaluation_continue(fe t, size_t absent, const uint64_t h[3])
{
    return fe_add(t, fe_from_words(vec_only_block(absent, h[0]), vec_only_block(absent, h[1]),
                                   vec_only_block(absent, h[2])));
}

/* Returns the last group: LANES - 1 full blocks, and one block given as words; block[2] is 1 if it is
 * full. */
KERNEL_INLINE fe evaluation_last(const uint8_t *blocks, const uint64_t block[3])
{
    vec lo, hi, top;
    vec_load_last_blocks(blocks, block, &lo, &hi, &top);
    return fe_from_words(lo, hi, top);
}

/* Returns T R^n + group_1 R^(n - 1) + ... + group_n with one reduction; n <= STEPS_MAX is a constant. The
 * message is multiplied first and T last, so that only the last product waits for T. */
HORNET_INLINE fe evaluation_step(fe t, const evaluation_powers *powers, const uint8_t *msg, size_t n)
{
    wide sum = wide_from(fe_from_blocks(msg + (n - 1) * GROUP_BYTES));
    HORNET_UNROLL
    for (size_t k = n - 1; k != 0; k--, msg += GROUP_BYTES)
        sum = wide_mul_add_splat(sum, fe_from_blocks(msg), &powers->steps[k - 1]);
    return fe_carry(wide_mul_add_splat(sum, t, &powers->steps[n - 1]));
}

/* Returns the contribution of the blocks' tops to a long step of n groups. */
KERNEL_INLINE fe evaluation_tops(const evaluation_powers *powers, size_t n)
{
    wide tops = wide_zero();
    HORNET_KEEP_LOOP
    for (size_t k = n - 1; k != 0; k--)
        tops = long_tops_add(tops, table_vector(powers->table, k - 1), table_block(k - 1));
    return long_tops_carry(tops);
}

/* Does the same as a step, for up to as many groups as the table has powers. */
KERNEL_INLINE fe evaluation_long_step(fe t, const evaluation_powers *powers, const uint8_t *msg, size_t n,
                                      fe tops)
{
    long_sum sum = long_sum_from(fe_from_blocks(msg + (n - 1) * GROUP_BYTES));
    HORNET_KEEP_LOOP
    for (size_t k = n - 1; k != 0; k--, msg += GROUP_BYTES) {
        vec lo, hi;
        vec_load_blocks(msg, &lo, &hi);
        sum = long_sum_add_blocks(sum, lo, hi, table_vector(powers->table, k - 1), table_block(k - 1));
    }
    return long_sum_carry(long_sum_mul_add(sum, t, table_vector(powers->table, n - 1), table_block(n - 1)),
                          tops);
}

/* Computes the value over T and the last group, plus addend: each lane times its power of r, summed. */
KERNEL_INLINE void evaluation_end(uint64_t h[3], fe t, fe last, const evaluation_powers *powers,
                                  uint64_t addend)
{
    const multiplier of_last = multiplier_from(powers->of_last);
    const multiplier of_others = multiplier_from(powers->of_others);
    const wide sum = wide_mul_add(wide_zero(), last, &of_last);
    wide_sum_to_words(h, wide_mul_add(sum, t, &of_others), addend);
}

#endif
