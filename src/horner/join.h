/* Horner's rule in pieces: values of the polynomial over segments, moved to their place by a power of r.
 * Bernstein 2005, section 1: "parallelizable and incremental". One lane. */
#ifndef HORNET_HORNER_JOIN_H
#define HORNET_HORNER_JOIN_H

#include "../words.h"

/* A number below 5 * 2^128 (words[2] <= 4), in every lane. */
HORNET_INLINE fe fe_from_three_words(const uint64_t words[3])
{
    return fe_from_words(vec_splat(words[0]), vec_splat(words[1]), vec_splat(words[2]));
}

HORNET_INLINE fe fe_square(fe a)
{
    const power same = power_from(a);
    return fe_mul(a, &same);
}

/* a^n by squaring and multiplying. The bits of n are public. a has top 0 or comes from fe_carry. */
HORNET_INLINE fe fe_power(fe a, uint64_t n)
{
    const uint64_t one[3] = {1, 0, 0};
    fe result = fe_from_three_words(one);
    const power factor = power_from(a);
    for (int bit = 63; bit >= 0; bit--) {
        if (n >> bit > 1)
            result = fe_square(result);
        if ((n >> bit & 1) != 0)
            result = fe_mul(result, &factor);
    }
    return result;
}

/* left * place + right: the value over both, where place is r^(blocks of the right). */
HORNET_INLINE wide join(fe left, fe right, fe place)
{
    const power factor = power_from(place);
    return wide_mul_add(wide_from(right), left, &factor);
}

/* whole + (after - before) * place, where place is r^(blocks behind what is exchanged). */
HORNET_INLINE wide exchange(fe whole, fe before, fe after, fe place)
{
    /* p - 1 = 2^130 - 6, whose limbs are below 2^26: a power may have those. */
    const uint64_t minus_one_words[3] = {UINT64_MAX - 5, UINT64_MAX, 3};
    const power minus_one = power_from(fe_from_three_words(minus_one_words));
    const fe difference = fe_carry(wide_mul_add(wide_from(after), before, &minus_one));
    return join(difference, whole, place);
}

#endif
