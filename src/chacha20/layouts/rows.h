/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 with the rows of a block in registers: a vector holds one row, four words, of each of WORDS / 4
 * blocks, and the columns of the state are processed in parallel. Rows are rotated between columns and
 * diagonals: not b, which is ready last, but the three others relative to it. Several sets of four vectors
 * are interleaved, because one set alone is limited by latency. RFC 8439, section 2.3.
 *
 * Sets are in step: an operation of all sets comes before the next one. A kernel with ROWS_IN_TURN has
 * whole rounds of one set after another instead. On Golden Cove, which chooses the unit of an operation
 * before its operands are ready, two sets of 512 bits in step choose the same unit too often. */
#ifndef HORNET_CHACHA20_LAYOUTS_ROWS_H
#define HORNET_CHACHA20_LAYOUTS_ROWS_H

#include "../chacha20.h"
#include "../lanes/words.h"

#define ROWS_BLOCKS   (WORDS / 4)
#define ROWS_SETS_MAX 3

/* Keeps the compiler from interleaving rounds. */
#ifdef ROWS_IN_TURN
#define ROWS_IN_ORDER(x) HORNET_IN_ORDER(WORDS_REGISTER, x)
#else
#define ROWS_IN_ORDER(x) ((void)0)
#endif

typedef struct {
    word_vec a, b, c, d;
} rows_set;

/* Returns the blocks of one set before the rounds; `later` is added to the state's counter. */
HORNET_INLINE rows_set rows_begin(const uint32_t state[16], uint32_t later)
{
    rows_set x = {words_each_part(state), words_each_part(state + 4), words_each_part(state + 8),
                  words_each_part(state + 12)};
    x.d = words_add(x.d, words_part_numbers(later));
    return x;
}

HORNET_INLINE word_vec rows_rotl_xor(word_vec x, word_vec y, int bits, bool quick)
{
    if (quick)
        return words_quick_rotl_xor(x, y, bits);
    x = words_xor(x, y);
    ROWS_IN_ORDER(x);
    return bits == 16 ? words_rotl16(x) : bits == 8 ? words_rotl8(x) : words_rotl(x, bits);
}

HORNET_INLINE void rows_quarter_rounds(rows_set *x, size_t sets, bool quick){
#define ROWS_STEP(to, from, by, bits)                                                                      \
    HORNET_UNROLL                                                                                          \
    for (size_t s = 0; s < sets; s++) {                                                                    \
        x[s].to = words_add(x[s].to, x[s].from);                                                           \
        ROWS_IN_ORDER(x[s].to);                                                                            \
        x[s].by = rows_rotl_xor(x[s].by, x[s].to, bits, quick);                                            \
        ROWS_IN_ORDER(x[s].by);                                                                            \
    }
    ROWS_STEP(a, b, d, 16) ROWS_STEP(c, d, b, 12) ROWS_STEP(a, b, d, 8) ROWS_STEP(c, d, b, 7)
#undef ROWS_STEP
}

HORNET_INLINE void rows_round_in_step(rows_set *x, size_t sets, int diagonal, bool quick)
{
    rows_quarter_rounds(x, sets, quick);
    HORNET_UNROLL
    for (size_t s = 0; s < sets; s++) {
        x[s].a = diagonal == 0 ? words_from_3(x[s].a) : words_from_1(x[s].a);
        ROWS_IN_ORDER(x[s].a);
        x[s].c = diagonal == 0 ? words_from_1(x[s].c) : words_from_3(x[s].c);
        ROWS_IN_ORDER(x[s].c);
        x[s].d = words_from_2(x[s].d);
        ROWS_IN_ORDER(x[s].d);
    }
}

/* A round, of columns (diagonal 0) or diagonals (diagonal 1), after which the rows are those of the other
 * kind. */
HORNET_INLINE void rows_round(rows_set *x, size_t sets, int diagonal, bool quick)
{
#ifdef ROWS_IN_TURN
    HORNET_UNROLL
    for (size_t s = 0; s < sets; s++)
        rows_round_in_step(x + s, 1, diagonal, quick);
#else
    rows_round_in_step(x, sets, diagonal, quick);
#endif
}

/* Stores the first half of the first block, the key, which is in the first parts of two rows and need not
 * wait until parts are gathered: x after the rounds. */
HORNET_INLINE void rows_key(uint8_t key[CHACHA20_KEY_BYTES], rows_set x, const uint32_t state[16])
{
    enum { PART_BYTES = WORDS == 1 ? 4 : 16 };
    const word_vec a = words_little_endian(words_add(x.a, words_each_part(state)));
    const word_vec b = words_little_endian(words_add(x.b, words_each_part(state + 4)));
    memcpy(key, &a, PART_BYTES);
    memcpy(key + 16, &b, PART_BYTES);
}

/* Sets vectors to the consecutive blocks of a set: x after the rounds, plus begin. */
HORNET_INLINE void rows_end(word_vec vectors[4], rows_set x, rows_set begin)
{
    words_gather_parts(vectors, 16 / WORDS, words_little_endian(words_add(x.a, begin.a)),
                       words_little_endian(words_add(x.b, begin.b)),
                       words_little_endian(words_add(x.c, begin.c)),
                       words_little_endian(words_add(x.d, begin.d)));
}

#endif
