/* Proves the bounds of a vector kernel for all keys, messages and lengths: runs the kernel's field and
 * evaluation over ranges, and the accumulator to a fixed point.
 *
 * Compiled once for each kernel, with CHOICES_FILE the kernel's own LANES and other choices, FIELD_FILE its
 * field and KERNEL_NAME its name, and -I the source tree; see proofs/run.sh.
 *
 * Not covered: that the operations of the real lanes do what src/lanes/portable.h says (tested, not
 * proved), the few scalar lines of load_end_group, whose top words are taken to be at most 6 as it
 * states, and the scalar fields. */
#include <string.h>

#include CHOICES_FILE
#include "interval.h"
#include FIELD_FILE
#include "horner/decimated.h"

static fe fe_union(fe a, fe b)
{
    for (int i = 0; i < 5; i++)
        a.limb[i] = vec_union(a.limb[i], b.limb[i]);
    return a;
}

int main(void)
{
    (void)absorb; /* its parts are run below */
    const vec any = vec_any(0, UINT64_MAX);
    struct powers powers;

    /* r is clamped: both words below 2^60. */
    const vec r_word = vec_any(0, (UINT64_C(1) << 60) - 1);
    powers_up_to_lanes(&powers, fe_from_words(r_word, r_word, vec_splat(0)));
    powers_for_groups(&powers, LAZY_GROUPS);

    /* A group at an end: no top bit in blocks of zeros, h[2] + carry + 1 in the first block. */
    const fe end_group = fe_from_words(any, any, vec_any(0, HORNET_H2_MAX + 2));

    /* t only grows here, and cannot grow for ever: each round must make some range larger. */
    fe t = end_group, before;
    int rounds = 0;
    do {
        before = t;
        t = fe_union(t, absorb_group(t, end_group, &powers));
        for (size_t n = 1; n <= LAZY_GROUPS; n++)
            t = fe_union(t, absorb_groups(t, NULL, n, &powers));
    } while (memcmp(&before, &t, sizeof t) != 0 && ++rounds < 100);
    bound(rounds < 100, "the accumulator reaches no fixed point", 0);

    uint64_t words[3];
    wide_sum_to_words(words, wide_mul_add(wide_zero(), t, &powers.last));

    printf(
        "bounds of %s (%d lanes, %d groups to a reduction): %lu checked, %lu broken, fixed point after %d "
        "rounds\n",
        KERNEL_NAME, LANES, LAZY_GROUPS, bounds_checked, bounds_broken, rounds);
    for (int i = 0; i < 5; i++)
        printf("  t.limb[%d] <= 0x%llx, last.limb[%d] <= 0x%llx\n", i, (unsigned long long)t.limb[i].max, i,
               (unsigned long long)powers.last.limb[i].max);
    return bounds_broken != 0;
}
