/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^26 over the lanes of SSE2, decimated and in batches. */
#include "../../core/compiler.h"

#if HORNET_X86

#define KERNEL       sse2
#define KERNEL_NEEDS (CPU_sse2)
#include "../kernel_begin.h"

#include "../lanes/sse2.h"

#include "../field/radix26.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
