/* What a kernel is: one way to evaluate the polynomial, for one instruction set.
 *
 * Internal to the library. Everything declared here is hidden from users of the shared library. */
#ifndef HORNET_KERNEL_H
#define HORNET_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "cpu.h"

#pragma GCC visibility push(hidden)

/* The state of a message, the same for every kernel: any kernel continues what another began.
 * Numbers are arrays of 64-bit words, the least first. Lies in the caller's hornet_poly1305_state, an
 * array of words: hence may_alias. */
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

struct hornet_kernel {
    const char *name;
    uint32_t needs; /* CPU_BASE or one feature of features.def */
    uint32_t lanes; /* blocks worked on at once; 0 if not built for this target */

    /* state->h = the evaluation continued over msg[0 .. len_bytes), cut into blocks of 16 bytes with a
     * 1 appended to each: h <- (h + c) * r for each block c. Only the last may be shorter, and then
     * nothing may follow. len_bytes >= 1. Reads state->r and state->h, writes state->h only, touches
     * nothing else, and wipes the powers of r that it stored. NULL: not built for this target. */
    void (*absorb)(struct poly1305 *state, const uint8_t *msg, size_t len_bytes);
};

/* select.c: the best kernel for a set of features; never NULL. */
const struct hornet_kernel *hornet_kernel_for(uint32_t features);

/* The kernel in use, or the scalar kernel where the one in use does not gain from its vectors. */
const struct hornet_kernel *hornet_kernel_for_length(size_t len_bytes);

/* The kernels themselves, one file each in kernels/. */
#define HORNET_KERNEL(name, min_vector_bytes) extern const struct hornet_kernel hornet_kernel_##name;
#include "kernels.def"
#undef HORNET_KERNEL

#pragma GCC visibility pop

#endif
