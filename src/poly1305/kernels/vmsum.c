/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^44 over lanes of POWER9 whose products are summed. */
#include "../../core/compiler.h"

#if HORNET_POWER

#define KERNEL          vmsum
#define KERNEL_REQUIRED (CPU_vsx | CPU_isa3)
#ifndef GROUPS_TO_A_REDUCTION
#define GROUPS_TO_A_REDUCTION(X) GROUPS_VMSUM(X)
#endif
#include "../kernel_begin.h"

#include "../lanes/vmsl.h"

#include "../field/radix44_sums.h"

#include "../horner/vmsl_kernel.h"

#include "../kernel_end.h"

#endif
