/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Determines which entries of a list a CPU uses. */
#include "dispatch.h"

#include "cpu.h"

static bool same(const char *a, const char *b)
{
    while (*a != 0 && *a == *b)
        a++, b++;
    return *a == *b;
}

bool hornet_same_kernel(const struct hornet_entry *a, const struct hornet_entry *b)
{
    return same(a->implementation->name, b->implementation->name);
}

static bool runs_well(const struct hornet_entry *entry, uint32_t cpu)
{
    return hornet_can_run(entry->implementation, cpu) && (entry->preferred_on & ~cpu) == 0;
}

/* Returns whether an entry is the first of its kernel's that this CPU runs well: only that one counts. */
static bool counts(const struct hornet_list *list, size_t index, uint32_t cpu)
{
    const struct hornet_entry *const entry = &list->entries[index];
    if (!runs_well(entry, cpu))
        return false;
    for (size_t i = index; i != 0 && hornet_same_kernel(&list->entries[i - 1], entry); i--)
        if (runs_well(&list->entries[i - 1], cpu))
            return false;
    return true;
}

/* Returns `entries` without those that are never reached because an earlier entry serves every amount that
 * they would serve, and adds HORNET_FALLBACK_IN_USE if the fallback is among the rest. The first entry
 * always stays, because the list begins with it. */
static uint32_t reached(const struct hornet_list *list, uint32_t entries)
{
    /* What earlier entries serve: the least amount elsewhere, in the AEAD, and in batches. */
    size_t min = HORNET_NEVER, min_aead = HORNET_NEVER, min_batch = HORNET_NEVER;
    uint32_t result = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct hornet_entry *entry = &list->entries[i];
        if ((entries >> i & 1) == 0 || (result != 0 && entry->min >= min && entry->min_aead >= min_aead &&
                                        entry->min_batch >= min_batch))
            continue;
        min = entry->min < min ? entry->min : min;
        min_aead = entry->min_aead < min_aead ? entry->min_aead : min_aead;
        min_batch = entry->min_batch < min_batch ? entry->min_batch : min_batch;
        result |= UINT32_C(1) << i;
        if (entry->implementation == list->fallback)
            result |= HORNET_FALLBACK_IN_USE;
    }
    return result;
}

const struct hornet_entry *hornet_dispatch_entry_on(const struct hornet_list *list, const char *name,
                                                    uint32_t cpu)
{
    const struct hornet_entry *last = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct hornet_entry *entry = &list->entries[i];
        if (!same(entry->implementation->name, name))
            continue;
        last = entry;
        if (runs_well(entry, cpu))
            break;
    }
    return last;
}

uint32_t hornet_dispatch_entries(const struct hornet_list *list, uint32_t cpu, const char *name)
{
    size_t first = 0;
    uint32_t entries = 0;
    if (name != NULL) {
        const struct hornet_entry *entry = hornet_dispatch_entry_on(list, name, cpu);
        if (entry == NULL || !hornet_can_run(entry->implementation, cpu))
            return 0;
        first = (size_t)(entry - list->entries);
        entries = UINT32_C(1) << first;
    }
    for (size_t i = first; i < list->count; i++)
        entries |= (uint32_t)counts(list, i, cpu) << i;
    return reached(list, entries);
}

uint32_t hornet_dispatch_begin(const struct hornet_list *list)
{
    const uint32_t entries = hornet_dispatch_entries(list, hornet_cpu(), NULL);
    uint32_t expected = 0;
    /* Not a plain store, so that an implementation that was forced meanwhile stays. */
    return atomic_replace(list->in_use, &expected, entries) ? entries : expected;
}

bool hornet_dispatch_force(const struct hornet_list *list, const char *name)
{
    const uint32_t entries = hornet_dispatch_entries(list, hornet_cpu(), name);
    if (entries != 0)
        atomic_store(list->in_use, entries);
    return entries != 0;
}

const struct hornet_entry *hornet_dispatch_batch(const struct hornet_list *list, uint32_t in_use,
                                                 size_t amount)
{
    while (list->entries[__builtin_ctz(in_use)].min_batch > amount)
        in_use &= in_use - 1;
    return &list->entries[__builtin_ctz(in_use)];
}
