/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Horner's rule for many messages, one in each lane. Every lane has its own r, of which it needs no more
 * powers than for the blocks that share a reduction.
 *
 * Messages with fewer blocks than the longest of the bundle are preceded by zero blocks, so that all end
 * at the same step; zero blocks leave h = 0 unchanged. A bundle goes through these phases:
 *
 *     step           0 ...       first_full ...                    nfull         nsteps
 *     lane 0     c_1    c_2    c_3    c_4    c_5    c_6    c_7    c_8 (short)
 *     lane 1      0      0     c_1    c_2    c_3    c_4    c_5    c_6
 *               begin_ragged   batch_lazily, batch_one_by_one     batch_last      batch_finish
 */
#ifndef HORNET_POLY1305_HORNER_BATCH_H
#define HORNET_POLY1305_HORNER_BATCH_H

#include <stdbool.h>

#include "../../core/bytes.h"
#include "../../core/memory.h"
#include "../../core/stack_wipe.h"
#include "../../core/wipe.h"
#include "../field.h"
#include "../kernel.h"
#include "../padding.h"
#include "powers.h"

/* The number of vectors of messages of equal length that are processed together: while one waits for its
 * carries, the other multiplies. Messages of different lengths use one vector, which wastes less. */
#ifndef BATCH_VECTORS
#define BATCH_VECTORS 1
#endif
#define BATCH_MESSAGES ((size_t)BATCH_VECTORS * LANES)

/* The number of blocks of a message that share a reduction, from HORNET_BATCH_LAZY_BLOCKS blocks on. */
#define BATCH_LAZY 2

/* (h + c) * r */
KERNEL_INLINE fe absorb_block_each(fe h, fe c, const multiplier *r) { return fe_mul(fe_add(h, c), r); }

/* (h + c_1) * r^n + c_2 * r^(n - 1) + ... + c_n * r, with one reduction; powers[i] = r^(i + 1). */
HORNET_INLINE fe absorb_blocks_each(fe h, const fe *c, size_t n, const multiplier *powers)
{
    wide sum = wide_zero();
    HORNET_UNROLL
    for (size_t i = n - 1; i > 0; i--)
        sum = wide_mul_add(sum, c[i], &powers[n - 1 - i]);
    return fe_carry(wide_mul_add(sum, fe_add(h, c[0]), &powers[n - 1]));
}

/* A bundle: nvectors * LANES messages, the longest first. */
typedef struct {
    const struct hornet_batch *batch;
    const uint8_t *order;     /* the numbers of the messages */
    size_t nsteps;            /* blocks of the longest */
    size_t first_full, nfull; /* from first_full to nfull, all lanes have full blocks */
    size_t step;              /* blocks absorbed so far */
} batch_bundle;

/* Where the lanes read: lane i reads its block at base[i] + 16 step. If the lengths differ, lane i takes
 * zeros before first_step[i]; until then base[i] is that of the longest message, so that there is memory
 * to read, and afterwards it is own_base[i]. Separate from batch_bundle, which stays in registers. */
typedef struct {
    const uint8_t *base[BATCH_MESSAGES], *own_base[BATCH_MESSAGES];
    uint64_t first_step[BATCH_MESSAGES];
} batch_sources;

/* The blocks of the last step, if some are short or missing, and whether they are full. Separate, because
 * its address leaves the kernel. */
typedef struct {
    uint8_t blocks[16 * BATCH_MESSAGES];
    uint64_t tops[BATCH_MESSAGES];
} batch_ends;

/* The contents of the lanes: accumulators, multipliers, and the numbers added at the end. */
typedef struct {
    fe h[BATCH_VECTORS];
    multiplier r[BATCH_VECTORS];
    vec s_lo[BATCH_VECTORS], s_hi[BATCH_VECTORS];
} batch_lanes;

