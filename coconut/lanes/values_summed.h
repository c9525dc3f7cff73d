/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The plain C model of the library's lanes whose products are summed, with a record of the inputs and
 * outputs of each basic block. */
#ifndef COCONUT_VALUES_SUMMED_H
#define COCONUT_VALUES_SUMMED_H

#include "values_recorder.h"

#include "../../src/poly1305/lanes/vmsl.h"

static inline void bb_values(bool out, const char *name, const void *numbers, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(vec); i++) {
        uint64_t lanes[HORNET_SUMMED_LANES];
        memcpy(lanes, (const uint8_t *)numbers + i * sizeof lanes, sizeof lanes);
        write_value(out, name, i, lanes, HORNET_SUMMED_LANES, 1);
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

/* The numbers have 128 bits. */
static inline void bb_in_sums(const char *name, sum *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t words[2] = {(uint64_t)numbers[i], (uint64_t)(numbers[i] >> 64)};
        write_value(false, name, i, words, 1, 2);
    }
}

#endif
