/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lanes of NEON, in 32-bit and 64-bit programs: four, in order. */
#ifndef LANES

#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "../../core/compiler.h"
#include "../../core/memory.h"

#if HORNET_NEON

#if defined(__arm__) && !defined(__clang__)
#define HORNET_TARGET "fpu=neon"
#endif
#define PAIRS_REGISTER "w"

#include "../../core/target_begin.h"

typedef uint64x2_t pair;
typedef uint32x4_t quad;

HORNET_INLINE pair multiply_add_half(pair sum, quad a, quad b, int half)
{
    return half == 0 ? vmlal_u32(sum, vget_low_u32(a), vget_low_u32(b))
                     : vmlal_u32(sum, vget_high_u32(a), vget_high_u32(b));
}

#include "pairs.h"

#include "../../core/target_end.h"

#endif

#endif