/* `batch` and `order` of the bundle are set. */
HORNET_INLINE void batch_open(batch_bundle *bundle, batch_sources *sources, batch_ends *ends, bool equal,
                              size_t count)
{
    const struct hornet_batch *const batch = bundle->batch;
    const uint8_t *const order = bundle->order;
    const size_t len_bytes = batch->lens_bytes[order[0]];
    bundle->nsteps = blocks_in(len_bytes);
    bundle->first_full = 0;
    bundle->nfull = len_bytes / 16;
    bundle->step = 0;
    if (!equal) {
        HORNET_KEEP_LOOP
        for (size_t i = 0; i < count; i++) {
            const size_t len = batch->lens_bytes[order[i]];
            const size_t first_step = bundle->nsteps - blocks_in(len);
            sources->first_step[i] = first_step;
            /* Computed as integers, because a pointer must not point before a message. */
            sources->own_base[i] = (const uint8_t *)((uintptr_t)batch->msgs[order[i]] - 16 * first_step);
            if (len % 16 != 0)
                bundle->nfull = bundle->nsteps - 1;
        }
        bundle->first_full = (size_t)sources->first_step[count - 1];
    }
    /* This comes first, while there are no registers to save around the call. */
    if (bundle->nfull < bundle->nsteps)
        hornet_batch_last_blocks(ends->blocks, ends->tops, equal, batch, order, count);
    HORNET_UNROLL
    for (size_t i = 0; i < count; i++)
        sources->base[i] = batch->msgs[order[equal ? i : 0]];
}

/* `consecutive` says that the messages, and so their keys, are consecutive in the batch. */
HORNET_INLINE void batch_load_keys(batch_lanes *lanes, const batch_bundle *bundle, bool consecutive,
                                   int nvectors)
{
    HORNET_UNROLL
    for (int v = 0; v < nvectors; v++) {
        vec words[4];
        if (consecutive) {
            vec_load_rows(bundle->batch->keys[bundle->order[(size_t)v * LANES]], words);
        } else {
            const uint8_t *keys[LANES];
            HORNET_UNROLL
            for (size_t i = 0; i < LANES; i++)
                keys[i] = bundle->batch->keys[bundle->order[(size_t)v * LANES + i]];
            vec_load_each(keys, 0, &words[0], &words[1]);
            vec_load_each(keys, 16, &words[2], &words[3]);
        }
        lanes->r[v] =
            multiplier_from(fe_from_words(vec_and(words[0], vec_splat(HORNET_CLAMP_LO)),
                                          vec_and(words[1], vec_splat(HORNET_CLAMP_HI)), vec_splat(0)));
        lanes->s_lo[v] = words[2];
        lanes->s_hi[v] = words[3];
        lanes->h[v] = fe_zero();
    }
}

/* Loads the blocks of a step at which all lanes have full blocks. */
KERNEL_INLINE fe load_blocks_each(const uint8_t *const *base, size_t step)
{
    vec lo, hi;
    vec_load_each(base, 16 * step, &lo, &hi);
    return fe_from_words(lo, hi, vec_splat(1));
}

/* Returns a vector with numbers[i] in the lane that holds block i. */
KERNEL_INLINE vec vec_of(const uint64_t numbers[LANES])
{
    uint8_t blocks[16 * LANES];
    vec lo, unused;
    for (size_t i = 0; i < LANES; i++) {
        store_le64(blocks + 16 * i, numbers[i]);
        store_le64(blocks + 16 * i + 8, 0);
    }
    vec_load_blocks(blocks, &lo, &unused);
    return lo;
}

/* Absorbs blocks until all lanes have begun. */
HORNET_INLINE void batch_begin_ragged(batch_lanes *lanes, batch_bundle *bundle, batch_sources *sources,
                                      int nvectors)
{
    const vec one = vec_splat(1);
    const size_t count = (size_t)nvectors * LANES;
    vec first_steps[BATCH_VECTORS];
    HORNET_UNROLL
    for (int v = 0; v < nvectors; v++)
        first_steps[v] = vec_of(sources->first_step + v * LANES);
    for (size_t nbegun = 0;; bundle->step++) {
        for (; nbegun < count && sources->first_step[nbegun] <= bundle->step; nbegun++)
            sources->base[nbegun] = sources->own_base[nbegun];
        if (bundle->step >= bundle->first_full || bundle->step >= bundle->nfull)
            break;
        HORNET_UNROLL
        for (int v = 0; v < nvectors; v++) {
            /* 1 minus the sign bit of step - first_step; the mask is all ones or zero. */
            const vec begun = vec_sub(one, vec_shr(vec_sub(vec_splat(bundle->step), first_steps[v]), 63));
            const vec mask = vec_sub(vec_splat(0), begun);
            vec lo, hi;
            vec_load_each(sources->base + v * LANES, 16 * bundle->step, &lo, &hi);
            const fe c = fe_from_words(vec_and(lo, mask), vec_and(hi, mask), begun);
            lanes->h[v] = absorb_block_each(lanes->h[v], c, &lanes->r[v]);
        }
    }
}

