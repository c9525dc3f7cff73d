/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^44 over AVX-512 IFMA lanes, decimated and in batches. */
#include "../../core/compiler.h"

#if HORNET_X86

#define KERNEL                   ifma
#define KERNEL_REQUIRED          (CPU_avx2 | CPU_avx512f | CPU_avx512vl | CPU_avx512ifma | CPU_avx512vbmi2)
#define BATCH_VECTORS            2
#define KERNEL_TUNING            zen5
#define GROUPS_TO_A_REDUCTION(X) GROUPS_IFMA(X)
#define TUNED_GROUPS(X)          GROUPS_IFMA_ZEN5(X)
#include "../kernel_begin.h"

#include "../lanes/ifma.h"

#include "../field/radix44.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
