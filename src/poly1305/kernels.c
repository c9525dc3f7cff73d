/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The list of kernels, and the functions that report on it. */
#include "../core/public.h"
#include "kernel.h"

/* For measuring from which length each kernel gains: every message goes to the kernel that is forced. */
#ifdef HORNET_NO_CROSSOVERS
#define MIN(amount) 0
#else
#define MIN(amount) (amount)
#endif

#define HORNET_ROW(name, on, min_bytes, min_batch_bytes)                                                   \
    {&hornet_poly1305_kernel_##name.implementation, on, MIN(min_bytes), MIN(min_batch_bytes)},
#define HORNET_FURTHER_ROW HORNET_ROW
#define HORNET_TUNED_ROW   HORNET_ROW
const struct hornet_row hornet_poly1305_rows[] = {
#include "kernels.def"
};

enum { POLY1305_ROWS = sizeof hornet_poly1305_rows / sizeof hornet_poly1305_rows[0] };
_Static_assert(POLY1305_ROWS <= 31, "in_use has a bit for each row");

/* The first row that is decisive gives the value: 1 if it is the baseline, 0 if it is a kernel before the
 * baseline that serves messages shorter than HORNET_SHORT_BYTES. */
#define HORNET_ROW(name, on, min_bytes, min_batch_bytes)                                                   \
    HORNET_IS_BASELINE(on, min_bytes, min_batch_bytes) ? 1 : (min_bytes) < HORNET_SHORT_BYTES ? 0:
#define HORNET_FURTHER_ROW HORNET_ROW
#define HORNET_TUNED_ROW   HORNET_ROW
enum {
    LIST_IS_GOOD =
#include "kernels.def"
        0
};
_Static_assert(
    LIST_IS_GOOD,
    "HORNET_KERNELS must name a kernel that runs everywhere, and no kernel before the first such may "
    "serve messages shorter than HORNET_SHORT_BYTES");

uint32_t hornet_poly1305_in_use;

const struct hornet_list hornet_poly1305_list = {
    .rows = hornet_poly1305_rows,
    .count = POLY1305_ROWS,
#define HORNET_ROW(name, on, min_bytes, min_batch_bytes)                                                   \
    HORNET_IS_BASELINE(on, min_bytes, min_batch_bytes) ? &hornet_poly1305_kernel_##name.implementation:
    .baseline =
#include "kernels.def"
        NULL,
    .in_use = &hornet_poly1305_in_use,
};

static const struct hornet_poly1305_kernel *const kernels[] = {
#define HORNET_ROW(name, ...) &hornet_poly1305_kernel_##name,
#include "kernels.def"
};

enum { KERNEL_COUNT = sizeof kernels / sizeof kernels[0] };

const char *hornet_kernel_name(void)
{
    return hornet_dispatch(hornet_poly1305_rows, hornet_poly1305_rows_in_use(), SIZE_MAX)
        ->implementation->name;
}

const char *hornet_kernel_at(size_t index)
{
    for (size_t i = 0; i < KERNEL_COUNT; i++)
        if (hornet_can_run(&kernels[i]->implementation, hornet_cpu()) && index-- == 0)
            return kernels[i]->implementation.name;
    return NULL;
}

size_t hornet_kernel_count(void)
{
    size_t count = 0;
    while (hornet_kernel_at(count) != NULL)
        count++;
    return count;
}

bool hornet_kernel_force(const char *name) { return hornet_dispatch_force(&hornet_poly1305_list, name); }

/* Writes the names of the features in a set, separated by spaces. Truncates what does not fit. */
static void list_features(uint32_t features, char *names, size_t size_bytes)
{
    size_t n = 0;
    const char *name;
    bool usable;
    for (size_t i = 0; hornet_cpu_feature_at(i, &name, &usable); i++) {
        if ((features >> i & 1) == 0)
            continue;
        if (n != 0 && n + 1 < size_bytes)
            names[n++] = ' ';
        for (; *name != 0 && n + 1 < size_bytes; name++)
            names[n++] = *name;
    }
    names[n] = 0;
}

bool hornet_kernel_info_at(size_t index, hornet_kernel_info *info)
{
    if (index >= KERNEL_COUNT)
        return false;
    const struct hornet_implementation *implementation = &kernels[index]->implementation;
    const struct hornet_row *row =
        hornet_dispatch_row_on(&hornet_poly1305_list, implementation->name, hornet_cpu());
    info->name = implementation->name;
    list_features(implementation->needs, info->needs, sizeof info->needs);
    info->lanes = kernels[index]->lanes;
    info->min_bytes = row->min;
    info->min_batch_bytes = kernels[index]->batch != NULL ? row->min_batch : HORNET_NEVER;
    info->supported = hornet_can_run(implementation, hornet_cpu());
    return true;
}
