/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The one rule that chooses implementations, of kernels and of everything else that has several.
 *
 * A list is sorted with its best implementation first. Of the entries of an implementation, the first that
 * this CPU runs well counts. A call goes to the first of these whose minimum amount is reached. So the
 * entries further down serve the smaller amounts. */
#ifndef HORNET_CORE_DISPATCH_H
#define HORNET_CORE_DISPATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atomic.h"

#pragma GCC visibility push(hidden)

/* The description of an implementation. This is the first member of its record. */
struct hornet_implementation {
    const char *name;
    uint32_t required; /* features of cpu.h that it requires to run */
};

/* An amount that is never reached. */
#define HORNET_NEVER SIZE_MAX

/* Amounts are lengths in bytes or numbers of blocks, depending on the list. */
struct hornet_entry {
    const struct hornet_implementation *implementation;
    uint32_t preferred_on; /* it runs well if the CPU also has these features; CPU_ANY: everywhere */
    uint32_t min_aead;     /* minimum amount for which the AEAD chooses it, whose calls are short */
    size_t min;            /* the same for everyone else */
    size_t min_batch;      /* the same for a batch, of which the largest element counts */
};

/* Consecutive entries may have the same implementation, for different CPUs, or another one of the same
 * name, which is the same code with other tuned numbers. */
struct hornet_list {
    const struct hornet_entry *entries;
    size_t count; /* at most 31 */

    /* The first implementation that runs well on every CPU for all amounts, if the list needs it; else
     * NULL. */
    const struct hornet_implementation *fallback;

    /* The entries from which this process chooses: bit i for entries[i], and HORNET_FALLBACK_IN_USE. 0
     * until the first use. */
    uint32_t *in_use;
};

#define HORNET_FALLBACK_IN_USE (UINT32_C(1) << 31)

/* Returns in_use for a CPU with these features: the first entry that it runs well, and of the other
 * entries those that can be reached. If name is not NULL, leaves out the entries before the implementation
 * with that name, and includes that implementation even if it does not run well; returns 0 if there is
 * none with that name or the CPU cannot run it. */
uint32_t hornet_dispatch_entries(const struct hornet_list *list, uint32_t cpu, const char *name);

/* At first use, sets in_use for this CPU, unless another thread or hornet_dispatch_force has set it
 * meanwhile, and returns it. */
uint32_t hornet_dispatch_begin(const struct hornet_list *list);

/* Sets in_use for this CPU and a name, or NULL. If the result would be 0, changes nothing and returns
 * false. */
bool hornet_dispatch_force(const struct hornet_list *list, const char *name);

/* Returns the entry that serves a batch. */
const struct hornet_entry *hornet_dispatch_batch(const struct hornet_list *list, uint32_t in_use,
                                                 size_t amount);

/* Returns the entry for a CPU with these features among the entries of the implementations with this name;
 * the last of them if none of them runs well; NULL if there are none. */
const struct hornet_entry *hornet_dispatch_entry_on(const struct hornet_list *list, const char *name,
                                                    uint32_t cpu);

/* Returns whether two entries are of one kernel: their implementations have the same name. */
bool hornet_same_kernel(const struct hornet_entry *a, const struct hornet_entry *b);

/* Returns whether a CPU with these features can run the implementation, well or not. */
static inline bool hornet_can_run(const struct hornet_implementation *implementation, uint32_t cpu)
{
    return (implementation->required & ~cpu) == 0;
}

static inline uint32_t hornet_dispatch_in_use(const struct hornet_list *list)
{
    const uint32_t in_use = atomic_load(list->in_use);
    return in_use != 0 ? in_use : hornet_dispatch_begin(list);
}

/* Returns the entry that serves an amount, in the AEAD or elsewhere; for SIZE_MAX, the first entry in use.
 */
static inline const struct hornet_entry *hornet_dispatch_for(const struct hornet_entry *entries,
                                                             uint32_t in_use, size_t amount, bool in_aead)
{
    for (;; in_use &= in_use - 1) {
        const struct hornet_entry *entry = &entries[(unsigned)__builtin_ctz(in_use)];
        if (amount >= (in_aead ? entry->min_aead : entry->min))
            return entry;
    }
}

static inline const struct hornet_entry *hornet_dispatch(const struct hornet_entry *entries,
                                                         uint32_t in_use, size_t amount)
{
    return hornet_dispatch_for(entries, in_use, amount, false);
}

#pragma GCC visibility pop

#endif
