/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The evaluation of decimated.h with lanes and powers in memory, where they are kept between the chunks of
 * a message. */
#ifndef HORNET_POLY1305_HORNER_STREAMING_H
#define HORNET_POLY1305_HORNER_STREAMING_H

#include "../../core/memory.h"
#include "../../core/stack_wipe.h"
#include "decimated.h"

/* The maximum number of groups that share a reduction; that many powers of R are kept. */
#define STREAMING_STEPS (LIMBS == 3 ? 4 : 2)

/* The words of the streaming state: T, the powers that end the evaluation, and the powers for the steps.
 */
#define FE_WORDS                 (LANES * LIMBS)
#define STREAMING_WORDS          (2 * FE_WORDS + STREAMING_STEPS * SPLAT_MULTIPLIER_WORDS)
#define STREAMING_T(lanes)       (lanes)
#define STREAMING_LAST(lanes)    ((lanes) + FE_WORDS)
#define STREAMING_STEP(lanes, i) ((lanes) + 2 * FE_WORDS + (i) * SPLAT_MULTIPLIER_WORDS)

#ifndef HORNET_LANES_HOOK
_Static_assert(sizeof(fe) <= 8 * FE_WORDS, "an element must be its limbs and nothing else");
#endif

HORNET_INLINE fe load_fe(const uint64_t words[FE_WORDS])
{
    fe a;
    memcpy(&a, words, sizeof a);
    return a;
}

HORNET_INLINE void store_fe(uint64_t words[FE_WORDS], fe a) { memcpy(words, &a, sizeof a); }

/* Each of these functions returns where its stack ends. */

/* Sets lanes to the evaluation continued from the value h over a first group. */
#define begin_lanes HORNET_KERNEL_NAME(poly1305, begin_lanes)
HORNET_NOINLINE uintptr_t begin_lanes(uint64_t lanes[STREAMING_WORDS], const uint64_t r[2],
                                      const uint64_t h[3], const uint8_t *group)
{
    evaluation_powers powers;
    raise_r(&powers, STREAMING_STEPS, r);
    store_fe(STREAMING_LAST(lanes), powers.of_last);
    HORNET_UNROLL
    for (size_t i = 0; i < STREAMING_STEPS; i++)
        splat_multiplier_to_words(STREAMING_STEP(lanes, i), &powers.steps[i]);
    store_fe(STREAMING_T(lanes), evaluation_continue(fe_from_blocks(group), 0, h));
    return stack_end(KERNEL_CALLEES_BYTES);
}

/* Absorbs the groups at `first` and then those at `second`. */
#define absorb_runs HORNET_KERNEL_NAME(poly1305, absorb_runs)
HORNET_NOINLINE uintptr_t absorb_runs(uint64_t lanes[STREAMING_WORDS], const uint8_t *first, size_t nfirst,
                                      const uint8_t *second, size_t nsecond)
{
    fe t = load_fe(STREAMING_T(lanes));
    for (int run = 0; run < 2; run++) {
        HORNET_UNROLL
        for (size_t n = STREAMING_STEPS; n != 0; n /= 2) {
            for (; nfirst >= n; nfirst -= n, first += n * GROUP_BYTES) {
                /* Loaded again in every iteration, since a broadcast load costs no more than reloading a
                 * spilled register. But where gcc 12 has registers for most of the powers, it is faster to
                 * let it keep them. */
                uint64_t *again = lanes;
#if defined(__clang__) || LIMBS > 3
                HORNET_VALUE_BARRIER("r", again);
#endif
                evaluation_powers powers;
                HORNET_UNROLL
                for (size_t i = 0; i < n; i++)
                    powers.steps[i] = splat_multiplier_from_words(STREAMING_STEP(again, i));
                t = evaluation_step(t, &powers, first, n);
            }
        }
        first = second;
        nfirst = nsecond;
    }
    store_fe(STREAMING_T(lanes), t);
    return stack_end(KERNEL_CALLEES_BYTES);
}

/* Sets h to the value. */
#define sum_lanes HORNET_KERNEL_NAME(poly1305, sum_lanes)
HORNET_NOINLINE uintptr_t sum_lanes(uint64_t h[3], const uint64_t lanes[STREAMING_WORDS])
{
    const multiplier of_last = multiplier_from(load_fe(STREAMING_LAST(lanes)));
    wide_sum_to_words(h, wide_mul_add(wide_zero(), load_fe(STREAMING_T(lanes)), &of_last), 0);
    return stack_end(KERNEL_CALLEES_BYTES);
}

#endif
