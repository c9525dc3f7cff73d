/* Which kernel this CPU gets: the first in kernels.def that it can run, unless one is forced by name.
 *
 * Where 512-bit instructions lower the clock (HORNET_ZMM_SLOWS), what the kernel gains everything else in
 * the program loses, for a millisecond and more: kernels of more than four lanes are not chosen there, and
 * run only by name. Where they take two turns (HORNET_ZMM_SPLIT), they serve from a greater length on. */
#include <string.h>

#include "../include/hornet.h"
#include "kernel.h"

/* For measuring where the vectors begin to gain: every message goes to the kernel in use. */
#ifdef HORNET_NO_MIN_VECTOR_BYTES
#define MIN_VECTOR_BYTES(bytes) 0
#else
#define MIN_VECTOR_BYTES(bytes) (bytes)
#endif

enum {
#define HORNET_KERNEL(name, min_bytes, min_split_bytes, shorter) ENTRY_##name,
#include "kernels.def"
#undef HORNET_KERNEL
    ENTRY_COUNT,
    ENTRY_serial
};

#define SHORTER(table, shorter) (ENTRY_##shorter == ENTRY_serial ? NULL : &(table)[ENTRY_##shorter])

static const struct hornet_choice table_full[ENTRY_COUNT] = {
#define HORNET_KERNEL(name, min_bytes, min_split_bytes, shorter)                                           \
    {&hornet_kernel_##name, MIN_VECTOR_BYTES(min_bytes), SHORTER(table_full, shorter)},
#include "kernels.def"
#undef HORNET_KERNEL
};

static const struct hornet_choice table_split[ENTRY_COUNT] = {
#define HORNET_KERNEL(name, min_bytes, min_split_bytes, shorter)                                           \
    {&hornet_kernel_##name, MIN_VECTOR_BYTES(min_split_bytes), SHORTER(table_split, shorter)},
#include "kernels.def"
#undef HORNET_KERNEL
};

static const struct hornet_choice *table_for(enum hornet_zmm zmm)
{
    return zmm == HORNET_ZMM_SPLIT ? table_split : table_full;
}

static bool is_supported(const struct hornet_kernel *kernel, uint32_t features)
{
    return kernel->absorb != NULL && (kernel->needs & ~features) == 0;
}

/* The first of the table from `index` on whose kernel runs with these features and has at most max_lanes;
 * ENTRY_COUNT if there is none. */
static size_t find(const struct hornet_choice *table, size_t index, uint32_t features, uint32_t max_lanes)
{
    while (index < ENTRY_COUNT &&
           !(is_supported(table[index].kernel, features) && table[index].kernel->lanes <= max_lanes))
        index++;
    return index;
}

const struct hornet_choice *hornet_choice_for(uint32_t features, enum hornet_zmm zmm)
{
    const struct hornet_choice *table = table_for(zmm);
    /* There is one: some kernels are in plain C. */
    return &table[find(table, 0, features, zmm == HORNET_ZMM_SLOWS ? 4 : UINT32_MAX)];
}

/* The choice in use, and the scalar kernel for short messages; NULL until first use. Both are found from
 * the CPU alone or set by hornet_kernel_force, so that a race between threads at first use is harmless. */
_Atomic(const struct hornet_choice *) hornet_chosen;
static _Atomic(const struct hornet_kernel *) scalar;

const struct hornet_choice *hornet_choose(void)
{
    const uint32_t features = hornet_cpu_features();
    const struct hornet_choice *expected = NULL;
    const struct hornet_choice *best = hornet_choice_for(features, hornet_cpu_zmm());
    atomic_store_explicit(&scalar, table_full[find(table_full, 0, features, 1)].kernel,
                          memory_order_release);
    /* Not a plain store: a kernel forced meanwhile stays. */
    return atomic_compare_exchange_strong(&hornet_chosen, &expected, best) ? best : expected;
}

static const struct hornet_choice *chosen(void)
{
    const struct hornet_choice *choice = atomic_load_explicit(&hornet_chosen, memory_order_acquire);
    return choice != NULL ? choice : hornet_choose();
}

const struct hornet_kernel *hornet_kernel_for_length(size_t len_bytes)
{
    const struct hornet_choice *choice = hornet_choice_serving(chosen(), len_bytes);
    return choice != NULL ? choice->kernel : atomic_load_explicit(&scalar, memory_order_relaxed);
}

const char *hornet_kernel_name(void) { return chosen()->kernel->name; }

const char *hornet_kernel_at(size_t index)
{
    const uint32_t features = hornet_cpu_features();
    size_t entry = find(table_full, 0, features, UINT32_MAX);
    while (entry != ENTRY_COUNT && index-- != 0)
        entry = find(table_full, entry + 1, features, UINT32_MAX);
    return entry != ENTRY_COUNT ? table_full[entry].kernel->name : NULL;
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
    const struct hornet_choice *table = table_for(hornet_cpu_zmm());
    const uint32_t features = hornet_cpu_features();
    const struct hornet_choice *choice = NULL;
    if (name == NULL)
        choice = hornet_choice_for(features, hornet_cpu_zmm());
    else
        for (size_t i = 0; i < ENTRY_COUNT && choice == NULL; i++)
            if (strcmp(table[i].kernel->name, name) == 0 && is_supported(table[i].kernel, features))
                choice = &table[i];
    if (choice == NULL)
        return false;
    chosen(); /* sets scalar */
    atomic_store_explicit(&hornet_chosen, choice, memory_order_release);
    return true;
}

bool hornet_kernel_info_at(size_t index, hornet_kernel_info *info)
{
    if (index >= ENTRY_COUNT)
        return false;
    const struct hornet_choice *entry = &table_for(hornet_cpu_zmm())[index];
    const struct hornet_kernel *kernel = entry->kernel;
    info->name = kernel->name;
    hornet_cpu_feature_names(kernel->needs, info->needs, sizeof info->needs);
    info->lanes = kernel->lanes;
    info->min_bytes = entry->min_bytes;
    info->min_batch_bytes = kernel->batch != NULL ? 0 : SIZE_MAX;
    info->supported = is_supported(kernel, hornet_cpu_features());
    return true;
}
