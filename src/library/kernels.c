/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The public functions that report on the kernels of each primitive, and force one. */
#include "../aes/aes.h"
#include "../chacha20/chacha20.h"
#include "../core/cpu.h"
#include "../core/public.h"
#include "../poly1305/kernel.h"

/* Returns NULL if there is no such primitive. */
static const struct hornet_list *list_of(hornet_primitive primitive)
{
    switch (primitive) {
    case HORNET_POLY1305:
        return &hornet_poly1305_list;
    case HORNET_CHACHA20:
        return &hornet_chacha20_list;
    case HORNET_AES128:
        return &hornet_aes_list;
    }
    return NULL;
}

/* Sets what only the primitive's own record says. */
static void describe_record(hornet_kernel *kernel, hornet_primitive primitive,
                            const struct hornet_entry *entry)
{
    const void *const record = entry->implementation; /* its first member */
    const struct hornet_poly1305_kernel *const poly1305 = record;
    const struct hornet_chacha20_kernel *const chacha20 = record;
    const struct hornet_aes *const aes = record;
    switch (primitive) {
    case HORNET_POLY1305:
        kernel->lanes = poly1305->lanes;
        if (poly1305->batch == NULL)
            kernel->min_batch_bytes = HORNET_NEVER;
        break;
    case HORNET_CHACHA20:
        kernel->lanes = chacha20->lanes;
        break;
    case HORNET_AES128:
        kernel->lanes = aes->lanes;
        break;
    }
}

/* Writes the names of the features in a set, separated by spaces. Truncates what does not fit. */
static void list_features(uint32_t features, char *names, size_t size_bytes)
{
    size_t n = 0;
    hornet_cpu_feature feature;
    for (size_t i = 0; hornet_cpu_feature_at(&feature, i); i++) {
        if ((features >> i & 1) == 0)
            continue;
        if (n != 0 && n + 1 < size_bytes)
            names[n++] = ' ';
        for (const char *name = feature.name; *name != 0 && n + 1 < size_bytes; name++)
            names[n++] = *name;
    }
    names[n] = 0;
}

bool hornet_kernel_at(hornet_kernel *kernel, hornet_primitive primitive, size_t index)
{
    const struct hornet_list *const list = list_of(primitive);
    if (list == NULL)
        return false;
    /* Find the first entry of the kernel: its entries are consecutive. */
    const struct hornet_entry *entry = list->entries, *const end = list->entries + list->count;
    for (; entry != end; entry++)
        if ((entry == list->entries || !hornet_same_kernel(entry, entry - 1)) && index-- == 0)
            break;
    if (entry == end)
        return false;
    entry = hornet_dispatch_entry_on(list, entry->implementation->name, hornet_cpu());
    kernel->name = entry->implementation->name;
    list_features(entry->implementation->required, kernel->required, sizeof kernel->required);
    kernel->min_bytes = entry->min;
    kernel->min_batch_bytes = entry->min_batch;
    kernel->supported = hornet_can_run(entry->implementation, hornet_cpu());
    describe_record(kernel, primitive, entry);
    return true;
}

const char *hornet_kernel_in_use(hornet_primitive primitive)
{
    const struct hornet_list *const list = list_of(primitive);
    if (list == NULL)
        return NULL;
    return hornet_dispatch(list->entries, hornet_dispatch_in_use(list), SIZE_MAX)->implementation->name;
}

bool hornet_kernel_force(hornet_primitive primitive, const char *name)
{
    const struct hornet_list *const list = list_of(primitive);
    return list != NULL && hornet_dispatch_force(list, name);
}
