/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The library's words, with a record of the inputs and outputs of each basic block. */
#ifndef COCONUT_VALUES_SCALAR_H
#define COCONUT_VALUES_SCALAR_H

#include "values_recorder.h"

#include "../../src/core/bytes.h"
#include "../../src/core/words.h"

static inline void bb_values(bool out, const char *name, const void *numbers, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(uint64_t); i++) {
        uint64_t number;
        memcpy(&number, (const uint8_t *)numbers + i * sizeof number, sizeof number);
        write_value(out, name, i, &number, 1, 1);
    }
}

static inline void bb_in(enum place place, const char *name, void *numbers, size_t bytes)
{
    (void)place;
    bb_values(false, name, numbers, bytes);
}

static inline void bb_out(const char *name, const void *numbers, size_t bytes)
{
    bb_values(true, name, numbers, bytes);
}

static inline void load_block(const uint8_t *block, uint64_t *lo, uint64_t *hi)
{
    *lo = load_le64(block);
    *hi = load_le64(block + 8);
}

#define COCONUT_WORD uint64_t

#endif
