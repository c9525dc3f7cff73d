/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Polyakov's radix 2^64, scalar. */
#include "../../../src/core/compiler.h"

#if HORNET_INT128

#define KERNEL          folded64
#define KERNEL_REQUIRED CPU_ANY
#include "../../../src/poly1305/kernel_begin.h"

#include "../field/radix64_folded.h"

#include "../../../src/poly1305/horner/serial_kernel.h"

#include "../../../src/poly1305/kernel_end.h"

#endif
