/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Messages of any lengths in a batch: every kernel must compute what the definition says, and find one
 * wrong tag. */
#include "fuzz.h"

enum { MOST = 80 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t input_bytes)
{
    static uint8_t keys[MOST][32], tags[MOST][16], expected[MOST][16];
    struct input input = {bytes, input_bytes};
    const void *msgs[MOST];
    size_t lens_bytes[MOST];
    bool valid[MOST];
    const size_t count = take_byte(&input) % (MOST + 1), wrong = take_byte(&input);
    const uint8_t shape = take_byte(&input);
    size_t whole_bytes;
    uint8_t *msg = take_message(&input, &whole_bytes), *ends[MOST];
    for (size_t i = 0; i < count; i++) {
        /* All lengths equal, two kinds of lengths, or all different, depending on the shape. */
        const uint8_t length = shape % 3 == 0                 ? shape
                               : shape % 3 == 1 && i % 2 == 0 ? 255
                                                              : take_byte(&input);
        lens_bytes[i] = whole_bytes * length / 255;
        /* In separately allocated memory, for the sanitizer. */
        ends[i] = malloc(lens_bytes[i] + (lens_bytes[i] == 0));
        if (ends[i] == NULL)
            exit(1);
        memcpy(ends[i], msg, lens_bytes[i]);
        msgs[i] = ends[i];
        take(&input, keys[i], 32);
        if (keys[i][31] == 0)
            memset(keys[i], 255, 32);
        reference_tag(expected[i], msgs[i], lens_bytes[i], keys[i]);
    }

    const struct hornet_poly1305_kernel *kernel;
    for (int k = 0; (kernel = next_kernel(&k)) != NULL;) {
        must(hornet_kernel_force(name_of(kernel)), "forced", name_of(kernel));
        hornet_poly1305_batch(tags, msgs, lens_bytes, (const uint8_t(*)[32])keys, count);
        must(memcmp(tags, expected, 16 * count) == 0, "a batch", name_of(kernel));
        if (count == 0)
            continue;
        tags[wrong % count][wrong % 16] ^= 1;
        must(!hornet_poly1305_verify_batch(valid, (const uint8_t(*)[16])tags, msgs, lens_bytes,
                                           (const uint8_t(*)[32])keys, count),
             "a wrong tag is accepted", name_of(kernel));
        for (size_t i = 0; i < count; i++)
            must(valid[i] == (i != wrong % count), "which tag is wrong", name_of(kernel));
    }
    for (size_t i = 0; i < count; i++)
        free(ends[i]);
    free(msg);
    return 0;
}
