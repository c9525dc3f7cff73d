/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Proves the bounds of a scalar field for all keys, messages and lengths: its file is compiled with ranges
 * instead of words, and runs until the accumulator reaches a fixed point. Every operation checks that it
 * agrees with the mathematics: no sum and no product of one word wraps, except where carries are taken out
 * of it.
 *
 * This is C++, because there a word can be any type. FIELD_FILE is the field's file; see test_bounds.py.
 * Not covered: that core/words.h does what is modelled here (tested, not proved). */
#include "word.h"

#define uint64_t word64
#define uint32_t word32
#include FIELD_FILE

#define LIMBS (sizeof(scalar_fe::limb) / sizeof(scalar_fe::limb[0]))

/* Enlarges a by b. Returns false if b adds nothing to a. */
static bool unite(scalar_fe *a, scalar_fe b)
{
    bool more = false;
    for (size_t i = 0; i < LIMBS; i++)
        more |= unite(&a->limb[i], b.limb[i]);
    return more;
}

int main()
{
    /* r is clamped. */
    const word64 r_words[2] = {word64() & 0x0ffffffc0fffffff, word64() & 0x0ffffffc0ffffffc};
    const scalar_r r = scalar_r_from_words(r_words);

    /* A block added to a value, whose part above 2^128 is at most 4. */
    const word64 small_words[3] = {word64(), word64(), word64(0, 6)};
    const scalar_fe small = scalar_fe_from_words(small_words);
    const word64 top(0, 1);

    scalar_fe h = scalar_small_mul_add(small, r, word64(), word64(), top);
    int rounds = 0;
    while (unite(&h, scalar_fe_mul_add(h, r, word64(), word64(), top)) && ++rounds < 100)
        ;
    bound(rounds < 100, "the accumulator reaches no fixed point", h.limb[LIMBS - 1].max);

    scalar_fe value = scalar_fe_mul(h, r);
    unite(&value, scalar_small_mul(small, r));
    word64 words[3];
    scalar_fe_to_words(words, value, 0);
    bound(words[2].max <= 4, "a value has more than 4 above 2^128", words[2].max);
    scalar_fe_to_words(words, value, 5);
    bound(words[2].max < 8, "a value has more than 1 above 2^130", words[2].max);

    printf("bounds of " FIELD_FILE ": fixed point after %d rounds, last limb up to 0x%llx\n", rounds,
           (unsigned long long)h.limb[LIMBS - 1].max);
    printf("  %lu checked, %lu broken\n", bounds_checked, bounds_broken);
    return bounds_broken != 0;
}
