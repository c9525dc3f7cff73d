/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The basic blocks of ChaCha20 in vectors of WORDS words, with one block to a lane, and with the rows of a
 * block in registers: what comes before the rounds, a double round, what comes after, and all of it.
 *
 * HORNET_WORDS_HOOK is graph_words.h; without it, the library's own lanes write their values. */
#include <stdio.h>
#include <string.h>

#define KERNEL     words
#define LANES_SETS 2
#include "../../src/core/compiler.h"

/* Faster to compile. */
#undef HORNET_UNROLL
#define HORNET_UNROLL
#undef HORNET_INLINE
#define HORNET_INLINE HORNET_NOINLINE

#include "../../src/chacha20/layouts/lanes.h"
#include "../../src/chacha20/layouts/rows.h"

#ifndef HORNET_WORDS_HOOK
#include "../lanes/values_words.h"
#endif

#include "../../tests/support/inputs.h"

enum { WORDS_SAMPLES = 12, ROWS_SETS = 3 };

/* Counters that wrap in the first lane, in one between, and after the last; words of ones, of zeros, and
 * random ones. */
static void sample_number(int i)
{
    static const uint32_t counters[] = {0, 0xffffffff, 0xffffffff - 5, 0x7fffffff};
    memset(state, i % 3 == 0 ? 255 : 0, sizeof state);
    memset(message, i % 3 == 1 ? 255 : 0, sizeof message);
    if (i % 3 == 2) {
        random_bytes((uint8_t *)state, sizeof state);
        random_bytes(message, sizeof message);
    }
    state[12] = counters[i % 4];
}

static const char *bb_title(const char *shape, size_t sets, const char *part)
{
    static char text[32];
    snprintf(text, sizeof text, "%s %zu%s", shape, sets, part);
    return text;
}

static void begin(const char *shape, size_t sets, const char *part, size_t advance_bytes)
{
    bb_begin(bb_title(shape, sets, part), advance_bytes);
    bb_in_state();
}

/* Sets out to the blocks of all sets or, if in is not NULL, to in xor the blocks. */
static void finish_lanes(size_t sets, const uint8_t *in, word_vec (*x)[16])
{
    for (size_t s = 0; s < sets; s++) {
        word_vec vectors[16];
        lanes_end(vectors, x[s], state, (uint32_t)(s * WORDS));
        for (size_t i = 0; i < 16; i++) {
            const size_t at = (16 * s + i) * sizeof(word_vec);
            words_store(out + at, in == NULL ? vectors[i] : words_xor(vectors[i], words_load(in + at)));
        }
    }
}

/* Sets out to the words of a set in lanes or, if in is not NULL, to in xor these. */
static void finish_in_lanes(const uint8_t *in, const word_vec x[16])
{
    for (int i = 0; i < 16; i++) {
        const size_t at = (size_t)i * sizeof(word_vec);
        const word_vec words = words_add(x[i], lanes_word(state, i, 0, 0));
        words_store(out + at, in == NULL ? words : words_xor(words, words_load(in + at)));
    }
}

static void double_round_of_rows(rows_set *x, size_t sets)
{
    rows_round(x, sets, 0, false);
    rows_round(x, sets, 1, false);
}

static void finish_rows(size_t sets, const rows_set *x)
{
    for (size_t s = 0; s < sets; s++) {
        word_vec vectors[4];
        rows_end(vectors, x[s], rows_begin(state, (uint32_t)(s * ROWS_BLOCKS)));
        for (size_t i = 0; i < 4; i++)
            words_store(out + (4 * s + i) * sizeof(word_vec), vectors[i]);
    }
}

/* Moves the three columns without the counter, row by row, between x and columns. */
static void take_columns(word_vec columns[12], const word_vec x[16])
{
    for (int i = 0; i < 12; i++)
        columns[i] = x[i / 3 * 4 + 1 + i % 3];
}

static void put_columns(word_vec x[16], const word_vec columns[12])
{
    for (int i = 0; i < 12; i++)
        x[i / 3 * 4 + 1 + i % 3] = columns[i];
}

/* The first double round of a set in two parts: what groups of blocks share, and the rest. */
static void first_double_round(void)
{
    word_vec x[1][16], columns[12];
    begin("lanes", 1, " columns", 0);
    lanes_start(1, x, state, 0);
    lanes_quarter_rounds(x, 1, 0, 0, 4);
    take_columns(columns, x[0]);
    bb_out_vectors("column", columns, 12);
    bb_end();

    begin("lanes", 1, " first double round", 0);
    bb_in_vectors("column", columns, 12);
    lanes_start(1, x, state, 0);
    lanes_quarter_rounds(x, 1, 0, 0, 4);
    put_columns(x[0], columns);
    lanes_quarter_rounds(x, 1, 1, 0, 4);
    bb_out_vectors("x", x[0], 16);
    bb_end();
}

/* What is before and after the rounds where each lane has a counter and a nonce of its own, 16 bytes of the
 * message, and where of a block only the first row is stored. */
