/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^26 over SSE2 lanes, decimated; in 32-bit programs also in batches. */
#include "../kernel.h"

#if HORNET_X86 && !HORNET_OMIT_sse2

#define KERNEL          sse2
#define KERNEL_REQUIRED (CPU_sse2)
#ifdef __x86_64__ /* where scalar code comes before it */
#define GROUPS_TO_A_REDUCTION(X) GROUPS_TWO(X)
#define KERNEL_STREAMS           0
#endif
#include "../kernel_begin.h"

#include "../lanes/sse2.h"

#include "../field/radix26.h"

#include "../horner/decimated_kernel.h"
#ifndef __x86_64__
#include "../horner/batch.h"
#endif

#include "../kernel_end.h"

#endif
