/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a kernel is: one way to evaluate the polynomial, for one instruction set. */
#ifndef HORNET_POLY1305_KERNEL_H
#define HORNET_POLY1305_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../core/cpu.h"
#include "../core/dispatch.h"
#include "state.h"

#pragma GCC visibility push(hidden)

/* Messages of a batch: the arguments of hornet_poly1305_batch. */
struct hornet_batch {
    uint8_t (*tags)[16];
    const void *const *msgs;
    const size_t *lens_bytes;
    const uint8_t (*keys)[32];
};

/* Messages of a batch are regrouped by length within windows of so many. */
#define HORNET_BATCH_WINDOW 64

/* How many of `count` messages are in the window that begins with number `first`. */
static inline size_t hornet_batch_window(size_t first, size_t count)
{
    return count - first < HORNET_BATCH_WINDOW ? count - first : HORNET_BATCH_WINDOW;
}

/* Longer messages gain nothing from neighbours: they fill the lanes by themselves. */
#define HORNET_BATCH_MAX_BYTES 8192

/* blocks[16 i] to blocks[16 i + 15] = the last block of message order[i], padded if it is short, and zeros
 * if the message is empty; tops[i] = 1 if it is full, else 0; for i < count. `equal` says that all have the
 * same length. */
void hornet_batch_last_blocks(uint8_t *blocks, uint64_t *tops, bool equal, const struct hornet_batch *batch,
                              const uint8_t *order, size_t count);

struct hornet_poly1305_kernel {
    struct hornet_implementation implementation;
    uint32_t lanes; /* blocks worked on at once */

    /* Writes the tag of msg[0 .. len_bytes) under key, as hornet_poly1305 does. */
    void (*mac)(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32]);

    /* state->h = the evaluation continued over msg[0 .. len_bytes), cut into blocks of 16 bytes with a
     * 1 appended to each: h <- (h + c) * r for each block c. Only the last may be shorter, and then
     * nothing may follow. len_bytes >= 1. Reads state->r and state->h, writes state->h only, touches
     * nothing else, and wipes the powers of r that it stored. */
    void (*absorb)(struct poly1305 *state, const uint8_t *msg, size_t len_bytes);

    /* For a message in pieces, whose lanes are kept from one to the next in pieces->lanes. A group is
     * `lanes` full blocks. lanes_begin continues pieces->value with a first group. lanes_absorb absorbs
     * those of two runs, one after the other; either may have none. lanes_end leaves in value.h what the
     * lanes hold, which end with that; the caller wipes them. NULL: the kernel keeps none. */
    void (*lanes_begin)(struct poly1305_pieces *pieces, const uint8_t *group);
    void (*lanes_absorb)(struct poly1305_pieces *pieces, const uint8_t *first, size_t nfirst,
                         const uint8_t *msg, size_t ngroups);
    void (*lanes_end)(struct poly1305_pieces *pieces);

    /* The tags of the first of the messages order[0 .. count), one message to a lane; returns how many. It
     * stops before a group of messages whose longest is shorter than min_bytes, and before one that would
     * leave most lanes empty. They come with the longest first, so that neighbours share their lanes with
     * little left over. NULL: the kernel has no such function. */
    size_t (*batch)(const struct hornet_batch *batch, const uint8_t *order, size_t count, size_t min_bytes);
};

/* The kernels themselves, one file each in kernels/. */
#define HORNET_ROW(name, ...) extern const struct hornet_poly1305_kernel hornet_poly1305_kernel_##name;
#include "kernels.def"

/* The list of kernels.def. */
extern const struct hornet_row hornet_poly1305_rows[];
extern uint32_t hornet_poly1305_in_use;
extern const struct hornet_list hornet_poly1305_list;

static inline const struct hornet_poly1305_kernel *kernel_of(const struct hornet_row *row)
{
    return (const struct hornet_poly1305_kernel *)row->implementation;
}

/* Whether a row of kernels.def is for all lengths on every CPU. */
#define HORNET_IS_BASELINE(on, min_bytes, min_batch_bytes)                                                 \
    ((on) == CPU_ANY && (min_bytes) == 0 && (min_batch_bytes) == 0)

/* The first kernel for all lengths on every CPU. */
#define HORNET_ROW(name, on, min_bytes, min_batch_bytes)                                                   \
    HORNET_IS_BASELINE(on, min_bytes, min_batch_bytes) ? &hornet_poly1305_kernel_##name:
static const struct hornet_poly1305_kernel *const hornet_poly1305_baseline =
#include "kernels.def"
    NULL;

/* No kernel before it serves messages shorter than this; kernels.c checks that. So the list need not be
 * searched for them, which would be felt. */
#if HORNET_INT128
#define HORNET_SHORT_BYTES 160
#else
#define HORNET_SHORT_BYTES 48
#endif

/* The rows in use. Another thread may force a kernel at any time, so a public function reads this once and
 * passes it to everything that it calls: the functions below take it as `in_use`. */
static inline uint32_t hornet_poly1305_rows_in_use(void)
{
    return hornet_dispatch_in_use(&hornet_poly1305_list);
}

/* The kernel that serves messages of this length. */
static inline const struct hornet_poly1305_kernel *hornet_poly1305_kernel_for(uint32_t in_use,
                                                                              size_t len_bytes)
{
    if (len_bytes < HORNET_SHORT_BYTES && (in_use & HORNET_BASELINE_IN_USE) != 0)
        return hornet_poly1305_baseline;
    return kernel_of(hornet_dispatch(hornet_poly1305_rows, in_use, len_bytes));
}

/* Continues the evaluation by the kernel for this length; does nothing if len_bytes is 0. */
static inline void hornet_poly1305_absorb(uint32_t in_use, struct poly1305 *state, const uint8_t *msg,
                                          size_t len_bytes)
{
    if (len_bytes != 0)
        hornet_poly1305_kernel_for(in_use, len_bytes)->absorb(state, msg, len_bytes);
}

#pragma GCC visibility pop

#endif
