/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Many messages at once: decides which of them share the lanes of a vector. */
#include "../core/constant_time.h"
#include "../core/public.h"
#include "../core/stack_wipe.h"
#include "../core/wipe.h"
#include "kernel.h"
#include "padding.h"
#include "poly1305.h"

/* On POWER, clang 19 warns that comparisons of vectors of booleans or pixels will have another result;
 * this file compares none of these. */
#if HORNET_POWER && defined(__clang__)
#pragma clang diagnostic ignored "-Wdeprecated-altivec-src-compat"
#endif

/* Computes for each element how many precede it: longer ones, and earlier ones of the same length. A vector
 * compares eight at once, which takes less time than sorting by digits, whose counters wait for each
 * other. */
void hornet_batch_sort(uint8_t *order, const uint16_t *lens_bytes, size_t count)
{
    typedef int16_t lens_vec __attribute__((vector_size(16)));
    enum { EACH = sizeof(lens_vec) / sizeof(int16_t), VECTORS = HORNET_BATCH_WINDOW / EACH };
    _Static_assert(HORNET_BATCH_MAX_BYTES <= INT16_MAX, "room in a lane");
    bool sorted = true;
    HORNET_KEEP_LOOP
    for (size_t i = 1; i < count; i++)
        sorted &= lens_bytes[order[i - 1]] >= lens_bytes[order[i]];
    if (sorted)
        return;
    /* Element i precedes j if its length is above limits[j]: the length of j, or 1 less where a whole
     * vector of j is yet to be compared. In the vector of i itself, that is 1 too many for each j up to i
     * of the same length. A limit by itself is never stored: the next load of its vector would wait for it.
     */
    union {
        lens_vec vectors[VECTORS];
        int16_t each[HORNET_BATCH_WINDOW];
    } limits = {{{0}}}, before = {{{0}}};
    uint8_t unsorted[HORNET_BATCH_WINDOW];
    HORNET_KEEP_LOOP
    for (size_t i = 0; i < count; i++) {
        limits.each[i] = (int16_t)(lens_bytes[order[i]] - 1);
        unsorted[i] = order[i];
    }
    _Static_assert(EACH == 8, "as many numbers");
    static const lens_vec numbers = {0, 1, 2, 3, 4, 5, 6, 7};
    for (size_t i = 0; i < count; i++) {
        const int16_t at = (int16_t)(i % EACH);
        const lens_vec own = limits.vectors[i / EACH];
        const lens_vec len = (lens_vec){0} + (int16_t)lens_bytes[unsorted[i]];
        HORNET_KEEP_LOOP
        for (size_t v = 0; v * EACH < count; v++)
            before.vectors[v] -= len > limits.vectors[v]; /* -1 if it is */
        before.vectors[i / EACH] += (len == own + 1) & (numbers <= at);
        if (at == EACH - 1)
            limits.vectors[i / EACH] = own + 1;
    }
    HORNET_KEEP_LOOP
    for (size_t i = 0; i < count; i++)
        order[before.each[i]] = unsorted[i];
}

HORNET_NOINLINE void tag_alone(const struct hornet_batch *batch, size_t i, uint32_t in_use)
{
    const size_t len_bytes = batch->lens_bytes[i];
    hornet_poly1305_kernel_for(len_bytes, in_use)
        ->mac(batch->tags[i], batch->msgs[i], len_bytes, batch->keys[i]);
}

/* Writes the numbers of the messages that are short enough to share lanes to order, the longest first, and
 * returns how many there are. Computes the tags of the others at once. */
static size_t messages_to_share(uint8_t order[HORNET_BATCH_WINDOW], const struct hornet_batch *batch,
                                size_t count, uint32_t in_use)
{
    const size_t *lens_bytes = batch->lens_bytes;
    /* All lengths equal is common, and needs no sorting. */
    if (lens_bytes[0] == lens_bytes[count - 1] && lens_bytes[0] <= HORNET_BATCH_MAX_BYTES) {
        size_t differences = 0;
        for (size_t i = 0; i < count; i++) {
            order[i] = (uint8_t)i;
            differences |= lens_bytes[i] ^ lens_bytes[0];
        }
        if (differences == 0)
            return count;
    }
    uint16_t keys[HORNET_BATCH_WINDOW];
    size_t nshort = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t len_bytes = lens_bytes[i];
        if (len_bytes > HORNET_BATCH_MAX_BYTES) {
            tag_alone(batch, i, in_use);
            continue;
        }
        keys[i] = (uint16_t)len_bytes;
        order[nshort++] = (uint8_t)i;
    }
    hornet_batch_sort(order, keys, nshort);
    return nshort;
}

