/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The field modulo p = 2^130 - 5 in radix 2^64, scalar, reduced after each block: Polyakov, "Poly1305
 * revised", as in OpenSSL. src/poly1305/scalar_field.h describes the functions; the library's radix64.h
 * describes what it does differently.
 *
 *              d_0    d_1    d_2
 *     h_0      r_0    r_1
 *     h_1      s_1    r_0
 *     h_2             s_1    r_0         (h_2 is so small that its products fit in a word) */
#ifndef HORNET_POLY1305_SCALAR_IMPLEMENTATION
#define HORNET_POLY1305_SCALAR_IMPLEMENTATION

#include <stdint.h>

#include "../../../src/core/compiler.h"
#include "../../../src/core/words.h"

/* limb[2] <= 7 before a multiplication, <= 4 after one. */
typedef struct {
    uint64_t limb[3];
} scalar_fe;

/* r0 < 2^60, r1 < 2^60 with its low two bits 0, s1 = 5/4 r1 < 1.25 * 2^60. */
typedef struct {
    uint64_t r0, r1, s1;
} scalar_r;

HORNET_INLINE scalar_fe scalar_fe_from_words(const uint64_t words[3])
{
    return (scalar_fe){{words[0], words[1], words[2]}};
}

HORNET_INLINE void scalar_fe_to_words(uint64_t words[3], scalar_fe a, uint64_t addend)
{
    words[0] = a.limb[0];
    words[1] = a.limb[1];
    words[2] = a.limb[2];
    add_words(words, addend, 0, 0);
}

HORNET_INLINE scalar_r scalar_r_from_words(const uint64_t words[2])
{
    return (scalar_r){words[0], words[1], words[1] + (words[1] >> 2)};
}

HORNET_INLINE scalar_fe scalar_fe_mul(scalar_fe h, scalar_r r)
{
    uint64_t d[3], carry, lo, hi;
    multiply_words(&d[0], &carry, h.limb[0], r.r0);
    multiply_words(&lo, &hi, h.limb[1], r.s1);
    add_word_pair(&d[0], &carry, lo, hi);
    multiply_words(&d[1], &d[2], h.limb[0], r.r1);
    multiply_words(&lo, &hi, h.limb[1], r.r0);
    add_word_pair(&d[1], &d[2], lo, hi);
    add_word_pair(&d[1], &d[2], h.limb[2] * r.s1, 0); /* < 8.75 * 2^60 */
    add_word_pair(&d[1], &d[2], carry, 0);
    d[2] += h.limb[2] * r.r0; /* < 2 * 2^60 + 2 + 7 * 2^60 */
    /* The part above 2^130 is added times 5: 5/4 of a multiple of 4 below 9.01 * 2^60. */
    const uint64_t above = (d[2] >> 2) + (d[2] & ~UINT64_C(3));
    d[2] &= 3;
    add_words(d, above, 0, 0);
    return (scalar_fe){{d[0], d[1], d[2]}};
}

HORNET_INLINE scalar_fe scalar_fe_mul_add(scalar_fe h, scalar_r r, uint64_t lo, uint64_t hi, uint64_t top)
{
    scalar_fe a = scalar_fe_mul(h, r);
    add_words(a.limb, lo, hi, top);
    return a;
}

/* Every element is small. */
HORNET_INLINE scalar_fe scalar_small_mul(scalar_fe h, scalar_r r) { return scalar_fe_mul(h, r); }

HORNET_INLINE scalar_fe scalar_small_mul_add(scalar_fe h, scalar_r r, uint64_t lo, uint64_t hi,
                                             uint64_t top)
{
    return scalar_fe_mul_add(h, r, lo, hi, top);
}

#endif
