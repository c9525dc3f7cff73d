/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Radix 2^26 over AVX-512F lanes, decimated. */
#include "../kernel.h"

#if HORNET_X86 && !HORNET_OMIT_avx512f

#define KERNEL          avx512f
#define KERNEL_REQUIRED (CPU_avx2 | CPU_avx512f)
#include "../kernel_begin.h"

#include "../lanes/avx512f.h"

#include "../field/radix26.h"

#include "../horner/decimated_kernel.h"

#include "../kernel_end.h"

#endif
