/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 with one block per lane: a vector holds one word of each of WORDS blocks. Two sets of sixteen
 * vectors are interleaved where there are registers for both, because one set alone is limited by
 * latency. */
#ifndef HORNET_CHACHA20_LAYOUTS_LANES_H
#define HORNET_CHACHA20_LAYOUTS_LANES_H

#include "../chacha20.h"
#include "../lanes/words.h"

#ifndef LANES_SETS
#define LANES_SETS 1
#endif

/* Words i, i + 4, i + 8 and i + 12 of a column; for a diagonal (`diagonal` is 1), each row is rotated by a
 * word against the previous one. */
#define LANES_AT(row, i, diagonal) (4 * (row) + ((i) + (row) * (diagonal)) % 4)

/* A kernel may fix the order in which values are computed. */
#ifndef LANES_IN_ORDER
#define LANES_IN_ORDER(x) ((void)0)
#endif

/* Half 0 or 1 of the quarter rounds of columns, or diagonals, first to last - 1. */
HORNET_INLINE void lanes_half_rounds(word_vec (*x)[16], size_t sets, int diagonal, int half, int first,
                                     int last)
{
#define LANES_WORD(row) x[s][LANES_AT(row, i, diagonal)]
#define LANES_PAIR(row, value)                                                                             \
    HORNET_UNROLL                                                                                          \
    for (int i = pair; i < pair + 2; i++) {                                                                \
        LANES_WORD(row) = value;                                                                           \
        LANES_IN_ORDER(LANES_WORD(row));                                                                   \
    }
#define LANES_STEP(to, from, by, rotate_pair)                                                              \
    HORNET_UNROLL                                                                                          \
    for (size_t s = 0; s < sets; s++) {                                                                    \
        HORNET_UNROLL                                                                                      \
        for (int pair = first; pair < last; pair += 2) {                                                   \
            LANES_PAIR(to, words_add(LANES_WORD(to), LANES_WORD(from)))                                    \
            LANES_PAIR(by, words_xor(LANES_WORD(by), LANES_WORD(to)))                                      \
            rotate_pair(by)                                                                                \
        }                                                                                                  \
    }
#ifdef WORDS_ROTL_PAIR
#define LANES_ROTL(row, bits)                                                                              \
    WORDS_ROTL_PAIR(x[s][LANES_AT(row, pair, diagonal)], x[s][LANES_AT(row, pair + 1, diagonal)], bits);
#else
#define LANES_ROTL(row, bits) LANES_PAIR(row, words_rotl(LANES_WORD(row), bits))
#endif
#define LANES_ROTL16(row) LANES_PAIR(row, words_rotl16(LANES_WORD(row)))
#define LANES_ROTL12(row) LANES_ROTL(row, 12)
#define LANES_ROTL8(row)  LANES_PAIR(row, words_rotl8(LANES_WORD(row)))
#define LANES_ROTL7(row)  LANES_ROTL(row, 7)
    if (half == 0) {
        LANES_STEP(0, 1, 3, LANES_ROTL16)
        LANES_STEP(2, 3, 1, LANES_ROTL12)
    } else {
        LANES_STEP(0, 1, 3, LANES_ROTL8)
        LANES_STEP(2, 3, 1, LANES_ROTL7)
    }
#undef LANES_WORD
#undef LANES_PAIR
#undef LANES_STEP
#undef LANES_ROTL
#undef LANES_ROTL16
#undef LANES_ROTL12
#undef LANES_ROTL8
#undef LANES_ROTL7
}

HORNET_INLINE void lanes_quarter_rounds(word_vec (*x)[16], size_t sets, int diagonal, int first, int last)
{
    lanes_half_rounds(x, sets, diagonal, 0, first, last);
    lanes_half_rounds(x, sets, diagonal, 1, first, last);
}

/* Word i of the blocks of set s; `later` is added to the state's counter. */
HORNET_INLINE word_vec lanes_word(const uint32_t state[16], int i, uint32_t later, size_t s)
{
    const word_vec word = words_broadcast_of(state + i / 4 * 4, i % 4);
    return i == 12 ? words_add(word, words_numbers(later + (uint32_t)(s * WORDS))) : word;
}

HORNET_INLINE void lanes_double_round(word_vec (*x)[16], size_t sets)
{
    lanes_quarter_rounds(x, sets, 0, 0, 4);
    lanes_quarter_rounds(x, sets, 1, 0, 4);
}

HORNET_INLINE void lanes_rounds(word_vec (*x)[16], size_t sets)
{
    HORNET_KEEP_LOOP
    for (int i = 0; i < CHACHA20_DOUBLE_ROUNDS; i++)
        lanes_double_round(x, sets);
}

/* Sets rows to the consecutive blocks of a set; on entry x[i] holds word i of each block. */
HORNET_INLINE void lanes_to_rows(word_vec rows[16], word_vec x[16])
{
    HORNET_UNROLL
    for (int i = 0; i < 16; i += 4)
        words_transpose_to_memory(x + i);
    HORNET_UNROLL
    for (int i = 0; i < 4; i++)
        words_gather_parts(rows + 16 / WORDS * i, 4 * 16 / WORDS, x[i], x[4 + i], x[8 + i], x[12 + i]);
}

/* Sets x to the blocks of `sets` sets before the rounds. sets is a constant. */
HORNET_INLINE void lanes_start(size_t sets, word_vec (*x)[16], const uint32_t state[16], uint32_t later)
{
    HORNET_UNROLL
    for (size_t s = 0; s < sets; s++) {
        HORNET_UNROLL
        for (int i = 0; i < 16; i++)
            x[s][i] = lanes_word(state, i, later, s);
    }
}

/* Sets vectors to the consecutive blocks of a set: x after the rounds, plus what it was before them. */
HORNET_INLINE void lanes_end(word_vec vectors[16], word_vec x[16], const uint32_t state[16], uint32_t later)
{
    HORNET_UNROLL
    for (int i = 0; i < 16; i++)
        x[i] = words_add(x[i], lanes_word(state, i, later, 0));
    lanes_to_rows(vectors, x);
}

#endif
