/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* NEON lanes for 64-bit programs: four, in order. */
#ifndef LANES

#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "../../core/intrinsics.h"
#include "../../core/memory.h"

#if HORNET_NEON && defined(__aarch64__)

#define PAIRS_REGISTER "w"

#include "../../core/target_begin.h"

typedef uint64x2_t pair;
typedef uint32x4_t quad;

HORNET_INLINE pair multiply_add_half(pair sum, quad a, quad b, int half)
{
    if (half == 0)
        return vmlal_u32(sum, vget_low_u32(a), vget_low_u32(b));
    return vmlal_high_u32(sum, a, b);
}

/* Replaces the generic shifts and conversions of 64-bit elements, which gcc 12 compiles to detours. */
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

#define LANES_MULTIPLY_BLOCK
/* The instruction has the number of the element in it. */
HORNET_INLINE vec vec_mul_add32_block(vec sum, factor a, factor b, int block)
{
#define MULTIPLY_BLOCK(n)                                                                                  \
    (vec)                                                                                                  \
    {                                                                                                      \
        {                                                                                                  \
            vmlal_laneq_u32(sum.half[0], vget_low_u32(a), b, n),                                           \
                vmlal_high_laneq_u32(sum.half[1], a, b, n)                                                 \
        }                                                                                                  \
    }
    switch (block) {
    case 0:
        return MULTIPLY_BLOCK(0);
    case 1:
        return MULTIPLY_BLOCK(1);
    case 2:
        return MULTIPLY_BLOCK(2);
    default:
        return MULTIPLY_BLOCK(3);
    }
#undef MULTIPLY_BLOCK
}

/* words[i] = the words i of four blocks. By llvm-mca, a loop of two groups takes 136 cycles on Cortex-A55
 * for 64 bytes with gcc 12, and 168 with LD4; with clang 19 111, and 104 with LD4. On others they differ
 * less. */
HORNET_INLINE void load_words_32(const uint8_t *blocks, quad words[4])
{
#ifdef __clang__
    const uint32x4x4_t loaded = vld4q_u32((const uint32_t *)(const void *)blocks);
    HORNET_UNROLL
    for (int i = 0; i < 4; i++)
        words[i] = loaded.val[i];
#else
    const quad b0 = (quad)load_block(blocks), b1 = (quad)load_block(blocks + 16),
               b2 = (quad)load_block(blocks + 32), b3 = (quad)load_block(blocks + 48);
    const pair even0 = (pair)vtrn1q_u32(b0, b1), odd0 = (pair)vtrn2q_u32(b0, b1);
    const pair even1 = (pair)vtrn1q_u32(b2, b3), odd1 = (pair)vtrn2q_u32(b2, b3);
    words[0] = (quad)vtrn1q_u64(even0, even1);
    words[1] = (quad)vtrn1q_u64(odd0, odd1);
    words[2] = (quad)vtrn2q_u64(even0, even1);
    words[3] = (quad)vtrn2q_u64(odd0, odd1);
#endif
}

#define LANES_CUT_26
HORNET_INLINE void factor_load_26(const uint8_t *blocks, factor limb[5])
{
    const quad mask = vdupq_n_u32((1 << 26) - 1);
    quad w[4];
    load_words_32(blocks, w);
    limb[0] = vandq_u32(w[0], mask);
    limb[1] = vandq_u32(vsliq_n_u32(vshrq_n_u32(w[0], 26), w[1], 6), mask);
    limb[2] = vandq_u32(vsliq_n_u32(vshrq_n_u32(w[1], 20), w[2], 12), mask);
    limb[3] = vandq_u32(vsliq_n_u32(vshrq_n_u32(w[2], 14), w[3], 18), mask);
    /* Or gcc 12 adds 2^128 in the shift, whose operand it has to copy first. */
    limb[4] = factor_barrier(vshrq_n_u32(w[3], 8));
}

#include "../../core/target_end.h"

#endif

#endif
