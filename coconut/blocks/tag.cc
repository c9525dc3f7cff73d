/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The basic blocks that all kernels share, in words: the tag of a value, and a padded block of each length.
 * "tag" takes a value, and "tag 5" what scalar_fe_to_words and wide_sum_to_words leave with an addend of 5.
 * "padded N" is a message of N bytes, and "padded after N" follows 16 others.
 *
 * HORNET_LANES_HOOK is graph_scalar.h or values_scalar.h. */
#include <stdbool.h>

#include "../../src/core/compiler.h"

#include HORNET_LANES_HOOK

#include "words_of_bytes.h"

#include "blocks.h"

#define uint64_t COCONUT_WORD

enum { BLOCK_BYTES = 16 };

static void bb_tag(const char *name, const struct sample *sample, bool has_5)
{
    uint64_t h[3] = {sample->h[0], sample->h[1], sample->h[2]}, s[2] = {sample->r[0], sample->h[1]};
    if (has_5)
        add_words(h, 5, 0, 0);
    bb_begin(name, 0);
    bb_in_numbers(PLACE_MEMORY, has_5 ? "x" : "h", h, 3);
    bb_in_numbers(PLACE_MEMORY, "s", s, 2);
    const struct tag_words tag = has_5 ? tag_of_value_and_5(h, s) : tag_of_value(h, s);
    const uint64_t words[2] = {tag.lo, tag.hi};
    bb_out_numbers("tag", words, 2);
    bb_end();
}

static void bb_padded(size_t len_bytes, bool after)
{
    uint64_t words[3];
    const COCONUT_BYTE *bytes = (const COCONUT_BYTE *)message + (after ? BLOCK_BYTES : 0);
    begin(after ? "padded after" : "padded", len_bytes, 0);
    if (after) {
        load_partial_block_after(&words[0], &words[1], bytes, len_bytes);
        words[2] = len_bytes == BLOCK_BYTES;
    } else {
        load_first_block(words, bytes, len_bytes);
    }
    bb_out_numbers("block", words, 3);
    bb_end();
}

static void blocks_of_sample(const struct sample *sample)
{
    bb_tag("tag", sample, false);
    bb_tag("tag 5", sample, true);
    for (size_t len_bytes = 1; len_bytes <= BLOCK_BYTES; len_bytes++)
        bb_padded(len_bytes, false);
    for (size_t len_bytes = 1; len_bytes < BLOCK_BYTES; len_bytes++)
        bb_padded(len_bytes, true);
}

int main()
{
    write_blocks(HORNET_STRING(KERNEL), 1, blocks_of_sample);
    return 0;
}
