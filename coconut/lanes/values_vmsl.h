/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The plain C model of the library's lanes whose products are summed, with a record of the inputs and
 * outputs of each basic block. */
#ifndef COCONUT_VALUES_SUMMED_H
#define COCONUT_VALUES_SUMMED_H

#include "values_scalar.h"

#include "../../src/poly1305/lanes/vmsl.h"

/* The numbers have 128 bits. */
static inline void bb_in_sums(const char *name, sum *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t words[2] = {(uint64_t)numbers[i], (uint64_t)(numbers[i] >> 64)};
        write_value(false, name, i, words, 1, 2);
    }
}

#endif
