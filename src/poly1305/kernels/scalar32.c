/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^32, one block after another: for 32-bit CPUs. */
#include "../kernel.h"

#if !HORNET_OMIT_scalar32

#define KERNEL          scalar32
#define KERNEL_REQUIRED CPU_ANY
#include "../kernel_begin.h"

#include "../field/radix32.h"

#include "../horner/serial_kernel.h"

#include "../kernel_end.h"

#endif
