/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lanes: what the fields and the evaluation need from an instruction set.
 *
 * lanes/ has one file for each instruction set. It holds operations of one or two lines and nothing of the
 * algorithm. A kernel includes one of them; its field then includes this file, which declares every
 * operation with its contract, and the compiler checks that each one is defined with this type.
 * lanes/portable.h is the reference model that the tests compare the others with. A program may supply its
 * own lanes, for instance to prove bounds or to count operations: it defines LANES first, and the files in
 * lanes/ are then empty.
 *
 * LANES is the number of lanes, a power of two. There are two types, which may be the same:
 *
 *     vec       LANES words of 64 bits: words of blocks, sums of products
 *     factor    LANES numbers to multiply, of at least as many bits as the multiplication reads
 *
 * A lanes file defines which multiplications it has: LANES_MULTIPLY_32 for radix 2^26, and
 * LANES_MULTIPLY_52 for radix 2^44. It may define LANES_FACTOR if a factor is a separate type; by default a
 * factor is a vec, and the operations on factors that also exist for vecs need not be defined. It may
 * define LANES_MULTIPLY_ADD_32 if one instruction multiplies and adds, LANES_MULTIPLY_BLOCK if it can also
 * take one operand for all lanes from the lane of one block, LANES_CUT_26 if blocks are cut into limbs of
 * 26 bits more cheaply than by vec_load_blocks and shifts, and LANES_MULTIPLIERS_IN_MEMORY if a multiplier
 * should be loaded at each use, because the compiler would otherwise widen it before the loop.
 *
 * Each lane holds one of LANES consecutive blocks. The lanes file decides which lane holds which block:
 * only vec_load_blocks, vec_load_each, vec_store_blocks, factor_blend and factor_block depend on it. Block
 * 0 is always in lane 0. */
#ifndef HORNET_POLY1305_LANES_H
#define HORNET_POLY1305_LANES_H

#include <stddef.h>
#include <stdint.h>

#include "../core/compiler.h"
#include "../core/stack_wipe.h"

#ifndef LANES
#include "lanes/portable.h"
#endif

/* A lanes file for an instruction set leaves HORNET_TARGET defined. From here on, all templates of the
 * kernel are compiled for that target; kernel_end.h closes the region. */
#include "../core/target_begin.h"

/* How a kernel's templates are compiled: HORNET_INLINE for speed. A kernel for which size matters more
 * redefines it. */
#ifndef KERNEL_INLINE
#define KERNEL_INLINE HORNET_INLINE
#endif

/* How much stack the functions called by a kernel's functions may use. */
#ifndef KERNEL_CALLEES_BYTES
#define KERNEL_CALLEES_BYTES STACK_BELOW_BYTES
#endif

/* The function of core/stack_wipe.h that clears the registers that the lanes use. */
#if !defined(LANES_CLEAR_STACK) || !HORNET_SMALL_IS_CLEAN
#undef LANES_CLEAR_STACK
#define LANES_CLEAR_STACK clear_stack_and_registers
#endif

/* States that every lane is at most max, for all inputs. Lanes that can check this define the macro. */
#ifndef VEC_CHECK_MAX
#define VEC_CHECK_MAX(v, max) ((void)0)
#endif

#ifndef LANES_FACTOR
typedef vec factor;
HORNET_INLINE factor factor_from(vec a) { return a; }
HORNET_INLINE vec vec_from(factor a) { return a; }
HORNET_INLINE factor factor_splat(uint64_t value) { return vec_splat(value); }
HORNET_INLINE factor factor_add(factor a, factor b) { return vec_add(a, b); }
HORNET_INLINE factor factor_shl(factor a, int bits) { return vec_shl(a, bits); }
HORNET_INLINE factor factor_barrier(factor a) { return vec_barrier(a); }
HORNET_INLINE factor factor_from_low32(vec a) { return a; }
HORNET_INLINE factor factor_from_high32(vec a) { return vec_shr(a, 32); }
#endif

#if defined(LANES_MULTIPLY_32) && !defined(LANES_MULTIPLY_ADD_32)
HORNET_INLINE vec vec_mul_add32(vec sum, factor a, factor b) { return vec_add(sum, vec_mul32(a, b)); }
#endif

