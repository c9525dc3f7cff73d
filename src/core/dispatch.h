/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The one rule by which implementations are chosen, of kernels and of everything else that has several.
 *
 * A list has its best implementation first. A call goes to the first row that this CPU runs well and whose
 * least amount is reached. What serves smaller amounts follows from the list: the rows further down. */
#ifndef HORNET_CORE_DISPATCH_H
#define HORNET_CORE_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atomic.h"

#pragma GCC visibility push(hidden)

/* What every implementation says of itself. The first member of its record. */
struct hornet_implementation {
    const char *name;
    uint32_t needs; /* features of cpu.h without which it cannot run */
};

/* An amount that is never reached. */
#define HORNET_NEVER SIZE_MAX

/* Amounts are lengths in bytes, or numbers of blocks, as the list says. */
struct hornet_row {
    const struct hornet_implementation *implementation;
    uint32_t on;      /* it runs well where the CPU has these features too; CPU_ANY: everywhere */
    size_t min;       /* the least amount from which on it is chosen */
    size_t min_batch; /* the same for many at once, the largest of which counts */
};

/* Several rows may have the same implementation, one after another, for different CPUs. */
struct hornet_list {
    const struct hornet_row *rows;
    size_t count; /* at most 31 */

    /* The first implementation that runs well on every CPU, from 0 on, if it is of interest. */
    const struct hornet_implementation *baseline;

    /* The rows that this process chooses among, bit i for rows[i], and HORNET_BASELINE_IN_USE; 0 until the
     * first use. */
    uint32_t *in_use;
};

#define HORNET_BASELINE_IN_USE (UINT32_C(1) << 31)

/* in_use for a CPU with these features: the first row that it runs well, and of the others those that are
 * ever reached. With a name, what stands before the implementation of that name is left out, and it is used
 * even if it does not run well; 0 if there is none of that name or the CPU cannot run it. */
uint32_t hornet_dispatch_rows(const struct hornet_list *list, uint32_t cpu, const char *name);

/* At first use: sets in_use from this CPU, unless another thread or hornet_dispatch_force has set it
 * meanwhile, and returns it. */
uint32_t hornet_dispatch_begin(const struct hornet_list *list);

/* Sets in_use from this CPU and a name, or NULL. False, and no change, if that is 0. */
bool hornet_dispatch_force(const struct hornet_list *list, const char *name);

/* The row that serves a batch on a CPU with these features. */
const struct hornet_row *hornet_dispatch_batch(const struct hornet_list *list, uint32_t in_use,
                                               uint32_t cpu, size_t amount);

/* Of the rows of one implementation, the first of which is given: that for a CPU with these features, or
 * the last one where it runs well in none. */
const struct hornet_row *hornet_dispatch_row_on(const struct hornet_list *list,
                                                const struct hornet_row *first, uint32_t cpu);

/* Whether a CPU with these features can run it, well or not. */
static inline bool hornet_can_run(const struct hornet_implementation *implementation, uint32_t cpu)
{
    return (implementation->needs & ~cpu) == 0;
}

static inline uint32_t hornet_dispatch_in_use(const struct hornet_list *list)
{
    const uint32_t in_use = atomic_load(list->in_use);
    return in_use != 0 ? in_use : hornet_dispatch_begin(list);
}

/* The row that serves an amount; SIZE_MAX: the first in use. */
static inline const struct hornet_row *hornet_dispatch(const struct hornet_row *rows, uint32_t in_use,
                                                       size_t amount)
{
    for (;; in_use &= in_use - 1) {
        const struct hornet_row *row = &rows[(unsigned)__builtin_ctz(in_use)];
        if (amount >= row->min)
            return row;
    }
}

#pragma GCC visibility pop

#endif
