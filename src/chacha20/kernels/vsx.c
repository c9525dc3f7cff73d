/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in the vector registers of POWER8, which can rotate words. */
#include "../../core/compiler.h"

#if HORNET_POWER

#define KERNEL          vsx
#define KERNEL_REQUIRED CPU_vsx
#ifdef __clang__
#define HORNET_TARGET "power8-vector"
#else
#define HORNET_TARGET "cpu=power8"
#endif
#define WORDS               4
#define WORDS_REGISTER      "v"
#define WORDS_ELEMENT(a, i) HORNET_SHUFFLE(word_vec, a, a, i, i, i, i)
#define LANES_SETS          1
#define ROWS_WITH_LANES
#include "../layouts/kernel.h"

#endif
