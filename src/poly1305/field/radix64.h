/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The field modulo p = 2^130 - 5 in radix 2^64, scalar, for CPUs that multiply 64 x 64 -> 128 bits.
 * scalar_field.h documents the functions. The bounds hold for all inputs: tests/proofs/ runs this very file
 * over intervals.
 *
 * After Polyakov, "Poly1305 revised", but without a reduction of limb 2 after every block: that shortens
 * the dependency chain of a block from 15 to 9 cycles. With r clamped, r_1 is a multiple of 4, so that
 * 2^128 r_1 = 2^130 r_1/4 is added back as s_1 = 5/4 r_1. Limb 2 stays large, a whole word, and is reduced
 * where it is multiplied: the part above 2^130, h_2 div 4, is added back as u_0 = 5 r_0.
 *
 *                  d_0    d_1    d_2
 *     h_0          r_0    r_1
 *     h_1          s_1    r_0
 *     h_2                 s_1              (2^192 r_1 = 2^64 s_1)
 *     h_2 div 4    u_0                     (2^130 r_0 = 5 r_0)
 *     h_2 mod 4                  r_0
 */
#ifndef HORNET_POLY1305_SCALAR_IMPLEMENTATION
#define HORNET_POLY1305_SCALAR_IMPLEMENTATION

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../core/compiler.h"
#include "../../core/words.h"

/* limb[2] is any word before a multiplication, and below 8.01 * 2^60, or SCALAR_LIMB2_MAX, after one. */
#define SCALAR_LIMB2_MAX (UINT64_C(0x8029) << 48)

typedef struct {
    uint64_t limb[3];
} scalar_fe;

/* r0 < 2^60, r1 < 2^60 with its low two bits 0, s1 = 5/4 r1 < 1.25 * 2^60, u0 = 5 r0 < 5 * 2^60. */
typedef struct {
    uint64_t r0, r1, s1, u0;
} scalar_r;

HORNET_INLINE scalar_fe scalar_fe_from_words(const uint64_t words[3])
{
    return (scalar_fe){{words[0], words[1], words[2]}};
}

/* The last reduction: 5 (limb[2] div 4) < 10.02 * 2^60. */
HORNET_INLINE void scalar_fe_to_words(uint64_t words[3], scalar_fe a, uint64_t addend)
{
    const uint64_t above = a.limb[2] >> 2;
    words[0] = a.limb[0];
    words[1] = a.limb[1];
    words[2] = a.limb[2] & 3;
    add_words(words, 5 * above + addend, 0, 0);
}

HORNET_INLINE scalar_r scalar_r_from_words(const uint64_t words[2])
{
    return (scalar_r){words[0], words[1], words[1] + (words[1] >> 2), 5 * words[0]};
}

/* *a0 + *a1 2^64 += b c, modulo 2^128. */
HORNET_INLINE void multiply_add(uint64_t *a0, uint64_t *a1, uint64_t b, uint64_t c)
{
    uint64_t lo, hi;
    multiply_words(&lo, &hi, b, c);
    add_word_pair(a0, a1, lo, hi);
}

/* d_0 + (d_1 + carry) 2^64 + d_2 2^128. */
typedef struct {
    uint64_t d[3], carry;
} scalar_sum;

/* The products of limb 0, to which a block is added: it is ready first, and limb 2 last. */
HORNET_INLINE scalar_sum scalar_begin(scalar_fe h, scalar_r r)
{
    scalar_sum product;
    multiply_words(&product.d[0], &product.carry, h.limb[0], r.r0);
    multiply_words(&product.d[1], &product.d[2], h.limb[0], r.r1);
    return product;
}

/* The multiple of 2^128 that is not reduced, at most 3 * 2^60. */
HORNET_INLINE uint64_t scalar_above(scalar_fe h, scalar_r r) { return (h.limb[2] & 3) * r.r0; }

/* Whether a limb's products come one after the other where a block is added. That leaves compilers the
 * fewest moves between registers: clang 19 needs 37 instructions for a block instead of 43. gcc 12 needs 37
 * either way, unless other code is interleaved; but one multiplication delays that of limb 2 then, by
 * llvm-mca a cycle on Golden Cove. */
