/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in RISC-V vectors of at least 128 bits, in pairs of registers: an instruction for both does
 * twice the work, and clang 19 loads and stores 16 bytes in general-purpose registers, byte by byte. */
#include "../../core/compiler.h"

#if HORNET_RVV

#define KERNEL          rvv128
#define KERNEL_REQUIRED CPU_rvv128
#define HORNET_TARGET   "arch=+v"
#define WORDS           8
#define LANES_SETS      1
#define SHAPES(X)                                                                                          \
    X(key, 0, 0, BLOCK_KEY, 0, 0)                                                                          \
    X(rows1, 0, 1, BLOCK_NONE, 0, 0)                                                                       \
    X(rows3, 0, 3, BLOCK_NONE, 0, 0)                                                                       \
    X(lanes1, 1, 0, BLOCK_NONE, 0, 0)
#define PLAN PLAN_RVV_8
#include "../shapes/kernel.h"

#endif
