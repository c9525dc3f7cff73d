/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^44 over AVX-512 IFMA lanes, decimated and in batches. */
#include "../../core/compiler.h"

#if HORNET_X86

#define KERNEL                   ifma
#define KERNEL_NEEDS             (CPU_avx512vl | CPU_avx512ifma | CPU_avx512vbmi2)
#define BATCH_VECTORS            2
#define GROUPS_TO_A_REDUCTION(X) X(2, 2) X(4, 13) X(16, 64)
#define GROUPS_ON_ZEN5(X)        X(2, 2) X(16, 38)
#include "../kernel_begin.h"

#include "../lanes/ifma.h"

#include "../field/radix44.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
