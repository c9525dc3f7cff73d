/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Words that hold ranges instead of values, in C++, because there a word can be any type. Every operation
 * checks that it agrees with the mathematics: no sum and no product wraps. core/words.h is modelled here,
 * where all words but the highest may wrap. */
#ifndef HORNET_PROOFS_WORD_H
#define HORNET_PROOFS_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <type_traits>

#include "../../src/core/compiler.h"

/* Whether a word can be two numbers of 32 bits, so that nothing may be carried between the two. */
#ifndef WORDS_ARE_PAIRS
#define WORDS_ARE_PAIRS false
#endif

__extension__ typedef unsigned __int128 integer;

static unsigned long bounds_checked, bounds_broken;

static void bound(bool holds, const char *what, integer max)
{
    bounds_checked++;
    if (!holds && bounds_broken++ < 5)
        printf("BROKEN: %s: 0x%llx%016llx\n", what, (unsigned long long)(max >> 64),
               (unsigned long long)max);
}

static inline integer least(integer a, integer b) { return a < b ? a : b; }

/* A word of BITS bits, for all inputs: min <= value <= max, only bits in `bits` are set, and the low 32
 * bits are at most `low`. A shift to the left may lose bits, after which a mask must come before any sum; a
 * sum or product may have carried out of the low 32 bits. */
template <int BITS> struct word {
    static constexpr integer largest = ((integer)1 << BITS) - 1, low_half = UINT32_MAX;
    integer min, max, bits, low;
    bool lost = false, carried = false;

    word() : word((integer)0, largest, largest) {}
    template <class I, class = std::enable_if_t<std::is_integral_v<I>>>
    word(I value) : word((integer)(uint64_t)value, (integer)(uint64_t)value, (integer)(uint64_t)value)
    {
        low = (uint32_t)value;
    }
    word(integer min, integer max) : word(min, max, largest) { bound(max <= largest, "a word wraps", max); }
    word(integer min, integer max, integer bits)
        : min(min), max(least(max, bits)), bits(bits), low(least(this->max, bits & low_half))
    {
    }

    /* A cast to fewer bits truncates on purpose. */
    template <int OTHER>
    word(word<OTHER> a)
        : word(a.max > largest ? 0 : a.min, a.max > largest ? largest : a.max, a.bits & largest)
    {
        low = least(low, a.low);
        if (BITS == 32)
            max = low;
        lost = a.lost;
        carried = BITS > 32 && a.carried;
        bound(BITS > 32 || !WORDS_ARE_PAIRS || !a.carried,
              "the low 32 bits have carried into the high ones", a.max);
    }

    bool is_known() const { return min == max; }

    /* The index of an array. */
    template <class I, class = std::enable_if_t<std::is_same_v<I, ptrdiff_t>>> operator I() const
    {
        bound(is_known(), "an index is not known", max);
        return (ptrdiff_t)max;
    }
};

typedef word<64> word64;
typedef word<32> word32;

/* The usual arithmetic conversions. */
template <int A, int B> using both = word<(A > B ? A : B)>;
template <class I> using if_integer = std::enable_if_t<std::is_integral_v<I>>;

#define OPERATOR(symbol)                                                                                   \
    template <int A, class I, class = if_integer<I>> word<A> operator symbol(word<A> a, I b)               \
    {                                                                                                      \
        return a symbol word<A>(b);                                                                        \
    }                                                                                                      \
    template <int A, class I, class = if_integer<I>> word<A> operator symbol(I a, word<A> b)               \
    {                                                                                                      \
        return word<A>(a) symbol b;                                                                        \
    }

template <int A, int B> both<A, B> operator+(word<A> a, word<B> b)
{
    bound(!a.lost && !b.lost, "a sum of a word that has lost bits", a.max);
    both<A, B> sum(a.min + b.min, a.max + b.max);
    sum.low = least(a.low + b.low, word<A>::low_half);
    sum.carried = a.carried || b.carried || a.low + b.low > word<A>::low_half;
    return sum;
}

template <int A, int B> both<A, B> operator*(word<A> a, word<B> b)
{
    bound(!a.lost && !b.lost, "a product of a word that has lost bits", a.max);
    both<A, B> product(a.min * b.min, a.max * b.max);
    product.carried = product.max > word<A>::low_half;
    return product;
}

