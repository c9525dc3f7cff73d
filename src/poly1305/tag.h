/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The end of the evaluation: the final reduction modulo p = 2^130 - 5, and the tag. */
#ifndef HORNET_POLY1305_TAG_H
#define HORNET_POLY1305_TAG_H

#include <stdint.h>

#include "../core/bytes.h"
#include "../core/compiler.h"
#include "../core/words.h"

/* A tag as two words, least significant first, so that it is returned in registers. */
struct tag_words {
    uint64_t lo, hi;
};

HORNET_INLINE void store_tag(uint8_t tag[16], struct tag_words words)
{
    store_le64(tag, words.lo);
    store_le64(tag + 8, words.hi);
}

/* (h mod p + s) mod 2^128, for x = h + 5 with h < 5 * 2^128. */
HORNET_INLINE struct tag_words tag_of_value_and_5(const uint64_t x[3], const uint64_t s[2])
{
    /* h < 2 p, so h mod p is h or h - p. It is h - p = h + 5 - 2^130 if that is not negative. */
    const uint64_t over = x[2] >> 2; /* 1 or 0 */
    struct tag_words tag = {x[0], x[1]};
    add_word_pair(&tag.lo, &tag.hi, s[0], s[1]);
    add_word_pair(&tag.lo, &tag.hi, 5 * over - 5, over - 1); /* -5 if h < p, else 0 */
    return tag;
}

/* (h mod p + s) mod 2^128, for h[2] <= HORNET_H2_MAX. */
HORNET_INLINE struct tag_words tag_of_value(const uint64_t h[3], const uint64_t s[2])
{
    uint64_t x[3] = {h[0], h[1], h[2]};
    add_words(x, 5, 0, 0);
    return tag_of_value_and_5(x, s);
}

#endif
