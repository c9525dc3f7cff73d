/* AES-128 (FIPS 197), forwards, one block under each of many keys: what Poly1305-AES makes its pads of.
 *
 * Internal to the library. No round keys are kept: each call expands the keys anew, beside the blocks. */
#ifndef HORNET_AES_H
#define HORNET_AES_H

#include <stddef.h>
#include <stdint.h>

#include "cpu.h"

#pragma GCC visibility push(hidden)

/* FIPS 197, section 5: AES-128 has so many. */
enum { AES_ROUNDS = 10 };

struct hornet_aes {
    const char *name;
    uint32_t needs; /* a set of features of features.def; CPU_BASE if none */

    /* out[i] = AES under keys[i][0 .. 16) of in[i], for i < count. No branch or address depends on keys or
     * blocks. out overlaps neither in nor keys. NULL: not built for this target. */
    void (*encrypt)(uint8_t (*out)[16], const uint8_t (*in)[16], const uint8_t (*keys)[32], size_t count);
};

/* The first of aes.def that runs with these features; never NULL. */
const struct hornet_aes *hornet_aes_for(uint32_t features);

#define HORNET_AES(name) extern const struct hornet_aes hornet_aes_##name;
#include "aes.def"
#undef HORNET_AES

#pragma GCC visibility pop

#endif
