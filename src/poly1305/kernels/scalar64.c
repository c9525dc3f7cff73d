/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^64, one block after another: for 64-bit CPUs, and for messages too short for lanes. */
#include "../../core/compiler.h"

#if HORNET_INT128

#define KERNEL          scalar64
#define KERNEL_REQUIRED CPU_ANY
#include "../kernel_begin.h"

/* Scheduled for in-order cores (Cortex-A55); neutral on out-of-order cores. */
#ifdef __aarch64__
#define HORNET_TARGET "tune=cortex-a55"
#endif
#include "../../core/target_begin.h"

#include "../field/radix64.h"

#include "../horner/serial_kernel.h"

#include "../../core/target_end.h"
#undef HORNET_TARGET

#include "../kernel_end.h"

#endif
