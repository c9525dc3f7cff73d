/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lanes in plain C: arrays of words, of any number that is a power of two. The reference model of lanes.h.
 *
 * A factor is a separate type here, though it need not be, so that the compiler reports on every machine
 * where a field or an evaluation confuses it with a vec. */
#ifndef LANES

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "../../core/compiler.h"

#ifndef PORTABLE_LANES
#define PORTABLE_LANES 2
#endif
#define LANES PORTABLE_LANES
#define LANES_FACTOR
#define LANES_MULTIPLY_32
#define LANES_MULTIPLY_52
#define LANES_MULTIPLY_BLOCK
#define LANES_CUT_26

typedef struct {
    uint64_t lane[LANES];
} vec;

typedef struct {
    uint64_t number[LANES];
} factor;

/* Return a vec, or a factor, computed lane by lane. Without the unrolling, gcc 12 keeps the arrays in
 * memory and takes four times as long. */
#define PORTABLE_MAP(type, member, expression)                                                             \
    type map_result;                                                                                       \
    HORNET_UNROLL                                                                                          \
    for (int i = 0; i < LANES; i++)                                                                        \
        map_result.member[i] = (expression);                                                               \
    return map_result
#define VEC_MAP(expression)    PORTABLE_MAP(vec, lane, expression)
#define FACTOR_MAP(expression) PORTABLE_MAP(factor, number, expression)

/* The high 52 bits of the product of the low 52 bits of two numbers, computed from their 26-bit halves. */
HORNET_INLINE uint64_t portable_mul52hi(uint64_t a, uint64_t b)
{
    const uint64_t mask = (1 << 26) - 1;
    const uint64_t a0 = a & mask, a1 = a >> 26 & mask, b0 = b & mask, b1 = b >> 26 & mask;
    const uint64_t middle = a0 * b1 + a1 * b0 + (a0 * b0 >> 26);
    return a1 * b1 + (middle >> 26);
}

HORNET_INLINE vec vec_splat(uint64_t value) { VEC_MAP(value); }
HORNET_INLINE vec vec_add(vec a, vec b) { VEC_MAP(a.lane[i] + b.lane[i]); }
HORNET_INLINE vec vec_sub(vec a, vec b) { VEC_MAP(a.lane[i] - b.lane[i]); }
HORNET_INLINE vec vec_and(vec a, vec b) { VEC_MAP(a.lane[i] & b.lane[i]); }
HORNET_INLINE vec vec_or(vec a, vec b) { VEC_MAP(a.lane[i] | b.lane[i]); }
HORNET_INLINE vec vec_shl(vec a, int bits) { VEC_MAP(a.lane[i] << bits); }
HORNET_INLINE vec vec_shr(vec a, int bits) { VEC_MAP(a.lane[i] >> bits); }
HORNET_INLINE vec vec_barrier(vec a) { return a; }
HORNET_INLINE vec vec_only_block(size_t block, uint64_t value) { VEC_MAP((size_t)i == block ? value : 0); }

HORNET_INLINE factor factor_splat(uint64_t value) { FACTOR_MAP(value); }
HORNET_INLINE factor factor_from(vec a) { FACTOR_MAP(a.lane[i]); }
HORNET_INLINE factor factor_from_low32(vec a) { FACTOR_MAP(a.lane[i] & UINT32_MAX); }
HORNET_INLINE factor factor_from_high32(vec a) { FACTOR_MAP(a.lane[i] >> 32); }
HORNET_INLINE vec vec_from(factor a) { VEC_MAP(a.number[i]); }
HORNET_INLINE factor factor_add(factor a, factor b) { FACTOR_MAP(a.number[i] + b.number[i]); }
HORNET_INLINE factor factor_shl(factor a, int bits) { FACTOR_MAP(a.number[i] << bits); }
HORNET_INLINE factor factor_barrier(factor a) { return a; }
HORNET_INLINE factor factor_in_order(factor a) { return a; }
HORNET_INLINE uint64_t factor_word(factor a) { return a.number[0]; }
HORNET_INLINE factor factor_first(factor a) { FACTOR_MAP(a.number[0]); }
HORNET_INLINE factor factor_block(const factor *a, size_t block) { FACTOR_MAP(a->number[block]); }

