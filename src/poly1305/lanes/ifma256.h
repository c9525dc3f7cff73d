/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AVX-512 IFMA lanes in 256-bit registers: those of AVX2, plus the 52-bit multiply-add. */
#ifndef LANES

#include "avx2.h"

#undef HORNET_TARGET
#define HORNET_TARGET "avx512f,avx512vl,avx512ifma,avx512vbmi2"
#define LANES_MULTIPLY_52
#undef LANES_CLEAR_STACK
#define LANES_CLEAR_STACK hornet_clear_stack_avx512

#include "../../core/target_begin.h"

HORNET_INLINE vec vec_madd52lo(vec sum, vec a, vec b) { return _mm256_madd52lo_epu64(sum, a, b); }
HORNET_INLINE vec vec_madd52hi(vec sum, vec a, vec b) { return _mm256_madd52hi_epu64(sum, a, b); }
HORNET_INLINE vec vec_shr44_pair(vec lo, vec hi) { return _mm256_shrdi_epi64(lo, hi, 44); }

#include "../../core/target_end.h"

#endif
