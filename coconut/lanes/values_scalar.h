/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The library's words, with a record of the inputs and outputs of each basic block. */
#ifndef COCONUT_VALUES_SCALAR_H
#define COCONUT_VALUES_SCALAR_H

#include "values_recorder.h"

#include "../../src/core/bytes.h"
#include "../../src/core/words.h"

static inline void load_block(const uint8_t *block, uint64_t *lo, uint64_t *hi)
{
    *lo = load_le64(block);
    *hi = load_le64(block + 8);
}

template <typename number> void bb_numbers(bool out, const char *name, const number *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t word = numbers[i];
        write_value(out, name, i, &word, 1, 1);
    }
}

template <typename number>
void bb_in_numbers(enum place, const char *name, const number *numbers, size_t count)
{
    bb_numbers(false, name, numbers, count);
}

template <typename number> void bb_out_numbers(const char *name, const number *numbers, size_t count)
{
    bb_numbers(true, name, numbers, count);
}

#define COCONUT_WORD   uint64_t
#define COCONUT_WORD32 uint32_t
#define COCONUT_BYTE   uint8_t

#endif
