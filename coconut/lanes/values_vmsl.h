/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The plain C model of the library's lanes whose products are summed, with a record of the inputs and
 * outputs of each basic block. */
#ifndef COCONUT_VALUES_SUMMED_H
#define COCONUT_VALUES_SUMMED_H

#include "values_scalar.h"

#include "../../src/poly1305/lanes/vmsl.h"

/* As in graph_vmsl.h. */
static inline vec vec_lanes(vec a, int i, vec b, int j) { return (vec){a[i], b[j]}; }
static inline sum sum_of(uint64_t high, uint64_t low) { return (sum)high << 64 | low; }
static inline sum sum_add(sum a, sum b) { return a + b; }
static inline sum sum_sub(sum a, sum b) { return a - b; }

static inline sum sum_bytes(sum a, int from, int count, int to)
{
    return (a >> 8 * from & (((sum)1 << 8 * (count - 1) << 8) - 1)) << 8 * to;
}

static inline vec sum_limbs(sum a, int bytes)
{
    const uint64_t mask = (UINT64_C(1) << 8 * bytes) - 1;
    return (vec){(uint64_t)a & mask, (uint64_t)(a >> 8 * bytes) & mask};
}

static inline sum sum_below(sum a, int bits)
{
    (void)bits;
    return a;
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
