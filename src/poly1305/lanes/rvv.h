/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* RISC-V vector lanes (RVV 1.0), for registers of at least RVV_BITS bits: 4 lanes for 128 and 256, 8 for
 * 512. They are written with vectors of fixed size, which clang keeps in registers of the size that
 * HORNET_TARGET guarantees. The native vector types have no size known at compile time, and so cannot be
 * members of structures.
 *
 * A multiplication takes 32-bit elements, one per lane, and adds 64-bit products. Lanes 0, 2, 4, ... hold
 * the first half of the blocks, lanes 1, 3, 5, ... the second: a slide of each half puts them there. */
#ifndef LANES

#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "../../core/compiler.h"
#include "../../core/memory.h"

#ifndef RVV_BITS /* parsed alone */
#define RVV_BITS 128
#endif

#if RVV_BITS == 512
#define LANES               8
#define RVV_EACH_LANE(f, x) f(0, x), f(1, x), f(2, x), f(3, x), f(4, x), f(5, x), f(6, x), f(7, x)
#else
#define LANES               4
#define RVV_EACH_LANE(f, x) f(0, x), f(1, x), f(2, x), f(3, x)
#endif
#define LANES_FACTOR
#define LANES_MULTIPLY_32
#define LANES_MULTIPLY_ADD_32
#define LANES_MULTIPLIERS_IN_MEMORY

#if RVV_BITS == 512
#define HORNET_TARGET "arch=+v,+zvl512b"
#elif RVV_BITS == 256
#define HORNET_TARGET "arch=+v,+zvl256b"
#else
#define HORNET_TARGET "arch=+v"
#endif

#include "../../core/target_begin.h"

typedef uint64_t vec __attribute__((vector_size(8 * LANES)));
typedef uint32_t factor __attribute__((vector_size(4 * LANES)));

/* The block of a lane, and the lane of a block. */
#define RVV_BLOCK(lane) ((lane) / 2 + (lane) % 2 * (LANES / 2))
#define RVV_LANE(block) ((block) % (LANES / 2) * 2 + (block) / (LANES / 2))

/* Element numbers for __builtin_shufflevector, in which the second vector's elements start at LANES. */
#define RVV_WORD(lane, word) ((word) + 2 * RVV_BLOCK(lane))
#define RVV_BLEND(lane, bit) ((lane) + (RVV_BLOCK(lane) >> (bit) & 1) * LANES)

HORNET_INLINE vec vec_splat(uint64_t value) { return (vec){0} + value; }
HORNET_INLINE vec vec_add(vec a, vec b) { return a + b; }
HORNET_INLINE vec vec_sub(vec a, vec b) { return a - b; }
HORNET_INLINE vec vec_and(vec a, vec b) { return a & b; }
HORNET_INLINE vec vec_or(vec a, vec b) { return a | b; }
HORNET_INLINE vec vec_shl(vec a, int bits) { return a << bits; }
HORNET_INLINE vec vec_shr(vec a, int bits) { return a >> bits; }

HORNET_INLINE vec vec_from(factor a) { return __builtin_convertvector(a, vec); }
HORNET_INLINE vec vec_mul_add32(vec sum, factor a, factor b) { return sum + vec_from(a) * vec_from(b); }

/* With only a conversion, clang would see that the number is unchanged, lose the fact that it has 32 bits,
 * and multiply 64 by 64. It cannot see through this operation. */
HORNET_INLINE factor factor_from(vec a)
{
    uint32_t all = UINT32_MAX;
    HORNET_VALUE_BARRIER("r", all);
    return __builtin_convertvector(a, factor) & all;
}

HORNET_INLINE factor factor_from_low32(vec a) { return factor_from(a); }
HORNET_INLINE factor factor_from_high32(vec a) { return factor_from(a >> 32); }

/* clang 19 has no asm operands for these vectors. */
HORNET_INLINE vec vec_barrier(vec a) { return a; }
HORNET_INLINE factor factor_barrier(factor a) { return a; }
HORNET_INLINE factor factor_in_order(factor a) { return a; }

