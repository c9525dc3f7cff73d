/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Proves the bounds of a vector kernel for all keys, messages and lengths: runs the kernel's field and
 * evaluation over ranges, until the accumulator reaches a fixed point.
 *
 * This file is included in the middle of the kernel's own file, with interval.h as its lanes; see
 * test_bounds.py.
 *
 * Not covered: that the operations of the real lanes do what src/poly1305/lanes.h specifies (tested, not
 * proved). The scalar fields are proved by scalar.cc. */
#include <string.h>

#include "../../src/poly1305/horner/batch.h"
#include "../../src/poly1305/horner/combine.h"
#include "../../src/poly1305/horner/decimated.h"

static fe fe_union(fe a, fe b)
{
    for (int i = 0; i < LIMBS; i++)
        a.limb[i] = factor_union(a.limb[i], b.limb[i]);
    return a;
}

/* Runs everything that is done with n groups per reduction, for every number of groups. t only grows here,
 * and not forever: each round must enlarge some range. Returns the number of rounds. */
static int rounds_for(size_t n, fe r, fe square, fe *t)
{
    const uint64_t block[3] = {UINT64_MAX, UINT64_MAX, 1};
    long_multiplier table[TABLE_VECTORS(LONG_SUM_MAX)];
    evaluation_powers powers;
    fe before;
    uint64_t h[3];
    powers.table = table;
    evaluation_begin(&powers, n, r, square);
    int rounds = 0;
    do {
        before = *t;
        for (size_t count = 1; count <= n; count++)
            *t = fe_union(*t, n > STEPS_MAX ? evaluation_long_step(*t, &powers, NULL, count,
                                                                   evaluation_tops(&powers, count))
                                            : evaluation_step(*t, &powers, NULL, count));
    } while (memcmp(&before, t, sizeof *t) != 0 && ++rounds < 100);
    bound(rounds < 100, "the accumulator reaches no fixed point", vec_from(t->limb[0]));
    evaluation_end(h, *t, evaluation_last(NULL, block), &powers, 5);
    return rounds;
}

/* Does the same for a batch, whose lanes begin with h = 0 and have full blocks, partial blocks or none. */
static int rounds_of_batch(fe r_element, fe *h)
{
    const vec any = vec_any(0, UINT64_MAX);
    const fe block = fe_from_words(any, any, vec_any(0, 1));
    multiplier powers[BATCH_LAZY];
    fe blocks[BATCH_LAZY], before;
    powers[0] = multiplier_from(r_element);
    raise_in_turn(powers, BATCH_LAZY, r_element);
    for (int i = 0; i < BATCH_LAZY; i++)
        blocks[i] = block;

    int rounds = 0;
    *h = fe_zero();
    do {
        before = *h;
        *h = fe_union(*h, absorb_block_each(*h, block, &powers[0]));
        *h = fe_union(*h, absorb_blocks_each(*h, blocks, BATCH_LAZY, powers));
    } while (memcmp(&before, h, sizeof *h) != 0 && ++rounds < 100);
    bound(rounds < 100, "the accumulators of a batch reach no fixed point", vec_from(h->limb[0]));
    vec lo, hi;
    fe_finish(&lo, &hi, *h, any, any);
    return rounds;
}

