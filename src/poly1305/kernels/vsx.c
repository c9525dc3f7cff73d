/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^26 over POWER8 lanes, decimated and in batches. */
#include "../../core/compiler.h"

#if HORNET_POWER

#define KERNEL                   vsx
#define KERNEL_REQUIRED          (CPU_vsx)
#define GROUPS_TO_A_REDUCTION(X) GROUPS_VSX(X)
#include "../kernel_begin.h"

#include "../lanes/vsx.h"

#include "../field/radix26.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
