/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AVX-IFMA lanes: those of AVX2, plus the 52-bit multiply-add of CPUs without AVX-512. */
#include "../../core/intrinsics.h"

#if !defined(LANES) && HORNET_HAS_AVXIFMA

#include "avx2.h"

#undef HORNET_TARGET
#define HORNET_TARGET "avx2,avxifma"
#define LANES_MULTIPLY_52

#include "../../core/target_begin.h"

HORNET_INLINE vec vec_madd52lo(vec sum, vec a, vec b) { return _mm256_madd52lo_avx_epu64(sum, a, b); }
HORNET_INLINE vec vec_madd52hi(vec sum, vec a, vec b) { return _mm256_madd52hi_avx_epu64(sum, a, b); }
HORNET_INLINE vec vec_shr44_pair(vec lo, vec hi) { return vec_or(vec_shr(lo, 44), vec_shl(hi, 20)); }

#include "../../core/target_end.h"

#endif
