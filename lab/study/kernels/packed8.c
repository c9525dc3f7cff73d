/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Goll and Gueron's packing, 8 AVX-512F lanes, and Bhattacharyya and Sarkar's improvements. */
#include "../../../src/core/compiler.h"

#if HORNET_X86

#define KERNEL packed8
#include "../../../src/poly1305/kernel_begin.h"

#include "../../../src/poly1305/lanes/avx512f.h"

#include "../../../src/poly1305/field/radix26.h"

#include "../horner/packed.h"

STUDY_KERNEL_RECORD(gg8, CPU_avx512f, LANES, packed_evaluate, REST_TAIL);
STUDY_KERNEL_RECORD(gg8_measured, CPU_avx512f, LANES, packed_evaluate, REST_WHOLE);
STUDY_KERNEL_RECORD(bs8, CPU_avx512f, LANES, packed_evaluate, REST_CHEAP);
STUDY_KERNEL_RECORD(zeros8, CPU_avx512f, LANES, packed_evaluate, REST_ZEROS);
STUDY_KERNEL_RECORD(front8, CPU_avx512f, LANES, packed_evaluate, REST_SCALAR);

#include "../../../src/poly1305/kernel_end.h"

#endif
