/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in 128-bit vectors, which the compilers map to what the architecture has: SSE2, NEON, VSX, or
 * general-purpose registers. */
/* On i686, gcc warns that functions with vector parameters have another calling convention where there is
 * SSE2; these functions are inline. It warns at the end of the file, so the pragma must not be confined to
 * a part of it. */
#pragma GCC diagnostic ignored "-Wpsabi"

#define KERNEL          vector128
#define KERNEL_REQUIRED CPU_ANY
#define WORDS           4
#define LANES_SETS      1
#define SHAPES(X)                                                                                          \
    X(key, 0, 0, 1, 0, 0) X(rows1, 0, 1, 0, 0, 0) X(rows3, 0, 3, 0, 0, 0) X(lanes1, 1, 0, 0, 0, 0)
#define PLAN PLAN_VECTOR128
#include "../shapes/kernel.h"
