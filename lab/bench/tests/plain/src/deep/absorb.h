/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The arithmetic modulo 2^130 - 5 of the plain tree, with five 26-bit limbs. */
#ifndef PLAIN_ABSORB_H
#define PLAIN_ABSORB_H

#include <stddef.h>
#include <stdint.h>

struct poly1305 {
    uint32_t r[5];
    uint64_t h[5];
};

void plain_init(struct poly1305 *p, const uint8_t r[16]);
void plain_absorb(struct poly1305 *p, const uint8_t *block, size_t len_bytes);
void plain_finish(const struct poly1305 *p, const uint8_t s[16], uint8_t tag[16]);

#endif
