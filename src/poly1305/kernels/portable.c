/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^26 over lanes in plain C, decimated and in batches, to test the algorithm on every machine. */
#include "../kernel.h"

#if !HORNET_OMIT_portable

#define KERNEL               portable
#define KERNEL_REQUIRED      CPU_ANY
#define KERNEL_INLINE        HORNET_NOINLINE /* size matters more than speed */
#define KERNEL_CALLEES_BYTES (16 * 1024)
#include "../kernel_begin.h"

#include "../lanes/portable.h"

#include "../field/radix26.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
