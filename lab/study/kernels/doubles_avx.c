/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Polyakov's floating-point code with AVX doubles, without fused multiply-add; AVX2 splits the blocks. */
#include "../../../src/core/compiler.h"

#if HORNET_X86

#define KERNEL doubles_avx
#include "../../../src/poly1305/kernel_begin.h"

#include "../../../src/poly1305/lanes/avx2.h"

#include "../horner/doubles.h"

STUDY_KERNEL_RECORD(doubles_avx, CPU_avx2, LANES, doubles_evaluate);

#include "../../../src/poly1305/kernel_end.h"

#endif
