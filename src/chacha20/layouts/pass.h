/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A pass: computes several sets of blocks interleaved, so that each fills execution slots that the others
 * leave idle.
 *
 *     lanes     sets of WORDS blocks, one block to a lane (lanes.h)
 *     rows      sets of WORDS / 4 blocks, with the rows of a block in registers (rows.h)
 *     block     a block in general-purpose registers: BLOCK_KEY for block 0 of the keystream, whose first
 *               half is a key, or BLOCK_FIRST for the first one of any pass
 *     stitched  blocks of the companion (companion.h) per double round, in general-purpose registers
 *     variant   whether rows have the quick rotation (rows.h), which takes more instructions, or one set of
 *               lanes is scheduled for in-order cores
 *
 * One set alone waits for its own results most of the time, so further ones cost little until the execution
 * units or the registers are all in use. */
#ifndef HORNET_CHACHA20_LAYOUTS_PASS_H
#define HORNET_CHACHA20_LAYOUTS_PASS_H

#include "../block.h"
#include "../chacha20.h"

#include "companion.h"
#include "lanes.h"
#include "rows.h"

/* Whether a pass with this number of sets of lanes has a loop of its own for the double rounds for which
 * the companion has all of its blocks: elsewhere, the conditions would take registers, and a tenth of the
 * time. */
#ifndef PASS_SEPARATES
#define PASS_SEPARATES(lanes) ((lanes) > LANES_SETS)
#endif

/* Maximum number of sets of lanes in a pass. */
#define LANES_MAX 2

enum { BLOCK_NONE, BLOCK_KEY, BLOCK_FIRST };

/* What a pass consists of: constants. */
typedef struct {
    size_t lanes, rows;
    int block;
    size_t stitched;
    bool variant;
} pass_layout;

/* What the general-purpose registers hold. */
typedef struct {
    chacha20_word block[16];
    companion_registers companion;
} pass_scalars;

/* The work of general-purpose registers in part number `part` of `parts` of a double round. `all` says that
 * the companion has blocks for all of it. */
HORNET_INLINE void pass_scalar_part(pass_scalars *s, pass_layout layout, bool all, size_t part,
                                    size_t parts)
{
    if (layout.block != BLOCK_NONE) {
        HORNET_UNROLL
        for (size_t half = 4 * part / parts; half < 4 * (part + 1) / parts; half++)
            chacha20_half_round(s->block, (int)half / 2, (int)half % 2 * 2);
    }
    HORNET_UNROLL
    for (size_t i = layout.stitched * part / parts; i < layout.stitched * (part + 1) / parts; i++) {
        if (!all && companion_is_done(&s->companion))
            break;
        companion_step(&s->companion, layout.lanes);
    }
}

#if defined(__clang__) && HORNET_X86_64_ASM && HORNET_HAS_VECTORS
#define PASS_TIE(word, x) __asm__("" : "+r"(word), "+v"((x)[0]), "+v"((x)[1]), "+v"((x)[2]), "+v"((x)[3]))
#else
#define PASS_TIE(word, x) ((void)0)
#endif

#ifdef WORDS_REGISTER
#define PASS_IN_ORDER(a) HORNET_IN_ORDER(WORDS_REGISTER, a)
#else
#define PASS_IN_ORDER(a) ((void)0)
#endif

/* A quarter of the quarter rounds of all columns, or diagonals: an addition, an exclusive or and a
 * rotation, of a set of lanes and, interleaved with it, of the block. All but the vectors' rotations come
 * in this order, for CPUs that execute instructions in order: four operations of a kind do not wait for
 * each other. */
