/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Goll and Gueron's packing, 4 AVX2 lanes, and Bhattacharyya and Sarkar's improvements. */
#include "../../../src/core/compiler.h"

#if HORNET_X86

#define KERNEL packed4
#include "../../../src/poly1305/kernel_begin.h"

#include "../../../src/poly1305/lanes/avx2.h"

#include "../../../src/poly1305/field/radix26.h"

#include "../horner/packed.h"

STUDY_KERNEL_RECORD(gg4, CPU_avx2, LANES, packed_evaluate, REST_TAIL);
STUDY_KERNEL_RECORD(gg4_measured, CPU_avx2, LANES, packed_evaluate, REST_WHOLE);
STUDY_KERNEL_RECORD(bs4, CPU_avx2, LANES, packed_evaluate, REST_CHEAP);
STUDY_KERNEL_RECORD(zeros4, CPU_avx2, LANES, packed_evaluate, REST_ZEROS);
STUDY_KERNEL_RECORD(front4, CPU_avx2, LANES, packed_evaluate, REST_SCALAR);

#include "../../../src/poly1305/kernel_end.h"

#endif
