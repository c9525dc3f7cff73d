/* Lanes of AVX-512 IFMA in 256-bit registers: those of AVX2, and the 52-bit multiply-add. The operations
 * are defined in portable.h. */
#ifndef HORNET_LANES_IFMA256_H
#define HORNET_LANES_IFMA256_H

#include "avx2.h"

HORNET_INLINE vec vec_madd52lo(vec sum, vec a, vec b) { return _mm256_madd52lo_epu64(sum, a, b); }

HORNET_INLINE vec vec_madd52hi(vec sum, vec a, vec b) { return _mm256_madd52hi_epu64(sum, a, b); }

#define vec_shr_pair(lo, hi, bits) _mm256_shrdi_epi64(lo, hi, bits)

#endif
