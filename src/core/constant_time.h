/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Comparison that reveals nothing but its result. */
#ifndef HORNET_CORE_CONSTANT_TIME_H
#define HORNET_CORE_CONSTANT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"

/* Returns whether two tags are equal. The difference is tested as a whole; the barrier keeps the compiler
 * from testing its parts. */
HORNET_INLINE bool tags_equal(const uint8_t a[16], const uint8_t b[16])
{
    uint64_t difference = (load_le64(a) ^ load_le64(b)) | (load_le64(a + 8) ^ load_le64(b + 8));
    HORNET_VALUE_BARRIER("r", difference);
    return difference == 0;
}

/* The same for any length. The barriers also keep the compiler from using vector registers, which would
 * have to be cleared. */
HORNET_INLINE bool bytes_equal(const uint8_t *a, const uint8_t *b, size_t len_bytes)
{
    uint64_t difference = 0;
    for (; len_bytes >= 8; a += 8, b += 8, len_bytes -= 8) {
        difference |= load_le64(a) ^ load_le64(b);
        HORNET_VALUE_BARRIER("r", difference);
    }
    for (; len_bytes != 0; a++, b++, len_bytes--) {
        difference |= (uint64_t)(*a ^ *b);
        HORNET_VALUE_BARRIER("r", difference);
    }
    return difference == 0;
}

/* The verdict on a tag is public: what is done next may depend on it. Tools that track secrets must be told
 * so if the library itself acts on a verdict: HORNET_PUBLIC_HOOK names a file that defines
 * HORNET_DECLASSIFY for that. */
#ifdef HORNET_PUBLIC_HOOK
#include HORNET_PUBLIC_HOOK
#else
#define HORNET_DECLASSIFY(memory, len_bytes) ((void)(memory))
#endif

HORNET_INLINE bool declassify(bool verdict)
{
    HORNET_DECLASSIFY(&verdict, sizeof verdict);
    return verdict;
}

#endif
