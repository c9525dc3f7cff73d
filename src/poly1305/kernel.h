/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Defines a kernel: one implementation of the polynomial evaluation, for one instruction set. */
#ifndef HORNET_POLY1305_KERNEL_H
#define HORNET_POLY1305_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../core/cpu.h"
#include "../core/dispatch.h"
#include "../core/tuning.h"
#include "state.h"

#pragma GCC visibility push(hidden)

/* The messages of a batch: the arguments of hornet_poly1305_batch. */
struct hornet_batch {
    uint8_t (*tags)[16];
    const void *const *msgs;
    const size_t *lens_bytes;
    const uint8_t (*keys)[32];
};

/* The messages of a batch are sorted by length within windows of this many messages. */
#define HORNET_BATCH_WINDOW 64

/* Returns how many of `count` messages are in the window that starts at message `first`. */
static inline size_t hornet_batch_window(size_t first, size_t count)
{
    return count - first < HORNET_BATCH_WINDOW ? count - first : HORNET_BATCH_WINDOW;
}

/* Sorts the numbers order[0 .. count), at most HORNET_BATCH_WINDOW, by their lengths lens_bytes[order[i]],
 * the longest first; equal lengths keep their order. Lengths are at most HORNET_BATCH_MAX_BYTES. */
void hornet_batch_sort(uint8_t *order, const uint16_t *lens_bytes, size_t count);

/* For i < count, sets blocks[16 i] to blocks[16 i + 15] to the last block of message order[i], padded if it
 * is short, or to zeros if the message is empty; and tops[i] to 1 if that block is full, else to 0. `equal`
 * says that all messages have the same length. */
void hornet_batch_last_blocks(uint8_t *blocks, uint64_t *tops, bool equal, const struct hornet_batch *batch,
                              const uint8_t *order, size_t count);

struct hornet_poly1305_kernel {
    struct hornet_implementation implementation;
    uint32_t lanes; /* blocks processed at once */

    /* Writes the tag of msg[0 .. len_bytes) under key, like hornet_poly1305. */
    void (*mac)(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32]);

    /* Continues the evaluation in state->h over msg[0 .. len_bytes), which is cut into blocks of 16 bytes
     * with a 1 appended to each: h <- (h + c) * r for each block c. Only the last block may be shorter, and
     * then nothing may follow it. len_bytes must be at least 1. Reads state->r and state->h, writes only
     * state->h, and wipes the powers of r that it stored. */
    void (*absorb)(struct poly1305 *state, const uint8_t *msg, size_t len_bytes);

    /* For a message in chunks: streaming->lanes keeps the lanes from one chunk to the next. A group is
     * `lanes` full blocks. lanes_begin continues from streaming->value with a first group. lanes_absorb
     * absorbs the groups at `first` and then those at `msg`; either number may be 0. lanes_end sums the
     * lanes into value.h, after which they are no longer valid; the caller wipes them. The three are NULL
     * if the kernel cannot keep lanes. */
    void (*lanes_begin)(struct poly1305_streaming *streaming, const uint8_t *group);
    void (*lanes_absorb)(struct poly1305_streaming *streaming, const uint8_t *first, size_t nfirst,
                         const uint8_t *msg, size_t ngroups);
    void (*lanes_end)(struct poly1305_streaming *streaming);

    /* Writes the tags of the first n of the messages order[0 .. count), one message per lane, and returns
     * n. Stops before a bundle of messages whose longest is shorter than min_bytes, and before one that
     * would leave most lanes empty. The messages must be sorted with the longest first, so that messages
     * of similar length share a vector. NULL if the kernel has no such function. */
    size_t (*batch)(const struct hornet_batch *batch, const uint8_t *order, size_t count, size_t min_bytes);
};

/* The kernels, one file each in kernels/. */
#define HORNET_ENTRY(name, ...) extern const struct hornet_poly1305_kernel hornet_poly1305_kernel_##name;
#define HORNET_TUNED_ENTRY      HORNET_ENTRY
#include "kernels.def"

/* The list in kernels.def. */
extern const struct hornet_entry hornet_poly1305_entries[];
extern uint32_t hornet_poly1305_in_use;
extern const struct hornet_list hornet_poly1305_list;

static inline const struct hornet_poly1305_kernel *kernel_of(const struct hornet_entry *entry)
{
    return (const struct hornet_poly1305_kernel *)entry->implementation;
}

/* min_aead_bytes of an entry of kernels.def, of which min_batch_bytes and the column itself follow. */
#define HORNET_MIN_AEAD_BYTES(min_bytes, ...) HORNET_SECOND_OF(__VA_ARGS__, min_bytes)

/* Whether an entry of kernels.def serves all lengths on every CPU. */
#define HORNET_IS_FALLBACK(preferred_on, min_bytes, ...)                                                   \
    ((preferred_on) == CPU_ANY && (min_bytes) == 0 && (HORNET_FIRST_OF(__VA_ARGS__)) == 0)

/* The fallback: the first kernel that serves all lengths on every CPU. */
#define HORNET_ENTRY(name, preferred_on, ...)                                                              \
    HORNET_IS_FALLBACK(preferred_on, __VA_ARGS__) ? &hornet_poly1305_kernel_##name:
static const struct hornet_poly1305_kernel *const hornet_poly1305_fallback =
#include "kernels.def"
    NULL;

/* Returns the entries in use. Another thread may force a kernel at any time, so a public function reads
 * this once and passes it to everything that it calls, as the last argument, `in_use`. */
static inline uint32_t hornet_poly1305_entries_in_use(void)
{
    return hornet_dispatch_in_use(&hornet_poly1305_list);
}

static inline const struct hornet_poly1305_kernel *
hornet_poly1305_kernel_within(size_t len_bytes, uint32_t in_use, bool in_aead)
{
    if (len_bytes < HORNET_SHORT_BYTES && (in_use & HORNET_FALLBACK_IN_USE) != 0)
        return hornet_poly1305_fallback;
    return kernel_of(hornet_dispatch_for(hornet_poly1305_entries, in_use, len_bytes, in_aead));
}

/* Returns the kernel that serves messages of this length. */
static inline const struct hornet_poly1305_kernel *hornet_poly1305_kernel_for(size_t len_bytes,
                                                                              uint32_t in_use)
{
    return hornet_poly1305_kernel_within(len_bytes, in_use, false);
}

/* Returns the kernel for what the passes of a message of the AEAD have left. */
static inline const struct hornet_poly1305_kernel *hornet_poly1305_kernel_in_aead(size_t len_bytes,
                                                                                  uint32_t in_use)
{
    return hornet_poly1305_kernel_within(len_bytes, in_use, true);
}

/* Continues the evaluation with the kernel for this length. No-op if len_bytes is 0. */
static inline void hornet_poly1305_absorb(struct poly1305 *state, const uint8_t *msg, size_t len_bytes,
                                          uint32_t in_use)
{
    if (len_bytes != 0)
        hornet_poly1305_kernel_for(len_bytes, in_use)->absorb(state, msg, len_bytes);
}

#pragma GCC visibility pop

#endif
