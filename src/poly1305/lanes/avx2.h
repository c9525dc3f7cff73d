/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AVX2 lanes: four, holding blocks 0, 2, 1, 3.
 *
 * Two unpacks, which work within 128-bit halves, give that order; restoring the order of the blocks would
 * cost two permutations per group:
 *
 *     registers loaded      lo0 hi0 | lo1 hi1     lo2 hi2 | lo3 hi3
 *     unpacklo, unpackhi    lo0 lo2 | lo1 lo3     hi0 hi2 | hi1 hi3
 */
#ifndef LANES

#include <stddef.h>
#include <stdint.h>

#include "../../core/intrinsics.h"
#include "../../core/memory.h"

#define HORNET_TARGET "avx2"
#define LANES         4
#define LANES_MULTIPLY_32
#define LANES_CLEAR_STACK hornet_clear_stack_avx

#include "../../core/target_begin.h"

typedef __m256i vec;

HORNET_INLINE vec vec_splat(uint64_t value) { return _mm256_set1_epi64x((long long)value); }
HORNET_INLINE vec vec_add(vec a, vec b) { return _mm256_add_epi64(a, b); }
HORNET_INLINE vec vec_sub(vec a, vec b) { return _mm256_sub_epi64(a, b); }
HORNET_INLINE vec vec_and(vec a, vec b) { return _mm256_and_si256(a, b); }
HORNET_INLINE vec vec_or(vec a, vec b) { return _mm256_or_si256(a, b); }
HORNET_INLINE vec vec_shl(vec a, int bits) { return _mm256_slli_epi64(a, bits); }
HORNET_INLINE vec vec_shr(vec a, int bits) { return _mm256_srli_epi64(a, bits); }
HORNET_INLINE vec vec_mul32(vec a, vec b) { return _mm256_mul_epu32(a, b); }

HORNET_INLINE vec vec_barrier(vec a)
{
    HORNET_VALUE_BARRIER("x", a);
    return a;
}

HORNET_INLINE vec factor_in_order(vec a)
{
    HORNET_IN_ORDER("x", a);
    return a;
}

/* Loads two consecutive blocks. */
HORNET_INLINE vec load_two_blocks(const uint8_t *blocks)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)blocks);
}

/* Loads the window over words[0 .. 16) that begins at words[8 - 2 shift], as words for blocks 0 to 3. */
HORNET_INLINE void load_window(const int64_t words[16], size_t shift, vec *b01, vec *b23)
{
    const int64_t *window = words + 8 - 2 * shift;
    *b01 = _mm256_loadu_si256((const __m256i *)(const void *)window);
    *b23 = _mm256_loadu_si256((const __m256i *)(const void *)(window + 4));
}

HORNET_INLINE vec vec_only_block(size_t block, uint64_t value)
{
    static const int64_t one_block[16] = {[8] = -1, [9] = -1};
    vec b01, b23;
    load_window(one_block, block, &b01, &b23);
    return vec_and(vec_splat(value), _mm256_unpacklo_epi64(b01, b23));
}

HORNET_INLINE uint64_t factor_word(vec a)
{
    uint64_t word;
    _mm_storel_epi64((__m128i *)(void *)&word, _mm256_castsi256_si128(a));
    return word;
}

HORNET_INLINE vec factor_first(vec a) { return _mm256_broadcastq_epi64(_mm256_castsi256_si128(a)); }

HORNET_INLINE vec factor_block(const vec *a, size_t block)
{
    static const uint8_t lane_of[LANES] = {0, 2, 1, 3};
    uint64_t value;
    memcpy(&value, (const uint8_t *)a + 8 * lane_of[block], sizeof value);
    return vec_splat(value);
}

/* Masks have one bit per 32-bit half of a lane; set bits select `odd`. */
HORNET_INLINE vec factor_blend(int bit, vec even, vec odd)
{
    return bit == 0 ? _mm256_blend_epi32(even, odd, 0xF0)  /* blocks 1, 3: lanes 2, 3 */
                    : _mm256_blend_epi32(even, odd, 0xCC); /* blocks 2, 3: lanes 1, 3 */
}

