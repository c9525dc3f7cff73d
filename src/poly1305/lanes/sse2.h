/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* SSE2 lanes: two, in order. */
#ifndef LANES

#include <stddef.h>
#include <stdint.h>

#include "../../core/intrinsics.h"
#include "../../core/memory.h"

#define HORNET_TARGET "sse2"
#define LANES         2
#define LANES_MULTIPLY_32
#define LANES_CLEAR_STACK hornet_clear_stack

#include "../../core/target_begin.h"

typedef __m128i vec;

HORNET_INLINE vec vec_splat(uint64_t value) { return _mm_set1_epi64x((long long)value); }
HORNET_INLINE vec vec_add(vec a, vec b) { return _mm_add_epi64(a, b); }
HORNET_INLINE vec vec_sub(vec a, vec b) { return _mm_sub_epi64(a, b); }
HORNET_INLINE vec vec_and(vec a, vec b) { return _mm_and_si128(a, b); }
HORNET_INLINE vec vec_or(vec a, vec b) { return _mm_or_si128(a, b); }
HORNET_INLINE vec vec_shl(vec a, int bits) { return _mm_slli_epi64(a, bits); }
HORNET_INLINE vec vec_shr(vec a, int bits) { return _mm_srli_epi64(a, bits); }
HORNET_INLINE vec vec_mul32(vec a, vec b) { return _mm_mul_epu32(a, b); }

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

HORNET_INLINE vec vec_only_block(size_t block, uint64_t value)
{
    const vec first = _mm_loadl_epi64((const __m128i *)(const void *)&value);
    return block == 0 ? first : _mm_slli_si128(first, 8);
}

HORNET_INLINE uint64_t factor_word(vec a)
{
    uint64_t word;
    _mm_storel_epi64((__m128i *)(void *)&word, a);
    return word;
}

HORNET_INLINE vec factor_first(vec a) { return _mm_unpacklo_epi64(a, a); }

HORNET_INLINE vec factor_block(const vec *a, size_t block)
{
    uint64_t value;
    memcpy(&value, (const uint8_t *)a + 8 * block, sizeof value);
    return vec_splat(value);
}

HORNET_INLINE vec factor_blend(int bit, vec even, vec odd)
{
    (void)bit; /* always 0: there are two lanes */
    return _mm_castpd_si128(_mm_move_sd(_mm_castsi128_pd(odd), _mm_castsi128_pd(even)));
}

HORNET_INLINE uint64_t vec_sum(vec a)
{
    const vec sum = _mm_add_epi64(a, _mm_unpackhi_epi64(a, a));
    uint64_t result;
    _mm_storel_epi64((__m128i *)&result, sum);
    return result;
}

HORNET_INLINE vec load_block(const uint8_t *block)
{
    return _mm_loadu_si128((const __m128i *)(const void *)block);
}

HORNET_INLINE void vec_load_blocks(const uint8_t *blocks, vec *lo, vec *hi)
{
    const vec b0 = load_block(blocks), b1 = load_block(blocks + 16);
    *lo = _mm_unpacklo_epi64(b0, b1);
    *hi = _mm_unpackhi_epi64(b0, b1);
}

HORNET_INLINE void vec_load_first_blocks(const uint8_t *first, size_t absent, vec *lo, vec *hi, vec *top)
{
    const vec b0 = absent == 0 ? load_block(first) : _mm_setzero_si128();
    const vec b1 = load_block(first + (absent == 0 ? 16 : 0));
    *lo = _mm_unpacklo_epi64(b0, b1);
    *hi = _mm_unpackhi_epi64(b0, b1);
    *top = _mm_set_epi64x(1, absent == 0);
}

HORNET_INLINE void vec_load_last_blocks(const uint8_t *blocks, const uint64_t *last, vec *lo, vec *hi,
                                        vec *top)
{
    const vec b0 = load_block(blocks), b1 = _mm_set_epi64x((long long)last[1], (long long)last[0]);
    *lo = _mm_unpacklo_epi64(b0, b1);
    *hi = _mm_unpackhi_epi64(b0, b1);
    *top = _mm_set_epi64x((long long)last[2], 1);
}

HORNET_INLINE void vec_load_each(const uint8_t *const *blocks, size_t offset, vec *lo, vec *hi)
{
    const vec b0 = load_block(blocks[0] + offset), b1 = load_block(blocks[1] + offset);
    *lo = _mm_unpacklo_epi64(b0, b1);
    *hi = _mm_unpackhi_epi64(b0, b1);
}

HORNET_INLINE void vec_load_rows(const uint8_t *rows, vec words[4])
{
    const uint8_t *const blocks[2] = {rows, rows + 32};
    vec_load_each(blocks, 0, &words[0], &words[1]);
    vec_load_each(blocks, 16, &words[2], &words[3]);
}

HORNET_INLINE void vec_store_blocks(uint8_t *blocks, vec lo, vec hi)
{
    _mm_storeu_si128((__m128i *)(void *)blocks, _mm_unpacklo_epi64(lo, hi));
    _mm_storeu_si128((__m128i *)(void *)(blocks + 16), _mm_unpackhi_epi64(lo, hi));
}

#include "../../core/target_end.h"

#endif
