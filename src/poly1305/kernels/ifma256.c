/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^44 over AVX-512 IFMA lanes in 256-bit registers, decimated and in batches. */
#include "../../core/compiler.h"

#if HORNET_X86

#define KERNEL          ifma256
#define KERNEL_REQUIRED (CPU_avx2 | CPU_avx512f | CPU_avx512vl | CPU_avx512ifma | CPU_avx512vbmi2)
#define BATCH_VECTORS   2
#include "../kernel_begin.h"

#include "../lanes/ifma256.h"

#include "../field/radix44.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
