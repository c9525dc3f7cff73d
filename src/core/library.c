/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Functions of the library as a whole. */
#include "public.h"
#include "wipe.h"

const char *hornet_version(void) { return HORNET_VERSION; }

void hornet_wipe(void *memory, size_t len_bytes) { wipe(memory, len_bytes); }
