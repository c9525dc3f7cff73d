/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AES-128 (FIPS 197), encryption only, of one block under each of many keys. Poly1305-AES computes its pads
 * with it.
 *
 * Round keys are not kept: each call expands the keys again, interleaved with encrypting the blocks. */
#ifndef HORNET_AES_AES_H
#define HORNET_AES_AES_H

#include <stddef.h>
#include <stdint.h>

#include "../core/compiler.h"
#include "../core/dispatch.h"

#pragma GCC visibility push(hidden)

/* Rounds of AES-128 (FIPS 197, section 5). */
enum { AES_ROUNDS = 10 };

struct hornet_aes {
    struct hornet_implementation implementation;
    uint32_t lanes; /* blocks processed at once */

    /* Sets out[i] to the AES encryption of in[i] under keys[i][0 .. 16), for i < count. Branches and
     * addresses do not depend on keys or blocks. out must not overlap in or keys. */
    void (*encrypt)(uint8_t (*out)[16], const uint8_t (*in)[16], const uint8_t (*keys)[32], size_t count);
};

/* The list in aes.def. */
extern const struct hornet_list hornet_aes_list;

/* Returns the entries in use. A public function reads them once and passes them on. */
uint32_t hornet_aes_entries_in_use(void);

/* Returns the implementation that serves `count` blocks. */
const struct hornet_aes *hornet_aes_for(size_t count, uint32_t in_use);

#define HORNET_AES(name) extern const struct hornet_aes hornet_aes_##name;
#include "aes.def"

#pragma GCC visibility pop

#endif
