/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* POWER8 vector lanes, for either endianness: four. With VSX_POWER9, for POWER9, whose loads and stores
 * take an offset and need not swap halves: gcc 12's code takes 0.8 of the time there (llvm-mca). For clang,
 * the feature power9-vector alone does not include them. */
#ifndef LANES

#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "../../core/compiler.h"
#include "../../core/memory.h"

#if HORNET_POWER

#if defined(VSX_POWER9) && defined(__clang__)
#define HORNET_TARGET "arch=pwr9"
#elif defined(VSX_POWER9)
#define HORNET_TARGET "cpu=power9"
#elif defined(__clang__)
#define HORNET_TARGET "power8-vector"
#else
#define HORNET_TARGET "cpu=power8"
#endif
#define PAIRS_EVEN_ODD
#define PAIRS_REGISTER "v"
#define PAIRS_CUT_BY_BYTES

#include "../../core/target_begin.h"

typedef unsigned long long pair __attribute__((vector_size(16)));
typedef unsigned quad __attribute__((vector_size(16)));

/* The instructions count elements from the high end of the register. So do clang's builtins; gcc's builtins
 * count them in program order. */
HORNET_INLINE pair multiply_add_half(pair sum, quad a, quad b, int half)
{
#if defined(__clang__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const int even = half == 1;
#else
    const int even = half == 0;
#endif
    return sum + (pair)(even ? __builtin_altivec_vmuleuw(a, b) : __builtin_altivec_vmulouw(a, b));
}

#include "pairs.h"

#include "../../core/target_end.h"

#endif

#endif