template <int A, int B> both<A, B> operator-(word<A> a, word<B> b)
{
    bound(a.min >= b.max, "a difference is negative", b.max);
    return both<A, B>(a.min - least(a.min, b.max), a.max - b.min);
}

template <int A> word<A> operator~(word<A> a)
{
    bound(a.is_known(), "a mask is not known", a.max);
    return word<A>((uint64_t)~a.max);
}

/* For words that have no bits in common. */
template <int A, int B> both<A, B> operator|(word<A> a, word<B> b)
{
    const integer both_min = a.min > b.min ? a.min : b.min;
    both<A, B> either(a.is_known() && b.is_known() ? a.min | b.min : both_min, a.max + b.max,
                      a.bits | b.bits);
    either.low = least(a.low + b.low, (a.bits | b.bits) & word<A>::low_half);
    either.lost = a.lost || b.lost;
    either.carried = a.carried || b.carried;
    return either;
}

/* One of the two is a mask. */
template <int A, int B> both<A, B> operator&(word<A> a, word<B> b)
{
    if (!b.is_known()) {
        bound(a.is_known(), "no operand of and is known", a.max);
        return a.is_known() ? b & a : both<A, B>();
    }
    const integer mask = b.max, half = word<A>::low_half, low = mask & half, high = mask >> 32;
    both<A, B> part(mask == a.bits ? a.min : 0, least(a.max & ~half, mask & ~half) + least(a.low, low),
                    a.bits & mask);
    part.low = least(a.low, low);
    if (a.is_known())
        part.min = part.max = a.max & mask;
    bound(mask != half || !WORDS_ARE_PAIRS || !a.carried, "the low 32 bits have carried into the high ones",
          a.max);
    part.lost = a.lost && (low == half || high == half);
    part.carried = a.carried && mask > half;
    return part;
}

template <int A, class I, class = if_integer<I>> word<A> operator>>(word<A> a, I n)
{
    word<A> shifted(a.min >> n, a.max >> n, a.bits >> n);
    shifted.lost = a.lost;
    return shifted;
}

template <int A, class I, class = if_integer<I>> word<A> operator<<(word<A> a, I n)
{
    const integer all = word<A>::largest;
    word<A> shifted(a.max > all >> n ? 0 : a.min << n, a.max > all >> n ? all : a.max << n,
                    a.bits << n & all);
    shifted.lost = a.lost || a.max > all >> n;
    return shifted;
}

template <int A, int B> word<A> operator>>(word<A> a, word<B> n) { return a >> (ptrdiff_t)n; }
template <int A> word<A> operator/(word<A> a, int b)
{
    return word<A>(a.min / (integer)b, a.max / (integer)b);
}

OPERATOR(+)
OPERATOR(*)
OPERATOR(|)
OPERATOR(&)

template <int A, class B> word<A> operator&=(word<A> &a, B b) { return a = a & b; }
template <int A, class B> word<A> operator+=(word<A> &a, B b) { return a = a + b; }

/* Enlarges a by b. Returns false if b adds nothing to a. */
template <int A> bool unite(word<A> *a, word<A> b)
{
    const bool more = b.min < a->min || b.max > a->max || b.low > a->low;
    a->min = least(a->min, b.min);
    a->max = a->max > b.max ? a->max : b.max;
    a->low = a->low > b.low ? a->low : b.low;
    a->bits |= b.bits;
    a->lost |= b.lost;
    a->carried |= b.carried;
    return more;
}

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

[[maybe_unused]] static void add_words(word64 a[3], word64 b0, word64 b1, word64 b2)
{
    const integer carry0 = carry_of(a[0], b0);
    const integer carry1 = a[1].max + b1.max + carry0 > word64::largest ? 1 : 0;
    a[0] = wrapping(a[0].min + b0.min, a[0].max + b0.max);
    a[1] = wrapping(a[1].min + b1.min, a[1].max + b1.max + carry0);
    a[2] = word64(a[2].min + b2.min, a[2].max + b2.max + carry1);
}

[[maybe_unused]] static void add_block(word64 a[3], const uint8_t *)
{
    add_words(a, word64(), word64(), 1);
}

[[maybe_unused]] static void multiply_words(word64 *lo, word64 *hi, word64 a, word64 b)
{
    const integer min = a.min * b.min, max = a.max * b.max;
    *lo = wrapping(min, max);
    *hi = word64(min >> 64, max >> 64);
}

#endif
