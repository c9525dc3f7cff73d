/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^26 over z13 lanes, decimated and in batches. */
#include "../../core/compiler.h"

#if HORNET_VX

#ifndef __clang__ /* also for the headers: see compiler.h */
#pragma GCC push_options
#pragma GCC target("arch=z13")
#endif

#define KERNEL                   vx
#define KERNEL_REQUIRED          (CPU_vx)
#define GROUPS_TO_A_REDUCTION(X) GROUPS_VX(X)
#include "../kernel_begin.h"

#include "../lanes/vx.h"

#include "../field/radix26.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#ifndef __clang__
#pragma GCC pop_options
#endif

#endif