/* Absorbs BATCH_LAZY blocks per reduction, as long as that many are left. */
HORNET_INLINE void batch_lazily(batch_lanes *lanes, batch_bundle *bundle, const batch_sources *sources,
                                int nvectors)
{
    multiplier powers[BATCH_VECTORS][BATCH_LAZY];
    HORNET_UNROLL
    for (int v = 0; v < nvectors; v++) {
        powers[v][0] = lanes->r[v];
        raise_in_turn(powers[v], BATCH_LAZY, multiplier_element(&lanes->r[v]));
    }
    for (; bundle->nfull - bundle->step >= BATCH_LAZY; bundle->step += BATCH_LAZY) {
        HORNET_UNROLL
        for (int v = 0; v < nvectors; v++) {
            fe c[BATCH_LAZY];
            HORNET_UNROLL
            for (size_t i = 0; i < BATCH_LAZY; i++)
                c[i] = load_blocks_each(sources->base + v * LANES, bundle->step + i);
            lanes->h[v] = absorb_blocks_each(lanes->h[v], c, BATCH_LAZY, powers[v]);
        }
    }
}

/* Absorbs the remaining full blocks. */
HORNET_INLINE void batch_one_by_one(batch_lanes *lanes, batch_bundle *bundle, const batch_sources *sources,
                                    int nvectors)
{
    for (; bundle->step < bundle->nfull; bundle->step++) {
        HORNET_UNROLL
        for (int v = 0; v < nvectors; v++)
            lanes->h[v] = absorb_block_each(
                lanes->h[v], load_blocks_each(sources->base + v * LANES, bundle->step), &lanes->r[v]);
    }
}

HORNET_INLINE void batch_last(batch_lanes *lanes, const batch_ends *ends, int nvectors)
{
    HORNET_UNROLL
    for (int v = 0; v < nvectors; v++) {
        vec lo, hi;
        vec_load_blocks(ends->blocks + 16 * LANES * v, &lo, &hi);
        const fe c = fe_from_words(lo, hi, vec_of(ends->tops + v * LANES));
        lanes->h[v] = absorb_block_each(lanes->h[v], c, &lanes->r[v]);
    }
}

HORNET_INLINE void batch_finish(uint8_t (*tags)[16], const batch_lanes *lanes, int nvectors)
{
    HORNET_UNROLL
    for (int v = 0; v < nvectors; v++) {
        vec lo, hi;
        fe_finish(&lo, &hi, lanes->h[v], lanes->s_lo[v], lanes->s_hi[v]);
        vec_store_blocks(tags[v * LANES], lo, hi);
    }
}

/* Writes the tags of nvectors * LANES messages, the longest first. `equal` says that all have the same
 * length. nvectors is a constant. */
HORNET_INLINE void batch_tags(bool equal, int nvectors, const struct hornet_batch *batch,
                              const uint8_t *order, uint8_t (*tags)[16], bool consecutive)
{
    batch_bundle bundle = {.batch = batch, .order = order};
    batch_sources sources;
    batch_ends ends;
    batch_lanes lanes;
    batch_open(&bundle, &sources, &ends, equal, (size_t)nvectors * LANES);
    batch_load_keys(&lanes, &bundle, equal && consecutive, nvectors);
    if (!equal)
        batch_begin_ragged(&lanes, &bundle, &sources, nvectors);
    if (bundle.nfull - bundle.step >= HORNET_BATCH_LAZY_BLOCKS)
        batch_lazily(&lanes, &bundle, &sources, nvectors);
    batch_one_by_one(&lanes, &bundle, &sources, nvectors);
    if (bundle.step < bundle.nsteps)
        batch_last(&lanes, &ends, nvectors);
    batch_finish(tags, &lanes, nvectors);
}

