/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Horner's rule decimated over lanes, in the plain form in which the papers compare its variants:
 *
 *     T = group 0;   T = T R^k + group_1 R^(k - 1) + ... + group_k   for k = lambda, then for the rest;
 *     h = sum of the lanes of T [r^L ... r]
 *
 * with one reduction per k groups (Bhattacharyya and Sarkar 2020, section 3.2, equation (9)). Fields,
 * lanes, powers and the loading of groups are the library's. The library's own kernels begin with T of
 * two groups and end without waiting for the last one (src/poly1305/horner/decimated.h).
 *
 * Blocks that do not fill a group are processed in one of three ways:
 *
 *     FRONT_ZEROS     with zero blocks in front of them, as Bhattacharyya and Sarkar do
 *     FRONT_SCALAR    first, by the scalar code, as Polyakov does
 *     END_SCALAR      last, by the scalar code: Almeida et al. 2019, with which section 5 compares */
#ifndef HORNET_STUDY_HORNER_LAZY_H
#define HORNET_STUDY_HORNER_LAZY_H

#include "../../../src/poly1305/horner/decimated.h"
#include "../kernel.h"

enum lazy_rest { FRONT_ZEROS, FRONT_SCALAR, END_SCALAR };

#ifndef LAZY_LAMBDA_MAX
#define LAZY_LAMBDA_MAX 1
#endif

/* r^(L - i) for block i of a group, and R to R^lambda. */
typedef struct {
    fe of_last;
    multiplier steps[LAZY_LAMBDA_MAX];
} lazy_powers;

HORNET_INLINE void lazy_begin(lazy_powers *powers, size_t n, const uint64_t r_words[2])
{
    const uint64_t r[3] = {r_words[0], r_words[1], 0};
    uint64_t square[3];
    fe step;
    scalar_fe_to_words(square, scalar_small_mul(scalar_fe_from_words(r), scalar_r_from_words(r)), 0);
    powers->of_last = raise_over_lanes(LANES, fe_from_three_words(r), fe_from_three_words(square), &step);
    powers->steps[0] = multiplier_from(step);
    HORNET_KEEP_LOOP
    for (size_t i = 1; i < n; i++) {
        step = fe_mul(step, &powers->steps[0]);
        powers->steps[i] = multiplier_from(step);
    }
}

/* Returns T R^k + group_1 R^(k - 1) + ... + group_k, given group_k. If k is a constant, few groups are
 * unrolled, and many are a loop. */
HORNET_INLINE fe lazy_step(fe t, const lazy_powers *powers, const uint8_t *groups, size_t k, fe last)
{
    wide sum = wide_from(last);
    if (k <= STEPS_MAX) {
        HORNET_UNROLL
        for (size_t i = k - 1; i != 0; i--, groups += GROUP_BYTES)
            sum = wide_mul_add(sum, fe_from_blocks(groups), &powers->steps[i - 1]);
    } else {
        HORNET_KEEP_LOOP
        for (size_t i = k - 1; i != 0; i--, groups += GROUP_BYTES)
            sum = wide_mul_add(sum, fe_from_blocks(groups), &powers->steps[i - 1]);
    }
    return fe_carry(wide_mul_add(sum, t, &powers->steps[k - 1]));
}

/* The same for any k. */
HORNET_NOINLINE fe lazy_any_step(fe t, const lazy_powers *powers, const uint8_t *groups, size_t k, fe last)
{
    return lazy_step(t, powers, groups, k, last);
}

/* Loads a group whose last block has last_bytes bytes, 1 to 16. */
HORNET_INLINE fe lazy_last_group(const uint8_t *group, size_t last_bytes)
{
    uint64_t block[3];
    load_first_block(block, group + 16 * (LANES - 1), last_bytes);
    return evaluation_last(group, block);
}

/* Returns T over ngroups groups, the first of which has at most `absent` zero blocks; a single group has
 * none. */
HORNET_INLINE fe lazy_groups(const lazy_powers *powers, size_t lambda, const uint8_t *msg, size_t ngroups,
                             size_t absent, size_t last_bytes, const uint64_t *h)
{
    fe t = ngroups == 1 ? lazy_last_group(msg, last_bytes) : evaluation_first(msg, absent);
    if (h != NULL)
        t = evaluation_continue(t, absent, h);
    msg += 16 * (LANES - absent);
    for (ngroups--; ngroups > lambda; ngroups -= lambda, msg += lambda * GROUP_BYTES)
        t = lazy_step(t, powers, msg, lambda, fe_from_blocks(msg + (lambda - 1) * GROUP_BYTES));
    /* The remainder, one group at a time if there is a reduction for each group anyway. */
    if (ngroups != 0 && lambda == 1)
        t = lazy_step(t, powers, msg, 1, lazy_last_group(msg, last_bytes));
    else if (ngroups != 0)
        t = lazy_any_step(t, powers, msg, ngroups,
                          lazy_last_group(msg + (ngroups - 1) * GROUP_BYTES, last_bytes));
    return t;
}

HORNET_INLINE void lazy_evaluate(struct poly1305 *state, const uint8_t *msg, size_t len_bytes, bool fresh,
                                 enum lazy_rest rest, size_t lambda)
{
    size_t nblocks = blocks_in(len_bytes), absent = 0, end_bytes = 0;
    if (nblocks < LANES) {
        hornet_poly1305_fallback->absorb(state, msg, len_bytes);
        return;
    }
    const size_t odd = nblocks % LANES;
    if (odd != 0 && rest == FRONT_ZEROS) {
        absent = LANES - odd;
    } else if (odd != 0 && rest == FRONT_SCALAR) {
        hornet_poly1305_fallback->absorb(state, msg, 16 * odd);
        msg += 16 * odd;
        len_bytes -= 16 * odd;
        nblocks -= odd;
    } else if (odd != 0) {
        nblocks -= odd;
        end_bytes = len_bytes - 16 * nblocks;
        len_bytes -= end_bytes;
    }
    const size_t ngroups = (nblocks + absent) / LANES;
    lazy_powers powers;
    lazy_begin(&powers, ngroups - 1 < lambda ? ngroups - 1 : lambda, state->r);
    const fe t = lazy_groups(&powers, lambda, msg, ngroups, absent, len_bytes - 16 * (nblocks - 1),
                             fresh && rest != FRONT_SCALAR ? NULL : state->h);
    const multiplier of_last = multiplier_from(powers.of_last);
    wide_sum_to_words(state->h, wide_mul_add(wide_zero(), t, &of_last), 0);
    if (end_bytes != 0)
        hornet_poly1305_fallback->absorb(state, msg + len_bytes, end_bytes);
}

/* Defines a kernel with this evaluation, between kernel_begin.h and kernel_end.h. */
#define LAZY_KERNEL(name, required, rest, lambda)                                                          \
    STUDY_KERNEL_RECORD(name, required, LANES, lazy_evaluate, rest, lambda)

#endif
