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
#define PASS_TABLE      rvv_8
#include "../layouts/kernel.h"

#endif