HORNET_INLINE factor factor_splat(uint64_t value) { return (factor){0} + (uint32_t)value; }
HORNET_INLINE factor factor_add(factor a, factor b) { return a + b; }
HORNET_INLINE factor factor_shl(factor a, int bits) { return a << bits; }
HORNET_INLINE uint64_t factor_word(factor a) { return a[0]; }
HORNET_INLINE factor factor_first(factor a) { return factor_splat(a[0]); }

HORNET_INLINE factor factor_block(const factor *a, size_t block)
{
    /* Not memcpy, which clang 19 compiles as loads of bytes: it forgets that `a` is aligned. */
    typedef uint32_t lane __attribute__((may_alias));
    return factor_splat(((const lane *)a)[RVV_LANE(block)]);
}

HORNET_INLINE factor factor_blend(int bit, factor even, factor odd)
{
    switch (bit) {
    case 0:
        return __builtin_shufflevector(even, odd, RVV_EACH_LANE(RVV_BLEND, 0));
    case 1:
        return __builtin_shufflevector(even, odd, RVV_EACH_LANE(RVV_BLEND, 1));
    default:
        return __builtin_shufflevector(even, odd, RVV_EACH_LANE(RVV_BLEND, 2));
    }
}

HORNET_INLINE uint64_t vec_sum(vec a) { return __builtin_reduce_add(a); }

/* Separates the words of consecutive blocks into low and high ones. */
HORNET_INLINE void transpose_blocks(vec first, vec second, vec *lo, vec *hi)
{
    *lo = __builtin_shufflevector(first, second, RVV_EACH_LANE(RVV_WORD, 0));
    *hi = __builtin_shufflevector(first, second, RVV_EACH_LANE(RVV_WORD, 1));
}

HORNET_INLINE void vec_load_blocks(const uint8_t *blocks, vec *lo, vec *hi)
{
    vec half[2];
    memcpy(half, blocks, sizeof half);
    transpose_blocks(half[0], half[1], lo, hi);
}

HORNET_INLINE vec vec_only_block(size_t block, uint64_t value)
{
    vec result = {0};
    result[RVV_LANE(block)] = value;
    return result;
}

HORNET_INLINE void vec_load_first_blocks(const uint8_t *first, size_t absent, vec *lo, vec *hi, vec *top)
{
    for (size_t i = 0; i < LANES; i++) {
        const size_t lane = RVV_LANE(i);
        const uint64_t there = i >= absent;
        (*lo)[lane] = there ? load_le64(first + 16 * (i - absent)) : 0;
        (*hi)[lane] = there ? load_le64(first + 16 * (i - absent) + 8) : 0;
        (*top)[lane] = there;
    }
}

HORNET_INLINE void vec_load_last_blocks(const uint8_t *blocks, const uint64_t *last, vec *lo, vec *hi,
                                        vec *top)
{
    vec half[2];
    memcpy(half, blocks, sizeof half - 16);
    half[1][LANES - 2] = last[0];
    half[1][LANES - 1] = last[1];
    transpose_blocks(half[0], half[1], lo, hi);
    *top = vec_splat(1);
    (*top)[RVV_LANE(LANES - 1)] = last[2];
}

HORNET_INLINE void vec_load_each(const uint8_t *const *blocks, size_t offset, vec *lo, vec *hi)
{
    for (size_t i = 0; i < LANES; i++) {
        (*lo)[RVV_LANE(i)] = load_le64(blocks[i] + offset);
        (*hi)[RVV_LANE(i)] = load_le64(blocks[i] + offset + 8);
    }
}

HORNET_INLINE void vec_load_rows(const uint8_t *rows, vec words[4])
{
    for (size_t i = 0; i < LANES; i++)
        for (size_t j = 0; j < 4; j++)
            words[j][RVV_LANE(i)] = load_le64(rows + 32 * i + 8 * j);
}

HORNET_INLINE void vec_store_blocks(uint8_t *blocks, vec lo, vec hi)
{
    for (size_t i = 0; i < LANES; i++) {
        store_le64(blocks + 16 * i, lo[RVV_LANE(i)]);
        store_le64(blocks + 16 * i + 8, hi[RVV_LANE(i)]);
    }
}

#include "../../core/target_end.h"

#endif
