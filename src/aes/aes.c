/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The list of AES implementations. */
#include "aes.h"

#include "../core/cpu.h"

static const struct hornet_entry aes_entries[] = {
#define HORNET_AES(name) {&hornet_aes_##name.implementation, CPU_ANY, 0, 0, 0},
#include "aes.def"
};

enum { AES_ENTRIES = sizeof aes_entries / sizeof aes_entries[0] };

static uint32_t aes_entries_chosen;

const struct hornet_list hornet_aes_list = {aes_entries, AES_ENTRIES, NULL, &aes_entries_chosen};

uint32_t hornet_aes_entries_in_use(void) { return hornet_dispatch_in_use(&hornet_aes_list); }

const struct hornet_aes *hornet_aes_for(size_t count, uint32_t in_use)
{
    return (const struct hornet_aes *)hornet_dispatch(aes_entries, in_use, count)->implementation;
}
