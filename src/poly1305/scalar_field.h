/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Scalar fields: arithmetic modulo p = 2^130 - 5 in general-purpose registers, one block after another.
 *
 * field/radix64.h and field/radix32.h implement what is declared here, and the compiler checks that each
 * operation is defined with this type. If neither was included before, this file includes the one that
 * suits the target: radix 2^64 if the CPU can multiply 64 x 64 -> 128 bits.
 *
 *     scalar_fe    an element; "small" if its part above 2^128 is at most 6
 *     scalar_r     r, prepared to multiply elements; r must be clamped
 */
#ifndef HORNET_POLY1305_SCALAR_FIELD_H
#define HORNET_POLY1305_SCALAR_FIELD_H

#include <stdint.h>

#include "../core/bytes.h"
#include "../core/compiler.h"

#ifndef HORNET_POLY1305_SCALAR_IMPLEMENTATION
#if HORNET_INT128
#include "field/radix64.h"
#else
#include "field/radix32.h"
#endif
#endif

/* A field may have them itself. */
#ifndef SCALAR_MUL_ADD_BLOCK
HORNET_INLINE scalar_fe scalar_fe_mul_add_block(scalar_fe h, scalar_r r, const uint8_t *block)
{
    return scalar_fe_mul_add(h, r, load_le64(block), load_le64(block + 8), 1);
}

HORNET_INLINE scalar_fe scalar_small_mul_add_block(scalar_fe h, scalar_r r, const uint8_t *block)
{
    return scalar_small_mul_add(h, r, load_le64(block), load_le64(block + 8), 1);
}
#endif

#define SCALAR_OPERATION(type, name, parameters)                                                           \
    _Static_assert(_Generic(&name, type(*) parameters: 1, default: 0),                                     \
                   "the scalar field must define " #type " " #name #parameters)

/* words[0] + words[1] 2^64 + words[2] 2^128, a small element: words[2] <= 6. */
SCALAR_OPERATION(scalar_fe, scalar_fe_from_words, (const uint64_t *words));

/* a + addend as words. a must be a product to which no block has been added. words[2] <= HORNET_H2_MAX;
 * with an addend of 5, words[2] < 8. */
SCALAR_OPERATION(void, scalar_fe_to_words, (uint64_t *words, scalar_fe a, uint64_t addend));

SCALAR_OPERATION(scalar_r, scalar_r_from_words, (const uint64_t *words));

/* h r, and h r + c for the block c = lo + hi 2^64 + top 2^128, where top is 0 or 1; or for a whole block in
 * memory. */
SCALAR_OPERATION(scalar_fe, scalar_fe_mul, (scalar_fe h, scalar_r r));
SCALAR_OPERATION(scalar_fe, scalar_fe_mul_add,
                 (scalar_fe h, scalar_r r, uint64_t lo, uint64_t hi, uint64_t top));
SCALAR_OPERATION(scalar_fe, scalar_fe_mul_add_block, (scalar_fe h, scalar_r r, const uint8_t *block));

/* The same products, computed faster, for a small h. */
SCALAR_OPERATION(scalar_fe, scalar_small_mul, (scalar_fe h, scalar_r r));
SCALAR_OPERATION(scalar_fe, scalar_small_mul_add,
                 (scalar_fe h, scalar_r r, uint64_t lo, uint64_t hi, uint64_t top));
SCALAR_OPERATION(scalar_fe, scalar_small_mul_add_block, (scalar_fe h, scalar_r r, const uint8_t *block));

#endif
