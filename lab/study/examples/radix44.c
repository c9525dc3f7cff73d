/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* An example of a kernel of your own: Poly1305 in three limbs of 44, 44 and 42 bits with products of 128
 * bits, as Floodyberry's poly1305-donna describes for 64-bit CPUs. README.md adds it to the study. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;
enum { LIMB = 44, TOP = 42 };
static const uint64_t mask = (UINT64_C(1) << LIMB) - 1, top_mask = (UINT64_C(1) << TOP) - 1;

static uint64_t load64(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

void poly1305_auth(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])
{
    const uint64_t k0 = load64(key), k1 = load64(key + 8);
    const uint64_t r0 = k0 & 0xffc0fffffff, r1 = (k0 >> 44 | k1 << 20) & 0xfffffc0ffff,
                   r2 = k1 >> 24 & 0xffffffc0f, s1 = 20 * r1, s2 = 20 * r2; /* 2^132 = 20 */
    uint64_t h0 = 0, h1 = 0, h2 = 0, carry;
    while (len_bytes != 0) {
        const size_t n = len_bytes < 16 ? len_bytes : 16;
        uint8_t block[17] = {0};
        memcpy(block, msg, n);
        block[n] = 1;
        const uint64_t t0 = load64(block), t1 = load64(block + 8);
        h0 += t0 & mask;
        h1 += (t0 >> 44 | t1 << 20) & mask;
        h2 += t1 >> 24 | (uint64_t)block[16] << 40;
        const uint128 d0 = (uint128)h0 * r0 + (uint128)h1 * s2 + (uint128)h2 * s1;
        const uint128 d1 = (uint128)h0 * r1 + (uint128)h1 * r0 + (uint128)h2 * s2 + (uint64_t)(d0 >> LIMB);
        const uint128 d2 = (uint128)h0 * r2 + (uint128)h1 * r1 + (uint128)h2 * r0 + (uint64_t)(d1 >> LIMB);
        h0 = ((uint64_t)d0 & mask) + 5 * (uint64_t)(d2 >> TOP);
        h1 = ((uint64_t)d1 & mask) + (h0 >> LIMB);
        h2 = (uint64_t)d2 & top_mask;
        h0 &= mask;
        msg += n;
        len_bytes -= n;
    }
    for (int i = 0; i < 2; i++) { /* to limbs of 44, 44 and 42 bits */
        h2 += h1 >> LIMB, h1 &= mask;
        h0 += 5 * (h2 >> TOP), h2 &= top_mask;
        h1 += h0 >> LIMB, h0 &= mask;
    }
    /* h - p = h + 5 - 2^130, if that is not negative. */
    uint64_t g0 = h0 + 5, g1 = h1 + (g0 >> LIMB), g2 = h2 + (g1 >> LIMB);
    const uint64_t is_less = (g2 >> TOP) - 1;
    h0 = (h0 & is_less) | (g0 & mask & ~is_less);
    h1 = (h1 & is_less) | (g1 & mask & ~is_less);
    h2 = (h2 & is_less) | (g2 & top_mask & ~is_less);
    const uint64_t low = h0 | h1 << 44, high = h1 >> 20 | h2 << 24;
    const uint64_t tag0 = low + load64(key + 16);
    carry = tag0 < low;
    const uint64_t tag1 = high + load64(key + 24) + carry;
    memcpy(tag, &tag0, sizeof tag0);
    memcpy(tag + 8, &tag1, sizeof tag1);
}
