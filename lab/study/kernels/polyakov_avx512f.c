/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Polyakov's radix 2^26, AVX-512F lanes. */
#include "../../../src/core/compiler.h"

#if HORNET_X86

#define KERNEL lazy_avx512f
#include "../../../src/poly1305/kernel_begin.h"

#include "../../../src/poly1305/lanes/avx512f.h"

#include "../../../src/poly1305/field/radix26.h"

#include "../horner/lazy.h"

LAZY_KERNEL(polyakov_avx512f, CPU_avx512f, FRONT_SCALAR, 1);

#include "../../../src/poly1305/kernel_end.h"

#endif
