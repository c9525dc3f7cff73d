/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The same with fused multiply-add, which CPUs with AVX2 also have. */
#include "../../../src/core/compiler.h"

#if HORNET_X86

#define KERNEL doubles_fma
#include "../../../src/poly1305/kernel_begin.h"

#include "../../../src/poly1305/lanes/avx2.h"

#undef HORNET_TARGET
#define HORNET_TARGET "avx2,fma"

#include "../horner/doubles.h"

STUDY_KERNEL_RECORD(doubles_fma, CPU_avx2, LANES, doubles_evaluate);

#include "../../../src/poly1305/kernel_end.h"

#endif
