/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AVX-512F lanes: eight, holding blocks 0, 4, 1, 5, 2, 6, 3, 7.
 *
 * As with AVX2, two unpacks within 128-bit quarters give that order:
 *
 *     registers loaded      lo0 hi0 | lo1 hi1 | lo2 hi2 | lo3 hi3     lo4 hi4 | lo5 hi5 | lo6 hi6 | lo7 hi7
 *     unpacklo, unpackhi    lo0 lo4 | lo1 lo5 | lo2 lo6 | lo3 lo7     hi0 hi4 | hi1 hi5 | hi2 hi6 | hi3 hi7
 */
#ifndef LANES

#include <stddef.h>
#include <stdint.h>

#include "../../core/intrinsics.h"
#include "../../core/memory.h"

#define HORNET_TARGET "avx512f"
#define LANES         8
#define LANES_MULTIPLY_32
#define LANES_CLEAR_STACK hornet_clear_stack_avx512

#include "../../core/target_begin.h"

typedef __m512i vec;

HORNET_INLINE vec vec_splat(uint64_t value) { return _mm512_set1_epi64((long long)value); }
HORNET_INLINE vec vec_add(vec a, vec b) { return _mm512_add_epi64(a, b); }
HORNET_INLINE vec vec_sub(vec a, vec b) { return _mm512_sub_epi64(a, b); }
HORNET_INLINE vec vec_and(vec a, vec b) { return _mm512_and_si512(a, b); }
HORNET_INLINE vec vec_or(vec a, vec b) { return _mm512_or_si512(a, b); }
HORNET_INLINE vec vec_mul32(vec a, vec b) { return _mm512_mul_epu32(a, b); }

/* Without optimization, gcc's intrinsics require literal shift counts. GCC/Clang vector extensions do not,
 * but gcc 12 merges their shifts and then runs out of registers. */
#ifdef __OPTIMIZE__
HORNET_INLINE vec vec_shl(vec a, int bits) { return _mm512_slli_epi64(a, (unsigned)bits); }
HORNET_INLINE vec vec_shr(vec a, int bits) { return _mm512_srli_epi64(a, (unsigned)bits); }
#else
typedef uint64_t vec_words __attribute__((vector_size(64)));
HORNET_INLINE vec vec_shl(vec a, int bits) { return (vec)((vec_words)a << bits); }
HORNET_INLINE vec vec_shr(vec a, int bits) { return (vec)((vec_words)a >> bits); }
#endif

HORNET_INLINE vec vec_barrier(vec a)
{
    HORNET_VALUE_BARRIER("v", a);
    return a;
}

HORNET_INLINE vec factor_in_order(vec a)
{
    HORNET_IN_ORDER("v", a);
    return a;
}

HORNET_INLINE vec vec_only_block(size_t block, uint64_t value)
{
    const unsigned lane = (unsigned)(block % 4 * 2 + block / 4);
    return _mm512_maskz_set1_epi64((__mmask8)(1U << lane), (long long)value);
}

HORNET_INLINE uint64_t factor_word(vec a)
{
    uint64_t word;
    _mm_storel_epi64((__m128i *)(void *)&word, _mm512_castsi512_si128(a));
    return word;
}

HORNET_INLINE vec factor_first(vec a) { return _mm512_broadcastq_epi64(_mm512_castsi512_si128(a)); }

HORNET_INLINE vec factor_block(const vec *a, size_t block)
{
    static const uint8_t lane_of[LANES] = {0, 2, 4, 6, 1, 3, 5, 7};
    uint64_t value;
    memcpy(&value, (const uint8_t *)a + 8 * lane_of[block], sizeof value);
    return vec_splat(value);
}

/* Masks have one bit per lane; set bits select `odd`. */
HORNET_INLINE vec factor_blend(int bit, vec even, vec odd)
{
    const __mmask8 mask = bit == 0   ? 0xCC  /* blocks 1, 5, 3, 7: lanes 2, 3, 6, 7 */
                          : bit == 1 ? 0xF0  /* blocks 2, 6, 3, 7: lanes 4 to 7 */
                                     : 0xAA; /* blocks 4, 5, 6, 7: lanes 1, 3, 5, 7 */
    return _mm512_mask_blend_epi64(mask, even, odd);
}

HORNET_INLINE uint64_t vec_sum(vec a) { return (uint64_t)_mm512_reduce_add_epi64(a); }