/* Does the same for the powers of r that combine partial evaluations, for any number of blocks. */
static int rounds_of_partial(fe r, fe *shift)
{
    const uint64_t one[3] = {1, 0, 0}, largest[3] = {UINT64_MAX, UINT64_MAX, 3};
    const vec any = vec_any(0, UINT64_MAX);
    const fe value = fe_from_words(any, any, vec_any(0, HORNET_H2_MAX));
    const multiplier factors = multiplier_from(r);
    uint64_t words[3];
    fe before;
    int rounds = 0;
    *shift = fe_from_three_words(one);
    do {
        before = *shift;
        *shift = fe_union(*shift, fe_square(*shift));
        *shift = fe_union(*shift, fe_mul(*shift, &factors));
    } while (memcmp(&before, shift, sizeof *shift) != 0 && ++rounds < 100);
    bound(rounds < 100, "the powers for partial evaluations reach no fixed point",
          vec_from(shift->limb[0]));
    wide_sum_to_words(words, combine(value, value, *shift), 0);
    wide_sum_to_words(words, combine(fe_carry(combine(value, value, *shift)), value, *shift), 0);
    wide_sum_to_words(words, replace_segment(value, value, value, *shift), 0);

    /* The sums of powers from which zeros_value makes the value of any number of blocks. */
    const multiplier less_one = multiplier_from(fe_less_one(r));
    fe f = fe_zero();
    do {
        before = f;
        for (int odd = 0; odd < 2; odd++)
            f = fe_union(f, powers_summed(f, &factors, &less_one, odd != 0));
    } while (memcmp(&before, &f, sizeof f) != 0 && ++rounds < 100);
    bound(rounds < 100, "the sums of powers reach no fixed point", vec_from(f.limb[0]));
    wide_sum_to_words(words, zeros_of_powers(f, largest, &factors), 0);
    return rounds;
}

/* The limit that the field states for the sums which it carries, WIDE_LIMB_MAX, must be enough for what
 * fe_carry does: it is run on a sum that reaches it in every limb, above any that the evaluation has. */
static void carry_at_stated_limit(void)
{
    wide sum = wide_zero();
    vec limbs[LIMBS]; /* or their low halves, which come first */
    for (int k = 0; k < LIMBS; k++)
        limbs[k] = vec_any(0, WIDE_LIMB_MAX);
    memcpy(&sum, limbs, sizeof limbs);
    fe_carry(sum);
}

static void print_limbs(fe a)
{
    for (int k = 0; k < LIMBS; k++)
        printf(" 0x%llx", (unsigned long long)vec_from(a.limb[k]).max);
    printf("\n");
}

int main(void)
{
    /* Their parts are run below. */
    (void)kernel_mac, (void)kernel_absorb, (void)kernel_batch, (void)fe_power, (void)zeros_value;
#if KERNEL_STREAMS
    (void)kernel_lanes_begin, (void)kernel_lanes_absorb, (void)kernel_lanes_end;
#endif
    interval_factor_bits = FACTOR_BITS;

    /* r is clamped: both words are below 2^60. */
    const vec r_word = vec_any(0, (UINT64_C(1) << 60) - 1);
    const fe r = fe_from_words(r_word, r_word, vec_splat(0));

    /* The largest words, which interval.h takes as upper bounds; only one word of h is used at a time. */
    const uint64_t largest[3] = {UINT64_MAX, UINT64_MAX, HORNET_H2_MAX};
    const fe first = evaluation_continue(evaluation_first(NULL, 0), 0, largest);
    const vec any = vec_any(0, UINT64_MAX);
    const fe square = fe_from_words(any, any, vec_any(0, HORNET_H2_MAX));

    printf("bounds of " HORNET_STRING(KERNEL) " (%d lanes):\n", LANES);
    static const size_t ns[] = {
#define NUMBER_OF_GROUPS(n, min_groups) n,
        GROUPS_TO_A_REDUCTION(NUMBER_OF_GROUPS) TUNED_GROUPS(NUMBER_OF_GROUPS)};
    for (size_t i = 0; i < sizeof ns / sizeof ns[0]; i++) {
        fe t = first;
        const int rounds = rounds_for(ns[i], r, square, &t);
        printf("  %zu groups to a reduction: fixed point after %d rounds, limbs up to", ns[i], rounds);
        print_limbs(t);
    }
    fe h;
    printf("  a batch: fixed point after %d rounds, limbs up to", rounds_of_batch(r, &h));
    print_limbs(h);
    printf("  partial evaluations: fixed point after %d rounds, limbs up to", rounds_of_partial(r, &h));
    print_limbs(h);
    carry_at_stated_limit();
    printf("  %lu checked, %lu broken\n", bounds_checked, bounds_broken);
    return bounds_broken != 0;
}

/* There is no record, because nothing calls this kernel. */
#undef KERNEL_REQUIRED
