/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The z14 paper's three limbs of 44, 44 and 42 bits, with the parallel reduction. */
#include "../../src/core/compiler.h"

#if HORNET_INT128

#define KERNEL z14_parallel
#include "../../src/poly1305/kernel_begin.h"

#include "../../src/poly1305/lanes/vmsl.h"

#include "../../src/poly1305/field/radix44_sums.h"

#include "../horner/z14.h"

STUDY_KERNEL_RECORD(z14_parallel, CPU_ANY, 4, z14_evaluate);
Z14_PHASES(study_phase_z14_parallel)

#include "../../src/poly1305/kernel_end.h"

#endif
