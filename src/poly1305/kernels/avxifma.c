/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^44 over the lanes of AVX-IFMA, decimated and in batches. */
#include "../../core/compiler.h"

#if HORNET_HAS_AVXIFMA

#define KERNEL        avxifma
#define KERNEL_NEEDS  (CPU_avx2 | CPU_avxifma)
#define MIN_GROUPS_2  5
#define MIN_GROUPS_8  30
#define MIN_GROUPS_16 56
#include "../kernel_begin.h"

#include "../lanes/avxifma.h"

#include "../field/radix44.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
