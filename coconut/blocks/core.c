/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Functions of src/core/ that are inlined everywhere, and fe_power, each as a function of its own, for
 * coconut/prove/core.py. For fe_power, an element of the field is its exponent: a product is a sum. */
#include "../../src/core/constant_time.h"
#include "../../src/core/words.h"

uint64_t proved_add_with_carry(uint64_t *a, uint64_t b) { return add_with_carry(a, b); }

void proved_add_words(uint64_t a[3], const uint64_t b[3]) { add_words(a, b[0], b[1], b[2]); }

void proved_add_block(uint64_t a[3], const uint8_t block[16]) { add_block(a, block); }

void proved_add_word_pair(uint64_t a[2], const uint64_t b[2]) { add_word_pair(&a[0], &a[1], b[0], b[1]); }

void proved_multiply_words(uint64_t product[2], uint64_t a, uint64_t b)
{
    uint64_t lo, hi;
    multiply_words(&lo, &hi, a, b);
    product[0] = lo;
    product[1] = hi;
}

bool proved_tags_equal(const uint8_t a[16], const uint8_t b[16]) { return tags_equal(a, b); }

bool proved_bytes_equal(const uint8_t *a, const uint8_t *b, size_t len_bytes)
{
    return bytes_equal(a, b, len_bytes);
}

#define HORNET_POLY1305_FIELD_H
#define KERNEL_INLINE HORNET_INLINE
#define LANES         1
#define LONG_SUM_MAX  8
typedef uint64_t vec;
typedef struct {
    uint64_t exponent, overflow;
} fe, multiplier, long_multiplier;

HORNET_INLINE vec vec_splat(uint64_t word) { return word; }

/* 1 is a^0; nothing else is made of words. */
HORNET_INLINE fe fe_from_words(vec w0, vec w1, vec w2)
{
    return (fe){0, (uint64_t)(w0 != 1 || w1 != 0 || w2 != 0)};
}

HORNET_INLINE fe fe_mul(fe a, const multiplier *b)
{
    fe product = {a.exponent, a.overflow | b->overflow};
    product.overflow |= add_with_carry(&product.exponent, b->exponent);
    return product;
}

HORNET_INLINE multiplier multiplier_from(fe a) { return a; }
HORNET_INLINE long_multiplier long_multiplier_from(fe a) { return a; }
HORNET_INLINE fe fe_first(fe a) { return a; }
HORNET_INLINE fe fe_blend(int bit, fe a, fe b) { return bit ? a : b; }
#include "../../src/poly1305/horner/powers.h"

/* The exponent of a^n. */
void proved_fe_power(uint64_t power[2], uint64_t n)
{
    const fe result = fe_power((fe){1, 0}, n);
    power[0] = result.exponent;
    power[1] = result.overflow;
}
