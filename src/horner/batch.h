/* Horner's rule for many messages, one to each lane: every lane has its own r, and none of it needs more
 * powers than a lazy reduction does.
 *
 * Zero blocks stand in front of the messages that have fewer blocks than the longest of the group, so that
 * all end together: they leave h = 0 as it is. */
#ifndef HORNET_HORNER_BATCH_H
#define HORNET_HORNER_BATCH_H

#include "../kernel.h"
#include "../words.h"
#include "powers.h"

/* How many vectors of messages of one length are worked on side by side: while the carries of one wait for
 * one another, the other multiplies. Messages of different lengths fit into one vector with less left over.
 */
#ifndef BATCH_VECTORS
#define BATCH_VECTORS 1
#endif
#define BATCH_MESSAGES ((size_t)BATCH_VECTORS * LANES)

/* So many blocks of a message share a reduction, from BATCH_LAZY_MIN blocks on. */
#ifndef BATCH_LAZY
#define BATCH_LAZY     2
#define BATCH_LAZY_MIN 4
#endif

/* Shorter messages take less time one by one. */
#ifndef BATCH_MIN_BYTES
#define BATCH_MIN_BYTES 33
#endif

/* Blocks in a message of up to SIZE_MAX - 15 bytes. */
HORNET_INLINE size_t blocks_in(size_t len_bytes) { return (len_bytes + 15) / 16; }

/* (h + c) * r */
HORNET_INLINE fe absorb_block_each(fe h, fe c, const power *r) { return fe_mul(fe_add(h, c), r); }

/* (h + c_1) * r^n + c_2 * r^(n - 1) + ... + c_n * r, with one reduction; powers[i] = r^(i + 1). */
HORNET_INLINE fe absorb_blocks_each(fe h, const fe *c, size_t n, const power *powers)
{
    wide sum = wide_zero();
    HORNET_UNROLL
    for (size_t i = n - 1; i > 0; i--)
        sum = wide_mul_add(sum, c[i], &powers[n - 1 - i]);
    return fe_carry(wide_mul_add(sum, fe_add(h, c[0]), &powers[n - 1]));
}

/* base[i] + 16 step is the block that lane i takes at this step. top is 1 for it, 0 if it is no block. */
HORNET_INLINE fe load_blocks_each(const uint8_t *const base[LANES], size_t step, vec top)
{
    vec lo, hi;
    vec_load_each(base, 16 * step, &lo, &hi);
    return fe_from_words(lo, hi, top);
}

/* A vector of numbers, number i for the lane that holds block i. */
HORNET_INLINE vec vec_of(const uint64_t numbers[LANES])
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

/* The last step where the blocks of some lanes are short or, in an empty message, none. */
HORNET_INLINE fe load_last_blocks(const struct hornet_batch *batch, const uint8_t *order)
{
    uint8_t blocks[16 * LANES];
    uint64_t tops[LANES];
    for (size_t i = 0; i < LANES; i++) {
        const uint8_t *msg = batch->msgs[order[i]];
        const size_t len_bytes = batch->lens_bytes[order[i]], last = len_bytes % 16;
        uint64_t lo = 0, hi = 0;
        tops[i] = last == 0 && len_bytes != 0;
        if (tops[i] != 0) {
            lo = load_le64(msg + len_bytes - 16);
            hi = load_le64(msg + len_bytes - 8);
        } else if (len_bytes > 16) {
            load_last_block_behind(&lo, &hi, msg + len_bytes - last, last);
        } else if (last != 0) {
            load_last_block(&lo, &hi, msg, last);
        }
        store_le64(blocks + 16 * i, lo);
        store_le64(blocks + 16 * i + 8, hi);
    }
    vec lo, hi;
    vec_load_blocks(blocks, &lo, &hi);
    return fe_from_words(lo, hi, vec_of(tops));
}

/* nvectors * LANES messages, the longest first. `equal` says that all have the same length. Both are
 * constants. */
