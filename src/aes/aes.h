/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AES-128 (FIPS 197), forwards, one block under each of many keys: what Poly1305-AES makes its pads of.
 *
 * No round keys are kept: each call expands the keys anew, beside the blocks. */
#ifndef HORNET_AES_AES_H
#define HORNET_AES_AES_H

#include <stddef.h>
#include <stdint.h>

#include "../core/compiler.h"
#include "../core/dispatch.h"

#pragma GCC visibility push(hidden)

/* FIPS 197, section 5: AES-128 has so many. */
enum { AES_ROUNDS = 10 };

struct hornet_aes {
    struct hornet_implementation implementation;

    /* out[i] = AES under keys[i][0 .. 16) of in[i], for i < count. No branch or address depends on keys or
     * blocks. out overlaps neither in nor keys. */
    void (*encrypt)(uint8_t (*out)[16], const uint8_t (*in)[16], const uint8_t (*keys)[32], size_t count);
};

/* The list of aes.def. */
extern const struct hornet_list hornet_aes_list;

/* The rows in use; a public function reads them once and passes them on. */
uint32_t hornet_aes_rows_in_use(void);

/* The implementation that serves `count` blocks. */
const struct hornet_aes *hornet_aes_for(uint32_t in_use, size_t count);

#define HORNET_AES(name) extern const struct hornet_aes hornet_aes_##name;
#include "aes.def"

#pragma GCC visibility pop

#endif
