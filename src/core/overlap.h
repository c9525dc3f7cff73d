/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A cipher's output must be exactly its input or not overlap it. If HORNET_DEBUG is defined, a call that
 * breaks this contract traps. */
#ifndef HORNET_CORE_OVERLAP_H
#define HORNET_CORE_OVERLAP_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

HORNET_INLINE void check_overlap(const uint8_t *out, const uint8_t *in, size_t len_bytes)
{
#ifdef HORNET_DEBUG
    if (out != in && (uintptr_t)out < (uintptr_t)in + len_bytes &&
        (uintptr_t)in < (uintptr_t)out + len_bytes)
        __builtin_trap();
#else
    (void)out;
    (void)in;
    (void)len_bytes;
#endif
}

#endif
