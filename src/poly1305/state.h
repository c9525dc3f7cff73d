/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The state of a message between calls. */
#ifndef HORNET_POLY1305_STATE_H
#define HORNET_POLY1305_STATE_H

#include <stdint.h>

#include "../core/bytes.h"
#include "../core/compiler.h"

/* An evaluation in a form that all kernels share, so that any kernel can continue what another began.
 * Numbers are arrays of 64-bit words, least significant first. Stored in the caller's
 * hornet_poly1305_state, which is an array of words; hence may_alias. */
struct __attribute__((may_alias)) poly1305 {
    uint64_t r[2]; /* clamped: r[0] < 2^60, r[1] < 2^60 */
    uint64_t s[2]; /* added to the result at the end */
    uint64_t h[3]; /* the accumulator, partly reduced: h[2] <= HORNET_H2_MAX */
};

/* Capacity of the buffer. It is flushed when one byte more than this has arrived. */
#define HORNET_STREAMING_BUFFER_BYTES 256

/* Maximum number of words that a kernel keeps of its lanes. */
#define HORNET_STREAMING_LANES_WORDS 68

/* The streaming state of a message in chunks: the contents of hornet_poly1305_state. Unused parts of
 * buffer and lanes are unspecified. */
struct __attribute__((may_alias)) poly1305_streaming {
    struct poly1305 value;
    uint64_t live;      /* POLY1305_LIVE from init to final, else 0 */
    uint64_t nbuffered; /* bytes in the buffer: 0 to HORNET_STREAMING_BUFFER_BYTES */
    uint64_t nused;     /* highest value that nbuffered has had */

    /* Where the bytes so far were absorbed: STREAMING_NOTHING: nowhere; STREAMING_VALUE: into value.h;
     * STREAMING_ENTRY + i: into the lanes of the kernel of entry i. */
    uint64_t absorbed;
    uint64_t lanes_used; /* 1 if the lanes have ever been used, else 0 */
    uint8_t buffer[HORNET_STREAMING_BUFFER_BYTES];
    uint64_t lanes[HORNET_STREAMING_LANES_WORDS];
};

enum { STREAMING_NOTHING, STREAMING_VALUE, STREAMING_ENTRY };

/* Largest h[2] that a kernel may leave; every kernel must accept it. */
#define HORNET_H2_MAX 4

/* Arbitrary value that is neither in a wiped state nor a small number. */
#define POLY1305_LIVE UINT64_C(0x5031333035524e48)

/* RFC 8439, section 2.5.1: the bits of r that the clamp keeps. */
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

/* Begins an evaluation. */
HORNET_INLINE void set_value(struct poly1305 *poly, const uint8_t key[32])
{
    load_r(poly->r, key);
    load_s(poly->s, key);
    poly->h[0] = poly->h[1] = poly->h[2] = 0;
}

/* Makes the state live, with no bytes absorbed. Its value has yet to be set. */
HORNET_INLINE void begin_streaming(struct poly1305_streaming *p)
{
    p->nbuffered = p->nused = 0;
    p->absorbed = STREAMING_NOTHING;
    p->lanes_used = 0;
    p->live = POLY1305_LIVE;
}

HORNET_INLINE void set_key(struct poly1305_streaming *p, const uint8_t key[32])
{
    set_value(&p->value, key);
    begin_streaming(p);
}

#endif
