/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Comparison that tells nothing but its result. */
#ifndef HORNET_CORE_CONSTANT_TIME_H
#define HORNET_CORE_CONSTANT_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"

/* Whether two tags are equal. The difference is tested as a whole; the asm keeps the compiler from testing
 * its parts. */
HORNET_INLINE bool tags_equal(const uint8_t a[16], const uint8_t b[16])
{
    uint64_t difference = (load_le64(a) ^ load_le64(b)) | (load_le64(a + 8) ^ load_le64(b + 8));
    HORNET_OPAQUE("r", difference);
    return difference == 0;
}

#endif
