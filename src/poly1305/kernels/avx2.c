/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^26 over AVX2 lanes, decimated and in batches. */
#include "../../core/compiler.h"

#if HORNET_X86

#define KERNEL          avx2
#define KERNEL_REQUIRED (CPU_avx2)
#include "../kernel_begin.h"

#include "../lanes/avx2.h"

#include "../field/radix26.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
