/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 with the rows of a block in registers: a vector holds one row, four words, of each of WORDS / 4
 * blocks, and the columns of the state are processed in parallel. Rows are rotated between columns and
 * diagonals: not b, which is ready last, but the three others relative to it. Several sets of four vectors
 * are interleaved, because one set alone is limited by latency. RFC 8439, section 2.3. */
#ifndef HORNET_CHACHA20_SHAPES_ROWS_H
#define HORNET_CHACHA20_SHAPES_ROWS_H

#include "../chacha20.h"
#include "../lanes/words.h"

#define ROWS_BLOCKS   (WORDS / 4)
#define ROWS_SETS_MAX 3

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

HORNET_INLINE void rows_quarter_rounds(rows_set *x, size_t sets){
#define ROWS_STEP(to, from, by, rotate)                                                                    \
    HORNET_UNROLL                                                                                          \
    for (size_t s = 0; s < sets; s++) {                                                                    \
        x[s].to = words_add(x[s].to, x[s].from);                                                           \
        x[s].by = rotate(words_xor(x[s].by, x[s].to));                                                     \
    }
#define ROWS_ROTL12(v) words_rotl(v, 12)
#define ROWS_ROTL7(v)  words_rotl(v, 7)
    ROWS_STEP(a, b, d, words_rotl16) ROWS_STEP(c, d, b, ROWS_ROTL12) ROWS_STEP(a, b, d, words_rotl8)
        ROWS_STEP(c, d, b, ROWS_ROTL7)
#undef ROWS_STEP
#undef ROWS_ROTL12
#undef ROWS_ROTL7
}

HORNET_INLINE void rows_double_round(rows_set *x, size_t sets)
{
    rows_quarter_rounds(x, sets);
    HORNET_UNROLL
    for (size_t s = 0; s < sets; s++) {
        x[s].a = words_from_3(x[s].a);
        x[s].c = words_from_1(x[s].c);
        x[s].d = words_from_2(x[s].d);
    }
    rows_quarter_rounds(x, sets);
    HORNET_UNROLL
    for (size_t s = 0; s < sets; s++) {
        x[s].a = words_from_1(x[s].a);
        x[s].c = words_from_3(x[s].c);
        x[s].d = words_from_2(x[s].d);
    }
}

/* Sets stream to the blocks of a set: x after the rounds, plus begin. */
HORNET_INLINE void rows_end(uint8_t *stream, rows_set x, rows_set begin)
{
    word_vec rows[4];
    words_gather_parts(rows, 16 / WORDS, words_little_endian(words_add(x.a, begin.a)),
                       words_little_endian(words_add(x.b, begin.b)),
                       words_little_endian(words_add(x.c, begin.c)),
                       words_little_endian(words_add(x.d, begin.d)));
    HORNET_UNROLL
    for (size_t i = 0; i < 4; i++)
        words_store(stream + i * sizeof(word_vec), rows[i]);
}

/* Sets stream to the blocks of `sets` sets. sets is a constant. */
HORNET_INLINE void rows_stream(size_t sets, uint8_t *stream, const uint32_t state[16], uint32_t later)
{
    rows_set x[ROWS_SETS_MAX], begin[ROWS_SETS_MAX];
    HORNET_UNROLL
    for (size_t s = 0; s < sets; s++)
        x[s] = begin[s] = rows_begin(state, later + (uint32_t)(s * ROWS_BLOCKS));
    HORNET_KEEP_LOOP
    for (int i = 0; i < CHACHA20_DOUBLE_ROUNDS; i++)
        rows_double_round(x, sets);
    HORNET_UNROLL
    for (size_t s = 0; s < sets; s++)
        rows_end(stream + s * (4 * sizeof(word_vec)), x[s], begin[s]);
}

#endif
