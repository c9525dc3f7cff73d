/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Proves the bounds of a scalar field for all keys, messages and lengths: its file is compiled with ranges
 * instead of words, and runs until the accumulator reaches a fixed point. Every operation checks that it
 * agrees with the mathematics: no sum and no product of one word wraps, except where carries are taken out
 * of it.
 *
 * This is C++, because there a word can be any type. FIELD_FILE is the field's file; see test_bounds.py.
 * Not covered: that core/words.h does what is modelled here (tested, not proved). */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../../src/core/compiler.h"

__extension__ typedef unsigned __int128 integer;

static unsigned long bounds_checked, bounds_broken;

static void bound(bool holds, const char *what, integer max)
{
    bounds_checked++;
    if (!holds && bounds_broken++ < 5)
        printf("BROKEN: %s: 0x%llx%016llx\n", what, (unsigned long long)(max >> 64),
               (unsigned long long)max);
}

/* A word of BITS bits, for all inputs: min <= value <= max, and only bits in `bits` are set. */
template <int BITS> struct word {
    static constexpr integer largest = ((integer)1 << BITS) - 1;
    integer min, max, bits;

    word() : word(0, largest) {}
    word(unsigned long value) : min(value), max(value), bits(value) {}
    word(integer min, integer max) : word(min, max, largest) { bound(max <= largest, "a word wraps", max); }
    word(integer min, integer max, integer bits) : min(min), max(max < bits ? max : bits), bits(bits) {}

    /* A cast to fewer bits truncates on purpose. */
    template <int OTHER>
    word(word<OTHER> a)
        : word(a.max > largest ? 0 : a.min, a.max > largest ? largest : a.max, a.bits & largest)
    {
    }
};

typedef word<64> word64;
typedef word<32> word32;

/* The usual arithmetic conversions. */
template <int A, int B> using both = word<(A > B ? A : B)>;

#define OPERATOR(symbol, minimum, maximum)                                                                 \
    template <int A, int B> both<A, B> operator symbol(word<A> a, word<B> b)                               \
    {                                                                                                      \
        return both<A, B>(minimum, maximum);                                                               \
    }                                                                                                      \
    template <int A> word<A> operator symbol(word<A> a, unsigned long b) { return a symbol word<A>(b); }   \
    template <int A> word<A> operator symbol(unsigned long a, word<A> b) { return word<A>(a) symbol b; }

OPERATOR(+, a.min + b.min, a.max + b.max)
OPERATOR(*, a.min *b.min, a.max *b.max)
/* For words that have no bits in common. */
OPERATOR(|, a.min > b.min ? a.min : b.min, a.max + b.max)

template <int A> word<A> operator&(word<A> a, unsigned long b) { return word<A>(0, a.max, a.bits & b); }
template <int A> word<A> operator>>(word<A> a, int n)
{
    return word<A>(a.min >> n, a.max >> n, a.bits >> n);
}
template <int A> word<A> operator<<(word<A> a, int n) { return word<A>(a.min << n, a.max << n); }
template <int A> word<A> operator+=(word<A> &a, word<A> b) { return a = a + b; }

/* core/words.h over ranges. All words but the highest may wrap; the next word then gets a carry of 1. */
#define HORNET_CORE_WORDS_H

static integer carry_of(word64 a, word64 b) { return a.max + b.max > word64::largest ? 1 : 0; }

static word64 wrapping(integer min, integer max)
{
    return max > word64::largest ? word64() : word64(min, max);
}

[[maybe_unused]] static void add_word_pair(word64 *a0, word64 *a1, word64 b0, word64 b1)
{
    *a1 = word64(a1->min + b1.min, a1->max + b1.max + carry_of(*a0, b0));
    *a0 = wrapping(a0->min + b0.min, a0->max + b0.max);
}

static void add_words(word64 a[3], word64 b0, word64 b1, word64 b2)
{
    const integer carry0 = carry_of(a[0], b0);
    const integer carry1 = a[1].max + b1.max + carry0 > word64::largest ? 1 : 0;
    a[0] = wrapping(a[0].min + b0.min, a[0].max + b0.max);
    a[1] = wrapping(a[1].min + b1.min, a[1].max + b1.max + carry0);
    a[2] = word64(a[2].min + b2.min, a[2].max + b2.max + carry1);
}

[[maybe_unused]] static void multiply_words(word64 *lo, word64 *hi, word64 a, word64 b)
{
    const integer min = a.min * b.min, max = a.max * b.max;
    *lo = wrapping(min, max);
    *hi = word64(min >> 64, max >> 64);
}

#define uint64_t word64
#define uint32_t word32
#include FIELD_FILE

#define LIMBS (sizeof(scalar_fe::limb) / sizeof(scalar_fe::limb[0]))

/* Enlarges a by b. Returns false if b adds nothing to a. */
static bool unite(scalar_fe *a, scalar_fe b)
{
    bool more = false;
    for (size_t i = 0; i < LIMBS; i++) {
        more |= b.limb[i].min < a->limb[i].min || b.limb[i].max > a->limb[i].max;
        a->limb[i].min = b.limb[i].min < a->limb[i].min ? b.limb[i].min : a->limb[i].min;
        a->limb[i].max = b.limb[i].max > a->limb[i].max ? b.limb[i].max : a->limb[i].max;
    }
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