HORNET_INLINE void pass_quarter(word_vec x[16], chacha20_word b[16], bool block, int diagonal, int quarter)
{
    const int to = quarter % 2 * 2, from = to + 1, by = 3 - to;
    const int bits = quarter == 0 ? 16 : quarter == 1 ? 12 : quarter == 2 ? 8 : 7;
    HORNET_UNROLL
    for (int i = 0; i < 4; i++) {
        const int at = LANES_AT(to, i, diagonal), other = LANES_AT(from, i, diagonal);
        x[at] = words_add(x[at], x[other]);
        PASS_IN_ORDER(x[at]);
        if (block) {
            b[at] = chacha20_word_of((uint32_t)(b[at] + b[other]));
            HORNET_IN_ORDER("r", b[at]);
        }
    }
    HORNET_UNROLL
    for (int i = 0; i < 4; i++) {
        const int at = LANES_AT(by, i, diagonal);
        x[at] = words_xor(x[at], x[LANES_AT(to, i, diagonal)]);
        PASS_IN_ORDER(x[at]);
    }
    HORNET_UNROLL
    for (int i = 0; i < 4; i++) {
        const int at = LANES_AT(by, i, diagonal);
        if (block) {
            b[at] ^= b[LANES_AT(to, i, diagonal)];
            HORNET_IN_ORDER("r", b[at]);
        }
    }
    HORNET_UNROLL
    for (int i = 0; i < 4; i++) {
        const int at = LANES_AT(by, i, diagonal);
        x[at] = quarter == 0   ? words_rotl16(x[at])
                : quarter == 2 ? words_rotl8(x[at])
                               : words_rotl(x[at], bits);
    }
    HORNET_UNROLL
    for (int i = 0; i < 4; i++) {
        const int at = LANES_AT(by, i, diagonal);
        if (block) {
            b[at] = chacha20_rotl(b[at], bits);
            HORNET_IN_ORDER("r", b[at]);
        }
    }
}

/* A double round of all sets. With enough registers, all sets of lanes are in step; otherwise one set after
 * another takes a round, because each must be loaded and stored. */
HORNET_INLINE void pass_double_round(pass_layout layout, word_vec (*x)[16], rows_set *y, pass_scalars *s,
                                     bool all)
{
    const size_t lanes = layout.lanes;
    const bool block = layout.block != BLOCK_NONE;
    if (lanes == 1 && layout.variant) {
        layout.block = BLOCK_NONE; /* which pass_quarter takes */
        HORNET_UNROLL
        for (int i = 0; i < 8; i++) {
            pass_quarter(x[0], s->block, block, i / 4, i % 4);
            pass_scalar_part(s, layout, all, (size_t)i, 8);
        }
        return;
    }
    const size_t in_step = LANES_SETS < lanes ? LANES_SETS : lanes;
    const size_t successive = lanes == 0 ? 1 : lanes / in_step, parts = 4 * successive;
    HORNET_UNROLL
    for (size_t part = 0; part < parts; part++) {
        const int diagonal = (int)(part / (2 * successive)), half = (int)(part % 2);
        const size_t set = part / 2 % successive * in_step;
        if (lanes != 0 && LANES_SETS == 1)
            lanes_quarter_rounds(x + set, 1, diagonal, 2 * half, 2 * half + 2);
        else if (lanes != 0)
            lanes_half_rounds(x, lanes, diagonal, half, 0, 4);
        if (layout.rows != 0 && part % (2 * successive) == 0)
            rows_round(y, layout.rows, diagonal, layout.variant);
        pass_scalar_part(s, layout, all, part, parts);
        /* Without this, clang 19 moves all of the block or of the companion to one place, where it waits
         * for itself. */
        if (lanes != 0 && all)
            PASS_TIE(COMPANION_WORD(&s->companion), x[set]);
        if (lanes != 0 && block) {
            HORNET_UNROLL
            for (int word = 0; word < 4; word++)
                PASS_TIE(s->block[word], x[set]);
        }
    }
}

/* Where the blocks of a pass go. If block 0 comes first and belongs to the key, the addresses are those of
 * a block that would lie before the message. */
typedef struct {
    uintptr_t out, in, copy; /* copy is out if there is none, which saves a condition for each vector */
    size_t len_bytes;        /* including that block */
    uint8_t *key;            /* NULL if there is no such block */
    bool key_is_stored;      /* a constant */
} pass_output;

HORNET_INLINE pass_output pass_output_of(const chacha20_work *work, bool keyed, bool key_is_stored)
{
    const size_t before = keyed ? CHACHA20_BLOCK_BYTES : 0;
    return (pass_output){(uintptr_t)work->out - before,
                         (uintptr_t)work->in - before,
                         (uintptr_t)(work->copy == NULL ? work->out : work->copy) - before,
                         work->len_bytes + before,
                         keyed ? work->key : NULL,
                         key_is_stored};
}

/* Returns whether the keystream up to end_bytes after the first block goes to `out` only. Most passes of a
 * long message are so, and take 5 % less without the conditions of pass_put. */
HORNET_INLINE bool pass_is_whole(const pass_output *to, size_t end_bytes)
{
    return to->len_bytes >= end_bytes && to->copy == to->out && to->key == NULL;
}

