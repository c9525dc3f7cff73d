/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The field modulo p = 2^130 - 5 in radix 2^64, scalar, for CPUs that multiply 64 x 64 -> 128 bits. What
 * the functions do is said in scalar_field.h.
 *
 * After Polyakov, "Poly1305 revised". With r clamped, r_1 is a multiple of 4, so that 2^128 r_1 = 2^130
 * r_1/4 comes back as s_1 = 5/4 r_1, and no limb needs a carry before the end:
 *
 *            h_0    h_1    h_2
 *     d_0    r_0    s_1
 *     d_1    r_1    r_0    s_1
 *     d_2                  r_0      (h_2 is so small that its products fit into 64 bits)
 */
#ifndef HORNET_POLY1305_SCALAR_IMPLEMENTATION
#define HORNET_POLY1305_SCALAR_IMPLEMENTATION

#include <stdint.h>

#include "../../core/carry.h"
#include "../../core/compiler.h"

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

HORNET_INLINE void scalar_fe_to_words(uint64_t words[3], scalar_fe a)
{
    words[0] = a.limb[0];
    words[1] = a.limb[1];
    words[2] = a.limb[2];
}

HORNET_INLINE scalar_r scalar_r_from_words(const uint64_t words[2])
{
    return (scalar_r){words[0], words[1], words[1] + (words[1] >> 2)};
}

/* In assembly where it can be: gcc 12 keeps pairs of registers together, and spills them. */
HORNET_INLINE void multiply(uint64_t *lo, uint64_t *hi, uint64_t a, uint64_t b)
{
#if HORNET_X86_64_ASM
    __asm__("mulq %3" : "=a"(*lo), "=d"(*hi) : "a"(a), HORNET_ASM_OPERAND(b) : "cc");
#else
    __extension__ typedef unsigned __int128 uint128;
    const uint128 product = (uint128)a * b;
    *lo = (uint64_t)product;
    *hi = (uint64_t)(product >> 64);
#endif
}

/* limb[2] grows by 2 at most. */
HORNET_INLINE scalar_fe scalar_fe_add(scalar_fe h, uint64_t lo, uint64_t hi, uint64_t top)
{
    add_words(h.limb, lo, hi, top);
    return h;
}

/* d[0] + d[1] 2^64 + d[2] 2^128 = h r, for h with limb[2] <= 6. d[2] < 8 * 2^60 + 2. */
HORNET_INLINE void scalar_multiply(uint64_t d[3], scalar_fe h, scalar_r r)
{
    const uint64_t h0 = h.limb[0], h1 = h.limb[1], h2 = h.limb[2];
    const uint64_t g0 = h2 * r.s1, g1 = h2 * r.r0; /* < 7.5 * 2^60, < 6 * 2^60 */
    uint64_t e0, e1, f0, f1;
    multiply(&e0, &f1, h1, r.s1);
    multiply(&d[0], &e1, h0, r.r0);
    add_word_pair(&d[0], &e1, e0, f1); /* < 2.25 * 2^124 */
    multiply(&f0, &f1, h1, r.r0);
    multiply(&d[1], &d[2], h0, r.r1);
    add_word_pair(&d[1], &d[2], f0, f1); /* < 2 * 2^124 */
    add_word_pair(&d[1], &d[2], e1 + g0, g1);
}

/* What stands above 2^130 in d comes back times 5: d[2] / 4 * 5 < 10 * 2^60 + 2. */
HORNET_INLINE uint64_t scalar_fold(const uint64_t d[3]) { return (d[2] >> 2) + (d[2] & ~UINT64_C(3)); }

HORNET_INLINE scalar_fe scalar_fe_mul(scalar_fe h, scalar_r r)
{
    uint64_t d[3];
    scalar_multiply(d, h, r);
    scalar_fe product = {{d[0], d[1], d[2] & 3}};
    add_words(product.limb, scalar_fold(d), 0, 0);
    return product;
}

/* The block is added before what is folded back, which has to be waited for. */
HORNET_INLINE scalar_fe scalar_fe_mul_add(scalar_fe h, scalar_r r, uint64_t lo, uint64_t hi, uint64_t top)
{
    uint64_t d[3];
    scalar_multiply(d, h, r);
    scalar_fe sum = {{d[0], d[1], d[2] & 3}};
    add_words(sum.limb, lo, hi, top);
    add_words(sum.limb, scalar_fold(d), 0, 0);
    return sum;
}

#endif
