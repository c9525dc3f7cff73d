/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in general-purpose registers, for CPUs of which nothing else is known. */
#include "../../core/compiler.h"

#if !HORNET_HAS_VECTORS

#define KERNEL          scalar1
#define KERNEL_REQUIRED CPU_ANY
#define WORDS           1
#define LANES_SETS      1
#define KERNEL_NO_PACKETS
#define LAYOUTS(X) X(block, 0, 0, BLOCK_FIRST, 0, 0)
#define PASS_TABLE scalar
#include "../layouts/kernel.h"

#endif
