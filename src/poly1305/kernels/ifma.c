/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^44 over the lanes of AVX-512 IFMA, decimated and in batches. */
#include "../../core/compiler.h"

#if HORNET_X86

#define KERNEL        ifma
#define KERNEL_NEEDS  (CPU_avx512vl | CPU_avx512ifma | CPU_avx512vbmi2)
#define MIN_GROUPS_2  5
#define MIN_GROUPS_8  20
#define MIN_GROUPS_16 40
#define BATCH_VECTORS 2
#include "../kernel_begin.h"

#include "../lanes/ifma.h"

#include "../field/radix44.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
