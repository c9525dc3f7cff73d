/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Fields: arithmetic modulo p = 2^130 - 5 over lanes, one element in each.
 *
 * field/ has a file for each way to cut a number into limbs, written once against lanes.h. The evaluation
 * includes this file, which states every operation with its contract; the compiler checks that each is
 * there and has this type. A field states its bounds with VEC_CHECK_MAX, and proofs/ checks them for all
 * inputs.
 *
 * LIMBS is the number of limbs; FACTOR_BITS says how many bits a factor of the lanes must hold. The types:
 *
 *     fe               an element, as small as a multiplication needs it
 *     wide             a sum of products and elements, without carries
 *     multiplier       an element prepared to multiply others
 *     long_sum         a sum of an element and up to LONG_SUM_MAX products, in a form for many of them
 *     long_multiplier  an element prepared to multiply others in such a sum
 *
 * "Carried" is an element that comes from fe_carry, from long_sum_carry, or from words with top 0. The sum
 * of two carried elements, or of one and a block, is an fe; so is every carried element. */
#ifndef HORNET_POLY1305_FIELD_H
#define HORNET_POLY1305_FIELD_H

#include "lanes.h"

#ifndef HORNET_POLY1305_FIELD_IMPLEMENTATION
#include "field/radix26.h"
#endif

#define FIELD_OPERATION(type, name, parameters)                                                            \
    _Static_assert(_Generic(&name, type(*) parameters: 1, default: 0),                                     \
                   "the field must define " #type " " #name #parameters)

/* lo + hi 2^64 + top 2^128, with top <= 6. */
FIELD_OPERATION(fe, fe_from_words, (vec lo, vec hi, vec top));

FIELD_OPERATION(fe, fe_zero, (void));

/* a + b, which must be an fe again: see above. */
FIELD_OPERATION(fe, fe_add, (fe a, fe b));

/* a b, carried. */
FIELD_OPERATION(fe, fe_mul, (fe a, const multiplier *b));

/* The same number with its carries done. */
FIELD_OPERATION(fe, fe_carry, (wide sum));

/* For lanes.h's operations of these names, on elements: the elements of `even` for blocks whose number has
 * bit `bit` clear, those of `odd` for the others; the element of block 0 in every lane. */
FIELD_OPERATION(fe, fe_blend, (int bit, fe even, fe odd));
FIELD_OPERATION(fe, fe_first, (fe a));

/* a must be carried: multiples of its limbs must be factors too. And a again, out of its multiplier. */
FIELD_OPERATION(multiplier, multiplier_from, (fe a));
FIELD_OPERATION(fe, multiplier_element, (const multiplier *a));

/* A multiplier that is the same in every lane as MULTIPLIER_WORDS words, and back. */
FIELD_OPERATION(void, multiplier_to_words, (uint64_t *words, const multiplier *a));
FIELD_OPERATION(multiplier, multiplier_from_words, (const uint64_t *words));

FIELD_OPERATION(wide, wide_zero, (void));
FIELD_OPERATION(wide, wide_from, (fe a));

/* sum + a b. How many products fit is the field's affair; the bounds prove it for those that are summed. */
FIELD_OPERATION(wide, wide_mul_add, (wide sum, fe a, const multiplier *b));

/* The same for long sums. a must be carried for long_multiplier_from. b is a power in each lane, and
 * memory; all lanes are multiplied by that of block `block`. */
FIELD_OPERATION(long_multiplier, long_multiplier_from, (fe a));
FIELD_OPERATION(long_sum, long_sum_from, (fe a));
FIELD_OPERATION(long_sum, long_sum_mul_add, (long_sum sum, fe a, const long_multiplier *b, size_t block));

/* sum + (lo + hi 2^64 + 2^128) b, a vector of full blocks. A field may leave out 2^128 b, which is the same
 * for all blocks, and have it in what long_tops_carry makes of the sum over all b: it is added at the end.
 */
FIELD_OPERATION(long_sum, long_sum_add_blocks,
                (long_sum sum, vec lo, vec hi, const long_multiplier *b, size_t block));
FIELD_OPERATION(wide, long_tops_add, (wide tops, const long_multiplier *b, size_t block));
FIELD_OPERATION(fe, long_tops_carry, (wide tops));
FIELD_OPERATION(fe, long_sum_carry, (long_sum sum, fe tops));

/* words[0] + words[1] 2^64 + words[2] 2^128 = the sum over all lanes, modulo p, plus addend <= 5; words[2]
 * <= 4.
 */
FIELD_OPERATION(void, wide_sum_to_words, (uint64_t *words, wide sum, uint64_t addend));

/* In each lane *lo + *hi 2^64 = (a mod p + s_lo + s_hi 2^64) mod 2^128, the tag. a must be carried. */
FIELD_OPERATION(void, fe_finish, (vec * lo, vec *hi, fe a, vec s_lo, vec s_hi));

#endif
