/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in the vector facility of z/Architecture (z13), which can rotate words. */
#include "../../core/compiler.h"

#if HORNET_VX

#ifndef __clang__ /* also for the headers: see compiler.h */
#pragma GCC push_options
#pragma GCC target("arch=z13")
#endif

#define KERNEL          vx
#define KERNEL_REQUIRED CPU_vx
#ifdef __clang__
#define HORNET_TARGET "vector"
#else
#define HORNET_TARGET "arch=z13"
#endif
#define WORDS          4
#define WORDS_REGISTER "v"
#define LANES_SETS     1
#define ROWS_WITH_LANES
#include "../layouts/kernel.h"

#ifndef __clang__
#pragma GCC pop_options
#endif

#endif
