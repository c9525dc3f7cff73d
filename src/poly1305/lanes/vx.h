/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lanes in the vector facility of z/Architecture (z13): four. */
#ifndef LANES

#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "../../core/compiler.h"
#include "../../core/memory.h"

#if HORNET_VX

#ifdef __clang__
#define HORNET_TARGET "vector"
#else
#define HORNET_TARGET "arch=z13"
#endif
#define PAIRS_EVEN_ODD
#define PAIRS_REGISTER "v"
#define PAIRS_CUT_BY_BYTES

#include "../../core/target_begin.h"

typedef unsigned long long pair __attribute__((vector_size(16)));
typedef unsigned quad __attribute__((vector_size(16)));

HORNET_INLINE pair multiply_add_half(pair sum, quad a, quad b, int half)
{
    return half == 0 ? __builtin_s390_vmalef(a, b, sum) : __builtin_s390_vmalof(a, b, sum);
}

#include "pairs.h"

#include "../../core/target_end.h"

#endif

#endif