HORNET_INLINE factor factor_blend(int bit, factor even, factor odd)
{
    FACTOR_MAP((i >> bit & 1) == 0 ? even.number[i] : odd.number[i]);
}

HORNET_INLINE vec vec_mul32(factor a, factor b)
{
    VEC_MAP((uint64_t)(uint32_t)a.number[i] * (uint32_t)b.number[i]);
}

HORNET_INLINE vec vec_mul_add32_block(vec sum, factor a, factor b, int block)
{
    VEC_MAP(sum.lane[i] + (uint64_t)(uint32_t)a.number[i] * (uint32_t)b.number[block]);
}

HORNET_INLINE vec vec_madd52lo(vec sum, factor a, factor b)
{
    VEC_MAP(sum.lane[i] + ((a.number[i] * b.number[i]) & ((UINT64_C(1) << 52) - 1)));
}

HORNET_INLINE vec vec_madd52hi(vec sum, factor a, factor b)
{
    VEC_MAP(sum.lane[i] + portable_mul52hi(a.number[i], b.number[i]));
}

HORNET_INLINE vec vec_shr44_pair(vec lo, vec hi) { VEC_MAP(lo.lane[i] >> 44 | hi.lane[i] << 20); }

HORNET_INLINE uint64_t vec_sum(vec a)
{
    uint64_t sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += a.lane[i];
    return sum;
}

HORNET_INLINE void vec_load_blocks(const uint8_t *blocks, vec *lo, vec *hi)
{
    for (int i = 0; i < LANES; i++) {
        lo->lane[i] = load_le64(blocks + 16 * i);
        hi->lane[i] = load_le64(blocks + 16 * i + 8);
    }
}

HORNET_INLINE void factor_load_26(const uint8_t *blocks, factor limb[5])
{
    for (int i = 0; i < LANES; i++) {
        const uint64_t lo = load_le64(blocks + 16 * i), hi = load_le64(blocks + 16 * i + 8);
        const uint64_t limbs[5] = {lo, lo >> 26, lo >> 52 | hi << 12, hi >> 14, hi >> 40};
        for (int k = 0; k < 5; k++)
            limb[k].number[i] = limbs[k] & ((1 << 26) - 1);
    }
}

HORNET_INLINE void vec_load_first_blocks(const uint8_t *first, size_t absent, vec *lo, vec *hi, vec *top)
{
    for (size_t i = 0; i < LANES; i++) {
        const bool there = i >= absent;
        lo->lane[i] = there ? load_le64(first + 16 * (i - absent)) : 0;
        hi->lane[i] = there ? load_le64(first + 16 * (i - absent) + 8) : 0;
        top->lane[i] = there;
    }
}

HORNET_INLINE void vec_load_last_blocks(const uint8_t *blocks, const uint64_t *last, vec *lo, vec *hi,
                                        vec *top)
{
    for (size_t i = 0; i < LANES; i++) {
        lo->lane[i] = i + 1 < LANES ? load_le64(blocks + 16 * i) : last[0];
        hi->lane[i] = i + 1 < LANES ? load_le64(blocks + 16 * i + 8) : last[1];
        top->lane[i] = i + 1 < LANES ? 1 : last[2];
    }
}

HORNET_INLINE void vec_load_each(const uint8_t *const *blocks, size_t offset, vec *lo, vec *hi)
{
    for (int i = 0; i < LANES; i++) {
        lo->lane[i] = load_le64(blocks[i] + offset);
        hi->lane[i] = load_le64(blocks[i] + offset + 8);
    }
}

HORNET_INLINE void vec_load_rows(const uint8_t *rows, vec words[4])
{
    for (int i = 0; i < LANES; i++)
        for (int j = 0; j < 4; j++)
            words[j].lane[i] = load_le64(rows + 32 * i + 8 * j);
}

HORNET_INLINE void vec_store_blocks(uint8_t *blocks, vec lo, vec hi)
{
    for (int i = 0; i < LANES; i++) {
        store_le64(blocks + 16 * i, lo.lane[i]);
        store_le64(blocks + 16 * i + 8, hi.lane[i]);
    }
}

#undef PORTABLE_MAP
#undef VEC_MAP
#undef FACTOR_MAP

#endif
