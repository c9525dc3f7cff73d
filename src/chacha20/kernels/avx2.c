/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in AVX2 registers. */
#include "../../core/compiler.h"

#if HORNET_X86

#define KERNEL                      avx2
#define KERNEL_REQUIRED             (CPU_avx2)
#define HORNET_TARGET               "avx2"
#define WORDS                       8
#define WORDS_ROTATE_BYTES(a, from) _mm256_shuffle_epi8((__m256i)(a), (__m256i)(from))
#define WORDS_BROADCAST(p)          _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(p)))
#define WORDS_LOAD_PARTS(p)                                                                                \
    _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(p)[0])),              \
                            _mm_loadu_si128((const __m128i *)(p)[1]), 1)
#define LANES_SETS 1
#if HORNET_INT128
#define LANES_BESIDE_SCALAR
#endif
#include "../shapes/kernel.h"

#endif
