/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 with AVX-512 instructions in 256-bit registers, for CPUs that lower their clock for wider
 * registers. */
#include "../../core/compiler.h"

#if HORNET_X86

#include "../../core/intrinsics.h"

#define KERNEL             avx512vl
#define KERNEL_REQUIRED    (CPU_avx2 | CPU_avx512f | CPU_avx512bw | CPU_avx512vl)
#define HORNET_TARGET      "avx512f,avx512bw,avx512vl"
#define WORDS              8
#define WORDS_BROADCAST(p) _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(p)))
#define WORDS_LOAD_PARTS(p)                                                                                \
    _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(p)[0])),              \
                            _mm_loadu_si128((const __m128i *)(p)[1]), 1)
#define WORDS_MASKED
#define WORDS_MASKED_LOAD(p, n)     _mm256_maskz_loadu_epi8((UINT32_C(1) << (n)) - 1, p)
#define WORDS_MASKED_STORE(p, a, n) _mm256_mask_storeu_epi8(p, (UINT32_C(1) << (n)) - 1, (__m256i)(a))
#ifdef __x86_64__ /* 32 registers */
#define LANES_SETS 2
#else
#define LANES_SETS 1
#endif
#define LAYOUTS(X)                                                                                         \
    X(key, 0, 0, 1, 0, 0)                                                                                  \
    X(rows1, 0, 1, 0, 0, 0)                                                                                \
    X(rows1_quick, 0, 1, 0, 0, 1)                                                                          \
    X(rows2, 0, 2, 0, 0, 0)                                                                                \
    X(rows3, 0, 3, 0, 0, 0)                                                                                \
    X(lanes1_rows1, 1, 1, 0, 0, 0)                                                                         \
    X(lanes1, 1, 0, 0, 0, 0)
#define PASS_TABLE        avx512vl
#define BATCH_COSTS       words_8_sets_2
#define KERNEL_TUNINGS(X) X(zen4, avx512vl_zen4)
#define WORDS_SEPARATE(a) HORNET_VALUE_BARRIER("v", a)
#include "../layouts/kernel.h"

#endif
