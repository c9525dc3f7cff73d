/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The same with eight lanes. */
#include "../../../src/core/compiler.h"

#if HORNET_X86

#define KERNEL doubles_avx512
#include "../../../src/poly1305/kernel_begin.h"

#include "../../../src/poly1305/lanes/avx512f.h"

#include "../horner/doubles.h"

STUDY_KERNEL_RECORD(doubles_avx512, CPU_avx512f, LANES, doubles_evaluate);

#include "../../../src/poly1305/kernel_end.h"

#endif
