/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The operations that Goll and Gueron's packing needs in addition to src/poly1305/lanes.h: permutations
 * of 32-bit numbers, two per lane, and vectors of four lanes, quads, for blocks that do not fill more.
 * Include it after the lanes file of AVX2, where a quad is a vec, of AVX-512F, or of plain C with four
 * or eight lanes.
 *
 * Immediate operands require macros for some operations. In a permutation by an immediate, bits 2 i and
 * 2 i + 1 select which of four lanes goes to lane i. */
#ifndef HORNET_STUDY_LANES_PACKED_H
#define HORNET_STUDY_LANES_PACKED_H

#include "../../../src/poly1305/lanes.h"

/* Defined by lanes that count their operations. */
#ifndef COUNT_OPERATION
#define COUNT_OPERATION(kind) ((void)0)
#endif

#ifndef HORNET_TARGET
typedef struct {
    uint64_t lane[4];
} packed_quad;

#define QUAD_MAP(kind, expression)                                                                         \
    packed_quad map_result;                                                                                \
    COUNT_OPERATION(kind);                                                                                 \
    for (int i = 0; i < 4; i++)                                                                            \
        map_result.lane[i] = (expression);                                                                 \
    return map_result
#define PACKED_VEC_MAP(kind, expression)                                                                   \
    vec map_result;                                                                                        \
    COUNT_OPERATION(kind);                                                                                 \
    for (int i = 0; i < LANES; i++)                                                                        \
        map_result.lane[i] = (expression);                                                                 \
    return map_result

HORNET_INLINE packed_quad quad_set(uint64_t l0, uint64_t l1, uint64_t l2, uint64_t l3)
{
    COUNT_OPERATION(SET);
    return (packed_quad){{l0, l1, l2, l3}};
}

HORNET_INLINE packed_quad quad_add(packed_quad a, packed_quad b) { QUAD_MAP(ADD, a.lane[i] + b.lane[i]); }
HORNET_INLINE packed_quad quad_and(packed_quad a, packed_quad b) { QUAD_MAP(LOGIC, a.lane[i] & b.lane[i]); }
HORNET_INLINE packed_quad quad_shr(packed_quad a, int bits) { QUAD_MAP(SHIFT, a.lane[i] >> bits); }

HORNET_INLINE packed_quad quad_mul32(packed_quad a, packed_quad b)
{
    QUAD_MAP(MUL32, (uint64_t)(uint32_t)a.lane[i] * (uint32_t)b.lane[i]);
}

/* The i-th 32-bit number: index[i] selects one of eight. */
HORNET_INLINE uint64_t numbered32(const uint64_t *lanes, uint64_t index)
{
    return (uint32_t)(lanes[index / 2 & 3] >> (32 * (index & 1)));
}

HORNET_INLINE packed_quad quad_permute32(packed_quad a, packed_quad index)
{
    QUAD_MAP(PERMUTE32, numbered32(a.lane, index.lane[i] & 7) | numbered32(a.lane, index.lane[i] >> 32 & 7)
                                                                    << 32);
}

HORNET_INLINE packed_quad quad_permute64(packed_quad a, unsigned which)
{
    QUAD_MAP(PERMUTE64, a.lane[which >> (2 * i) & 3]);
}

HORNET_INLINE packed_quad quad_unpack_lo(packed_quad a, packed_quad b)
{
    COUNT_OPERATION(UNPACK);
    return (packed_quad){{a.lane[0], b.lane[0], a.lane[2], b.lane[2]}};
}

HORNET_INLINE packed_quad quad_unpack_hi(packed_quad a, packed_quad b)
{
    COUNT_OPERATION(UNPACK);
    return (packed_quad){{a.lane[1], b.lane[1], a.lane[3], b.lane[3]}};
}

HORNET_INLINE packed_quad quad_low_halves(packed_quad a, packed_quad b)
{
    COUNT_OPERATION(UNPACK);
    return (packed_quad){{a.lane[0], a.lane[1], b.lane[0], b.lane[1]}};
}

HORNET_INLINE packed_quad quad_high_halves(packed_quad a, packed_quad b)
{
    COUNT_OPERATION(UNPACK);
    return (packed_quad){{a.lane[2], a.lane[3], b.lane[2], b.lane[3]}};
}

HORNET_INLINE vec vec_permute32(vec a, vec index)
{
    PACKED_VEC_MAP(PERMUTE32, numbered32(a.lane + i / 4 * 4, index.lane[i] & 7) |
                                  numbered32(a.lane + i / 4 * 4, index.lane[i] >> 32 & 7) << 32);
}

HORNET_INLINE vec vec_permute64(vec a, unsigned which)
{
    PACKED_VEC_MAP(PERMUTE64, a.lane[i / 4 * 4 + (which >> (2 * (i % 4)) & 3)]);
}

HORNET_INLINE vec vec_swap_index(void)
{
    PACKED_VEC_MAP(SET, (uint64_t)(i % 4 * 2) << 32 | (uint64_t)(i % 4 * 2 + 1));
}