/* Processes a vector of the keystream that begins `at` bytes after the first block, and returns true; or
 * returns false if the message ends within it, or before. */
HORNET_INLINE bool pass_put(const pass_output *to, size_t at, word_vec stream)
{
    if (at < CHACHA20_BLOCK_BYTES && to->key != NULL) {
        if (!to->key_is_stored && at < CHACHA20_KEY_BYTES)
            memcpy(to->key + at, &stream,
                   sizeof stream < CHACHA20_KEY_BYTES ? sizeof stream : CHACHA20_KEY_BYTES);
        return true;
    }
    if (to->len_bytes < at + sizeof stream)
        return false;
    stream = words_xor(stream, words_load((const uint8_t *)to->in + at));
    words_store((uint8_t *)to->out + at, stream);
    words_store((uint8_t *)to->copy + at, stream);
    return true;
}

/* Processes the vector in which the message ends, or which it does not need. */
HORNET_INLINE void pass_put_last(const pass_output *to, size_t at, word_vec stream)
{
    if (to->len_bytes <= at)
        return;
    const size_t rest = to->len_bytes - at;
    stream = words_first(words_xor(stream, words_load_first((const uint8_t *)to->in + at, rest)), rest);
    words_store_first((uint8_t *)to->out + at, stream, rest);
    if (to->copy != to->out)
        words_store((uint8_t *)to->copy + at, stream);
}

/* Words i and i + 1 of the block in general-purpose registers, as bytes in order are loaded. */
HORNET_INLINE uint64_t pass_block_words(const pass_scalars *s, const uint32_t *state, int i)
{
    return (uint32_t)(s->block[i] + state[i]) | (uint64_t)(s->block[i + 1] + state[i + 1]) << 32;
}

/* Processes that block, all of which the message has. `aligned` says that all addresses are multiples of
 * 8. */
HORNET_INLINE void pass_put_block(const pass_output *to, const pass_scalars *s, const uint32_t *state,
                                  bool aligned)
{
    uint8_t *out = (uint8_t *)to->out, *copy = (uint8_t *)to->copy;
    const uint8_t *in = (const uint8_t *)to->in;
    if (aligned) {
        out = __builtin_assume_aligned(out, 8);
        copy = __builtin_assume_aligned(copy, 8);
        in = __builtin_assume_aligned(in, 8);
    }
    const bool copies = out != copy;
    HORNET_UNROLL
    for (int i = 0; i < 16; i += 2) {
        const uint64_t words = load_le64(in + 4 * i) ^ pass_block_words(s, state, i);
        store_le64(out + 4 * i, words);
        if (copies)
            store_le64(copy + 4 * i, words);
    }
}

/* Processes that block, of which the message has less. */
HORNET_INLINE void pass_put_last_block(const pass_output *to, const pass_scalars *s, const uint32_t *state)
{
    const size_t len_bytes = to->len_bytes;
    uint8_t *const out = (uint8_t *)to->out, *const copy = (uint8_t *)to->copy;
    uint8_t stream[CHACHA20_BLOCK_BYTES];
    HORNET_UNROLL
    for (int i = 0; i < 16; i += 2)
        store_le64(stream + 4 * i, pass_block_words(s, state, i));
    xor_bytes(out, (const uint8_t *)to->in, stream, len_bytes);
    if (copy != out && len_bytes != 0) {
        memset(copy + (len_bytes - 1) / 16 * 16, 0, 16);
        copy_bytes(copy, out, len_bytes);
    }
}

/* Computes WORDS blocks for each set of lanes, WORDS / 4 for each set of rows, and before them that in
 * general-purpose registers. All but work are constants. */