HORNET_INLINE void vec_load_blocks(const uint8_t *blocks, vec *lo, vec *hi)
{
    const vec b0123 = _mm512_loadu_si512(blocks);
    const vec b4567 = _mm512_loadu_si512(blocks + 64);
    *lo = _mm512_unpacklo_epi64(b0123, b4567);
    *hi = _mm512_unpackhi_epi64(b0123, b4567);
}

HORNET_INLINE __m128i load_block(const uint8_t *block)
{
    return _mm_loadu_si128((const __m128i *)(const void *)block);
}

HORNET_INLINE void vec_load_first_blocks(const uint8_t *first, size_t absent, vec *lo, vec *hi, vec *top)
{
    static const uint8_t lanes_there[LANES] = {0xff, 0xfe, 0xfa, 0xea, 0xaa, 0xa8, 0xa0, 0x80};
    /* Computed as an integer, because a pointer must not point before a message. */
    const uint8_t *blocks = (const uint8_t *)((uintptr_t)first - 16 * absent);
    const unsigned words_there = 0xffffU << (2 * absent);
    const vec b0123 = _mm512_maskz_loadu_epi64((__mmask8)words_there, blocks);
    const vec b4567 = _mm512_maskz_loadu_epi64((__mmask8)(words_there >> 8), blocks + 64);
    *lo = _mm512_unpacklo_epi64(b0123, b4567);
    *hi = _mm512_unpackhi_epi64(b0123, b4567);
    *top = _mm512_maskz_set1_epi64(lanes_there[absent], 1);
}

HORNET_INLINE void vec_load_last_blocks(const uint8_t *blocks, const uint64_t *last, vec *lo, vec *hi,
                                        vec *top)
{
    const vec b0123 = _mm512_loadu_si512(blocks);
    const vec b4567 = _mm512_inserti32x4(_mm512_maskz_loadu_epi64(0x3f, blocks + 64),
                                         _mm_set_epi64x((long long)last[1], (long long)last[0]), 3);
    *lo = _mm512_unpacklo_epi64(b0123, b4567);
    *hi = _mm512_unpackhi_epi64(b0123, b4567);
    *top = _mm512_mask_set1_epi64(vec_splat(1), 0x80, (long long)last[2]);
}

/* Loads four separate blocks into the four quarters. */
HORNET_INLINE vec load_quarters(const uint8_t *const *blocks, size_t offset)
{
    vec all = _mm512_castsi128_si512(load_block(blocks[0] + offset));
    all = _mm512_mask_broadcast_i32x4(all, 0x00f0, load_block(blocks[1] + offset));
    all = _mm512_mask_broadcast_i32x4(all, 0x0f00, load_block(blocks[2] + offset));
    return _mm512_mask_broadcast_i32x4(all, 0xf000, load_block(blocks[3] + offset));
}

HORNET_INLINE void vec_load_each(const uint8_t *const *blocks, size_t offset, vec *lo, vec *hi)
{
    const vec b0123 = load_quarters(blocks, offset);
    const vec b4567 = load_quarters(blocks + 4, offset);
    *lo = _mm512_unpacklo_epi64(b0123, b4567);
    *hi = _mm512_unpackhi_epi64(b0123, b4567);
}

HORNET_INLINE void vec_load_rows(const uint8_t *rows, vec words[4])
{
    const vec r01 = _mm512_loadu_si512(rows), r23 = _mm512_loadu_si512(rows + 64),
              r45 = _mm512_loadu_si512(rows + 128), r67 = _mm512_loadu_si512(rows + 192);
    const vec even0145 = _mm512_unpacklo_epi64(r01, r45), even2367 = _mm512_unpacklo_epi64(r23, r67);
    const vec odd0145 = _mm512_unpackhi_epi64(r01, r45), odd2367 = _mm512_unpackhi_epi64(r23, r67);
    words[0] = _mm512_shuffle_i64x2(even0145, even2367, 0x88);
    words[1] = _mm512_shuffle_i64x2(odd0145, odd2367, 0x88);
    words[2] = _mm512_shuffle_i64x2(even0145, even2367, 0xdd);
    words[3] = _mm512_shuffle_i64x2(odd0145, odd2367, 0xdd);
}

HORNET_INLINE void vec_store_blocks(uint8_t *blocks, vec lo, vec hi)
{
    _mm512_storeu_si512(blocks, _mm512_unpacklo_epi64(lo, hi));
    _mm512_storeu_si512(blocks + 64, _mm512_unpackhi_epi64(lo, hi));
}

#include "../../core/target_end.h"

#endif