HORNET_INLINE vec vec_blend_odd32(vec a, vec b)
{
    PACKED_VEC_MAP(BLEND, (a.lane[i] & UINT32_MAX) | (b.lane[i] & ~(uint64_t)UINT32_MAX));
}

HORNET_INLINE vec vec_natural(vec a)
{
    COUNT_OPERATION(PERMUTE64);
    return a;
}

HORNET_INLINE vec vec_of_quads(packed_quad a) { PACKED_VEC_MAP(SET, a.lane[i % 4]); }
HORNET_INLINE vec vec_top_quad(packed_quad a)
{
    PACKED_VEC_MAP(PERMUTE64, i < LANES - 4 ? 0 : a.lane[i % 4]);
}

HORNET_INLINE packed_quad quad_folded(vec a)
{
    QUAD_MAP(ADD, a.lane[i] + (LANES == 8 ? a.lane[LANES - 4 + i] : 0));
}

#undef QUAD_MAP
#undef PACKED_VEC_MAP
#else
typedef __m256i packed_quad;

HORNET_INLINE packed_quad quad_set(uint64_t l0, uint64_t l1, uint64_t l2, uint64_t l3)
{
    return _mm256_set_epi64x((long long)l3, (long long)l2, (long long)l1, (long long)l0);
}

HORNET_INLINE packed_quad quad_add(packed_quad a, packed_quad b) { return _mm256_add_epi64(a, b); }
HORNET_INLINE packed_quad quad_and(packed_quad a, packed_quad b) { return _mm256_and_si256(a, b); }
HORNET_INLINE packed_quad quad_shr(packed_quad a, int bits) { return _mm256_srli_epi64(a, bits); }
HORNET_INLINE packed_quad quad_mul32(packed_quad a, packed_quad b) { return _mm256_mul_epu32(a, b); }

HORNET_INLINE packed_quad quad_permute32(packed_quad a, packed_quad index)
{
    return _mm256_permutevar8x32_epi32(a, index);
}

#define quad_permute64(a, which) _mm256_permute4x64_epi64(a, which)

HORNET_INLINE packed_quad quad_unpack_lo(packed_quad a, packed_quad b)
{
    return _mm256_unpacklo_epi64(a, b);
}

HORNET_INLINE packed_quad quad_unpack_hi(packed_quad a, packed_quad b)
{
    return _mm256_unpackhi_epi64(a, b);
}

HORNET_INLINE packed_quad quad_low_halves(packed_quad a, packed_quad b)
{
    return _mm256_permute2x128_si256(a, b, 0x20);
}

HORNET_INLINE packed_quad quad_high_halves(packed_quad a, packed_quad b)
{
    return _mm256_permute2x128_si256(a, b, 0x31);
}

#if LANES == 4
HORNET_INLINE vec vec_permute32(vec a, vec index) { return _mm256_permutevar8x32_epi32(a, index); }
#define vec_permute64(a, which) _mm256_permute4x64_epi64(a, which)
HORNET_INLINE vec vec_swap_index(void) { return _mm256_set_epi32(6, 7, 4, 5, 2, 3, 0, 1); }
HORNET_INLINE vec vec_blend_odd32(vec a, vec b) { return _mm256_blend_epi32(a, b, 0xAA); }
HORNET_INLINE vec vec_natural(vec a) { return _mm256_permute4x64_epi64(a, 0xD8); }
HORNET_INLINE vec vec_of_quads(packed_quad a) { return a; }
HORNET_INLINE vec vec_top_quad(packed_quad a) { return a; }
HORNET_INLINE packed_quad quad_folded(vec a) { return a; }
#else
HORNET_INLINE vec vec_permute32(vec a, vec index) { return _mm512_permutexvar_epi32(index, a); }
#define vec_permute64(a, which) _mm512_permutex_epi64(a, which)

HORNET_INLINE vec vec_swap_index(void)
{
    return _mm512_set_epi32(14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3, 0, 1);
}

HORNET_INLINE vec vec_blend_odd32(vec a, vec b) { return _mm512_mask_blend_epi32(0xAAAA, a, b); }

HORNET_INLINE vec vec_natural(vec a)
{
    return _mm512_permutexvar_epi64(_mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0), a);
}

HORNET_INLINE vec vec_of_quads(packed_quad a) { return _mm512_broadcast_i64x4(a); }
HORNET_INLINE vec vec_top_quad(packed_quad a) { return _mm512_inserti64x4(_mm512_setzero_si512(), a, 1); }

HORNET_INLINE packed_quad quad_folded(vec a)
{
    return _mm256_add_epi64(_mm512_castsi512_si256(a), _mm512_extracti64x4_epi64(a, 1));
}
#endif
#endif

HORNET_INLINE packed_quad quad_splat(uint64_t value) { return quad_set(value, value, value, value); }

#endif
