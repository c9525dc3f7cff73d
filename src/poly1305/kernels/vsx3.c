/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^26 over POWER9 lanes, decimated and in batches. */
#include "../../core/compiler.h"

#if HORNET_POWER

#define KERNEL                   vsx3
#define KERNEL_REQUIRED          (CPU_vsx | CPU_isa3)
#define GROUPS_TO_A_REDUCTION(X) GROUPS_VSX3(X)
#include "../kernel_begin.h"

#define VSX_POWER9
#include "../lanes/vsx.h"

#include "../field/radix26.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
