/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The z14 paper's three limbs of 44, 44 and 42 bits, with the parallel reduction. */
#include "../../../src/core/compiler.h"

#if HORNET_INT128

#if HORNET_VX && !defined(__clang__) /* as in src/poly1305/kernels/vmsl.c */
#pragma GCC push_options
#pragma GCC target("arch=z14")
#endif

#define KERNEL z14_parallel
#include "../../../src/poly1305/kernel_begin.h"

#include "../../../src/poly1305/lanes/vmsl.h"

#include "../../../src/poly1305/field/radix44_sums.h"

#include "../horner/z14.h"

STUDY_KERNEL_RECORD(z14_parallel, Z14_REQUIRED, 4, z14_evaluate);
Z14_PHASES(study_phase_z14_parallel)

#include "../../../src/poly1305/kernel_end.h"

#if HORNET_VX && !defined(__clang__)
#pragma GCC pop_options
#endif

#endif
