/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Clears secrets from memory. */
#ifndef HORNET_CORE_WIPE_H
#define HORNET_CORE_WIPE_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"

/* Sets memory to zeros in a way that the compiler cannot remove. Writes large pieces, each of which becomes
 * as many stores as the target's vectors need: gcc 12 compiles a memset of a few hundred bytes to a slow
 * rep stos. */
HORNET_INLINE void wipe(void *memory, size_t len_bytes)
{
    typedef uint64_t piece __attribute__((vector_size(64), may_alias, aligned(1)));
    typedef uint64_t word __attribute__((may_alias, aligned(1)));
    uint8_t *bytes = memory;
    HORNET_KEEP_LOOP
    for (; len_bytes >= sizeof(piece); bytes += sizeof(piece), len_bytes -= sizeof(piece)) {
        *(piece *)bytes = (piece){0};
        __asm__ volatile("" : : : "memory"); /* keeps the loop from becoming a memset */
    }
    HORNET_KEEP_LOOP
    for (; len_bytes >= sizeof(word); bytes += sizeof(word), len_bytes -= sizeof(word))
        *(word *)bytes = 0;
    HORNET_KEEP_LOOP
    for (; len_bytes != 0; len_bytes--)
        *bytes++ = 0;
    __asm__ volatile("" : : "r"(memory) : "memory");
}

#endif
