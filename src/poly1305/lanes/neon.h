/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* NEON lanes, for 32-bit and 64-bit programs: four, in order. */
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
    if (half == 0)
        return vmlal_u32(sum, vget_low_u32(a), vget_low_u32(b));
#ifdef __aarch64__
    return vmlal_high_u32(sum, a, b);
#else
    return vmlal_u32(sum, vget_high_u32(a), vget_high_u32(b));
#endif
}

/* Replaces the generic shifts and conversions of 64-bit elements, which gcc 12 compiles to detours; in
 * 32-bit programs it handles each element separately. */
#define PAIRS_OWN_CONVERSIONS
HORNET_INLINE pair pair_shl(pair a, int bits) { return vshlq_u64(a, vdupq_n_s64(bits)); }
HORNET_INLINE pair pair_shr(pair a, int bits) { return vshlq_u64(a, vdupq_n_s64(-bits)); }
HORNET_INLINE quad low_words(pair a, pair b) { return vcombine_u32(vmovn_u64(a), vmovn_u64(b)); }
HORNET_INLINE quad high_words(pair a, pair b)
{
    return vcombine_u32(vshrn_n_u64(a, 32), vshrn_n_u64(b, 32));
}
HORNET_INLINE pair widened_low(quad a) { return vmovl_u32(vget_low_u32(a)); }
HORNET_INLINE pair widened_high(quad a) { return vmovl_u32(vget_high_u32(a)); }

#include "pairs.h"

#include "../../core/target_end.h"

#endif

#endif