/* Checks that an operation is defined with its type. */
#define LANES_OPERATION(type, name, parameters)                                                            \
    _Static_assert(_Generic(&name, type(*) parameters: 1, default: 0),                                     \
                   "the lanes must define " #type " " #name #parameters)

/* value in every lane. */
LANES_OPERATION(vec, vec_splat, (uint64_t value));
LANES_OPERATION(factor, factor_splat, (uint64_t value));

/* a + b and a - b modulo 2^64. */
LANES_OPERATION(vec, vec_add, (vec a, vec b));
LANES_OPERATION(vec, vec_sub, (vec a, vec b));

LANES_OPERATION(vec, vec_and, (vec a, vec b));
LANES_OPERATION(vec, vec_or, (vec a, vec b));

/* Logical shifts by a constant number of bits, 1 to 63. */
LANES_OPERATION(vec, vec_shl, (vec a, int bits));
LANES_OPERATION(vec, vec_shr, (vec a, int bits));

/* Value barrier: returns a, about which the compiler may then assume nothing. Without it, gcc 12 regroups
 * long sums into trees that need more registers than there are; and where clang 19 sees that a factor is
 * below 2^32, it later loses that fact and multiplies 64 bits by 64. */
LANES_OPERATION(vec, vec_barrier, (vec a));
LANES_OPERATION(factor, factor_barrier, (factor a));

/* Returns a, computed before the code that follows. Without it, compilers compute a where it is first used,
 * even if that is after a loop that could have run in parallel. */
LANES_OPERATION(factor, factor_in_order, (factor a));

/* Convert between the two types. With LANES_MULTIPLY_32, a number that becomes a factor must be below 2^32;
 * with LANES_MULTIPLY_52, a factor holds 64 bits, of which the low 52 are multiplied. */
LANES_OPERATION(factor, factor_from, (vec a));
LANES_OPERATION(vec, vec_from, (factor a));

#ifdef LANES_MULTIPLY_32
/* Factors whose multiplied bits are the low, or the high, 32 bits of a. */
LANES_OPERATION(factor, factor_from_low32, (vec a));
LANES_OPERATION(factor, factor_from_high32, (vec a));
#endif

/* a + b and a 2^bits for factors. The result must fit into a factor, as above. */
LANES_OPERATION(factor, factor_add, (factor a, factor b));
LANES_OPERATION(factor, factor_shl, (factor a, int bits));

#ifdef LANES_MULTIPLY_32
/* sum + a b modulo 2^64, for factors below 2^32. */
LANES_OPERATION(vec, vec_mul_add32, (vec sum, factor a, factor b));
#endif

#ifdef LANES_MULTIPLY_BLOCK
/* sum + a times the factor of block `block` of b, which is a constant. */
LANES_OPERATION(vec, vec_mul_add32_block, (vec sum, factor a, factor b, int block));
#endif

#ifdef LANES_CUT_26
/* Reads blocks like vec_load_blocks. limb[i] gets bits 26 i to 26 i + 25 of each. */
LANES_OPERATION(void, factor_load_26, (const uint8_t *blocks, factor *limb));
#endif

#ifdef LANES_MULTIPLY_52
/* sum + the low, or the high, 52 bits of the 104-bit product of the low 52 bits of a and b. */
LANES_OPERATION(vec, vec_madd52lo, (vec sum, factor a, factor b));
LANES_OPERATION(vec, vec_madd52hi, (vec sum, factor a, factor b));

/* Bits 44 to 107 of lo + hi 2^64. */
LANES_OPERATION(vec, vec_shr44_pair, (vec lo, vec hi));
#endif

/* value in the lane of block `block`, zeros in the others. */
LANES_OPERATION(vec, vec_only_block, (size_t block, uint64_t value));

/* The factor of block 0. */
LANES_OPERATION(uint64_t, factor_word, (factor a));

/* The factor of block 0, in every lane. */
LANES_OPERATION(factor, factor_first, (factor a));

/* The factor of block `block`, in every lane. a is read from memory. */
LANES_OPERATION(factor, factor_block, (const factor *a, size_t block));

/* The factors of `even` for blocks whose number has bit `bit` clear, and of `odd` for the others. bit is a
 * constant below log2(LANES). */
LANES_OPERATION(factor, factor_blend, (int bit, factor even, factor odd));

/* The sum of all lanes modulo 2^64. */
LANES_OPERATION(uint64_t, vec_sum, (vec a));

/* Reads LANES blocks of 16 bytes at any address. *lo gets the first 8 bytes of each, *hi the other 8, both
 * little-endian. */
LANES_OPERATION(void, vec_load_blocks, (const uint8_t *blocks, vec *lo, vec *hi));

/* Loads like vec_load_blocks, except that the first `absent` blocks are zeros (absent < LANES) and block
 * `absent` is at `first`. *top gets 1 for the blocks that are there, else 0. Reads no other memory. */
LANES_OPERATION(void, vec_load_first_blocks,
                (const uint8_t *first, size_t absent, vec *lo, vec *hi, vec *top));

/* Loads, like vec_load_blocks, LANES - 1 blocks at `blocks` and a last block, last[0] + last[1] 2^64. *top
 * gets last[2] for the last block and 1 for the others. Reads no other memory. */
LANES_OPERATION(void, vec_load_last_blocks,
                (const uint8_t *blocks, const uint64_t *last, vec *lo, vec *hi, vec *top));

/* Loads like vec_load_blocks, but from separate addresses: block i is at blocks[i] + offset. */
LANES_OPERATION(void, vec_load_each, (const uint8_t *const *blocks, size_t offset, vec *lo, vec *hi));

/* Reads LANES rows of 32 bytes, row i for the lane that holds block i. words[j] gets bytes 8 j to 8 j + 7
 * of each row. */
LANES_OPERATION(void, vec_load_rows, (const uint8_t *rows, vec *words));

/* Writes LANES blocks of 16 bytes, one after another: the inverse of vec_load_blocks. */
LANES_OPERATION(void, vec_store_blocks, (uint8_t *blocks, vec lo, vec hi));

/* clang 19 turns a shift and an addition into a multiplication, which takes longer. */
#ifdef __clang__
#define LANES_KEEP_SHIFT(opaque, shifted) opaque(shifted)
#else
#define LANES_KEEP_SHIFT(opaque, shifted) (shifted)
#endif

/* The part above 2^130 is added back times 5, since 2^130 = 5 modulo p. */
HORNET_INLINE vec times5(vec a) { return vec_add(a, LANES_KEEP_SHIFT(vec_barrier, vec_shl(a, 2))); }

HORNET_INLINE factor factor_times5(factor a)
{
    return factor_add(a, LANES_KEEP_SHIFT(factor_barrier, factor_shl(a, 2)));
}

#endif
