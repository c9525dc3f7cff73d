/* Lanes of SSE2: two, in order. The operations are defined in portable.h. */
#ifndef HORNET_LANES_SSE2_H
#define HORNET_LANES_SSE2_H

#include "../words.h"

#define LANES 2

typedef __m128i vec;

HORNET_INLINE vec vec_splat(uint64_t value) { return _mm_set1_epi64x((long long)value); }

HORNET_INLINE vec vec_add(vec a, vec b) { return _mm_add_epi64(a, b); }

HORNET_INLINE vec vec_sub(vec a, vec b) { return _mm_sub_epi64(a, b); }

HORNET_INLINE vec vec_and(vec a, vec b) { return _mm_and_si128(a, b); }

HORNET_INLINE vec vec_or(vec a, vec b) { return _mm_or_si128(a, b); }

#define vec_shl(a, bits) _mm_slli_epi64(a, bits)
#define vec_shr(a, bits) _mm_srli_epi64(a, bits)

HORNET_INLINE vec vec_mul32(vec a, vec b) { return _mm_mul_epu32(a, b); }

HORNET_INLINE vec vec_opaque(vec a)
{
    HORNET_OPAQUE("x", a);
    return a;
}

HORNET_INLINE vec vec_only_first(uint64_t value)
{
    return _mm_loadl_epi64((const __m128i *)(const void *)&value);
}

HORNET_INLINE vec vec_first(vec a) { return _mm_unpacklo_epi64(a, a); }

HORNET_INLINE vec vec_block(const vec *v, size_t block)
{
    static const uint8_t lane_of[LANES] = {0, 1};
    uint64_t value;
    memcpy(&value, (const uint8_t *)v + 8 * lane_of[block], sizeof value);
    return vec_splat(value);
}

HORNET_INLINE vec vec_blend(int bit, vec even, vec odd)
{
    (void)bit; /* 0: there are two lanes */
    return _mm_castpd_si128(_mm_move_sd(_mm_castsi128_pd(odd), _mm_castsi128_pd(even)));
}

HORNET_INLINE uint64_t vec_sum(vec a)
{
    const vec sum = _mm_add_epi64(a, _mm_unpackhi_epi64(a, a));
    uint64_t result;
    _mm_storel_epi64((__m128i *)&result, sum);
    return result;
}

HORNET_INLINE void vec_load_blocks(const uint8_t *blocks, vec *lo, vec *hi)
{
    const vec b0 = _mm_loadu_si128((const __m128i *)(const void *)blocks);
    const vec b1 = _mm_loadu_si128((const __m128i *)(const void *)(blocks + 16));
    *lo = _mm_unpacklo_epi64(b0, b1);
    *hi = _mm_unpackhi_epi64(b0, b1);
}

HORNET_INLINE void vec_load_each(const uint8_t *const blocks[LANES], size_t offset, vec *lo, vec *hi)
{
    const vec b0 = _mm_loadu_si128((const __m128i *)(const void *)(blocks[0] + offset));
    const vec b1 = _mm_loadu_si128((const __m128i *)(const void *)(blocks[1] + offset));
    *lo = _mm_unpacklo_epi64(b0, b1);
    *hi = _mm_unpackhi_epi64(b0, b1);
}

HORNET_INLINE void vec_store_blocks(uint8_t *blocks, vec lo, vec hi)
{
    _mm_storeu_si128((__m128i *)(void *)blocks, _mm_unpacklo_epi64(lo, hi));
    _mm_storeu_si128((__m128i *)(void *)(blocks + 16), _mm_unpackhi_epi64(lo, hi));
}

#endif
