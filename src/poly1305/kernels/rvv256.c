/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^26 over RISC-V vectors of at least 256 bits, decimated and in batches. */
#include "../../core/compiler.h"

#if HORNET_RVV

#define KERNEL                   rvv256
#define KERNEL_REQUIRED          (CPU_rvv256)
#define GROUPS_TO_A_REDUCTION(X) GROUPS_RVV(X)
#include "../kernel_begin.h"

#define RVV_BITS 256
#include "../lanes/rvv.h"

#include "../field/radix26.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
