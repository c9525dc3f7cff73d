/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* NEON lanes for 32-bit programs: two, in order. There are 16 registers of 128 bits: the sums of two lanes
 * take five, and a factor half of one, so that limbs, powers and sums stay in registers. With four lanes,
 * the sums alone take ten. */
#ifndef LANES

#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "../../core/intrinsics.h"
#include "../../core/memory.h"

#if HORNET_NEON

#ifndef __clang__
#define HORNET_TARGET "fpu=neon"
#endif
#define LANES 2
#define LANES_FACTOR
#define LANES_MULTIPLY_32
#define LANES_MULTIPLY_ADD_32
#define LANES_MULTIPLY_BLOCK
#define LANES_CUT_26
#define LANES_SPLAT_IN_MEMORY

#include "../../core/target_begin.h"

typedef uint64x2_t vec;
typedef uint32x2_t factor;

HORNET_INLINE vec vec_splat(uint64_t value) { return vdupq_n_u64(value); }
HORNET_INLINE vec vec_add(vec a, vec b) { return vaddq_u64(a, b); }
HORNET_INLINE vec vec_sub(vec a, vec b) { return vsubq_u64(a, b); }
HORNET_INLINE vec vec_and(vec a, vec b) { return vandq_u64(a, b); }
HORNET_INLINE vec vec_or(vec a, vec b) { return vorrq_u64(a, b); }

/* gcc 12 shifts by an immediate only if the number is passed as a constant; clang 19 finds it itself, and
 * its intrinsic for an immediate takes no parameter of a function. */
#ifdef __clang__
HORNET_INLINE vec vec_shl(vec a, const int bits) { return vshlq_u64(a, vdupq_n_s64(bits)); }
HORNET_INLINE vec vec_shr(vec a, const int bits) { return vshlq_u64(a, vdupq_n_s64(-bits)); }
HORNET_INLINE factor factor_shl(factor a, const int bits) { return vshl_u32(a, vdup_n_s32(bits)); }
#else
HORNET_INLINE vec vec_shl(vec a, const int bits) { return vshlq_n_u64(a, bits); }
HORNET_INLINE vec vec_shr(vec a, const int bits) { return vshrq_n_u64(a, bits); }
HORNET_INLINE factor factor_shl(factor a, const int bits) { return vshl_n_u32(a, bits); }
#endif

/* A multiplication is an instruction of its own for both compilers. */
HORNET_INLINE vec vec_barrier(vec a) { return a; }

HORNET_INLINE vec vec_only_block(size_t block, uint64_t value)
{
    return vcombine_u64(vcreate_u64(block == 0 ? value : 0), vcreate_u64(block == 1 ? value : 0));
}

HORNET_INLINE factor factor_splat(uint64_t value) { return vdup_n_u32((uint32_t)value); }
HORNET_INLINE factor factor_from(vec a) { return vmovn_u64(a); }
HORNET_INLINE factor factor_from_low32(vec a) { return vmovn_u64(a); }
HORNET_INLINE factor factor_from_high32(vec a) { return vshrn_n_u64(a, 32); }
HORNET_INLINE vec vec_from(factor a) { return vmovl_u32(a); }
HORNET_INLINE factor factor_add(factor a, factor b) { return vadd_u32(a, b); }

HORNET_INLINE factor factor_barrier(factor a)
{
    HORNET_VALUE_BARRIER("w", a);
    return a;
}

HORNET_INLINE factor factor_in_order(factor a)
{
    HORNET_IN_ORDER("w", a);
    return a;
}

HORNET_INLINE uint64_t factor_word(factor a) { return vget_lane_u32(a, 0); }
HORNET_INLINE factor factor_first(factor a) { return vdup_lane_u32(a, 0); }

HORNET_INLINE factor factor_block(const factor *a, size_t block)
{
    return vld1_dup_u32((const uint32_t *)a + block);
}

HORNET_INLINE factor factor_blend(int bit, factor even, factor odd)
{
    (void)bit;
    return vrev64_u32(vext_u32(odd, even, 1));
}

