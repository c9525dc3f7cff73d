/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^44 over AVX-IFMA lanes, decimated and in batches. */
#include "../../core/compiler.h"

#if HORNET_HAS_AVXIFMA

#define KERNEL          avxifma
#define KERNEL_REQUIRED (CPU_avx2 | CPU_avxifma)
#include "../kernel_begin.h"

#include "../lanes/avxifma.h"

#include "../field/radix44.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
