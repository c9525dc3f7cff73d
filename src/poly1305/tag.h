/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The end of the evaluation: the last reduction modulo p = 2^130 - 5, and the tag. */
#ifndef HORNET_POLY1305_TAG_H
#define HORNET_POLY1305_TAG_H

#include <stdint.h>

#include "../core/bytes.h"
#include "../core/carry.h"
#include "../core/compiler.h"

/* A tag as two words, the least first: returned in registers. */
struct tag_words {
    uint64_t lo, hi;
};

HORNET_INLINE void store_tag(uint8_t tag[16], struct tag_words words)
{
    store_le64(tag, words.lo);
    store_le64(tag + 8, words.hi);
}

/* (h mod p + s) mod 2^128, for h[2] <= 4. */
HORNET_INLINE struct tag_words tag_of_value(const uint64_t h[3], const uint64_t s[2])
{
    /* h < 5 * 2^128 < 2 p, so h mod p is h or h - p: h - p = h + 5 - 2^130 if that is not negative. */
    uint64_t g[3] = {h[0], h[1], h[2]};
    add_words(g, 5, 0, 0);
    const uint64_t take_g = 0 - (g[2] >> 2);
    struct tag_words tag = {h[0] ^ ((h[0] ^ g[0]) & take_g), h[1] ^ ((h[1] ^ g[1]) & take_g)};
    add_word_pair(&tag.lo, &tag.hi, s[0], s[1]);
    return tag;
}

#endif
