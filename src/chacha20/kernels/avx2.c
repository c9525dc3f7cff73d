/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in AVX2 registers. */
#include "../../core/compiler.h"

#if HORNET_X86

#include "../../core/intrinsics.h"

#define KERNEL                      avx2
#define KERNEL_REQUIRED             (CPU_avx2 | CPU_bmi2)
#define KERNEL_HAS_MULX             /* gcc and clang lose 20 to 50 cycles by moving operands and products of mulq */
#define HORNET_TARGET               "avx2"
#define WORDS                       8
#define WORDS_REGISTER              "x"
#define WORDS_ROTATE_BYTES(a, from) _mm256_shuffle_epi8((__m256i)(a), (__m256i)(from))
#define WORDS_BROADCAST(p)          _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(p)))
#define WORDS_LOAD_PARTS(p)                                                                                \
    _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(p)[0])),              \
                            _mm_loadu_si128((const __m128i *)(p)[1]), 1)
#define WORDS_LOAD_WORDS(p, whole) _mm256_maskload_epi32((const int *)(p), (__m256i)(whole))
#define LANES_SETS                 1
/* A set has barely enough registers, and compilers keep fewer values there if they change the order: on Zen
 * 5, two sets with a companion take 1020 and 1040 cycles if all is in order (gcc 12 and clang 19), else
 * 1060 and 1130. But gcc then copies a vector in every fourth operation: on Zen 4, the same pass takes 1210
 * cycles instead of 1325 (2026-11-27), and clang's takes a hundredth more. */
#ifdef __clang__
#define LANES_IN_ORDER(x) HORNET_IN_ORDER("x", x)
#else
#define LANES_IN_ORDER(x) HORNET_NOT_LATER("x", x)
#endif
#define LAYOUTS(X)                                                                                         \
    X(key, 0, 0, 1, 0, 0)                                                                                  \
    X(rows1, 0, 1, 0, AVX2_STITCHED(4), 0)                                                                 \
    X(rows2, 0, 2, 0, AVX2_STITCHED(4), 0)                                                                 \
    X(rows3, 0, 3, 0, AVX2_STITCHED(4), 0)                                                                 \
    X(lanes1, 1, 0, 0, AVX2_STITCHED(4), 0)                                                                \
    X(lanes1_key, 1, 0, 1, 0, 0)                                                                           \
    X(lanes2, 2, 0, 0, AVX2_STITCHED(7), 0)                                                                \
    X(lanes2_key, 2, 0, 1, 0, 0)
#define LAYOUTS_ALONE(X)  X(rows1) X(rows2) X(rows3) X(lanes1) X(lanes2)
#define PASS_TABLE        avx2
#define KERNEL_TUNINGS(X) X(golden_cove, avx2_golden_cove) X(zen4, avx2_zen4)
#if HORNET_INT128
#define AVX2_STITCHED(n) n
#else
#define AVX2_STITCHED(n) 0
#endif
#include "../../aead/stitched.h"
#include "../layouts/kernel.h"

#endif
