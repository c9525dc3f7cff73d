/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The state of a message between calls, the same for every kernel. */
#ifndef HORNET_POLY1305_STATE_H
#define HORNET_POLY1305_STATE_H

#include <stdint.h>

#include "../core/bytes.h"
#include "../core/compiler.h"

/* Any kernel continues what another began. Numbers are arrays of 64-bit words, the least first. Lies in the
 * caller's hornet_poly1305_state, an array of words: hence may_alias. */
struct __attribute__((may_alias)) poly1305 {
    uint64_t r[2];      /* clamped: r[0] < 2^60, r[1] < 2^60 */
    uint64_t h[3];      /* the accumulator, partly reduced: h[2] <= HORNET_H2_MAX */
    uint64_t s[2];      /* added to the result at the end */
    uint8_t block[16];  /* bytes that do not fill a block yet; the rest is unspecified */
    uint64_t nbuffered; /* how many: 0 to 15 */
    uint64_t live;      /* POLY1305_LIVE from init to final, else 0 */
};

/* What every kernel leaves in h[2] at most, and must accept. */
#define HORNET_H2_MAX 4

/* Any value that a wiped state or one of small numbers does not have. */
#define POLY1305_LIVE UINT64_C(0x5031333035524e48)

/* RFC 8439, section 2.5.1: the bits of r that the clamp leaves. */
#define HORNET_CLAMP_LO UINT64_C(0x0ffffffc0fffffff)
#define HORNET_CLAMP_HI UINT64_C(0x0ffffffc0ffffffc)

HORNET_INLINE void load_r(uint64_t r[2], const uint8_t key[32])
{
    r[0] = load_le64(key) & HORNET_CLAMP_LO;
    r[1] = load_le64(key + 8) & HORNET_CLAMP_HI;
}

HORNET_INLINE void load_s(uint64_t s[2], const uint8_t key[32])
{
    s[0] = load_le64(key + 16);
    s[1] = load_le64(key + 24);
}

/* A live state of no bytes. */
HORNET_INLINE void set_key(struct poly1305 *p, const uint8_t key[32])
{
    load_r(p->r, key);
    load_s(p->s, key);
    p->h[0] = p->h[1] = p->h[2] = 0;
    p->nbuffered = 0;
    p->live = POLY1305_LIVE;
}

#endif
