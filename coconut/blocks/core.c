/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Functions of src/core/ that are inlined everywhere, and fe_power and zeros_value, each as a function of
 * its own, for coconut/prove/core.py. For the last two, an element of the field is its form, as an
 * expression in r: the product of two powers is that with the sum of their exponents. */
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

/* What fe_power and zeros_value compute with, where f_n is the sum of r^i over i < n. The number n is that
 * of a POWER and of what contains f_n, else 0. What has no form below is wrong, and so is what is made of
 * it. */
enum {
    POWER,          /* r^n, 1 among them */
    TWO,            /* 2 */
    MINUS_ONE,      /* -1 */
    TOP,            /* 2^128 */
    R_LESS_ONE,     /* r - 1 */
    SUM,            /* f_n, 0 among them */
    R_SUM,          /* r f_n */
    POWER_LESS_ONE, /* (r - 1) f_n = r^n - 1 */
    POWER_PLUS_ONE, /* r^n + 1 */
    TOP_SUM,        /* 2^128 f_n */
    ZEROS           /* 2^128 r f_n */
};
typedef struct {
    uint64_t form, n, wrong;
} fe, wide, multiplier, long_multiplier;

HORNET_INLINE vec vec_splat(uint64_t word) { return word; }

HORNET_INLINE fe fe_from_words(vec w0, vec w1, vec w2)
{
    if (w0 == 1 && w1 == 0 && w2 == 0)
        return (fe){POWER, 0, 0};
    if (w0 == 0 && w1 == 0 && w2 == 0)
        return (fe){SUM, 0, 0};
    if (w0 == 2 && w1 == 0 && w2 == 0)
        return (fe){TWO, 0, 0};
    if (w0 == 0 && w1 == 0 && w2 == 1)
        return (fe){TOP, 0, 0};
    /* 2^130 - 6 */
    return (fe){MINUS_ONE, 0, (uint64_t)(w0 != UINT64_MAX - 5 || w1 != UINT64_MAX || w2 != 3)};
}

HORNET_INLINE fe fe_zero(void) { return (fe){SUM, 0, 0}; }

HORNET_INLINE fe fe_mul(fe a, const multiplier *b)
{
    fe product = {a.form, a.n, a.wrong | b->wrong};
    if (a.form == POWER && b->form == POWER) {
        product.wrong |= add_with_carry(&product.n, b->n);
    } else if (a.form == SUM && b->form == POWER) {
        product.form = R_SUM;
        product.wrong |= b->n ^ 1;
    } else if (a.form == SUM && b->form == R_LESS_ONE) {
        product.form = POWER_LESS_ONE;
    } else {
        product.form = TOP_SUM;
        product.wrong |= (uint64_t)(a.form != SUM || b->form != TOP);
    }
    return product;
}

HORNET_INLINE fe fe_add(fe a, fe b)
{
    fe sum = {R_LESS_ONE, 0, a.wrong | b.wrong};
    if (a.form == POWER_LESS_ONE) {
        sum.form = POWER_PLUS_ONE;
        sum.n = a.n;
        sum.wrong |= (uint64_t)(b.form != TWO);
    } else if (a.form == TOP_SUM) {
        sum = a;
        sum.wrong |= (uint64_t)(b.form != SUM) | b.n | b.wrong;
    } else {
        sum.wrong |= (uint64_t)(a.form != POWER || b.form != MINUS_ONE) | (a.n ^ 1);
    }
    return sum;
}

/* f_n (r^n + 1) = f_2n; r f_n (r^n + 1) + 1 = f_(2n + 1); 2^128 f_n r. */
HORNET_INLINE wide wide_mul_add(wide sum, fe a, const multiplier *b)
{
    const uint64_t wrong = sum.wrong | a.wrong | b->wrong | sum.n;
    if (a.form == TOP_SUM)
        return (wide){ZEROS, a.n, wrong | (uint64_t)(sum.form != SUM || b->form != POWER) | (b->n ^ 1)};
    const uint64_t odd = (uint64_t)(b->form == R_SUM);
    const uint64_t added = odd ? (uint64_t)(sum.form != POWER) : (uint64_t)(sum.form != SUM);
    const uint64_t factors = (uint64_t)(a.form != POWER_PLUS_ONE || (b->form != SUM && b->form != R_SUM));
    return (wide){SUM, a.n << 1 | odd, wrong | added | factors | (a.n ^ b->n) | a.n >> 63};
}

HORNET_INLINE wide wide_zero(void) { return fe_zero(); }
HORNET_INLINE wide wide_from(fe a) { return a; }
HORNET_INLINE fe fe_carry(wide a) { return a; }
HORNET_INLINE multiplier multiplier_from(fe a) { return a; }
HORNET_INLINE long_multiplier long_multiplier_from(fe a) { return a; }
HORNET_INLINE fe fe_first(fe a) { return a; }
HORNET_INLINE fe fe_blend(int bit, fe a, fe b) { return bit ? a : b; }
#include "../../src/poly1305/horner/combine.h"

/* The exponent of r^n. */
void proved_fe_power(uint64_t power[2], uint64_t n)
{
    const fe result = fe_power((fe){POWER, 1, 0}, n);
    power[0] = result.n;
    power[1] = result.wrong | (uint64_t)(result.form != POWER);
}

/* The number of blocks of zeros. */
void proved_zeros_value(uint64_t blocks[2], uint64_t n)
{
    const uint64_t nothing[3] = {0, 0, 0};
    const wide result = zeros_value((fe){POWER, 1, 0}, n, nothing);
    blocks[0] = result.n;
    blocks[1] = result.wrong | (uint64_t)(result.form != ZEROS);
}
