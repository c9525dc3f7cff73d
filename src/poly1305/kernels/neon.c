/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^26 over NEON lanes, decimated and in batches. */
#include "../../core/compiler.h"

#if HORNET_NEON

#define KERNEL          neon
#define KERNEL_REQUIRED (CPU_neon)
#ifdef __aarch64__
#define GROUPS_TO_A_REDUCTION(X) GROUPS_NEON(X)
#define KERNEL_TUNING            in_order
#define TUNED_GROUPS(X)          GROUPS_TWO(X)
#else
#define GROUPS_TO_A_REDUCTION(X) GROUPS_NEON32(X)
#endif
#include "../kernel_begin.h"

#ifdef __aarch64__
#include "../lanes/neon.h"
#else
#include "../lanes/neon32.h"
#endif

#include "../field/radix26.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
