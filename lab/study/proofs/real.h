/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Floating-point numbers of MANTISSA bits that hold ranges instead of values: multiples of a power of 2
 * between two bounds. Every operation checks that its result is exact for all inputs, but for the addition
 * of 1.5 * 2^k, which rounds to multiples of 2^(k + 1 - MANTISSA), and must be followed by its subtraction.
 * Exponents are taken to suffice. */
#ifndef HORNET_PROOFS_REAL_H
#define HORNET_PROOFS_REAL_H

#include <math.h>

#include "../../../tests/proofs/word.h"

__extension__ typedef __int128 signed_integer;

static unsigned long reals_made;

struct real {
    signed_integer min, max; /* in units of 2^unit */
    int unit;
    bool has_alpha; /* 1.5 * 2^alpha was added, which is not in min and max */
    int alpha;
    unsigned long id; /* the same for copies, which have the same value */
    unsigned long
        rounded_id; /* if not 0, this is the number with that id, rounded to a multiple of 2^unit */

    real(signed_integer min, signed_integer max, int unit)
        : min(min), max(max), unit(unit), has_alpha(false), alpha(0), id(++reals_made), rounded_id(0)
    {
        if (min == 0 && max == 0)
            this->unit = 0;
        while (this->min == this->max && this->min != 0 && this->min % 2 == 0) {
            this->min = this->max /= 2;
            this->unit++;
        }
    }

    real() : real((signed_integer)0, 0, 0) {}

    template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>> real(N value) : real()
    {
        int exponent;
        const long double fraction = frexpl((long double)value, &exponent);
        *this =
            real((signed_integer)ldexpl(fraction, 64), (signed_integer)ldexpl(fraction, 64), exponent - 64);
    }

    /* The bits of a double, which must have the same exponent for all inputs. */
    explicit real(word64 representation) : real()
    {
        const integer one = (integer)1 << 52, mask = one - 1;
        bound(representation.min >> 52 == representation.max >> 52 && !representation.lost,
              "a double has several exponents", representation.max);
        const int exponent = (int)(representation.min >> 52) - 1023 - 52;
        int zeros = 0;
        while (zeros < 52 && ((representation.bits & mask) >> zeros & 1) == 0)
            zeros++;
        *this = real((signed_integer)((one | (representation.min & mask)) >> zeros),
                     (signed_integer)((one | (representation.max & mask)) >> zeros), exponent + zeros);
    }

    bool is_known() const { return min == max; }
    bool is_zero() const { return min == 0 && max == 0; }
    signed_integer size() const { return -min > max ? -min : max; }

    /* Whether the size is at most 2^exponent. */
    bool is_below(int exponent) const
    {
        const int bits = exponent - unit;
        return is_zero() || bits > 125 || (bits >= 0 && size() <= (signed_integer)1 << bits);
    }

    real checked(const char *what, int bits = MANTISSA) const
    {
        bound(!has_alpha && is_below(unit + bits), what, (integer)size());
        return *this;
    }

    /* An element of a vector. */
    real operator[](int) const { return *this; }
};

static signed_integer in_units(signed_integer value, int shift)
{
    const bool fits =
        value == 0 || (shift < 126 && (value < 0 ? -value : value) < (signed_integer)1 << (126 - shift));
    bound(fits, "a number has too many bits", (integer)value);
    return fits && value != 0 ? value * ((signed_integer)1 << shift) : 0;
}

/* Rounds to the nearest multiple of 2^bits. */
static signed_integer rounded(signed_integer value, int bits)
{
    if (bits > 120)
        return 0;
    return (value + ((signed_integer)1 << (bits - 1))) >> bits;
}

static real add_alpha(real a, int alpha)
{
    const int unit = alpha + 1 - MANTISSA;
    bound(!a.has_alpha && a.is_below(alpha - 1), "a sum leaves the numbers from 2^k to 2^(k + 1)",
          (integer)a.size());
    real sum = a;
    if (unit > a.unit)
        sum = real(rounded(a.min, unit - a.unit), rounded(a.max, unit - a.unit), unit);
    sum.unit = unit > a.unit ? unit : a.unit;
    sum.rounded_id = a.id;
    sum.has_alpha = true;
    sum.alpha = alpha;
    return sum;
}

/* Whether a is 1.5 * 2^k. */
static bool is_alpha(real a) { return a.is_known() && a.min == 3; }

static real operator-(real a) { return real(-a.max, -a.min, a.unit); }

