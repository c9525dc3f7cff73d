/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^44 over lanes in plain C, decimated and in batches, to test the algorithm on every machine. */
#include "../kernel.h"

#if !HORNET_OMIT_portable44

#define KERNEL               portable44
#define KERNEL_REQUIRED      CPU_ANY
#define KERNEL_INLINE        HORNET_NOINLINE /* size matters more than speed */
#define KERNEL_CALLEES_BYTES (16 * 1024)
#include "../kernel_begin.h"

#include "../lanes/portable.h"

#include "../field/radix44.h"

#include "../horner/batch.h"
#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
