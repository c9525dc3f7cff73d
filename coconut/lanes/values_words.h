/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Records the inputs and outputs of each basic block over the library's lanes of 32-bit words, which are
 * GCC/Clang vector extensions. */
#ifndef COCONUT_VALUES_WORDS_H
#define COCONUT_VALUES_WORDS_H

#define COCONUT_LANES WORDS
#include "values_recorder.h"

#include "../../src/chacha20/lanes/words.h"

static uint32_t state[16];
static uint8_t out[1 << 12];

static inline void bb_words(bool is_out, const char *name, const void *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t words[WORDS];
        uint64_t lanes[WORDS];
        memcpy(words, (const uint8_t *)numbers + i * sizeof words, sizeof words);
        for (int k = 0; k < WORDS; k++)
            lanes[k] = words[k];
        write_value(is_out, name, i, lanes, WORDS, 1);
    }
}

static inline void bb_in_vectors(const char *name, word_vec *numbers, size_t count)
{
    bb_words(false, name, numbers, count);
}

static inline void bb_out_vectors(const char *name, const word_vec *numbers, size_t count)
{
    bb_words(true, name, numbers, count);
}

static inline void bb_in_state(void)
{
    uint64_t words[16];
    for (int i = 0; i < 16; i++)
        words[i] = state[i];
    write_value(false, "state", 0, words, 16, 1);
}

static inline void bb_out_memory(size_t nvectors) { bb_words(true, "out", out, nvectors); }

#endif