static void rows_of_samples(void)
{
    word_vec x[1][16];
    begin("lanes", 1, " samples begin", 0);
    for (int i = 0; i < 12; i++)
        x[0][i] = lanes_word(state, i, 0, 0);
    for (size_t i = 0; i < 4; i++)
        x[0][12 + i] = words_little_endian(words_load(message + i * sizeof(word_vec)));
    words_transpose_parts(x[0] + 12);
    bb_out_vectors("x", x[0], 16);
    bb_end();

    begin("lanes", 1, " row end", 0);
    bb_in_vectors("x", x[0], 16);
    for (int i = 0; i < 4; i++)
        x[0][i] = words_add(x[0][i], lanes_word(state, i, 0, 0));
    words_transpose_to_memory(x[0]);
    for (size_t i = 0; i < 4; i++)
        words_store(out + i * sizeof(word_vec), x[0][i]);
    bb_out_memory(4);
    bb_end();
}

static void blocks_of_lanes(size_t sets)
{
    word_vec x[LANES_SETS][16], after[LANES_SETS][16];
    begin("lanes", sets, " begin", 0);
    lanes_start(sets, x, state, 0);
    bb_out_vectors("x", x[0], 16 * sets);
    bb_end();

    begin("lanes", sets, " double round", 0);
    memcpy(after, x, sizeof x);
    bb_in_vectors("x", after[0], 16 * sets);
    lanes_double_round(after, sets);
    bb_out_vectors("x", after[0], 16 * sets);
    bb_end();

    /* The same in another order, in which fewer words are in use at once: pairs of quarter rounds, and a
     * round of one set after that of another. */
    begin("lanes", sets, " double round in turn", 0);
    memcpy(after, x, sizeof x);
    bb_in_vectors("x", after[0], 16 * sets);
    for (int turn = 0; turn < 2; turn++)
        for (size_t s = 0; s < sets; s++)
            for (int first = 0; first < 4; first += 2)
                lanes_quarter_rounds(after + s, 1, turn, first, first + 2);
    bb_out_vectors("x", after[0], 16 * sets);
    bb_end();

    /* The blocks, and the blocks xor a message. */
    static const char *const ends[2] = {" stream", " xor"};
    for (int i = 0; i < 2; i++) {
        const uint8_t *const in = i == 0 ? NULL : message;
        char part[16];
        /* The same before words are moved, a vector for each word. */
        snprintf(part, sizeof part, " lanes%s end", i == 0 ? "" : ends[i]);
        begin("lanes", sets, part, 0);
        memcpy(x, after, sizeof x);
        bb_in_vectors("x", x[0], 16 * sets);
        finish_in_lanes(in, x[0]);
        bb_out_memory(16);
        bb_end();

        snprintf(part, sizeof part, "%s end", ends[i]);
        begin("lanes", sets, part, 0);
        memcpy(x, after, sizeof x);
        bb_in_vectors("x", x[0], 16 * sets);
        finish_lanes(sets, in, x);
        bb_out_memory(16 * sets);
        bb_end();

        begin("lanes", sets, ends[i], 0);
        lanes_start(sets, x, state, 0);
        lanes_rounds(x, sets);
        finish_lanes(sets, in, x);
        bb_out_memory(16 * sets);
        bb_end();
    }
}

static void blocks_of_rows(size_t sets)
{
    rows_set x[ROWS_SETS], after[ROWS_SETS];
    begin("rows", sets, " begin", 0);
    for (size_t s = 0; s < sets; s++)
        x[s] = rows_begin(state, (uint32_t)(s * ROWS_BLOCKS));
    bb_out_vectors("x", &x[0].a, 4 * sets);
    bb_end();

    begin("rows", sets, " double round", 0);
    memcpy(after, x, sizeof x);
    bb_in_vectors("x", &after[0].a, 4 * sets);
    double_round_of_rows(after, sets);
    bb_out_vectors("x", &after[0].a, 4 * sets);
    bb_end();

    begin("rows", sets, " stream end", 0);
    bb_in_vectors("x", &after[0].a, 4 * sets);
    finish_rows(sets, after);
    bb_out_memory(4 * sets);
    bb_end();

    begin("rows", sets, " stream", 0);
    for (size_t s = 0; s < sets; s++)
        x[s] = rows_begin(state, (uint32_t)(s * ROWS_BLOCKS));
    for (int i = 0; i < CHACHA20_DOUBLE_ROUNDS; i++)
        double_round_of_rows(x, sets);
    finish_rows(sets, x);
    bb_out_memory(4 * sets);
    bb_end();
}

int main(void)
{
    blocks_begin(COCONUT_KERNEL, WORDS);
    for (int i = 0; i < WORDS_SAMPLES && i < SAMPLES_WANTED; i++) {
        sample_number(i);
        bb_sample(i);
        for (size_t sets = 1; sets <= LANES_SETS; sets++)
            blocks_of_lanes(sets);
        first_double_round();
        rows_of_samples();
        for (size_t sets = 1; sets <= ROWS_SETS; sets++)
            blocks_of_rows(sets);
    }
    blocks_end();
    return 0;
}
