/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The library's portable lanes, with a record of the inputs and outputs of each basic block. COCONUT_LANES
 * is the number of lanes. */
#ifndef LANES

#include "values_recorder.h"

/* Faster to compile. */
#undef KERNEL_INLINE
#define KERNEL_INLINE HORNET_NOINLINE

#define PORTABLE_LANES COCONUT_LANES

/* A sum over the lanes is an output: rename the portable vec_sum, and wrap it in one that records it. */
#pragma push_macro("vec_sum")
#undef vec_sum
#define vec_sum portable_vec_sum
#include "../../src/poly1305/lanes/portable.h"
#undef vec_sum
#pragma pop_macro("vec_sum")

/* As in graph.h. */
#ifndef COCONUT_MULTIPLY_BLOCK
#undef LANES_MULTIPLY_BLOCK
#endif

static inline void bb_in_words(const char *name, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_value(false, name, i, &words[i], 1, 1);
}

static inline uint64_t vec_sum(vec a)
{
    const uint64_t word = portable_vec_sum(a);
    write_value(true, "sum", sum_count++, &word, 1, 1);
    return word;
}

#endif
