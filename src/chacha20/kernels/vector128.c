/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in vectors of 128 bits, which the compilers make of what the architecture has: SSE2, NEON, VSX,
 * or general registers. */
/* On i686 gcc says that functions which take vectors are called otherwise where there is SSE2: these are
 * inline. It says so at the end of the file, whatever held in between. */
#pragma GCC diagnostic ignored "-Wpsabi"

#define KERNEL       vector128
#define KERNEL_NEEDS CPU_ANY
#define WORDS        4
#define LANES_SETS   1
#include "../shapes/kernel.h"
