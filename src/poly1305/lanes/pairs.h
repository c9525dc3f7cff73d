/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Four lanes in two 128-bit vectors, for instruction sets that multiply 32-bit elements into 64-bit ones. A
 * factor is four numbers in one vector, element i for block i. An instruction multiplies two of its
 * elements, which gives one half of a vec:
 *
 *                     PAIRS_EVEN_ODD             otherwise, low and high
 *     half[0]         blocks 0 and 2             blocks 0 and 1
 *     half[1]         blocks 1 and 3             blocks 2 and 3
 *
 * A lanes file includes target_begin.h, defines multiply_add_half(sum, a, b, half) and then includes this
 * file. multiply_add_half adds to `sum` the products of the elements of a and b that belong to that half.
 * Everything else is written with GCC/Clang vector extensions, for either endianness, except the shifts and
 * conversions of a file that defines PAIRS_OWN_CONVERSIONS. One that defines PAIRS_CUT_BY_BYTES has an
 * instruction for any permutation of the bytes of two vectors. */
#ifndef HORNET_POLY1305_LANES_PAIRS_H
#define HORNET_POLY1305_LANES_PAIRS_H

#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "../../core/compiler.h"
#include "../../core/memory.h"

#ifndef PAIRS_REGISTER /* parsed alone: use a model */
#define PAIRS_REGISTER "x"
typedef uint64_t pair __attribute__((vector_size(16)));
typedef uint32_t quad __attribute__((vector_size(16)));

HORNET_INLINE pair multiply_add_half(pair sum, quad a, quad b, int half)
{
    const int i = 2 * half;
    return sum + (pair){(uint64_t)a[i] * b[i], (uint64_t)a[i + 1] * b[i + 1]};
}
#endif

#ifndef PAIRS_OWN_CONVERSIONS
HORNET_INLINE pair pair_shl(pair a, int bits) { return a << bits; }
HORNET_INLINE pair pair_shr(pair a, int bits) { return a >> bits; }
#endif

#define LANES 4
#define LANES_FACTOR
#define LANES_MULTIPLY_32
#define LANES_MULTIPLY_ADD_32

typedef struct {
    pair half[2];
} vec;

typedef quad factor;

/* A pair of two elements, and a quad of four, selected by number: the elements of b follow those of a. */
#define PAIR_OF(a, b, ...) HORNET_SHUFFLE(pair, a, b, __VA_ARGS__)
#define QUAD_OF(a, b, ...) HORNET_SHUFFLE(quad, a, b, __VA_ARGS__)

HORNET_INLINE pair both(uint64_t value) { return (pair){value, value}; }

HORNET_INLINE vec vec_splat(uint64_t value) { return (vec){{both(value), both(value)}}; }
HORNET_INLINE vec vec_add(vec a, vec b) { return (vec){{a.half[0] + b.half[0], a.half[1] + b.half[1]}}; }
HORNET_INLINE vec vec_sub(vec a, vec b) { return (vec){{a.half[0] - b.half[0], a.half[1] - b.half[1]}}; }
HORNET_INLINE vec vec_and(vec a, vec b) { return (vec){{a.half[0] & b.half[0], a.half[1] & b.half[1]}}; }
HORNET_INLINE vec vec_or(vec a, vec b) { return (vec){{a.half[0] | b.half[0], a.half[1] | b.half[1]}}; }
HORNET_INLINE vec vec_shl(vec a, int bits)
{
    return (vec){{pair_shl(a.half[0], bits), pair_shl(a.half[1], bits)}};
}
HORNET_INLINE vec vec_shr(vec a, int bits)
{
    return (vec){{pair_shr(a.half[0], bits), pair_shr(a.half[1], bits)}};
}

HORNET_INLINE vec vec_barrier(vec a)
{
    HORNET_VALUE_BARRIER(PAIRS_REGISTER, a.half[0]);
    HORNET_VALUE_BARRIER(PAIRS_REGISTER, a.half[1]);
    return a;
}

HORNET_INLINE vec vec_mul_add32(vec sum, factor a, factor b)
{
    return (vec){{multiply_add_half(sum.half[0], a, b, 0), multiply_add_half(sum.half[1], a, b, 1)}};
}

/* The low 32 bits of the elements of a pair are its elements 0 and 2 as a quad; 1 and 3 on big-endian
 * CPUs. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
enum { PAIRS_LOW = 1, PAIRS_HIGH = 0 };
#else
enum { PAIRS_LOW = 0, PAIRS_HIGH = 1 };
#endif

/* The 32-bit words of that number, 0 or 1, of all lanes. */
#ifdef PAIRS_EVEN_ODD
#define PAIRS_WORDS(a, word)                                                                               \
    QUAD_OF((quad)(a).half[0], (quad)(a).half[1], word, 4 + (word), 2 + (word), 6 + (word))
