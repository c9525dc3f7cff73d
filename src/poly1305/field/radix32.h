/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The field modulo p = 2^130 - 5 in radix 2^32, scalar, for CPUs that multiply 32 x 32 -> 64 bits.
 * scalar_field.h documents the functions.
 *
 * After Polyakov, "Poly1305 revised". As in radix64.h, r is clamped, so r_1, r_2 and r_3 are multiples of 4
 * and 2^128 r_i is added back as s_i = 5/4 r_i:
 *
 *            h_0    h_1    h_2    h_3    h_4
 *     d_0    r_0    s_3    s_2    s_1
 *     d_1    r_1    r_0    s_3    s_2    s_1
 *     d_2    r_2    r_1    r_0    s_3    s_2
 *     d_3    r_3    r_2    r_1    r_0    s_3
 *     d_4                                r_0      (h_4 is so small that its products fit into 32 bits)
 */
#ifndef HORNET_POLY1305_SCALAR_IMPLEMENTATION
#define HORNET_POLY1305_SCALAR_IMPLEMENTATION
#define SCALAR_MANY_WORDS /* more words than any CPU has registers */

#include <stdint.h>

#include "../../core/compiler.h"
#include "../../core/words.h"

typedef struct {
    uint32_t limb[5];
} scalar_fe;

/* r[i] < 2^28, s[i] = 5/4 r[i] < 1.25 * 2^28; s[0] is not used. */
typedef struct {
    uint32_t r[4], s[4];
} scalar_r;

HORNET_INLINE scalar_fe scalar_fe_from_words(const uint64_t words[3])
{
    return (scalar_fe){{(uint32_t)words[0], (uint32_t)(words[0] >> 32), (uint32_t)words[1],
                        (uint32_t)(words[1] >> 32), (uint32_t)words[2]}};
}

HORNET_INLINE void scalar_fe_to_words(uint64_t words[3], scalar_fe a, uint64_t addend)
{
    words[0] = a.limb[0] | (uint64_t)a.limb[1] << 32;
    words[1] = a.limb[2] | (uint64_t)a.limb[3] << 32;
    words[2] = a.limb[4];
    add_words(words, addend, 0, 0);
}

HORNET_INLINE scalar_r scalar_r_from_words(const uint64_t words[2])
{
    scalar_r r;
    for (int i = 0; i < 4; i++) {
        r.r[i] = (uint32_t)(words[i / 2] >> (32 * (i % 2)));
        r.s[i] = r.r[i] + (r.r[i] >> 2);
    }
    return r;
}

HORNET_INLINE uint64_t mul32(uint32_t a, uint32_t b) { return (uint64_t)a * b; }

/* h + c; limb[4] grows by 2 at most. */
HORNET_INLINE scalar_fe scalar_fe_add(scalar_fe h, uint64_t lo, uint64_t hi, uint64_t top)
{
    const uint64_t t0 = (uint64_t)h.limb[0] + (uint32_t)lo;
    const uint64_t t1 = (t0 >> 32) + h.limb[1] + (lo >> 32);
    const uint64_t t2 = (t1 >> 32) + h.limb[2] + (uint32_t)hi;
    const uint64_t t3 = (t2 >> 32) + h.limb[3] + (hi >> 32);
    const uint32_t t4 = h.limb[4] + (uint32_t)(t3 >> 32) + (uint32_t)top;
    return (scalar_fe){{(uint32_t)t0, (uint32_t)t1, (uint32_t)t2, (uint32_t)t3, t4}};
}

HORNET_INLINE scalar_fe scalar_fe_mul(scalar_fe h, scalar_r r)
{
    const uint32_t h0 = h.limb[0], h1 = h.limb[1], h2 = h.limb[2], h3 = h.limb[3], h4 = h.limb[4];

    /* Each sum < 4 * 2^32 * 1.25 * 2^28 + 6 * 1.25 * 2^28 + 2^32 < 2^63. */
    const uint64_t d0 = mul32(h0, r.r[0]) + mul32(h1, r.s[3]) + mul32(h2, r.s[2]) + mul32(h3, r.s[1]);
    const uint64_t d1 = mul32(h0, r.r[1]) + mul32(h1, r.r[0]) + mul32(h2, r.s[3]) + mul32(h3, r.s[2]) +
                        h4 * r.s[1] + (d0 >> 32);
    const uint64_t d2 = mul32(h0, r.r[2]) + mul32(h1, r.r[1]) + mul32(h2, r.r[0]) + mul32(h3, r.s[3]) +
                        h4 * r.s[2] + (d1 >> 32);
    const uint64_t d3 = mul32(h0, r.r[3]) + mul32(h1, r.r[2]) + mul32(h2, r.r[1]) + mul32(h3, r.r[0]) +
                        h4 * r.s[3] + (d2 >> 32);
    const uint32_t d4 = h4 * r.r[0] + (uint32_t)(d3 >> 32); /* < 6 * 2^28 + 4 * 2^28 + 2 */

    /* The part above 2^130 is added back times 5: d4 / 4 * 5 < 12.5 * 2^28 + 3. */
    const uint64_t u0 = (uint64_t)(uint32_t)d0 + ((d4 >> 2) + (d4 & ~UINT32_C(3)));
    const uint64_t u1 = (u0 >> 32) + (uint32_t)d1;
    const uint64_t u2 = (u1 >> 32) + (uint32_t)d2;
    const uint64_t u3 = (u2 >> 32) + (uint32_t)d3;
    return (scalar_fe){
        {(uint32_t)u0, (uint32_t)u1, (uint32_t)u2, (uint32_t)u3, (d4 & 3) + (uint32_t)(u3 >> 32)}};
}

HORNET_INLINE scalar_fe scalar_fe_mul_add(scalar_fe h, scalar_r r, uint64_t lo, uint64_t hi, uint64_t top)
{
    return scalar_fe_add(scalar_fe_mul(h, r), lo, hi, top);
}

/* In this field every element is small. */
HORNET_INLINE scalar_fe scalar_small_mul(scalar_fe h, scalar_r r) { return scalar_fe_mul(h, r); }

HORNET_INLINE scalar_fe scalar_small_mul_add(scalar_fe h, scalar_r r, uint64_t lo, uint64_t hi,
                                             uint64_t top)
{
    return scalar_fe_mul_add(h, r, lo, hi, top);
}

#endif
