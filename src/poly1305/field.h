/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Fields: arithmetic modulo p = 2^130 - 5 over lanes, with one element in each lane.
 *
 * field/ has one file for each way to divide a number into limbs, written once against lanes.h. The
 * evaluation includes this file, which declares every operation with its contract; the compiler checks that
 * each one is defined with this type. A field states its bounds with VEC_CHECK_MAX, and tests/proofs/
 * checks them for all inputs.
 *
 * LIMBS is the number of limbs. FACTOR_BITS is the number of bits that a factor of the lanes must hold. The
 * types:
 *
 *     fe               an element, reduced far enough to be multiplied
 *     wide             a sum of products and elements, before carrying
 *     multiplier       an element prepared to multiply others
 *     splat_multiplier a multiplier that is the same in every lane; by default a multiplier
 *     long_sum         a sum of an element and up to LONG_SUM_MAX products, in a form suited to many
 *                      products
 *     long_multiplier  an element prepared to multiply others in such a sum
 *
 * An element is "carried" if it comes from fe_carry, from long_sum_carry, or from fe_from_words with top 0.
 * Every carried element is an fe, and so is the sum of two carried elements, or of one and a block. */
#ifndef HORNET_POLY1305_FIELD_H
#define HORNET_POLY1305_FIELD_H

#include "lanes.h"

#ifndef HORNET_POLY1305_FIELD_IMPLEMENTATION
#include "field/radix26.h"
#endif

#ifndef FIELD_SPLAT_MULTIPLIER
#define SPLAT_MULTIPLIER_WORDS MULTIPLIER_WORDS
typedef multiplier splat_multiplier;
HORNET_INLINE splat_multiplier splat_multiplier_from(fe a) { return multiplier_from(a); }
HORNET_INLINE wide wide_mul_add_splat(wide sum, fe a, const splat_multiplier *b)
{
    return wide_mul_add(sum, a, b);
}
HORNET_INLINE void splat_multiplier_to_words(uint64_t *words, const splat_multiplier *a)
{
    multiplier_to_words(words, a);
}
HORNET_INLINE splat_multiplier splat_multiplier_from_words(const uint64_t *words)
{
    return multiplier_from_words(words);
}
#endif

#define FIELD_OPERATION(type, name, parameters)                                                            \
    _Static_assert(_Generic(&name, type(*) parameters: 1, default: 0),                                     \
                   "the field must define " #type " " #name #parameters)

/* lo + hi 2^64 + top 2^128, with top <= 6. */
FIELD_OPERATION(fe, fe_from_words, (vec lo, vec hi, vec top));

/* The blocks of a group, LANES full ones, each plus 2^128. */
FIELD_OPERATION(fe, fe_from_blocks, (const uint8_t *blocks));

FIELD_OPERATION(fe, fe_zero, (void));

/* a + b. The sum must be an fe again: see above. */
FIELD_OPERATION(fe, fe_add, (fe a, fe b));

/* a b, carried. */
FIELD_OPERATION(fe, fe_mul, (fe a, const multiplier *b));

/* The number that sum represents, carried. */
FIELD_OPERATION(fe, fe_carry, (wide sum));

/* The operations of lanes.h with these names, on elements. fe_blend takes the elements of `even` for blocks
 * whose number has bit `bit` clear, and those of `odd` for the others. fe_first puts the element of block 0
 * into every lane. */
FIELD_OPERATION(fe, fe_blend, (int bit, fe even, fe odd));
FIELD_OPERATION(fe, fe_first, (fe a));

/* multiplier_from needs a carried element, because multiples of its limbs must be factors too.
 * multiplier_element returns that element again. */
FIELD_OPERATION(multiplier, multiplier_from, (fe a));
FIELD_OPERATION(fe, multiplier_element, (const multiplier *a));

/* The element must be the same in every lane. */
FIELD_OPERATION(splat_multiplier, splat_multiplier_from, (fe a));

/* Convert to SPLAT_MULTIPLIER_WORDS words, and back. */
FIELD_OPERATION(void, splat_multiplier_to_words, (uint64_t *words, const splat_multiplier *a));
FIELD_OPERATION(splat_multiplier, splat_multiplier_from_words, (const uint64_t *words));

FIELD_OPERATION(wide, wide_zero, (void));
FIELD_OPERATION(wide, wide_from, (fe a));

/* sum + a b. The field determines how many products fit; the proofs check the numbers that are actually
 * summed. */
FIELD_OPERATION(wide, wide_mul_add, (wide sum, fe a, const multiplier *b));
FIELD_OPERATION(wide, wide_mul_add_splat, (wide sum, fe a, const splat_multiplier *b));

/* The operations above, for long sums. long_multiplier_from needs a carried element. b holds a power in
 * each lane and is read from memory: all lanes of a are multiplied by the power of block `block`. */
FIELD_OPERATION(long_multiplier, long_multiplier_from, (fe a));
FIELD_OPERATION(long_sum, long_sum_from, (fe a));
FIELD_OPERATION(long_sum, long_sum_mul_add, (long_sum sum, fe a, const long_multiplier *b, size_t block));

/* sum + (lo + hi 2^64 + 2^128) b, for a vector of full blocks. A field may leave out 2^128 b, which does
 * not depend on the blocks. It then adds it up over all b with long_tops_add, and long_tops_carry returns
 * the total, which long_sum_carry adds at the end. */
FIELD_OPERATION(long_sum, long_sum_add_blocks,
                (long_sum sum, vec lo, vec hi, const long_multiplier *b, size_t block));
FIELD_OPERATION(wide, long_tops_add, (wide tops, const long_multiplier *b, size_t block));
FIELD_OPERATION(fe, long_tops_carry, (wide tops));
FIELD_OPERATION(fe, long_sum_carry, (long_sum sum, fe tops));

/* words[0] + words[1] 2^64 + words[2] 2^128 = the sum over all lanes modulo p, plus addend; addend <= 5 and
 * words[2] <= 4. */
FIELD_OPERATION(void, wide_sum_to_words, (uint64_t *words, wide sum, uint64_t addend));

/* In each lane, *lo + *hi 2^64 = (a mod p + s_lo + s_hi 2^64) mod 2^128, the tag. a must be carried. */
FIELD_OPERATION(void, fe_finish, (vec * lo, vec *hi, fe a, vec s_lo, vec s_hi));

#endif
