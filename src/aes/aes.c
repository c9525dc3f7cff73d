/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The list of AES implementations. */
#include "aes.h"

#include "../core/cpu.h"

static const struct hornet_row aes_rows[] = {
#define HORNET_AES(name) {&hornet_aes_##name.implementation, CPU_ANY, 0, 0},
#include "aes.def"
};

enum { AES_ROWS = sizeof aes_rows / sizeof aes_rows[0] };

static uint32_t aes_rows_chosen;

const struct hornet_list hornet_aes_list = {aes_rows, AES_ROWS, NULL, &aes_rows_chosen};

uint32_t hornet_aes_rows_in_use(void) { return hornet_dispatch_in_use(&hornet_aes_list); }

const struct hornet_aes *hornet_aes_for(size_t count, uint32_t in_use)
{
    return (const struct hornet_aes *)hornet_dispatch(aes_rows, in_use, count)->implementation;
}
