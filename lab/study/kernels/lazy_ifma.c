/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^44, AVX-512 IFMA lanes: variants in the number of groups per reduction. No Karatsuba. */
#include "../../../src/core/compiler.h"

#if HORNET_X86

#define KERNEL          lazy_ifma
#define LAZY_LAMBDA_MAX 32
#include "../../../src/poly1305/kernel_begin.h"

#include "../../../src/poly1305/lanes/ifma.h"

#include "../../../src/poly1305/field/radix44.h"

#include "../horner/lazy.h"

LAZY_KERNEL(lambda1_ifma, CPU_avx512f | CPU_avx512ifma | CPU_avx512vbmi2, FRONT_ZEROS, 1);
LAZY_KERNEL(lambda2_ifma, CPU_avx512f | CPU_avx512ifma | CPU_avx512vbmi2, FRONT_ZEROS, 2);
LAZY_KERNEL(lambda3_ifma, CPU_avx512f | CPU_avx512ifma | CPU_avx512vbmi2, FRONT_ZEROS, 3);
LAZY_KERNEL(lambda4_ifma, CPU_avx512f | CPU_avx512ifma | CPU_avx512vbmi2, FRONT_ZEROS, 4);
LAZY_KERNEL(lambda8_ifma, CPU_avx512f | CPU_avx512ifma | CPU_avx512vbmi2, FRONT_ZEROS, 8);
LAZY_KERNEL(lambda16_ifma, CPU_avx512f | CPU_avx512ifma | CPU_avx512vbmi2, FRONT_ZEROS, 16);
LAZY_KERNEL(lambda32_ifma, CPU_avx512f | CPU_avx512ifma | CPU_avx512vbmi2, FRONT_ZEROS, 32);

#include "../../../src/poly1305/kernel_end.h"

#endif