#else
#define PAIRS_WORDS(a, word)                                                                               \
    QUAD_OF((quad)(a).half[0], (quad)(a).half[1], word, 2 + (word), 4 + (word), 6 + (word))
#endif

#ifndef PAIRS_OWN_CONVERSIONS
HORNET_INLINE factor factor_from_low32(vec a) { return PAIRS_WORDS(a, PAIRS_LOW); }
HORNET_INLINE factor factor_from_high32(vec a) { return PAIRS_WORDS(a, PAIRS_HIGH); }

HORNET_INLINE vec vec_from(factor a)
{
#ifdef PAIRS_EVEN_ODD
    const pair low = (pair)a & both(UINT32_MAX), high = (pair)a >> 32;
    return (vec){{PAIRS_LOW == 0 ? low : high, PAIRS_LOW == 0 ? high : low}};
#else
    const quad zero = {0, 0, 0, 0};
    return (vec){{(pair)QUAD_OF(a, zero, 0, 4, 1, 5), (pair)QUAD_OF(a, zero, 2, 4, 3, 5)}};
#endif
}
#else
HORNET_INLINE factor factor_from_low32(vec a) { return low_words(a.half[0], a.half[1]); }
HORNET_INLINE factor factor_from_high32(vec a) { return high_words(a.half[0], a.half[1]); }
HORNET_INLINE vec vec_from(factor a) { return (vec){{widened_low(a), widened_high(a)}}; }
#endif

HORNET_INLINE factor factor_from(vec a) { return factor_from_low32(a); }

HORNET_INLINE factor factor_splat(uint64_t value)
{
    const uint32_t number = (uint32_t)value;
    return (factor){number, number, number, number};
}

HORNET_INLINE factor factor_add(factor a, factor b) { return a + b; }
HORNET_INLINE factor factor_shl(factor a, int bits) { return a << bits; }

HORNET_INLINE factor factor_barrier(factor a)
{
    HORNET_VALUE_BARRIER(PAIRS_REGISTER, a);
    return a;
}

HORNET_INLINE factor factor_in_order(factor a)
{
    HORNET_IN_ORDER(PAIRS_REGISTER, a);
    return a;
}

HORNET_INLINE uint64_t factor_word(factor a) { return a[0]; }
HORNET_INLINE factor factor_first(factor a) { return QUAD_OF(a, a, 0, 0, 0, 0); }

HORNET_INLINE factor factor_block(const factor *a, size_t block)
{
    uint32_t number;
    memcpy(&number, (const uint8_t *)a + 4 * block, sizeof number);
    return factor_splat(number);
}

HORNET_INLINE factor factor_blend(int bit, factor even, factor odd)
{
    return bit == 0 ? QUAD_OF(even, odd, 0, 5, 2, 7) : QUAD_OF(even, odd, 0, 1, 6, 7);
}

HORNET_INLINE uint64_t vec_sum(vec a)
{
    const pair sum = a.half[0] + a.half[1];
    return sum[0] + sum[1];
}

/* Loads two consecutive words of four that belong to blocks 0 to 3. */
HORNET_INLINE pair load_words(const uint64_t *words)
{
    pair result;
    memcpy(&result, words, sizeof result);
    return result;
}