HORNET_INLINE vec vec_mul_add32(vec sum, factor a, factor b) { return vmlal_u32(sum, a, b); }

/* The instruction has the number of the element in it. */
HORNET_INLINE vec vec_mul_add32_block(vec sum, factor a, factor b, int block)
{
    return block == 0 ? vmlal_lane_u32(sum, a, b, 0) : vmlal_lane_u32(sum, a, b, 1);
}

/* gcc 12 adds single words of 64 bits in general-purpose registers. */
HORNET_INLINE uint64_t vec_sum(vec a) { return vgetq_lane_u64(vaddq_u64(a, vextq_u64(a, a, 1)), 0); }

/* Loads a block as two words. */
HORNET_INLINE vec load_block(const uint8_t *block) { return vreinterpretq_u64_u8(vld1q_u8(block)); }

/* Sets *lo to the words 0, and *hi to the words 1, of two blocks. */
HORNET_INLINE void transpose_blocks(vec b0, vec b1, vec *lo, vec *hi)
{
    *lo = vcombine_u64(vget_low_u64(b0), vget_low_u64(b1));
    *hi = vcombine_u64(vget_high_u64(b0), vget_high_u64(b1));
}

HORNET_INLINE void vec_load_blocks(const uint8_t *blocks, vec *lo, vec *hi)
{
    transpose_blocks(load_block(blocks), load_block(blocks + 16), lo, hi);
}

HORNET_INLINE void factor_load_26(const uint8_t *blocks, factor limb[5])
{
    const factor mask = vdup_n_u32((1 << 26) - 1);
    const uint32x2x4_t w = vld4_u32((const uint32_t *)(const void *)blocks); /* words i of both in val[i] */
    limb[0] = vand_u32(w.val[0], mask);
    limb[1] = vand_u32(vsli_n_u32(vshr_n_u32(w.val[0], 26), w.val[1], 6), mask);
    limb[2] = vand_u32(vsli_n_u32(vshr_n_u32(w.val[1], 20), w.val[2], 12), mask);
    limb[3] = vand_u32(vsli_n_u32(vshr_n_u32(w.val[2], 14), w.val[3], 18), mask);
    limb[4] = vshr_n_u32(w.val[3], 8);
}

HORNET_INLINE void vec_load_first_blocks(const uint8_t *first, size_t absent, vec *lo, vec *hi, vec *top)
{
    const vec b1 = load_block(first + 16 * (1 - absent));
    transpose_blocks(absent == 0 ? load_block(first) : vec_splat(0), b1, lo, hi);
    *top = vcombine_u64(vcreate_u64(absent == 0), vcreate_u64(1));
}

HORNET_INLINE void vec_load_last_blocks(const uint8_t *blocks, const uint64_t *last, vec *lo, vec *hi,
                                        vec *top)
{
    transpose_blocks(load_block(blocks), vcombine_u64(vcreate_u64(last[0]), vcreate_u64(last[1])), lo, hi);
    *top = vcombine_u64(vcreate_u64(1), vcreate_u64(last[2]));
}

HORNET_INLINE void vec_load_each(const uint8_t *const *blocks, size_t offset, vec *lo, vec *hi)
{
    transpose_blocks(load_block(blocks[0] + offset), load_block(blocks[1] + offset), lo, hi);
}

HORNET_INLINE void vec_load_rows(const uint8_t *rows, vec words[4])
{
    transpose_blocks(load_block(rows), load_block(rows + 32), &words[0], &words[1]);
    transpose_blocks(load_block(rows + 16), load_block(rows + 48), &words[2], &words[3]);
}

HORNET_INLINE void vec_store_blocks(uint8_t *blocks, vec lo, vec hi)
{
    const vec b0 = vcombine_u64(vget_low_u64(lo), vget_low_u64(hi));
    const vec b1 = vcombine_u64(vget_high_u64(lo), vget_high_u64(hi));
    vst1q_u8(blocks, vreinterpretq_u8_u64(b0));
    vst1q_u8(blocks + 16, vreinterpretq_u8_u64(b1));
}

#include "../../core/target_end.h"

#endif

#endif
