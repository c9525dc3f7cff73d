/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^44 over lanes of z14 whose products are summed. */
#include "../../core/compiler.h"

#if HORNET_VX

#ifndef __clang__ /* also for the headers: see compiler.h */
#pragma GCC push_options
#pragma GCC target("arch=z14")
#endif

#define KERNEL          vmsl
#define KERNEL_REQUIRED (CPU_vx | CPU_vxe)
#include "../kernel_begin.h"

#include "../lanes/vmsl.h"

#include "../field/radix44_sums.h"

#include "../horner/vmsl_kernel.h"

#include "../kernel_end.h"

#ifndef __clang__
#pragma GCC pop_options
#endif

#endif