static real operator+(real a, real b)
{
    if (is_alpha(b))
        return add_alpha(a, b.unit + 1);
    bound(!a.has_alpha && !b.has_alpha, "1.5 * 2^k is not subtracted", (integer)a.size());
    if (a.is_zero() || b.is_zero())
        return a.is_zero() ? b : a;
    const int unit = a.unit < b.unit ? a.unit : b.unit;
    return real(in_units(a.min, a.unit - unit) + in_units(b.min, b.unit - unit),
                in_units(a.max, a.unit - unit) + in_units(b.max, b.unit - unit), unit)
        .checked("a sum is not exact");
}

static real operator-(real a, real b)
{
    if (is_alpha(b)) {
        bound(a.has_alpha && a.alpha == b.unit + 1, "another 1.5 * 2^k was added", (integer)a.size());
        a.has_alpha = false;
        return a;
    }
    if (b.rounded_id != a.id || b.rounded_id == 0)
        return a + -b;
    /* What rounding has taken away. */
    if (b.is_zero() || b.unit <= a.unit)
        return b.is_zero() ? a : real();
    const signed_integer half = in_units(1, b.unit - a.unit - 1);
    return real(-half, half, a.unit).checked("a difference is not exact");
}

static real operator*(real a, real b)
{
    const signed_integer of_a[] = {a.min, a.max}, of_b[] = {b.min, b.max};
    signed_integer least_one = 0, largest = 0;
    bool wraps = false;
    for (int i = 0; i < 4; i++) {
        signed_integer product;
        wraps |= __builtin_mul_overflow(of_a[i / 2], of_b[i % 2], &product);
        least_one = i == 0 || product < least_one ? product : least_one;
        largest = i == 0 || product > largest ? product : largest;
    }
    bound(!wraps && !a.has_alpha && !b.has_alpha, "a product has too many bits", (integer)a.size());
    return real(least_one, largest, a.unit + b.unit).checked("a product is not exact");
}

/* By a power of 2. */
[[maybe_unused]] static real operator/(real a, real b)
{
    bound(b.is_known() && b.min == 1, "a divisor is no power of 2", (integer)b.size());
    return real(a.min, a.max, a.unit - b.unit);
}

#define REAL_OPERATOR(symbol)                                                                              \
    template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>                                  \
    real operator symbol(real a, N b)                                                                      \
    {                                                                                                      \
        return a symbol real(b);                                                                           \
    }                                                                                                      \
    template <class N, class = std::enable_if_t<std::is_arithmetic_v<N>>>                                  \
    real operator symbol(N a, real b)                                                                      \
    {                                                                                                      \
        return real(a) symbol b;                                                                           \
    }
REAL_OPERATOR(+)
REAL_OPERATOR(-)
REAL_OPERATOR(*)

template <class B> real operator+=(real &a, B b) { return a = a + b; }
template <class B> real operator-=(real &a, B b) { return a = a - b; }

/* The bits of a double. */
[[maybe_unused]] static void memcpy(real *to, const word64 *from, size_t) { *to = real(*from); }

/* Enlarges a by b. Returns false if b adds nothing to a. */
static bool unite(real *a, real b)
{
    const int unit = a->is_zero() || (!b.is_zero() && b.unit < a->unit) ? b.unit : a->unit;
    const signed_integer a_min = in_units(a->min, a->unit - unit), a_max = in_units(a->max, a->unit - unit),
                         b_min = in_units(b.min, b.unit - unit), b_max = in_units(b.max, b.unit - unit);
    const bool more = b_min < a_min || b_max > a_max || unit != a->unit;
    real both(b_min < a_min ? b_min : a_min, b_max > a_max ? b_max : a_max, 0);
    if (!both.is_known())
        both.unit = unit;
    else
        both.unit += unit;
    *a = both;
    return more;
}

/* A word with a sign, to which a number is converted that is one. */
struct signed_word {
    signed_integer min, max;
    signed_word(int64_t value) : min(value), max(value) {}
    signed_word(signed_integer min, signed_integer max) : min(min), max(max)
    {
        bound(min >= INT64_MIN && max <= INT64_MAX, "a word with a sign wraps", (integer)max);
    }
    signed_word(real a)
        : signed_word(in_units(a.min, a.unit < 0 ? 0 : a.unit), in_units(a.max, a.unit < 0 ? 0 : a.unit))
    {
        bound(a.is_zero() || a.unit >= 0, "a number is no integer", (integer)a.size());
    }
    operator word64() const
    {
        bound(min >= 0, "a limb is negative", (integer)-min);
        return min >= 0 ? word64((integer)min, (integer)max) : word64();
    }
};

[[maybe_unused]] static signed_word operator+(signed_word a, signed_word b)
{
    return signed_word(a.min + b.min, a.max + b.max);
}

#endif
