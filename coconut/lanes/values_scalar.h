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

#define COCONUT_WORD uint64_t

#endif
