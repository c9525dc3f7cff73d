/* Lanes of AVX-512 IFMA: those of AVX512F, and the 52-bit multiply-add. The operations are defined in
 * portable.h. */
#ifndef HORNET_LANES_IFMA_H
#define HORNET_LANES_IFMA_H

#include "avx512f.h"

HORNET_INLINE vec vec_madd52lo(vec sum, vec a, vec b) { return _mm512_madd52lo_epu64(sum, a, b); }

HORNET_INLINE vec vec_madd52hi(vec sum, vec a, vec b) { return _mm512_madd52hi_epu64(sum, a, b); }

#define vec_shr_pair(lo, hi, bits) _mm512_shrdi_epi64(lo, hi, bits)

#endif