/* Loads a block as two words. */
HORNET_INLINE pair load_block(const uint8_t *block)
{
    pair words;
    memcpy(&words, block, sizeof words);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    typedef uint8_t byte16 __attribute__((vector_size(16)));
    const byte16 bytes = (byte16)words;
    words =
        (pair)HORNET_SHUFFLE(byte16, bytes, bytes, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
#endif
    return words;
}

/* Sets *lo to the words 0, and *hi to the words 1, of four blocks. */
HORNET_INLINE void transpose_blocks(const pair b[4], vec *lo, vec *hi)
{
#ifdef PAIRS_EVEN_ODD
    const pair b1 = b[2], b2 = b[1];
#else
    const pair b1 = b[1], b2 = b[2];
#endif
    *lo = (vec){{PAIR_OF(b[0], b1, 0, 2), PAIR_OF(b2, b[3], 0, 2)}};
    *hi = (vec){{PAIR_OF(b[0], b1, 1, 3), PAIR_OF(b2, b[3], 1, 3)}};
}

/* Returns a vec of words for blocks 0 to 3. */
HORNET_INLINE vec vec_of_words(const uint64_t words[4])
{
    const pair b01 = load_words(words), b23 = load_words(words + 2);
#ifdef PAIRS_EVEN_ODD
    return (vec){{PAIR_OF(b01, b23, 0, 2), PAIR_OF(b01, b23, 1, 3)}};
#else
    return (vec){{b01, b23}};
#endif
}

HORNET_INLINE vec vec_only_block(size_t block, uint64_t value)
{
    static const uint64_t one_block[7] = {[3] = UINT64_MAX};
    return vec_and(vec_splat(value), vec_of_words(one_block + 3 - block));
}

HORNET_INLINE void vec_load_blocks(const uint8_t *blocks, vec *lo, vec *hi)
{
    const pair b[4] = {load_block(blocks), load_block(blocks + 16), load_block(blocks + 32),
                       load_block(blocks + 48)};
    transpose_blocks(b, lo, hi);
}

#ifdef PAIRS_CUT_BY_BYTES
#define LANES_CUT_26
/* The 26 bits of a limb are within four bytes, whose words are shifted by 0, 2, 4, 6 and 8 bits:
 *
 *     byte  0   1   2   3   4   5   6   7   8   9   10  11  12  13  14  15
 *          '---limb 0--'           '---limb 2--'           '---limb 4--'
 *                      '---limb 1--'           '---limb 3--'
 *
 * One permutation takes two such words of two blocks. */
HORNET_INLINE void factor_load_26(const uint8_t *blocks, factor limb[5])
{
    typedef uint8_t byte16 __attribute__((vector_size(16)));
    byte16 b[4];
    HORNET_UNROLL
    for (int i = 0; i < 4; i++)
        memcpy(&b[i], blocks + 16 * i, sizeof b[i]);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define WORD_AT(i) (i) + 3, (i) + 2, (i) + 1, (i)
#else
#define WORD_AT(i) (i), (i) + 1, (i) + 2, (i) + 3
#endif
#define WORDS_AT(i, j, first, second)                                                                      \
    HORNET_SHUFFLE(byte16, b[i], b[j], WORD_AT(first), WORD_AT(16 + (first)), WORD_AT(second),             \
                   WORD_AT(16 + (second)))
    const pair low01 = (pair)WORDS_AT(0, 1, 0, 3), low23 = (pair)WORDS_AT(2, 3, 0, 3);
    const pair middle01 = (pair)WORDS_AT(0, 1, 6, 9), middle23 = (pair)WORDS_AT(2, 3, 6, 9);
    const pair high01 = (pair)WORDS_AT(0, 1, 12, 12), high23 = (pair)WORDS_AT(2, 3, 12, 12);
#undef WORDS_AT
#undef WORD_AT
    const factor mask = factor_splat((1 << 26) - 1);
    limb[0] = (quad)PAIR_OF(low01, low23, 0, 2) & mask;
    limb[1] = (quad)PAIR_OF(low01, low23, 1, 3) >> 2 & mask;
    limb[2] = (quad)PAIR_OF(middle01, middle23, 0, 2) >> 4 & mask;
    limb[3] = (quad)PAIR_OF(middle01, middle23, 1, 3) >> 6;
    limb[4] = (quad)PAIR_OF(high01, high23, 0, 2) >> 8;
}
#endif

HORNET_INLINE void vec_load_first_blocks(const uint8_t *first, size_t absent, vec *lo, vec *hi, vec *top)
{
    static const uint64_t from_middle[7] = {[3] = 1, 1, 1, 1};
    pair b[4];
    HORNET_UNROLL
    for (size_t i = 0; i < 4; i++)
        b[i] = i >= absent ? load_block(first + 16 * (i - absent)) : both(0);
    transpose_blocks(b, lo, hi);
    *top = vec_of_words(from_middle + 3 - absent);
}

HORNET_INLINE void vec_load_last_blocks(const uint8_t *blocks, const uint64_t *last, vec *lo, vec *hi,
                                        vec *top)
{
    const pair b[4] = {load_block(blocks), load_block(blocks + 16), load_block(blocks + 32),
                       (pair){last[0], last[1]}};
    const uint64_t tops[4] = {1, 1, 1, last[2]};
    transpose_blocks(b, lo, hi);
    *top = vec_of_words(tops);
}

HORNET_INLINE void vec_load_each(const uint8_t *const *blocks, size_t offset, vec *lo, vec *hi)
{
    const pair b[4] = {load_block(blocks[0] + offset), load_block(blocks[1] + offset),
                       load_block(blocks[2] + offset), load_block(blocks[3] + offset)};
    transpose_blocks(b, lo, hi);
}

HORNET_INLINE void vec_load_rows(const uint8_t *rows, vec words[4])
{
    const uint8_t *const blocks[4] = {rows, rows + 32, rows + 64, rows + 96};
    vec_load_each(blocks, 0, &words[0], &words[1]);
    vec_load_each(blocks, 16, &words[2], &words[3]);
}

HORNET_INLINE void vec_store_blocks(uint8_t *blocks, vec lo, vec hi)
{
    HORNET_UNROLL
    for (int i = 0; i < 4; i++) {
#ifdef PAIRS_EVEN_ODD
        const int half = i % 2, element = i / 2;
#else
        const int half = i / 2, element = i % 2;
#endif
        store_le64(blocks + 16 * i, lo.half[half][element]);
        store_le64(blocks + 16 * i + 8, hi.half[half][element]);
    }
}

#endif
