/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A cipher's output must be exactly its input or not overlap it. If HORNET_DEBUG is defined, a call that
 * breaks this contract traps. */
#ifndef HORNET_CORE_OVERLAP_H
#define HORNET_CORE_OVERLAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

/* Traps if the two overlap at all. */
HORNET_INLINE void check_apart(const uint8_t *out, size_t out_bytes, const uint8_t *in, size_t in_bytes)
{
#ifdef HORNET_DEBUG
    const bool any = in_bytes != 0 && out_bytes != 0;
    if (any && (uintptr_t)out < (uintptr_t)in + in_bytes && (uintptr_t)in < (uintptr_t)out + out_bytes)
        __builtin_trap();
#else
    (void)out;
    (void)out_bytes;
    (void)in;
    (void)in_bytes;
#endif
}

HORNET_INLINE void check_overlap(const uint8_t *out, const uint8_t *in, size_t len_bytes)
{
    if (out != in)
        check_apart(out, len_bytes, in, len_bytes);
}

#endif