/* If messages of equal length are processed in several vectors, they have a function of their own;
 * otherwise one function serves equal and different lengths. */
#if BATCH_VECTORS > 1
#define batch_equal HORNET_KERNEL_NAME(poly1305, batch_equal)
HORNET_NOINLINE uintptr_t batch_equal(const struct hornet_batch *batch, const uint8_t *order,
                                      uint8_t (*tags)[16], bool consecutive)
{
    batch_tags(true, BATCH_VECTORS, batch, order, tags, consecutive);
    return stack_end(KERNEL_CALLEES_BYTES);
}

#define batch_ragged HORNET_KERNEL_NAME(poly1305, batch_ragged)
HORNET_NOINLINE uintptr_t batch_ragged(const struct hornet_batch *batch, const uint8_t *order,
                                       uint8_t (*tags)[16])
{
    batch_tags(false, 1, batch, order, tags, false);
    return stack_end(KERNEL_CALLEES_BYTES);
}

HORNET_INLINE uintptr_t batch_any(bool equal, const struct hornet_batch *batch, const uint8_t *order,
                                  uint8_t (*tags)[16], bool consecutive)
{
    return equal ? batch_equal(batch, order, tags, consecutive) : batch_ragged(batch, order, tags);
}
#else
#define batch_any HORNET_KERNEL_NAME(poly1305, batch_any)
HORNET_NOINLINE uintptr_t batch_any(bool equal, const struct hornet_batch *batch, const uint8_t *order,
                                    uint8_t (*tags)[16], bool consecutive)
{
    (void)consecutive; /* gains too little */
    batch_tags(equal, 1, batch, order, tags, false);
    return stack_end(KERNEL_CALLEES_BYTES);
}
#endif

/* Implements a kernel's batch function; the longest messages come first. */
#define kernel_batch HORNET_KERNEL_NAME(poly1305, kernel_batch)
static size_t kernel_batch(const struct hornet_batch *batch, const uint8_t *order, size_t count,
                           size_t min_bytes)
{
    const size_t *lens_bytes = batch->lens_bytes;
    uint8_t(*out)[16] = batch->tags;
    uint8_t tags[BATCH_MESSAGES][16], padded[BATCH_MESSAGES];
    size_t done = 0;
    bool tags_used = false;
    uintptr_t end = UINTPTR_MAX;
    while (8 * (count - done) >= HORNET_BATCH_MIN_EIGHTHS * (size_t)LANES &&
           lens_bytes[order[done]] >= min_bytes) {
        const uint8_t *messages = order + done;
        const size_t left = count - done;
        size_t room = BATCH_MESSAGES;
        bool equal = 8 * left >= HORNET_BATCH_MIN_EIGHTHS * room;
        if (equal)
            equal = lens_bytes[messages[0]] == lens_bytes[messages[left < room ? left - 1 : room - 1]];
        if (!equal)
            room = LANES;
        const size_t n = left < room ? left : room;
        /* Messages of equal length keep their order. */
        const bool consecutive = equal && n == room && (size_t)(messages[n - 1] - messages[0]) == n - 1;
        if (n < room) { /* unused lanes repeat the last message */
            memset(padded, messages[n - 1], sizeof padded);
            memcpy(padded, messages, n);
            messages = padded;
        }
        const uintptr_t bundle_end =
            batch_any(equal, batch, messages, consecutive ? out + messages[0] : tags, consecutive);
        end = bundle_end < end ? bundle_end : end;
        for (size_t i = 0; !consecutive && i < n; i++)
            memcpy(out[messages[i]], tags[i], 16);
        tags_used |= !consecutive;
        done += n;
    }
    if (tags_used)
        wipe(tags, sizeof tags); /* the tags that forged messages would have needed */
    /* If no bundle was processed, there is no stack to clear. */
    if (done != 0)
        LANES_CLEAR_STACK(end);
    return done;
}

#endif
