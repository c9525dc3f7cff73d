/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Prints at how many lengths it looks, and the address of every kernel's record that serves a message,
 * alone or in a batch, of any length on a CPU with any set of features; fails if a CPU lacks what its
 * kernel requires. For coconut/prove/shipped.py, which links it with the library. */
#include <stdio.h>

#include "../../src/poly1305/kernel.h"

enum { AMOUNTS_MAX = 256 };

static size_t amounts[AMOUNTS_MAX];
static size_t amount_count;

static void add_amounts(size_t least)
{
    for (size_t amount = least - (least != 0); amount != HORNET_NEVER && amount <= least + 1; amount++)
        if (amount_count < AMOUNTS_MAX)
            amounts[amount_count++] = amount;
}

static const void *served[64];
static size_t served_count;

static bool serves(const struct hornet_implementation *implementation, uint32_t cpu)
{
    if (implementation == NULL || (implementation->required & ~cpu) != 0)
        return false;
    for (size_t i = 0; i < served_count; i++)
        if (served[i] == implementation)
            return true;
    served[served_count++] = implementation;
    return true;
}

int main(void)
{
    const struct hornet_list *list = &hornet_poly1305_list;
    /* The choice changes at no other amounts. */
    add_amounts(HORNET_SHORT_BYTES);
    for (size_t i = 0; i < list->count; i++) {
        add_amounts(list->entries[i].min);
        add_amounts(list->entries[i].min_batch);
        add_amounts(list->entries[i].min_aead);
    }
    for (uint32_t cpu = 0; cpu < UINT32_C(1) << CPU_FEATURE_COUNT; cpu++) {
        const uint32_t in_use = hornet_dispatch_entries(list, cpu, NULL);
        for (size_t i = 0; i < amount_count; i++)
            if (!serves(&hornet_poly1305_kernel_for(amounts[i], in_use)->implementation, cpu) ||
                !serves(&hornet_poly1305_kernel_in_aead(amounts[i], in_use)->implementation, cpu) ||
                !serves(hornet_dispatch_batch(list, in_use, amounts[i])->implementation, cpu)) {
                printf("a CPU with features %x gets no kernel that it can run for %zu bytes\n",
                       (unsigned)cpu, amounts[i]);
                return 1;
            }
    }
    printf("%zu", amount_count);
    for (size_t i = 0; i < served_count; i++)
        printf(" %p", served[i]);
    printf("\n");
    return amount_count == AMOUNTS_MAX;
}
