/* Lanes of AVX-IFMA: those of AVX2, and the 52-bit multiply-add as CPUs without AVX-512 have it. The
 * operations are defined in portable.h. */
#ifndef HORNET_LANES_AVXIFMA_H
#define HORNET_LANES_AVXIFMA_H

#include "avx2.h"

HORNET_INLINE vec vec_madd52lo(vec sum, vec a, vec b) { return _mm256_madd52lo_avx_epu64(sum, a, b); }

HORNET_INLINE vec vec_madd52hi(vec sum, vec a, vec b) { return _mm256_madd52hi_avx_epu64(sum, a, b); }

#define vec_shr_pair(lo, hi, bits) vec_or(vec_shr(lo, bits), vec_shl(hi, 64 - (bits)))

#endif
