/* What a kernel is: one way to evaluate the polynomial, for one instruction set.
 *
 * Internal to the library. Everything declared here is hidden from users of the shared library. */
#ifndef HORNET_KERNEL_H
#define HORNET_KERNEL_H

#include <stdatomic.h>
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

/* RFC 8439, section 2.5.1: the bits of r that the clamp leaves. */
#define HORNET_CLAMP_LO UINT64_C(0x0ffffffc0fffffff)
#define HORNET_CLAMP_HI UINT64_C(0x0ffffffc0ffffffc)

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

/* Batches go to the kernel that serves one message of this length: where 512 bits take two turns, to the
 * one with 256. */
#define HORNET_BATCH_KERNEL_BYTES 2048

/* What lanes read that wait for their message to begin. */
extern const uint8_t hornet_batch_zeros[HORNET_BATCH_MAX_BYTES];

struct hornet_kernel {
    const char *name;
    uint32_t needs; /* a set of features of features.def; CPU_BASE if none */
    uint32_t lanes; /* blocks worked on at once; 0 if not built for this target */

    /* state->h = the evaluation continued over msg[0 .. len_bytes), cut into blocks of 16 bytes with a
     * 1 appended to each: h <- (h + c) * r for each block c. Only the last may be shorter, and then
     * nothing may follow. len_bytes >= 1. Reads state->r and state->h, writes state->h only, touches
     * nothing else, and wipes the powers of r that it stored. NULL: not built for this target. */
    void (*absorb)(struct poly1305 *state, const uint8_t *msg, size_t len_bytes);

    /* The tags of the first of the messages order[0 .. count), one message to a lane; returns how many.
     * Fewer than it would leave most lanes empty. They come with the longest first, so that neighbours
     * share their lanes with little left over. NULL: nothing is gained. */
    size_t (*batch)(const struct hornet_batch *batch, const uint8_t *order, size_t count);
};

/* A kernel, the number of bytes from which on it gains from its vectors, and what serves below: another
 * choice, or NULL for the scalar code. */
struct hornet_choice {
    const struct hornet_kernel *kernel;
    size_t min_bytes;
    const struct hornet_choice *shorter;
};

/* Which serves a message of this length: this choice or one of the shorter; NULL: the scalar code. */
static inline const struct hornet_choice *hornet_choice_serving(const struct hornet_choice *choice,
                                                                size_t len_bytes)
{
    while (choice != NULL && len_bytes < choice->min_bytes)
        choice = choice->shorter;
    return choice;
}

/* select.c: the best choice for a set of features; never NULL. */
const struct hornet_choice *hornet_choice_for(uint32_t features, enum hornet_zmm zmm);

/* The choice in use; NULL until hornet_choose makes the first and returns it. */
extern _Atomic(const struct hornet_choice *) hornet_chosen;
const struct hornet_choice *hornet_choose(void);

/* The kernel in use for a message of this length. Never NULL: where the scalar code serves, its kernel. */
const struct hornet_kernel *hornet_kernel_for_length(size_t len_bytes);

/* The kernels themselves, one file each in kernels/. */
#define HORNET_KERNEL(name, min_bytes, min_split_bytes, shorter)                                           \
    extern const struct hornet_kernel hornet_kernel_##name;
#include "kernels.def"
#undef HORNET_KERNEL

#pragma GCC visibility pop

#endif
