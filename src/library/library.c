/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Public functions that belong to no primitive. */
#include "../core/constant_time.h"
#include "../core/public.h"
#include "../core/stack_wipe.h"
#include "../core/wipe.h"

const char *hornet_version(void) { return HORNET_VERSION; }

HORNET_CLEARS_REGISTERS
HORNET_CLEARED(bool, hornet_equal, (const void *a, const void *b, size_t len_bytes), (a, b, len_bytes))
{
    return bytes_equal(a, b, len_bytes);
}

void hornet_wipe(void *memory, size_t len_bytes) { wipe(memory, len_bytes); }