HORNET_INLINE uint64_t vec_sum(vec a)
{
    const __m128i halves = _mm_add_epi64(_mm256_castsi256_si128(a), _mm256_extracti128_si256(a, 1));
    const __m128i sum = _mm_add_epi64(halves, _mm_unpackhi_epi64(halves, halves));
    uint64_t result;
    _mm_storel_epi64((__m128i *)&result, sum);
    return result;
}

HORNET_INLINE void vec_load_blocks(const uint8_t *blocks, vec *lo, vec *hi)
{
    const vec b01 = load_two_blocks(blocks), b23 = load_two_blocks(blocks + 32);
    *lo = _mm256_unpacklo_epi64(b01, b23);
    *hi = _mm256_unpackhi_epi64(b01, b23);
}

HORNET_INLINE void vec_load_first_blocks(const uint8_t *first, size_t absent, vec *lo, vec *hi, vec *top)
{
    static const int64_t from_middle[16] = {[8] = -1, -1, -1, -1, -1, -1, -1, -1};
    /* Computed as an integer, because a pointer must not point before a message. */
    const long long *blocks = (const long long *)((uintptr_t)first - 16 * absent);
    vec m01, m23;
    load_window(from_middle, absent, &m01, &m23);
    const vec b01 = _mm256_maskload_epi64(blocks, m01), b23 = _mm256_maskload_epi64(blocks + 4, m23);
    *lo = _mm256_unpacklo_epi64(b01, b23);
    *hi = _mm256_unpackhi_epi64(b01, b23);
    *top = vec_shr(_mm256_unpacklo_epi64(m01, m23), 63);
}

HORNET_INLINE void vec_load_last_blocks(const uint8_t *blocks, const uint64_t *last, vec *lo, vec *hi,
                                        vec *top)
{
    const vec b01 = load_two_blocks(blocks);
    const vec b23 = _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(blocks + 32))),
        _mm_set_epi64x((long long)last[1], (long long)last[0]), 1);
    *lo = _mm256_unpacklo_epi64(b01, b23);
    *hi = _mm256_unpackhi_epi64(b01, b23);
    *top = _mm256_set_epi64x((long long)last[2], 1, 1, 1);
}

/* Loads two separate blocks into the two halves. */
HORNET_INLINE vec load_halves(const uint8_t *const *blocks, size_t offset)
{
    return _mm256_inserti128_si256(
        _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(blocks[0] + offset))),
        _mm_loadu_si128((const __m128i *)(const void *)(blocks[1] + offset)), 1);
}

HORNET_INLINE void vec_load_each(const uint8_t *const *blocks, size_t offset, vec *lo, vec *hi)
{
    const vec b01 = load_halves(blocks, offset);
    const vec b23 = load_halves(blocks + 2, offset);
    *lo = _mm256_unpacklo_epi64(b01, b23);
    *hi = _mm256_unpackhi_epi64(b01, b23);
}

HORNET_INLINE void vec_load_rows(const uint8_t *rows, vec words[4])
{
    const vec r0 = load_two_blocks(rows), r1 = load_two_blocks(rows + 32), r2 = load_two_blocks(rows + 64),
              r3 = load_two_blocks(rows + 96);
    const vec even02 = _mm256_unpacklo_epi64(r0, r2), even13 = _mm256_unpacklo_epi64(r1, r3);
    const vec odd02 = _mm256_unpackhi_epi64(r0, r2), odd13 = _mm256_unpackhi_epi64(r1, r3);
    words[0] = _mm256_permute2x128_si256(even02, even13, 0x20);
    words[1] = _mm256_permute2x128_si256(odd02, odd13, 0x20);
    words[2] = _mm256_permute2x128_si256(even02, even13, 0x31);
    words[3] = _mm256_permute2x128_si256(odd02, odd13, 0x31);
}

HORNET_INLINE void vec_store_blocks(uint8_t *blocks, vec lo, vec hi)
{
    _mm256_storeu_si256((__m256i *)(void *)blocks, _mm256_unpacklo_epi64(lo, hi));
    _mm256_storeu_si256((__m256i *)(void *)(blocks + 32), _mm256_unpackhi_epi64(lo, hi));
}

#include "../../core/target_end.h"

#endif
