/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^26 over NEON lanes, decimated and in batches. */
#include "../../core/compiler.h"

#if HORNET_NEON

#define KERNEL          neon
#define KERNEL_REQUIRED (CPU_neon)
#include "../kernel_begin.h"

#include "../lanes/neon.h"

#include "../field/radix26.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
