/* Many messages at once: which of them share the lanes of a vector. */
#include "../include/hornet.h"
#include "kernel.h"
#include "words.h"

/* Lengths are sorted by three digits. */
enum { DIGIT_BITS = 5, DIGITS = 1 << DIGIT_BITS };
_Static_assert(HORNET_BATCH_MAX_BYTES < 1 << (3 * DIGIT_BITS), "three digits must do");

/* order = the numbers 0 to count - 1, by falling digit of keys, else in the order of `before`. */
static void sort_by_digit(uint8_t *order, const uint8_t *before, const uint16_t *keys, size_t count,
                          int shift)
{
    uint8_t place[DIGITS] = {0}; /* of the next message with that digit */
    for (size_t i = 0; i < count; i++)
        place[keys[before[i]] >> shift & (DIGITS - 1)]++;
    uint8_t sum = 0;
    for (int digit = DIGITS - 1; digit >= 0; digit--) {
        const uint8_t n = place[digit];
        place[digit] = sum;
        sum = (uint8_t)(sum + n);
    }
    for (size_t i = 0; i < count; i++)
        order[place[keys[before[i]] >> shift & (DIGITS - 1)]++] = before[i];
}

static void tag_of(const struct hornet_batch *batch, size_t i)
{
    hornet_poly1305(batch->tags[i], batch->msgs[i], batch->lens_bytes[i], batch->keys[i]);
}

static void tags_of_window(const struct hornet_kernel *kernel, const struct hornet_batch *batch,
                           size_t count)
{
    uint8_t order[HORNET_BATCH_WINDOW], other[HORNET_BATCH_WINDOW];
    uint16_t keys[HORNET_BATCH_WINDOW];
    size_t nshort = 0;
    uint16_t differences = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t len_bytes = batch->lens_bytes[i];
        if (len_bytes > HORNET_BATCH_MAX_BYTES) {
            tag_of(batch, i);
            continue;
        }
        keys[i] = (uint16_t)len_bytes;
        order[nshort++] = (uint8_t)i;
        differences |= keys[i] ^ keys[order[0]];
    }
    if (differences != 0) {
        sort_by_digit(other, order, keys, nshort, 0);
        sort_by_digit(order, other, keys, nshort, DIGIT_BITS);
        sort_by_digit(other, order, keys, nshort, 2 * DIGIT_BITS);
        memcpy(order, other, nshort);
    }
    for (size_t i = kernel->batch(batch, order, nshort); i < nshort; i++)
        tag_of(batch, order[i]);
}

void hornet_poly1305_batch(uint8_t (*tags)[16], const void *const *msgs, const size_t *lens_bytes,
                           const uint8_t (*keys)[32], size_t count)
{
    const struct hornet_kernel *kernel = hornet_kernel_for_length(HORNET_BATCH_KERNEL_BYTES);
    if (kernel->batch == NULL) {
        for (size_t i = 0; i < count; i++)
            hornet_poly1305(tags[i], msgs[i], lens_bytes[i], keys[i]);
        return;
    }
    for (size_t first = 0; first < count; first += HORNET_BATCH_WINDOW) {
        const struct hornet_batch window = {tags + first, msgs + first, lens_bytes + first, keys + first};
        tags_of_window(kernel, &window, hornet_batch_window(first, count));
    }
}

bool hornet_poly1305_verify_batch(bool *good, const uint8_t (*tags)[16], const void *const *msgs,
                                  const size_t *lens_bytes, const uint8_t (*keys)[32], size_t count)
{
    uint8_t right[HORNET_BATCH_WINDOW][16];
    bool all = true;
    for (size_t first = 0; first < count; first += HORNET_BATCH_WINDOW) {
        const size_t n = hornet_batch_window(first, count);
        hornet_poly1305_batch(right, msgs + first, lens_bytes + first, keys + first, n);
        for (size_t i = 0; i < n; i++) {
            good[first + i] = tags_equal(right[i], tags[first + i]);
            all &= good[first + i];
        }
    }
    clear_bytes(right, sizeof right); /* the right tags for forged messages */
    return all;
}
