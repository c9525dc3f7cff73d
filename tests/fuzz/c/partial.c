/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Partial evaluations: cut at any blocks, combined in any order, with segments replaced, by zeros too.
 * Every kernel's must give the tag that the definition says. */
#include "fuzz.h"

enum { MOST_CUTS = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t input_bytes)
{
    struct input input = {bytes, input_bytes};
    uint8_t key[32], expected[16], tag[16], cuts[MOST_CUTS];
    size_t len_bytes, starts[MOST_CUTS + 2];
    const size_t nsegments = 1 + take_byte(&input) % (MOST_CUTS + 1), order = take_byte(&input);
    take(&input, cuts, sizeof cuts);
    take(&input, key, sizeof key);
    hornet_poly1305_clamp(key);
    uint8_t *msg = take_message(&input, &len_bytes);

    starts[0] = 0;
    for (size_t i = 1; i < nsegments; i++)
        starts[i] = starts[i - 1] + (len_bytes - starts[i - 1]) * cuts[i - 1] / 256 / 16 * 16;
    starts[nsegments] = len_bytes;

    const struct hornet_poly1305_kernel *kernel;
    for (int k = 0; (kernel = next_kernel(&k)) != NULL;) {
        const char *name = name_of(kernel);
        hornet_poly1305_partial segments[MOST_CUTS + 1], whole;
        must(hornet_kernel_force(HORNET_POLY1305, name), "forced", name);
        for (size_t i = 0; i < nsegments; i++)
            must(hornet_poly1305_partial_compute(&segments[i], msg + starts[i], starts[i + 1] - starts[i],
                                                 key),
                 "compute", name);
        /* Combines from right to left down to some position, then from left to right up to it. */
        const size_t middle = order % nsegments;
        hornet_poly1305_partial right = segments[nsegments - 1];
        for (size_t i = nsegments - 1; i > middle; i--) {
            hornet_poly1305_partial left = segments[i - 1];
            must(hornet_poly1305_partial_append(&left, &right, key), "append", name);
            right = left;
        }
        memset(&whole, 0, sizeof whole);
        for (size_t i = 0; i < middle; i++)
            must(hornet_poly1305_partial_append(&whole, &segments[i], key), "append", name);
        must(hornet_poly1305_partial_append(&whole, &right, key), "append", name);
        must(hornet_poly1305_partial_len_bytes(&whole) == len_bytes, "the length", name);
        reference_tag(expected, msg, len_bytes, key);
        hornet_poly1305_partial_tag(tag, &whole, key + 16);
        must(memcmp(tag, expected, 16) == 0, "the tag of the whole", name);

        /* Segments of one size, which the first cut says, in one call each. */
        const size_t segment_bytes = 16 + 16 * (size_t)(cuts[0] % 8 * (len_bytes / 16) / 8);
        const size_t count = len_bytes / segment_bytes + (len_bytes % segment_bytes != 0);
        hornet_poly1305_partial *equal = malloc((count + 1) * sizeof *equal);
        must(equal != NULL && hornet_poly1305_partial_segments(equal, segment_bytes, msg, len_bytes, key),
             "segments", name);
        memset(&equal[count], 0, sizeof equal[count]);
        must(hornet_poly1305_partial_join(&equal[count], equal, count, key), "join", name);
        must(hornet_poly1305_partial_len_bytes(&equal[count]) == len_bytes, "the length of all", name);
        must(hornet_poly1305_partial_verify(expected, &equal[count], key + 16), "segments joined", name);
        free(equal);

        /* One segment is changed, and changed back. */
        const size_t from = starts[middle], to = starts[middle + 1];
        for (int back = 0; back < 2; back++) {
            hornet_poly1305_partial replacement;
            for (size_t i = from; i < to; i++)
                msg[i] ^= cuts[i % MOST_CUTS];
            must(hornet_poly1305_partial_compute(&replacement, msg + from, to - from, key), "compute",
                 name);
            must(hornet_poly1305_partial_replace(&whole, &segments[middle], &replacement, len_bytes - to,
                                                 key),
                 "replace", name);
            segments[middle] = replacement;
            reference_tag(expected, msg, len_bytes, key);
            must(hornet_poly1305_partial_verify(expected, &whole, key + 16), "a segment replaced", name);
        }

        /* It becomes a hole. */
        hornet_poly1305_partial zeros;
        must(hornet_poly1305_partial_zeros(&zeros, to - from, key), "zeros", name);
        must(hornet_poly1305_partial_replace(&whole, &segments[middle], &zeros, len_bytes - to, key),
             "replace by zeros", name);
        uint8_t *punched = malloc(len_bytes + 1);
        must(punched != NULL, "memory", name);
        memcpy(punched, msg, len_bytes);
        memset(punched + from, 0, to - from);
        reference_tag(expected, punched, len_bytes, key);
        must(hornet_poly1305_partial_verify(expected, &whole, key + 16), "a segment of zeros", name);
        free(punched);
    }
    free(msg);
    return 0;
}