HORNET_INLINE void pass(size_t lanes, size_t rows, int block, size_t stitched, bool variant,
                        const chacha20_work *work)
{

    const uint32_t *state = work->state->word;
    const uint32_t after_block = block != BLOCK_NONE;
    word_vec x[LANES_MAX][16];
    rows_set y[ROWS_SETS_MAX];
    pass_scalars s = {.companion = companion_none(work)};
    lanes_start(lanes, x, state, after_block);
    HORNET_UNROLL
    for (size_t i = 0; i < rows; i++)
        y[i] = rows_begin(state, after_block + (uint32_t)(lanes * WORDS + i * ROWS_BLOCKS));

    if (block == BLOCK_KEY) {
        for (int w = 0; w < 16; w++)
            s.block[w] = chacha20_word_of(state[w]);
    } else if (block == BLOCK_FIRST) {
        HORNET_UNROLL /* gcc would call memcpy where vectors are missing, and clear them later */
            for (int w = 0; w < 16; w++) s.block[w] = chacha20_word_of(state[w]);
    }
    if (stitched != 0 && work->companion.nblocks != 0)
        s.companion = companion_begin(work);
    int i = 0;
    if (stitched != 0 && PASS_SEPARATES(lanes)) {
        const size_t full = companion_rounds(&s.companion, stitched);
        const int rounds = full < CHACHA20_DOUBLE_ROUNDS ? (int)full : CHACHA20_DOUBLE_ROUNDS;
        HORNET_KEEP_LOOP
        for (; i < rounds; i++)
            pass_double_round((pass_layout){lanes, rows, block, stitched, variant}, x, y, &s, true);
    }
    const size_t not_separate = PASS_SEPARATES(lanes) ? 0 : stitched;
    HORNET_KEEP_LOOP
    for (; i < CHACHA20_DOUBLE_ROUNDS; i++)
        pass_double_round((pass_layout){lanes, rows, block, not_separate, variant}, x, y, &s, false);
    if (stitched != 0 && PASS_SEPARATES(lanes)) {
        HORNET_KEEP_LOOP
        while (!companion_is_done(&s.companion))
            companion_step(&s.companion, lanes);
    }
    if (stitched != 0 && work->companion.nblocks != 0)
        companion_end(&s.companion, work);
    HORNET_VALUE_BARRIER("r", state); /* reloaded from memory, not kept in registers meanwhile */

    if (block == BLOCK_KEY)
        for (int w = 0; w < 8; w += 2)
            store_le64(work->key + 4 * w, pass_block_words(&s, state, w));
    if (block == BLOCK_FIRST && work->key != NULL) {
        HORNET_UNROLL /* gcc 12 would keep the words in memory, and store them in each round */
            for (int w = 0; w < 8; w += 2) store_le64(work->key + 4 * w, pass_block_words(&s, state, w));
    }
    const bool by_rows = lanes == 0 && block == BLOCK_NONE;
    const pass_output to = pass_output_of(work, block != BLOCK_KEY && work->key != NULL, by_rows);
    if (by_rows && to.key != NULL)
        rows_key(to.key, y[0], state);
    if (block == BLOCK_FIRST && to.key == NULL) {
        if (to.len_bytes < CHACHA20_BLOCK_BYTES) {
            pass_put_last_block(&to, &s, state);
            return;
        }
        if ((to.in | to.out | to.copy) % 8 == 0) /* some CPUs have no other loads of 8 bytes */
            pass_put_block(&to, &s, state, true);
        else
            pass_put_block(&to, &s, state, false);
    }
    size_t at = block == BLOCK_FIRST ? CHACHA20_BLOCK_BYTES : 0;
    word_vec last;
    HORNET_UNROLL
    for (size_t set = 0; set < lanes; set++) {
        word_vec vectors[16];
        lanes_end(vectors, x[set], state, after_block + (uint32_t)(set * WORDS));
        if (block != BLOCK_KEY && rows == 0 && pass_is_whole(&to, at + 16 * sizeof(word_vec))) {
            HORNET_UNROLL
            for (int v = 0; v < 16; v++, at += sizeof(word_vec))
                words_store((uint8_t *)to.out + at,
                            words_xor(words_load((const uint8_t *)to.in + at), vectors[v]));
            continue;
        }
        HORNET_UNROLL
        for (int v = 0; v < 16; v++, at += sizeof(word_vec))
            if (!pass_put(&to, at, vectors[v])) {
                last = vectors[v];
                goto ends;
            }
    }
    HORNET_UNROLL
    for (size_t set = 0; set < rows; set++) {
        word_vec vectors[4];
        rows_end(vectors, y[set],
                 rows_begin(state, after_block + (uint32_t)(lanes * WORDS + set * ROWS_BLOCKS)));
        HORNET_UNROLL
        for (int v = 0; v < 4; v++, at += sizeof(word_vec))
            if (!pass_put(&to, at, vectors[v])) {
                last = vectors[v];
                goto ends;
            }
    }
    return;
ends:
    pass_put_last(&to, at, last);
}

#endif