HORNET_INLINE void batch_group(bool equal, int nvectors, const struct hornet_batch *batch,
                               const uint8_t *order, uint8_t (*tags)[16])
{
    const size_t count = (size_t)nvectors * LANES;
    const size_t len_bytes = batch->lens_bytes[order[0]], nsteps = blocks_in(len_bytes);
    const uint8_t *base[BATCH_MESSAGES], *keys[BATCH_MESSAGES];
    size_t first_full = 0, nfull = len_bytes / 16; /* from first_full to nfull all lanes have full blocks */
    HORNET_UNROLL
    for (size_t i = 0; i < count; i++) {
        keys[i] = batch->keys[order[i]];
        base[i] = batch->msgs[order[i]];
    }
    const uint8_t *own_base[BATCH_MESSAGES];
    uint64_t first_step[BATCH_MESSAGES]; /* before it the lane takes zeros */
    if (!equal) {
        for (size_t i = 0; i < count; i++) {
            const size_t len = batch->lens_bytes[order[i]];
            first_step[i] = nsteps - blocks_in(len);
            /* As numbers: no pointer may point before a message. */
            own_base[i] = (const uint8_t *)((uintptr_t)base[i] - 16 * (size_t)first_step[i]);
            base[i] = hornet_batch_zeros;
            if (len % 16 != 0)
                nfull = nsteps - 1;
        }
        first_full = (size_t)first_step[count - 1];
    }

    fe h[BATCH_VECTORS];
    power r[BATCH_VECTORS];
    vec s_lo[BATCH_VECTORS], s_hi[BATCH_VECTORS];
    HORNET_UNROLL
    for (int v = 0; v < nvectors; v++) {
        vec lo, hi;
        vec_load_each(keys + v * LANES, 0, &lo, &hi);
        vec_load_each(keys + v * LANES, 16, &s_lo[v], &s_hi[v]);
        r[v] = power_from(fe_from_words(vec_and(lo, vec_splat(HORNET_CLAMP_LO)),
                                        vec_and(hi, vec_splat(HORNET_CLAMP_HI)), vec_splat(0)));
        h[v] = fe_zero();
    }

    size_t step = 0;
    const vec one = vec_splat(1);
    if (!equal) {
        vec first_steps[BATCH_VECTORS];
        HORNET_UNROLL
        for (int v = 0; v < nvectors; v++)
            first_steps[v] = vec_of(first_step + v * LANES);
        for (size_t nbegun = 0;; step++) {
            for (; nbegun < count && first_step[nbegun] <= step; nbegun++)
                base[nbegun] = own_base[nbegun];
            if (step >= first_full || step >= nfull)
                break;
            HORNET_UNROLL
            for (int v = 0; v < nvectors; v++) {
                /* 1 minus the sign of step - first_step. */
                const vec begun = vec_sub(one, vec_shr(vec_sub(vec_splat(step), first_steps[v]), 63));
                h[v] = absorb_block_each(h[v], load_blocks_each(base + v * LANES, step, begun), &r[v]);
            }
        }
    }
    if (nfull - step >= BATCH_LAZY_MIN) {
        power powers[BATCH_VECTORS][BATCH_LAZY];
        HORNET_UNROLL
        for (int v = 0; v < nvectors; v++) {
            powers[v][0] = r[v];
            raise_powers(powers[v], BATCH_LAZY, power_element(&r[v]));
        }
        for (; nfull - step >= BATCH_LAZY; step += BATCH_LAZY) {
            HORNET_UNROLL
            for (int v = 0; v < nvectors; v++) {
                fe c[BATCH_LAZY];
                HORNET_UNROLL
                for (size_t i = 0; i < BATCH_LAZY; i++)
                    c[i] = load_blocks_each(base + v * LANES, step + i, one);
                h[v] = absorb_blocks_each(h[v], c, BATCH_LAZY, powers[v]);
            }
        }
        clear_bytes(powers, sizeof powers);
    }
    for (; step < nfull; step++) {
        HORNET_UNROLL
        for (int v = 0; v < nvectors; v++)
            h[v] = absorb_block_each(h[v], load_blocks_each(base + v * LANES, step, one), &r[v]);
    }
    if (step < nsteps) {
        HORNET_UNROLL
        for (int v = 0; v < nvectors; v++)
            h[v] = absorb_block_each(h[v], load_last_blocks(batch, order + v * LANES), &r[v]);
    }

    HORNET_UNROLL
    for (int v = 0; v < nvectors; v++) {
        vec lo, hi;
        fe_finish(&lo, &hi, h[v], s_lo[v], s_hi[v]);
        vec_store_blocks(tags[v * LANES], lo, hi);
    }
}

static __attribute__((noinline)) void batch_equal(const struct hornet_batch *batch, const uint8_t *order,
                                                  uint8_t (*tags)[16])
{
    batch_group(true, BATCH_VECTORS, batch, order, tags);
}

static __attribute__((noinline)) void batch_ragged(const struct hornet_batch *batch, const uint8_t *order,
                                                   uint8_t (*tags)[16])
{
    batch_group(false, 1, batch, order, tags);
}

/* The contract is that of hornet_kernel.batch; the longest come first. Where fewer than five eighths of the
 * lanes are filled, the messages take longer than one by one. */
static size_t batch(const struct hornet_batch *batch, const uint8_t *order, size_t count)
{
    const size_t *lens_bytes = batch->lens_bytes;
    uint8_t tags[BATCH_MESSAGES][16], padded[BATCH_MESSAGES];
    size_t done = 0;
    while (8 * (count - done) >= 5 * (size_t)LANES && lens_bytes[order[done]] >= BATCH_MIN_BYTES) {
        const uint8_t *group = order + done;
        const size_t left = count - done;
        size_t room = BATCH_MESSAGES;
        bool equal = 8 * left >= 5 * room;
        if (equal)
            equal = lens_bytes[group[0]] == lens_bytes[group[left < room ? left - 1 : room - 1]];
        if (!equal)
            room = LANES;
        const size_t n = left < room ? left : room;
        if (n < room) { /* lanes to spare take the last message once more */
            memset(padded, group[n - 1], sizeof padded);
            memcpy(padded, group, n);
            group = padded;
        }
        if (equal)
            batch_equal(batch, group, tags);
        else
            batch_ragged(batch, group, tags);
        for (size_t i = 0; i < n; i++)
            memcpy(batch->tags[group[i]], tags[i], 16);
        done += n;
    }
    return done;
}

#endif
