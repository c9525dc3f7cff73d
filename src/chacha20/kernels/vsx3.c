/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in the vector registers of POWER9, whose loads and stores need not exchange halves. */
#include "../../core/compiler.h"

#if HORNET_POWER

#define KERNEL          vsx3
#define KERNEL_REQUIRED (CPU_vsx | CPU_isa3)
#ifdef __clang__
#define HORNET_TARGET "arch=pwr9"
#else
#define HORNET_TARGET "cpu=power9"
#endif
#define WORDS               4
#define WORDS_REGISTER      "v"
#define WORDS_ELEMENT(a, i) HORNET_SHUFFLE(word_vec, a, a, i, i, i, i)
#define LANES_SETS          1
#define ROWS_WITH_LANES
#define KERNEL_TUNINGS(X) X(power10, power10)
#include "../layouts/kernel.h"

#endif