/* `equal` is a constant: if it is true, all messages have the same length and take the same branch
 * below. */
HORNET_INLINE void last_blocks(uint8_t *blocks, uint64_t *tops, bool equal,
                               const struct hornet_batch *batch, const uint8_t *order, size_t count)
{
    const void *const *msgs = batch->msgs;
    const size_t *lens_bytes = batch->lens_bytes;
    size_t len_bytes = lens_bytes[order[0]];
    for (size_t i = 0; i < count; i++) {
        const uint8_t *msg = msgs[order[i]];
        if (!equal)
            len_bytes = lens_bytes[order[i]];
        const size_t last = len_bytes % 16;
        uint64_t lo = 0, hi = 0;
        tops[i] = last == 0 && len_bytes != 0;
        if (last == 0 && len_bytes != 0) {
            lo = load_le64(msg + len_bytes - 16);
            hi = load_le64(msg + len_bytes - 8);
        } else if (len_bytes > 16) {
            load_partial_block_after(&lo, &hi, msg + len_bytes - last, last);
        } else if (last != 0) {
            load_partial_block(&lo, &hi, msg, last);
        }
        store_le64(blocks + 16 * i, lo);
        store_le64(blocks + 16 * i + 8, hi);
    }
}

void hornet_batch_last_blocks(uint8_t *blocks, uint64_t *tops, bool equal, const struct hornet_batch *batch,
                              const uint8_t *order, size_t count)
{
    if (equal)
        last_blocks(blocks, tops, true, batch, order, count);
    else
        last_blocks(blocks, tops, false, batch, order, count);
}

void hornet_poly1305_batch_using(uint8_t (*tags)[16], const void *const *msgs, const size_t *lens_bytes,
                                 const uint8_t (*keys)[32], size_t count, uint32_t in_use)
{
    for (size_t first = 0; first < count; first += HORNET_BATCH_WINDOW) {
        const struct hornet_batch window = {tags + first, msgs + first, lens_bytes + first, keys + first};
        uint8_t order[HORNET_BATCH_WINDOW];
        order[0] = 0; /* read even if no message is short */
        const size_t nshort = messages_to_share(order, &window, hornet_batch_window(first, count), in_use);
        const struct hornet_entry *entry =
            hornet_dispatch_batch(&hornet_poly1305_list, in_use, window.lens_bytes[order[0]]);
        const struct hornet_poly1305_kernel *kernel = kernel_of(entry);
        size_t i = 0;
        if (kernel->batch != NULL)
            i = kernel->batch(&window, order, nshort, entry->min_batch);
        for (; i < nshort; i++)
            tag_alone(&window, order[i], in_use);
    }
}

void hornet_poly1305_batch(uint8_t (*tags)[16], const void *const *msgs, const size_t *lens_bytes,
                           const uint8_t (*keys)[32], size_t count)
{
    hornet_poly1305_batch_using(tags, msgs, lens_bytes, keys, count, hornet_poly1305_entries_in_use());
}

/* Not inlined into the public function below, which would double it. */
__attribute__((noinline)) HORNET_CLEARS_REGISTERS
HORNET_CLEARED(bool, hornet_poly1305_verify_batch_using,
               (bool *valid, const uint8_t (*tags)[16], const void *const *msgs, const size_t *lens_bytes,
                const uint8_t (*keys)[32], size_t count, uint32_t in_use),
               (valid, tags, msgs, lens_bytes, keys, count, in_use))
{
    uint8_t expected[HORNET_BATCH_WINDOW][16];
    bool all = true;
    for (size_t first = 0; first < count; first += HORNET_BATCH_WINDOW) {
        const size_t n = hornet_batch_window(first, count);
        hornet_poly1305_batch_using(expected, msgs + first, lens_bytes + first, keys + first, n, in_use);
        for (size_t i = 0; i < n; i++) {
            valid[first + i] = tags_equal(expected[i], tags[first + i]);
            all &= valid[first + i];
        }
    }
    wipe(expected, sizeof expected); /* the tags that forged messages would have needed */
    return all;
}

bool hornet_poly1305_verify_batch(bool *valid, const uint8_t (*tags)[16], const void *const *msgs,
                                  const size_t *lens_bytes, const uint8_t (*keys)[32], size_t count)
{
    return hornet_poly1305_verify_batch_using(valid, tags, msgs, lens_bytes, keys, count,
                                              hornet_poly1305_entries_in_use());
}
