/* The field modulo p = 2^130 - 5 in radix 2^64, scalar, for CPUs that multiply 64 x 64 -> 128 bits.
 *
 * After Polyakov, "Poly1305 revised": with r clamped, r[1] is a multiple of 4, so that a product's part
 * above 2^130 folds back as r[1] * 5/4 and no limb needs a carry before the end. */
#ifndef HORNET_FIELD_RADIX64_H
#define HORNET_FIELD_RADIX64_H

#include "../words.h"

/* limb[2] <= 4 between multiplications (HORNET_H2_MAX). */
typedef struct {
    uint64_t limb[3];
} scalar_fe;

/* r0 < 2^60, r1 < 2^60 with its low two bits 0, s1 = 5/4 r1 < 1.25 * 2^60. */
typedef struct {
    uint64_t r0, r1, s1;
} scalar_r;

__extension__ typedef unsigned __int128 uint128;

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

/* (h + c) * r, for the block c = lo + hi * 2^64 + top * 2^128 with top 0 or 1. */
HORNET_INLINE scalar_fe scalar_fe_absorb(scalar_fe h, uint64_t lo, uint64_t hi, uint64_t top, scalar_r r)
{
    unsigned char carry = 0;
    const uint64_t h0 = add_carry(h.limb[0], lo, &carry);
    const uint64_t h1 = add_carry(h.limb[1], hi, &carry);
    const uint64_t h2 = h.limb[2] + top + carry; /* <= 6 */

    const uint128 d0 = (uint128)h0 * r.r0 + (uint128)h1 * r.s1; /* < 2.25 * 2^124 */
    const uint128 d1 = (uint128)h0 * r.r1 + (uint128)h1 * r.r0; /* < 2 * 2^124 */
    /* Into limb 1: < 7.5 * 2^60 + 2.25 * 2^60. */
    const uint64_t e1 = h2 * r.s1 + (uint64_t)(d0 >> 64);
    carry = 0;
    const uint64_t u1 = add_carry((uint64_t)d1, e1, &carry);
    const uint64_t u2 = h2 * r.r0 + (uint64_t)(d1 >> 64) + carry; /* < 8 * 2^60 + 1 */

    /* What stands above 2^130 comes back times 5: u2 / 4 * 5 < 10 * 2^60 + 2. */
    carry = 0;
    const uint64_t v0 = add_carry((uint64_t)d0, (u2 >> 2) + (u2 & ~UINT64_C(3)), &carry);
    const uint64_t v1 = add_carry(u1, 0, &carry);
    return (scalar_fe){{v0, v1, (u2 & 3) + carry}};
}

#endif
