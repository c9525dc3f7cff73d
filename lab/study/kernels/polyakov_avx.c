/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Polyakov's radix 2^26, SSE2's operations in AVX's encoding, which has three operands: his column "AVX".
 */
#include "../../../src/core/compiler.h"

#if HORNET_X86

#define KERNEL lazy_avx
#include "../../../src/poly1305/kernel_begin.h"

#include "../../../src/poly1305/lanes/sse2.h"

#undef HORNET_TARGET
#define HORNET_TARGET "avx"

#include "../../../src/poly1305/field/radix26.h"

#include "../horner/lazy.h"

LAZY_KERNEL(polyakov_avx, CPU_avx2, FRONT_SCALAR, 1);

#include "../../../src/poly1305/kernel_end.h"

#endif
