/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Proves the bounds of lazy.h over a field for all keys, messages and lengths, with up to
 * LAZY_LAMBDA_MAX groups per reduction: runs its parts over ranges, and iterates T to a fixed point.
 * Included into the middle of the kernel's own file, with tests/proofs/interval.h as its lanes, by
 * test_study_bounds.py. */
#include <string.h>

/* The kernels' records are not linked: the functions that they would call are run below. */
const struct hornet_poly1305_kernel hornet_poly1305_kernel_scalar64, hornet_poly1305_kernel_scalar32;

static fe fe_union(fe a, fe b)
{
    for (int i = 0; i < LIMBS; i++)
        a.limb[i] = factor_union(a.limb[i], b.limb[i]);
    return a;
}

int main(void)
{
    static const uint64_t r[2] = {(UINT64_C(1) << 60) - 1, (UINT64_C(1) << 60) - 1};
    const uint64_t largest[3] = {UINT64_MAX, UINT64_MAX, HORNET_H2_MAX};
    lazy_powers powers;
    fe before, t;
    uint64_t h[3];
    int rounds = 0;
    interval_factor_bits = FACTOR_BITS;
    /* Ranges of all words of r; its square can be anything. */
    const vec any = vec_any(0, UINT64_MAX), r_word = vec_any(0, r[0]);
    fe step;
    powers.of_last = raise_over_lanes(LANES, fe_from_words(r_word, r_word, vec_splat(0)),
                                      fe_from_words(any, any, vec_any(0, HORNET_H2_MAX)), &step);
    powers.steps[0] = multiplier_from(step);
    for (size_t i = 1; i < LAZY_LAMBDA_MAX; i++) {
        step = fe_mul(step, &powers.steps[0]);
        powers.steps[i] = multiplier_from(step);
    }
    t = evaluation_continue(evaluation_first(NULL, 0), 0, largest);
    do {
        before = t;
        for (size_t k = 1; k <= LAZY_LAMBDA_MAX; k++)
            t = fe_union(t, lazy_step(t, &powers, NULL, k, fe_from_blocks(NULL)));
    } while (memcmp(&before, &t, sizeof t) != 0 && ++rounds < 100);
    bound(rounds < 100, "the accumulator reaches no fixed point", vec_from(t.limb[0]));
    const multiplier of_last = multiplier_from(powers.of_last);
    wide_sum_to_words(h, wide_mul_add(wide_zero(), t, &of_last), 0);
    printf("bounds of " HORNET_STRING(KERNEL) " (%d lanes): fixed point after %d rounds, limbs up to",
           LANES, rounds);
    for (int k = 0; k < LIMBS; k++)
        printf(" 0x%llx", (unsigned long long)vec_from(t.limb[k]).max);
    printf("\n  %lu checked, %lu broken\n", bounds_checked, bounds_broken);
    return bounds_broken != 0;
}
