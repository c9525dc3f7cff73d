/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Horner's rule decimated over the lanes of one message.
 *
 * Bhattacharyya and Sarkar 2020, sections 3.2, 4 and 4.2, after Goll and Gueron 2015. With L lanes, R = r^L
 * and the blocks cut into groups of L, lane i runs Horner's rule with R over the blocks i, L + i, 2 L + i,
 * ... and the lanes are multiplied by r^L, r^(L-1), ..., r and summed at the end:
 *
 *     scalar    group 0              group 1                scalar
 *     c_1 c_2 | c_3  c_4  c_5  c_6 | c_7  c_8  c_9  c_10 |  c_11          (L = 4; c_11 is short)
 *     T = group 0 + h;    T = T * R + group 1;    h = sum(T * [r^4 r^3 r^2 r])
 *
 * The evaluation is open: evaluation_begin raises the powers, evaluation_first makes T of a group,
 * evaluation_step and evaluation_long_step absorb groups, evaluation_end folds the lanes. Something else
 * may run between any two of them, and powers may be kept for another message under the same r.
 * decimated_kernel.h puts them together for one call. */
#ifndef HORNET_POLY1305_HORNER_DECIMATED_H
#define HORNET_POLY1305_HORNER_DECIMATED_H

#include <stddef.h>
#include <stdint.h>

#include "../field.h"
#include "../scalar_field.h"
#include "powers.h"

#define GROUP_BYTES (16 * (size_t)LANES)

/* How many groups share one reduction, lambda in section 4.2: n from so many groups on. THE list; whatever
 * depends on it, the proofs too, reads it by GROUPS_TO_A_REDUCTION(X), which is X(n, min_groups) for each
 * row. n = 1 and 2 keep their powers in registers; longer sums, n = 8 and 16, take them from a table. A
 * kernel file may set the numbers; docs/performance.md has the measurements. */
#ifndef MIN_GROUPS_2
#define MIN_GROUPS_2  6
#define MIN_GROUPS_8  30
#define MIN_GROUPS_16 128
#endif
#define GROUPS_TO_A_REDUCTION(X) X(1, 1) X(2, MIN_GROUPS_2) X(8, MIN_GROUPS_8) X(16, MIN_GROUPS_16)
#define IN_REGISTERS_MAX         2

#define CHECK_LENGTH(n, min_groups)                                                                        \
    _Static_assert((n) <= IN_REGISTERS_MAX || ((n) <= TABLE_MAX && (n) <= LONG_SUM_MAX),                   \
                   "a table of so many powers, and a sum of so many products");
GROUPS_TO_A_REDUCTION(CHECK_LENGTH)
#undef CHECK_LENGTH

/* The powers of r that an evaluation takes. */
typedef struct {
    fe of_lanes;                          /* r^(L - i) for block i of a group */
    multiplier steps[IN_REGISTERS_MAX];   /* R, R^2: for n <= 2 */
    long_multiplier table[TABLE_VECTORS]; /* R to R^n: for n = 8, 16; memory to be wiped */
} evaluation_powers;

/* Raises r, the same in every lane, to the powers for n groups to a reduction. */
HORNET_INLINE void evaluation_begin(evaluation_powers *powers, size_t n, fe r)
{
    fe step;
    powers->of_lanes = raise_over_lanes(LANES, r, &step);
    if (n > IN_REGISTERS_MAX) {
        raise_table(powers->table, n, step);
    } else {
        HORNET_UNROLL
        for (int i = 0; i < LIMBS; i++)
            powers->of_lanes.limb[i] = factor_in_order(powers->of_lanes.limb[i]);
        powers->steps[0] = multiplier_from(step);
        raise_in_turn(powers->steps, n, step);
    }
}

/* LANES full blocks. */
KERNEL_INLINE fe load_group(const uint8_t *blocks)
{
    vec lo, hi;
    vec_load_blocks(blocks, &lo, &hi);
    return fe_from_words(lo, hi, vec_splat(1));
}

/* T = the group at blocks, with h added to its first block. */
KERNEL_INLINE fe evaluation_first(const uint8_t *blocks, scalar_fe h)
{
    uint64_t words[3];
    scalar_fe_to_words(words, h);
    return fe_add(load_group(blocks), fe_from_words(vec_only_first(words[0]), vec_only_first(words[1]),
                                                    vec_only_first(words[2])));
}

/* T R^n + group_1 R^(n - 1) + ... + group_n with one reduction, n <= IN_REGISTERS_MAX a constant. The
 * message is multiplied first and T last: only T has to be waited for. */
HORNET_INLINE fe evaluation_step(fe t, const evaluation_powers *powers, const uint8_t *msg, size_t n)
{
    wide sum = wide_from(load_group(msg + (n - 1) * GROUP_BYTES));
    HORNET_UNROLL
    for (size_t k = n - 1; k != 0; k--, msg += GROUP_BYTES)
        sum = wide_mul_add(sum, load_group(msg), &powers->steps[k - 1]);
    return fe_carry(wide_mul_add(sum, t, &powers->steps[n - 1]));
}

/* The same for up to as many groups as the table has powers. */
KERNEL_INLINE fe evaluation_long_step(fe t, const evaluation_powers *powers, const uint8_t *msg, size_t n)
{
    long_sum sum = long_sum_from(load_group(msg + (n - 1) * GROUP_BYTES));
    for (size_t k = n - 1; k != 0; k--, msg += GROUP_BYTES) {
        const long_multiplier power = power_of_table(powers->table, k - 1);
        sum = long_sum_mul_add(sum, load_group(msg), &power);
    }
    const long_multiplier power = power_of_table(powers->table, n - 1);
    return long_sum_carry(long_sum_mul_add(sum, t, &power));
}

/* The value: each lane times its power of r, summed. */
KERNEL_INLINE scalar_fe evaluation_end(fe t, const evaluation_powers *powers)
{
    uint64_t words[3];
    const multiplier last = multiplier_from(powers->of_lanes);
    wide_sum_to_words(words, wide_mul_add(wide_zero(), t, &last));
    return scalar_fe_from_words(words);
}

#endif
