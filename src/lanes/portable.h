/* Lanes in plain C: an array of 64-bit words, any number of them that is a power of two.
 *
 * This file is also the definition of what the operations mean; the other lanes files must agree with
 * it. A vec holds one value for each of LANES consecutive blocks. Which lane belongs to which block is
 * the lanes file's own affair: only vec_load_blocks and vec_blend know it, and vec_first, which
 * needs block 0 to be in lane 0. */
#ifndef HORNET_LANES_PORTABLE_H
#define HORNET_LANES_PORTABLE_H

#include "../words.h"

#ifndef LANES
#define LANES 2
#endif

typedef struct {
    uint64_t lane[LANES];
} vec;

/* Without the unrolling, gcc 12 keeps the arrays in memory and takes four times as long. */
#define VEC_MAP(expression)                                                                                \
    do {                                                                                                   \
        vec map_result;                                                                                    \
        _Pragma("GCC unroll 16") for (int i = 0; i < LANES; i++) map_result.lane[i] = (expression);        \
        return map_result;                                                                                 \
    } while (0)

/* The high 52 bits of the product of two numbers' low 52 bits, by their halves of 26 bits. */
HORNET_INLINE uint64_t mul52_high(uint64_t a, uint64_t b)
{
    const uint64_t mask = (1 << 26) - 1;
    const uint64_t a0 = a & mask, a1 = a >> 26 & mask, b0 = b & mask, b1 = b >> 26 & mask;
    const uint64_t middle = a0 * b1 + a1 * b0 + (a0 * b0 >> 26);
    return a1 * b1 + (middle >> 26);
}

/* value in every lane */
HORNET_INLINE vec vec_splat(uint64_t value) { VEC_MAP(value); }

/* a + b modulo 2^64 */
HORNET_INLINE vec vec_add(vec a, vec b) { VEC_MAP(a.lane[i] + b.lane[i]); }

/* a - b modulo 2^64 */
HORNET_INLINE vec vec_sub(vec a, vec b) { VEC_MAP(a.lane[i] - b.lane[i]); }

/* sum + the low or the high 52 bits of the 104-bit product of the low 52 bits of a and b. For radix 2^44.
 */
HORNET_INLINE vec vec_madd52lo(vec sum, vec a, vec b)
{
    VEC_MAP(sum.lane[i] + ((a.lane[i] * b.lane[i]) & ((UINT64_C(1) << 52) - 1)));
}

HORNET_INLINE vec vec_madd52hi(vec sum, vec a, vec b)
{
    VEC_MAP(sum.lane[i] + mul52_high(a.lane[i], b.lane[i]));
}

/* The low 64 bits of (lo + hi * 2^64) >> bits; bits is a constant, 1 to 63. For radix 2^44. */
HORNET_INLINE vec vec_shr_pair(vec lo, vec hi, int bits)
{
    VEC_MAP(lo.lane[i] >> bits | hi.lane[i] << (64 - bits));
}

HORNET_INLINE vec vec_and(vec a, vec b) { VEC_MAP(a.lane[i] & b.lane[i]); }

HORNET_INLINE vec vec_or(vec a, vec b) { VEC_MAP(a.lane[i] | b.lane[i]); }

/* Logical shifts; bits is a constant, 1 to 63. */
HORNET_INLINE vec vec_shl(vec a, int bits) { VEC_MAP(a.lane[i] << bits); }

HORNET_INLINE vec vec_shr(vec a, int bits) { VEC_MAP(a.lane[i] >> bits); }

/* The 64-bit product of the low 32 bits of a and b. */
HORNET_INLINE vec vec_mul32(vec a, vec b) { VEC_MAP((uint64_t)(uint32_t)a.lane[i] * (uint32_t)b.lane[i]); }

/* a, of which the compiler may assume nothing. Left to itself, gcc 12 regroups long sums into trees, which
 * need more registers than there are; and clang 19, where it sees that a factor is below 2^32, forgets it
 * again and multiplies 64 bits by 64. */
HORNET_INLINE vec vec_opaque(vec a) { return a; }

/* value for block 0, zeros for the others. */
HORNET_INLINE vec vec_only_first(uint64_t value) { VEC_MAP(i == 0 ? value : 0); }

/* The value that belongs to block 0, in every lane. */
HORNET_INLINE vec vec_first(vec a) { VEC_MAP(a.lane[0]); }

/* The value that belongs to block `block`, in every lane; v is memory. */
HORNET_INLINE vec vec_block(const vec *v, size_t block) { VEC_MAP(v->lane[block]); }

/* The values of `even` for blocks whose number has bit `bit` clear, of `odd` for the others. bit is a
 * constant below log2(LANES). */
HORNET_INLINE vec vec_blend(int bit, vec even, vec odd)
{
    VEC_MAP((i >> bit & 1) == 0 ? even.lane[i] : odd.lane[i]);
}

/* The sum of all lanes modulo 2^64. */
HORNET_INLINE uint64_t vec_sum(vec a)
{
    uint64_t sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += a.lane[i];
    return sum;
}

/* Reads LANES blocks of 16 bytes; *lo gets the first 8 bytes of each, little-endian, *hi the others. */
HORNET_INLINE void vec_load_blocks(const uint8_t *blocks, vec *lo, vec *hi)
{
    for (int i = 0; i < LANES; i++) {
        lo->lane[i] = load_le64(blocks + 16 * i);
        hi->lane[i] = load_le64(blocks + 16 * i + 8);
    }
}

/* The same for blocks that lie apart: 16 bytes at each of LANES addresses, block i at blocks[i] + offset.
 */
HORNET_INLINE void vec_load_each(const uint8_t *const blocks[LANES], size_t offset, vec *lo, vec *hi)
{
    for (int i = 0; i < LANES; i++) {
        lo->lane[i] = load_le64(blocks[i] + offset);
        hi->lane[i] = load_le64(blocks[i] + offset + 8);
    }
}

/* Writes LANES blocks one after another: block i at 16 i. What vec_load_blocks reads. */
HORNET_INLINE void vec_store_blocks(uint8_t *blocks, vec lo, vec hi)
{
    for (int i = 0; i < LANES; i++) {
        store_le64(blocks + 16 * i, lo.lane[i]);
        store_le64(blocks + 16 * i + 8, hi.lane[i]);
    }
}

#undef VEC_MAP

#endif
