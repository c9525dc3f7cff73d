/* Proves the bounds of a vector kernel for all keys, messages and lengths: runs the kernel's field and
 * evaluation over ranges, and the accumulator to a fixed point.
 *
 * Compiled once for each kernel, with CHOICES_FILE the kernel's own LANES and other choices, FIELD_FILE its
 * field and KERNEL_NAME its name, and -I the source tree; see proofs/run.sh.
 *
 * Not covered: that the operations of the real lanes do what src/lanes/portable.h says (tested, not
 * proved), and the scalar fields. */
#include <string.h>

#include CHOICES_FILE
#include "interval.h"
#include FIELD_FILE
#include "horner/batch.h"
#include "horner/decimated.h"
#include "horner/join.h"

static fe fe_union(fe a, fe b)
{
    for (int i = 0; i < LIMBS; i++)
        a.limb[i] = vec_union(a.limb[i], b.limb[i]);
    return a;
}

/* Everything that is done with one choice of n, for every number of groups. t only grows here, and cannot
 * grow for ever: each round must make some range larger. */
static int rounds_for(size_t n, fe r, fe *t)
{
    fe highest, before;
    const fe powers = powers_up_to(LANES, r, &highest);
    const power last = power_from(powers);
    power steps[2];
    lazy_power table[16];
    if (n > 2) {
        powers_for_groups(table, n, highest);
    } else {
        steps[0] = power_from(highest);
        raise_powers(steps, n, highest);
    }

    int rounds = 0;
    do {
        before = *t;
        for (size_t count = 1; count <= n; count++)
            *t = fe_union(*t, n > 2 ? absorb_lazily(*t, NULL, count, table, n)
                                    : absorb_groups(*t, NULL, count, steps));
    } while (memcmp(&before, t, sizeof *t) != 0 && ++rounds < 100);
    bound(rounds < 100, "the accumulator reaches no fixed point", t->limb[0]);
    wide_sum(wide_mul_add(wide_zero(), *t, &last));
    return rounds;
}

/* The same for a batch, whose lanes begin with h = 0 and have full blocks, partial ones or none. */
static int rounds_of_batch(fe r_element, fe *h)
{
    const vec any = vec_any(0, UINT64_MAX);
    const fe block = fe_from_words(any, any, vec_any(0, 1));
    power powers[BATCH_LAZY];
    fe blocks[BATCH_LAZY], before;
    powers[0] = power_from(r_element);
    raise_powers(powers, BATCH_LAZY, r_element);
    for (int i = 0; i < BATCH_LAZY; i++)
        blocks[i] = block;

    int rounds = 0;
    *h = fe_zero();
    do {
        before = *h;
        *h = fe_union(*h, absorb_block_each(*h, block, &powers[0]));
        *h = fe_union(*h, absorb_blocks_each(*h, blocks, BATCH_LAZY, powers));
    } while (memcmp(&before, h, sizeof *h) != 0 && ++rounds < 100);
    bound(rounds < 100, "the accumulators of a batch reach no fixed point", h->limb[0]);
    vec lo, hi;
    fe_finish(&lo, &hi, *h, any, any);
    return rounds;
}

/* The same for the powers of r that join parts, whatever the number of blocks, and for the joins. */
static int rounds_of_parts(fe r, fe *place)
{
    const uint64_t one[3] = {1, 0, 0};
    const vec any = vec_any(0, UINT64_MAX);
    const fe value = fe_from_words(any, any, vec_any(0, HORNET_H2_MAX));
    const power factor = power_from(r);
    uint64_t words[3];
    fe before;
    int rounds = 0;
    *place = fe_from_three_words(one);
    do {
        before = *place;
        *place = fe_union(*place, fe_square(*place));
        *place = fe_union(*place, fe_mul(*place, &factor));
    } while (memcmp(&before, place, sizeof *place) != 0 && ++rounds < 100);
    bound(rounds < 100, "the powers for parts reach no fixed point", place->limb[0]);
    wide_sum_to_words(words, join(value, value, *place));
    wide_sum_to_words(words, exchange(value, value, value, *place));
    return rounds;
}

static void print_limbs(fe a)
{
    for (int k = 0; k < LIMBS; k++)
        printf(" 0x%llx", (unsigned long long)a.limb[k].max);
    printf("\n");
}

int main(void)
{
    (void)absorb, (void)batch, (void)fe_power; /* their parts are run below */

    /* r is clamped: both words below 2^60. */
    const vec r_word = vec_any(0, (UINT64_C(1) << 60) - 1);
    const fe r = fe_from_words(r_word, r_word, vec_splat(0));

    /* Words up to the largest, as interval.h understands it; a word of h at a time is all that is used. */
    const uint64_t largest[3] = {UINT64_MAX, UINT64_MAX, HORNET_H2_MAX};
    const fe first = load_first_group(NULL, scalar_fe_from_words(largest));

    printf("bounds of %s (%d lanes):\n", KERNEL_NAME, LANES);
    static const size_t ns[] = {1, 2, 8, 16};
    for (size_t i = 0; i < sizeof ns / sizeof ns[0]; i++) {
        fe t = first;
        const int rounds = rounds_for(ns[i], r, &t);
        printf("  %zu groups to a reduction: fixed point after %d rounds, limbs up to", ns[i], rounds);
        print_limbs(t);
    }
    fe h;
    printf("  a batch: fixed point after %d rounds, limbs up to", rounds_of_batch(r, &h));
    print_limbs(h);
    printf("  parts: fixed point after %d rounds, limbs up to", rounds_of_parts(r, &h));
    print_limbs(h);
    printf("  %lu checked, %lu broken\n", bounds_checked, bounds_broken);
    return bounds_broken != 0;
}
