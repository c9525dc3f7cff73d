/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in 512-bit registers. AVX-512 can rotate words and has enough registers for two sets of
 * lanes. */
#include "../../core/compiler.h"

#if HORNET_X86

#include "../../core/intrinsics.h"

#define KERNEL             avx512
#define KERNEL_REQUIRED    (CPU_avx2 | CPU_avx512f | CPU_avx512bw)
#define HORNET_TARGET      "avx512f,avx512bw"
#define WORDS              16
#define WORDS_REGISTER     "v"
#define WORDS_BROADCAST(p) _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(p)))
#define WORDS_PART(p, i)   _mm_loadu_si128((const __m128i *)(p)[i])
#define WORDS_LOAD_PARTS(p)                                                                                \
    _mm512_mask_broadcast_i32x4(                                                                           \
        _mm512_mask_broadcast_i32x4(_mm512_mask_broadcast_i32x4(_mm512_castsi128_si512(WORDS_PART(p, 0)),  \
                                                                0x00f0, WORDS_PART(p, 1)),                 \
                                    0x0f00, WORDS_PART(p, 2)),                                             \
        0xf000, WORDS_PART(p, 3))
#define WORDS_MASKED
#define WORDS_MASKED_LOAD(p, n)     _mm512_maskz_loadu_epi8((UINT64_C(1) << (n)) - 1, p)
#define WORDS_MASKED_STORE(p, a, n) _mm512_mask_storeu_epi8(p, (UINT64_C(1) << (n)) - 1, (__m512i)(a))
#ifdef __x86_64__ /* 32 registers */
#define LANES_SETS 2
#else
#define LANES_SETS 1
#endif
#define ROWS_IN_TURN
#define LAYOUTS(X)                                                                                         \
    X(key, 0, 0, 1, 0, 0)                                                                                  \
    X(rows1, 0, 1, 0, 0, 0)                                                                                \
    X(rows2, 0, 2, 0, 0, 0)                                                                                \
    X(rows3, 0, 3, 0, 0, 0)                                                                                \
    X(lanes1, 1, 0, 0, 5, 0)                                                                               \
    X(lanes1_key, 1, 0, 1, 0, 0)                                                                           \
    X(lanes1_rows1, 1, 1, 0, 5, 0)                                                                         \
    X(lanes1_rows2, 1, 2, 0, 5, 0)                                                                         \
    X(lanes2, 2, 0, 0, 0, 0)                                                                               \
    X(lanes2_key, 2, 0, 1, 0, 0)
/* As functions of their own, these would take 0.98 to 1.02 of the time, one set of lanes with clang 19
 * beside a busy sibling thread 0.92, for 11 KB of code (Golden Cove, 2026-11-26). */
#define LAYOUTS_ALONE(X)  X(lanes1) X(lanes1_rows1) X(lanes1_rows2)
#define PASS_TABLE        avx512
#define BATCH_COSTS       words_16
#define KERNEL_TUNINGS(X) X(zen5, avx512_zen5) X(golden_cove, avx512_golden_cove)
#include "../../aead/stitched.h"
#include "../layouts/kernel.h"

#endif
