/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lanes whose products are summed: two lanes, and a 128-bit sum. VMSL of z14 multiplies the elements of two
 * vectors and adds both products to a third. Its running time does not depend on operands below 2^56.
 *
 * The contract of such a lanes file differs from lanes.h. tests/proofs/ supplies ranges in its place, and
 * on other CPUs than z14 it is a model in plain C. */
#ifndef HORNET_VMSL_LANES

#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "../../core/compiler.h"
#include "../../core/memory.h"
#include "../../core/stack_wipe.h"

#define HORNET_VMSL_LANES 2
#if HORNET_VX && defined(__clang__)
#define HORNET_TARGET "vector,vector-enhancements-1"
#elif HORNET_VX
#define HORNET_TARGET "arch=z14"
#endif
#define SUM_CHECK_MAX(v, max) ((void)0)

/* Applies to the field and the evaluation too; kernel_end.h closes it. */
#include "../../core/target_begin.h"

typedef unsigned long long vec __attribute__((vector_size(16)));
__extension__ typedef unsigned __int128 sum;

#define VEC_OF(a, b, i, j) HORNET_SHUFFLE(vec, a, b, i, j)

HORNET_INLINE vec vec_splat(uint64_t value) { return (vec){value, value}; }
HORNET_INLINE vec vec_pair(uint64_t first, uint64_t second) { return (vec){first, second}; }
HORNET_INLINE vec vec_add(vec a, vec b) { return a + b; }
HORNET_INLINE vec vec_and(vec a, vec b) { return a & b; }
HORNET_INLINE vec vec_or(vec a, vec b) { return a | b; }
HORNET_INLINE vec vec_shl(vec a, int bits) { return a << bits; }
HORNET_INLINE vec vec_shr(vec a, int bits) { return a >> bits; }
HORNET_INLINE uint64_t vec_element(vec a, int i) { return a[i]; }

/* Returns lane `lane` of a, then 0. */
HORNET_INLINE vec vec_alone(vec a, int lane)
{
    const vec zero = {0, 0};
    return lane == 0 ? VEC_OF(a, zero, 0, 2) : VEC_OF(a, zero, 1, 2);
}

HORNET_INLINE sum sum_zero(void) { return 0; }

#if HORNET_VX
/* total + a_0 b_0 + a_1 b_1. */
HORNET_INLINE sum sum_mul_add(sum total, vec a, vec b)
{
#ifndef __clang__
    __extension__ typedef __int128 operand;
#else
    typedef sum operand;
#endif
    return (sum)__builtin_s390_vmslg(a, b, (operand)total, 0);
}

/* The low, and the high, words of two sums. */
HORNET_INLINE vec sums_low(sum a, sum b) { return VEC_OF((vec)a, (vec)b, 1, 3); }
HORNET_INLINE vec sums_high(sum a, sum b) { return VEC_OF((vec)a, (vec)b, 0, 2); }

/* Loads a block as two words. */
HORNET_INLINE vec load_block(const uint8_t *block)
{
    typedef uint8_t byte16 __attribute__((vector_size(16)));
    byte16 bytes;
    memcpy(&bytes, block, sizeof bytes);
    return (vec)HORNET_SHUFFLE(byte16, bytes, bytes, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
}
#else
HORNET_INLINE sum sum_mul_add(sum total, vec a, vec b)
{
    return total + (sum)a[0] * b[0] + (sum)a[1] * b[1];
}

HORNET_INLINE vec sums_low(sum a, sum b) { return (vec){(uint64_t)a, (uint64_t)b}; }
HORNET_INLINE vec sums_high(sum a, sum b) { return (vec){(uint64_t)(a >> 64), (uint64_t)(b >> 64)}; }
HORNET_INLINE vec load_block(const uint8_t *block) { return (vec){load_le64(block), load_le64(block + 8)}; }
#endif

/* Loads the blocks at `first` and 32 bytes after it: *lo gets their first words, *hi their second ones. */
HORNET_INLINE void vec_load_blocks(const uint8_t *first, vec *lo, vec *hi)
{
    const vec a = load_block(first), b = load_block(first + 32);
    *lo = VEC_OF(a, b, 0, 2);
    *hi = VEC_OF(a, b, 1, 3);
}

#endif
