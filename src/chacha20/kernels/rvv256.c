/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in RISC-V vectors of at least 256 bits, in pairs of registers: an instruction for both does
 * twice the work. */
#include "../../core/compiler.h"

#if HORNET_RVV

#define KERNEL          rvv256
#define KERNEL_REQUIRED CPU_rvv256
#define HORNET_TARGET   "arch=+v,+zvl256b"
#define WORDS           16
#define LANES_SETS      1
#define PASS_TABLE      rvv_16
#include "../layouts/kernel.h"

#endif
