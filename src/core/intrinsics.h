/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The intrinsics of the architecture. They name the instruction sets that they need, so no compiler flag is
 * required. Only files that use them include this, outside of target regions (target_begin.h): compilers
 * take longer over <immintrin.h> than over the rest of a file. */
#ifndef HORNET_CORE_INTRINSICS_H
#define HORNET_CORE_INTRINSICS_H

#include "compiler.h"

#if HORNET_X86
#include <immintrin.h>
#endif

#if HORNET_NEON
#include <arm_neon.h>
#endif

#endif
