/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in 128-bit vectors that every CPU has for which this is compiled: SSE2, NEON, VSX. */
#include "../../core/compiler.h"

#if HORNET_HAS_VECTORS

#define KERNEL          vector128
#define KERNEL_REQUIRED CPU_ANY
#define WORDS           4
#define LANES_SETS      1
#include "../layouts/kernel.h"

#endif
