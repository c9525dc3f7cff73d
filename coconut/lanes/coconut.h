/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What a block of one's own includes (docs/coconut.md, "A block of your own"): the lanes that its TOML file
 * names, over which its code runs twice, as nodes of a graph and on sampled values.
 *
 * - lanes = "vectors": src/poly1305/lanes.h and words.
 * - lanes = "sums": two lanes whose products are added to 128 bits, lanes/graph_vmsl.h.
 * - lanes = "words": words of 64 bits, lanes/graph_scalar.h, as COCONUT_WORD. */
#ifndef COCONUT_H
#define COCONUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../../src/core/compiler.h"
#include "../../tests/support/inputs.h"

#include HORNET_LANES_HOOK
#undef uint64_t /* which stands for words there */

/* How bb_begin begins a block: one that runs once, or a loop, whose outputs are the inputs of the same name
 * of the next iteration. The library's loops advance by a number of bytes of a message, which these do not
 * read. */
enum { ONCE = 0, LOOP = 16 };

/* Samples are the largest values, zeros, values of 0, 1 and those near the limit, and random ones. */
static int sample_index;

static inline void sample_below(void *numbers, size_t len_bytes, uint64_t max)
{
    for (size_t i = 0; i < len_bytes / sizeof max; i++) {
        const uint64_t word = random_word(), random = max == UINT64_MAX ? word : word % (max + 1);
        const uint64_t edges[4] = {0, max != 0, max, max - (max != 0)};
        const uint64_t number = sample_index == 0   ? max
                                : sample_index == 1 ? 0
                                : sample_index % 2  ? edges[word >> 62]
                                                    : random;
        memcpy((uint8_t *)numbers + i * sizeof number, &number, sizeof number);
    }
}

/* Inputs, each number from 0 to `max`: in registers, or in memory if PLACE_MEMORY. */
#define INPUT(place, name, numbers, max)                                                                   \
    do {                                                                                                   \
        sample_below(&(numbers), sizeof(numbers), (max));                                                  \
        bb_in((place), (name), &(numbers), sizeof(numbers));                                               \
        bb_in_max(max);                                                                                    \
    } while (0)

#define INPUT_WORDS(name, words, count, max)                                                               \
    do {                                                                                                   \
        sample_below((words), (count) * sizeof *(words), (max));                                           \
        bb_in_numbers(PLACE_REGISTER, (name), (words), (count));                                           \
        bb_in_max(max);                                                                                    \
    } while (0)

#define OUTPUT(name, numbers)            bb_out((name), &(numbers), sizeof(numbers))
#define OUTPUT_WORDS(name, words, count) bb_out_numbers((name), (words), (count))

/* Defines main(), which calls `blocks` for each sample. */
#define COCONUT_BLOCKS(blocks, samples)                                                                    \
    int main()                                                                                             \
    {                                                                                                      \
        blocks_begin(HORNET_STRING(KERNEL), COCONUT_LANES);                                                \
        for (; sample_index < (samples) && sample_index < SAMPLES_WANTED; sample_index++) {                \
            bb_sample(sample_index);                                                                       \
            blocks();                                                                                      \
        }                                                                                                  \
        blocks_end();                                                                                      \
        return 0;                                                                                          \
    }

#endif
