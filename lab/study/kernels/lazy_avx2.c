/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^26, AVX2 lanes: Polyakov's kernel, and variants that show the effect of each idea. */
#include "../../../src/core/compiler.h"

#if HORNET_X86

#define KERNEL          lazy_avx2
#define LAZY_LAMBDA_MAX 32
#include "../../../src/poly1305/kernel_begin.h"

#include "../../../src/poly1305/lanes/avx2.h"

#include "../../../src/poly1305/field/radix26.h"

#include "../horner/lazy.h"

LAZY_KERNEL(polyakov_avx2, CPU_avx2, FRONT_SCALAR, 1);
LAZY_KERNEL(end_avx2, CPU_avx2, END_SCALAR, 1);
LAZY_KERNEL(lambda1_avx2, CPU_avx2, FRONT_ZEROS, 1);
LAZY_KERNEL(lambda2_avx2, CPU_avx2, FRONT_ZEROS, 2);
LAZY_KERNEL(lambda3_avx2, CPU_avx2, FRONT_ZEROS, 3);
LAZY_KERNEL(lambda4_avx2, CPU_avx2, FRONT_ZEROS, 4);
LAZY_KERNEL(lambda8_avx2, CPU_avx2, FRONT_ZEROS, 8);
LAZY_KERNEL(lambda16_avx2, CPU_avx2, FRONT_ZEROS, 16);
LAZY_KERNEL(lambda32_avx2, CPU_avx2, FRONT_ZEROS, 32);

#include "../../../src/poly1305/kernel_end.h"

#endif
