/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lanes whose products are summed: two lanes, and a 128-bit sum. VMSL of z14 and VMSUMUDM of POWER9
 * multiply the elements of two vectors and add both products to a third. VMSL's running time does not
 * depend on operands below 2^56.
 *
 * The contract of such a lanes file differs from lanes.h. tests/proofs/ supplies ranges in its place, and
 * on other CPUs than these it is a model in plain C. With LANES_CUT_44, vec_load_44 cuts blocks into limbs
 * more cheaply than vec_load_blocks and shifts. */
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
#elif HORNET_POWER && defined(__clang__)
#define HORNET_TARGET "arch=pwr9"
#elif HORNET_POWER
#define HORNET_TARGET "cpu=power9"
#endif
#define LANES_CUT_44
#define SUM_CHECK_MAX(v, max) ((void)0)
#define VEC_CHECK_MAX(v, max) ((void)0)

/* Applies to the field and the evaluation too; kernel_end.h closes it. */
#include "../../core/target_begin.h"

typedef unsigned long long vec __attribute__((vector_size(16)));
#if HORNET_POWER /* gcc would keep a number in general-purpose registers */
__extension__ typedef unsigned __int128 sum __attribute__((vector_size(16)));
#else
__extension__ typedef unsigned __int128 sum;
#endif

/* clang 19 would multiply by 5 and 20 in general-purpose registers, which takes 10 cycles instead of 4 and
 * 6 by the model of z14. */
#if defined(__clang__) && (HORNET_VX || HORNET_POWER)
#define LANES_SEPARATE(a) HORNET_VALUE_BARRIER("v", a)
#endif

#define VEC_OF(a, b, i, j) HORNET_SHUFFLE(vec, a, b, i, j)

HORNET_INLINE vec vec_splat(uint64_t value) { return (vec){value, value}; }
HORNET_INLINE vec vec_pair(uint64_t first, uint64_t second) { return (vec){first, second}; }
HORNET_INLINE vec vec_add(vec a, vec b) { return a + b; }
HORNET_INLINE vec vec_and(vec a, vec b) { return a & b; }
HORNET_INLINE vec vec_or(vec a, vec b) { return a | b; }
HORNET_INLINE vec vec_shl(vec a, int bits) { return a << bits; }
HORNET_INLINE vec vec_shr(vec a, int bits) { return a >> bits; }
HORNET_INLINE uint64_t vec_element(vec a, int i) { return a[i]; }

/* Returns lane `lane` of a, then that of b. */
HORNET_INLINE vec vec_of_lane(vec a, vec b, int lane)
{
    return lane == 0 ? VEC_OF(a, b, 0, 2) : VEC_OF(a, b, 1, 3);
}

/* Returns lane `lane` of a, then 0. */
HORNET_INLINE vec vec_alone(vec a, int lane)
{
    vec zero = {0, 0};
#if HORNET_VX /* gcc 12 would shift by a vector of numbers */
    HORNET_VALUE_BARRIER("v", zero);
#endif
    return lane == 0 ? VEC_OF(a, zero, 0, 2) : VEC_OF(a, zero, 1, 3);
}

#if HORNET_VX || HORNET_POWER
HORNET_INLINE sum sum_zero(void) { return (sum)vec_splat(0); }

/* total + a_0 b_0 + a_1 b_1. */
HORNET_INLINE sum sum_mul_add(sum total, vec a, vec b)
{
#if HORNET_POWER && defined(__clang__) /* clang 19 has no builtin function for it */
    __asm__("vmsumudm %0, %1, %2, %0" : "+v"(total) : "v"(a), "v"(b));
    return total;
#elif HORNET_POWER /* elsewhere, or gcc 12 would copy zeros before each first product */
    sum result;
    __asm__("vmsumudm %0, %1, %2, %3" : "=v"(result) : "v"(a), "v"(b), "v"(total));
    return result;
#elif defined(__clang__)
    return (sum)__builtin_s390_vmslg(a, b, total, 0);
#else
    __extension__ typedef __int128 operand;
    return (sum)__builtin_s390_vmslg(a, b, (operand)total, 0);
#endif
}

/* The low, and the high, words of two sums. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { SUM_LOW = 1, SUM_HIGH = 0 };
#else
enum { SUM_LOW = 0, SUM_HIGH = 1 };
#endif
HORNET_INLINE vec sums_low(sum a, sum b) { return VEC_OF((vec)a, (vec)b, SUM_LOW, 2 + SUM_LOW); }
HORNET_INLINE vec sums_high(sum a, sum b) { return VEC_OF((vec)a, (vec)b, SUM_HIGH, 2 + SUM_HIGH); }

typedef uint8_t byte16 __attribute__((vector_size(16)));

HORNET_INLINE byte16 load_block(const uint8_t *block)
{
    byte16 bytes;
    memcpy(&bytes, block, sizeof bytes);
    return bytes;
}

/* The words of 8 bytes, little-endian, that begin at byte `at` of two blocks: one permutation. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define WORD_AT(i) (i) + 7, (i) + 6, (i) + 5, (i) + 4, (i) + 3, (i) + 2, (i) + 1, (i)
#else
#define WORD_AT(i) (i), (i) + 1, (i) + 2, (i) + 3, (i) + 4, (i) + 5, (i) + 6, (i) + 7
#endif
#define WORDS_AT(a, b, at) ((vec)HORNET_SHUFFLE(byte16, a, b, WORD_AT(at), WORD_AT(16 + (at))))
#else
HORNET_INLINE sum sum_zero(void) { return 0; }

HORNET_INLINE sum sum_mul_add(sum total, vec a, vec b)
{
    return total + (sum)a[0] * b[0] + (sum)a[1] * b[1];
}

HORNET_INLINE vec sums_low(sum a, sum b) { return (vec){(uint64_t)a, (uint64_t)b}; }
HORNET_INLINE vec sums_high(sum a, sum b) { return (vec){(uint64_t)(a >> 64), (uint64_t)(b >> 64)}; }
typedef const uint8_t *byte16; /* where a block is */
HORNET_INLINE byte16 load_block(const uint8_t *block) { return block; }
#define WORDS_AT(a, b, at) ((vec){load_le64((a) + (at)), load_le64((b) + (at))})
#endif

/* Loads the blocks at `first` and 32 bytes after it: *lo gets their first words, *hi their second ones. */
HORNET_INLINE void vec_load_blocks(const uint8_t *first, vec *lo, vec *hi)
{
    const byte16 a = load_block(first), b = load_block(first + 32);
    *lo = WORDS_AT(a, b, 0);
    *hi = WORDS_AT(a, b, 8);
}

/* Loads the same blocks. limb[i] gets the 44 bits, or 40, from bit 44 i on:
 *
 *     byte  0   1   2   3   4   5   6   7   8   9   10  11  12  13  14  15
 *          '----- limb 0 -----'------ limb 1 ------'------ limb 2 ------'
 *                      '------------------------------'  the word from byte 3 on, of which it is the top
 */
HORNET_INLINE void vec_load_44(const uint8_t *first, vec limb[3])
{
    const byte16 a = load_block(first), b = load_block(first + 32);
    limb[0] = vec_and(WORDS_AT(a, b, 0), vec_splat((UINT64_C(1) << 44) - 1));
    limb[1] = vec_shr(WORDS_AT(a, b, 3), 20);
    limb[2] = vec_shr(WORDS_AT(a, b, 8), 24);
}

#endif