#ifndef SCALAR_BY_LIMB
#ifdef __clang__
#define SCALAR_BY_LIMB true
#else
#define SCALAR_BY_LIMB false
#endif
#endif

/* Adds the other products; by_limb is a constant. The last multiplication is faster if it is not by limb:
 * 17 to 31 bytes else take 1.04 of the time with clang 19 (2026-11-27, EPYC, Zen 4). */
HORNET_INLINE scalar_fe scalar_end(scalar_sum product, scalar_fe h, scalar_r r, bool by_limb)
{
    uint64_t above;
    multiply_add(&product.d[0], &product.carry, h.limb[1], r.s1); /* carry < 2.25 * 2^60 */
    if (by_limb)
        multiply_add(&product.d[1], &product.d[2], h.limb[1], r.r0);
    /* carry < 2.25 * 2^60 + 1.25 * 2^60 */
    multiply_add(&product.d[0], &product.carry, h.limb[2] >> 2, r.u0);
    if (!by_limb) {
        multiply_add(&product.d[1], &product.d[2], h.limb[1], r.r0);
        above = scalar_above(h, r);
    }
    multiply_add(&product.d[1], &product.d[2], h.limb[2], r.s1); /* d_2 < 2 * 2^60 + 1.25 * 2^60 + 2 */
    if (by_limb)
        above = scalar_above(h, r);
    add_word_pair(&product.d[1], &above, product.carry, product.d[2]); /* < 6.26 * 2^60 */
    return (scalar_fe){{product.d[0], product.d[1], above}};
}

HORNET_INLINE scalar_fe scalar_small_end(scalar_sum product, scalar_fe h, scalar_r r)
{
    multiply_add(&product.d[0], &product.carry, h.limb[1], r.s1); /* carry < 2.25 * 2^60 */
    multiply_add(&product.d[1], &product.d[2], h.limb[1], r.r0);
    product.carry += h.limb[2] * r.s1; /* < 2.25 * 2^60 + 7.5 * 2^60 */
    product.d[2] += h.limb[2] * r.r0;  /* < 2 * 2^60 + 2 + 6 * 2^60 */
    add_word_pair(&product.d[1], &product.d[2], product.carry, 0);
    return (scalar_fe){{product.d[0], product.d[1], product.d[2]}};
}

HORNET_INLINE scalar_fe scalar_fe_mul(scalar_fe h, scalar_r r)
{
    return scalar_end(scalar_begin(h, r), h, r, false);
}

HORNET_INLINE scalar_fe scalar_small_mul(scalar_fe h, scalar_r r)
{
    return scalar_small_end(scalar_begin(h, r), h, r);
}

HORNET_INLINE scalar_fe scalar_fe_mul_add(scalar_fe h, scalar_r r, uint64_t lo, uint64_t hi, uint64_t top)
{
    scalar_sum product = scalar_begin(h, r);
    add_words(product.d, lo, hi, top);
    return scalar_end(product, h, r, SCALAR_BY_LIMB);
}

HORNET_INLINE scalar_fe scalar_small_mul_add(scalar_fe h, scalar_r r, uint64_t lo, uint64_t hi,
                                             uint64_t top)
{
    scalar_sum product = scalar_begin(h, r);
    add_words(product.d, lo, hi, top);
    return scalar_small_end(product, h, r);
}

#define SCALAR_MUL_ADD_BLOCK
HORNET_INLINE scalar_fe scalar_fe_mul_add_block(scalar_fe h, scalar_r r, const uint8_t *block)
{
    scalar_sum product = scalar_begin(h, r);
    add_block(product.d, block);
    return scalar_end(product, h, r, SCALAR_BY_LIMB);
}

HORNET_INLINE scalar_fe scalar_small_mul_add_block(scalar_fe h, scalar_r r, const uint8_t *block)
{
    scalar_sum product = scalar_begin(h, r);
    add_block(product.d, block);
    return scalar_small_end(product, h, r);
}

#endif
