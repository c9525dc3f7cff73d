/* Which kernel this CPU gets: the first in kernels.def that it can run, unless one is forced by name. */
#include <stdatomic.h>
#include <string.h>

#include "../include/hornet.h"
#include "kernel.h"

struct entry {
    const struct hornet_kernel *kernel;
    size_t min_vector_bytes;
};

static const struct entry entries[] = {
#define HORNET_KERNEL(name, min_vector_bytes) {&hornet_kernel_##name, min_vector_bytes},
#include "kernels.def"
#undef HORNET_KERNEL
};

static const struct entry *const entries_end = entries + sizeof entries / sizeof entries[0];

static bool is_supported(const struct hornet_kernel *kernel, uint32_t features)
{
    return kernel->absorb != NULL && (kernel->needs & ~features) == 0;
}

/* The first entry from `entry` on whose kernel runs with these features and has at most max_lanes;
 * entries_end if there is none. */
static const struct entry *find(const struct entry *entry, uint32_t features, uint32_t max_lanes)
{
    while (entry != entries_end &&
           !(is_supported(entry->kernel, features) && entry->kernel->lanes <= max_lanes))
        entry++;
    return entry;
}

const struct hornet_kernel *hornet_kernel_for(uint32_t features)
{
    return find(entries, features, UINT32_MAX)->kernel; /* one in 32-bit C needs no feature */
}

/* The entry in use, and the scalar kernel for short messages; NULL until first use. Both are found from
 * the CPU alone or set by hornet_kernel_force, so that a race between threads at first use is harmless. */
static _Atomic(const struct entry *) chosen;
static _Atomic(const struct hornet_kernel *) scalar;

static const struct entry *choose(void)
{
    const uint32_t features = hornet_cpu_features();
    const struct entry *expected = NULL;
    const struct entry *best = find(entries, features, UINT32_MAX);
    atomic_store_explicit(&scalar, find(entries, features, 1)->kernel, memory_order_release);
    /* Not a plain store: a kernel forced meanwhile stays. */
    return atomic_compare_exchange_strong(&chosen, &expected, best) ? best : expected;
}

static const struct entry *current(void)
{
    const struct entry *entry = atomic_load_explicit(&chosen, memory_order_acquire);
    return entry != NULL ? entry : choose();
}

const struct hornet_kernel *hornet_kernel_for_length(size_t len_bytes)
{
    const struct entry *entry = current();
    if (len_bytes >= entry->min_vector_bytes)
        return entry->kernel;
    return atomic_load_explicit(&scalar, memory_order_relaxed);
}

const char *hornet_kernel_name(void) { return current()->kernel->name; }

const char *hornet_kernel_at(size_t index)
{
    const uint32_t features = hornet_cpu_features();
    const struct entry *entry = find(entries, features, UINT32_MAX);
    while (entry != entries_end && index-- != 0)
        entry = find(entry + 1, features, UINT32_MAX);
    return entry != entries_end ? entry->kernel->name : NULL;
}

size_t hornet_kernel_count(void)
{
    size_t count = 0;
    while (hornet_kernel_at(count) != NULL)
        count++;
    return count;
}

bool hornet_kernel_force(const char *name)
{
    const uint32_t features = hornet_cpu_features();
    const struct entry *entry = find(entries, features, UINT32_MAX);
    while (name != NULL && entry != entries_end && strcmp(entry->kernel->name, name) != 0)
        entry = find(entry + 1, features, UINT32_MAX);
    if (entry == entries_end)
        return false;
    current(); /* sets scalar */
    atomic_store_explicit(&chosen, entry, memory_order_release);
    return true;
}

bool hornet_kernel_info_at(size_t index, hornet_kernel_info *info)
{
    if (index >= (size_t)(entries_end - entries))
        return false;
    const struct entry *entry = &entries[index];
    const struct hornet_kernel *kernel = entry->kernel;
    info->name = kernel->name;
    info->needs = hornet_cpu_feature_name(kernel->needs);
    info->lanes = kernel->lanes;
    info->min_vector_bytes = entry->min_vector_bytes;
    info->supported = is_supported(kernel, hornet_cpu_features());
    return true;
}
