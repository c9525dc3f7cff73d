/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lanes of 32-bit words as nodes of a data-flow graph, in place of those of src/chacha20/lanes/words.h. The
 * state is in memory, as the message is, and a store is an output in memory. */
#ifndef COCONUT_GRAPH_WORDS_H
#define COCONUT_GRAPH_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "recorder.h"

/* Offsets are relative to these arrays, which are neither read nor written. */
static uint32_t state[16];
static uint8_t out[1 << 12];

/* As large as the words, because the library relies on that size. */
typedef struct {
    uint32_t node;
    uint8_t others[4 * WORDS - 4];
} word_vec;

static inline word_vec word_node(uint32_t node) { return (word_vec){.node = node}; }

#define WORDS_SHUFFLE(a, b, f) words_shuffle(a, b, (const uint64_t[]){WORDS_EACH(f)})

static inline word_vec words_shuffle(word_vec a, word_vec b, const uint64_t *from)
{
    return word_node(record("shuffle", 2, (const uint32_t[]){a.node, b.node}, WORDS, from));
}

static inline word_vec words_broadcast(const uint32_t *word)
{
    return word_node(record0("state_word", (uint64_t)(word - state) * sizeof *word));
}

static inline word_vec words_broadcast_of(const uint32_t four[4], int i)
{
    return words_broadcast(&four[i]);
}

static inline word_vec words_each_part(const uint32_t *four)
{
    return word_node(record0("state_row", (uint64_t)(four - state) * sizeof *four));
}

static inline word_vec words_numbers(uint32_t first)
{
    uint64_t numbers[WORDS] = {WORDS_EACH(WORDS_NUMBER)};
    for (int i = 0; i < WORDS; i++)
        numbers[i] += first;
    return word_node(record("words", 0, NULL, WORDS, numbers));
}

static inline word_vec words_part_numbers(uint32_t first)
{
    uint64_t numbers[WORDS] = {WORDS_EACH(WORDS_PART_FIRST)};
    for (int i = 0; i < WORDS; i += 4)
        numbers[i] += first;
    return word_node(record("words", 0, NULL, WORDS, numbers));
}

static inline word_vec words_xor(word_vec a, word_vec b);
static inline word_vec words_rotl(word_vec a, int bits);

/* No shape that is recorded has this rotation. */
static inline word_vec words_quick_rotl_xor(word_vec x, word_vec y, int bits)
{
    return words_rotl(words_xor(x, y), bits);
}

static inline word_vec words_add(word_vec a, word_vec b)
{
    return word_node(record2("add32", a.node, b.node));
}

static inline word_vec words_xor(word_vec a, word_vec b)
{
    return word_node(record2("xor32", a.node, b.node));
}

static inline word_vec words_rotl(word_vec a, int bits)
{
    return word_node(record1_imm("rotl32", a.node, (uint64_t)bits));
}

static inline word_vec words_rotl8(word_vec a) { return words_rotl(a, 8); }
static inline word_vec words_rotl16(word_vec a) { return words_rotl(a, 16); }
static inline word_vec words_little_endian(word_vec a) { return a; }

static inline word_vec words_load(const uint8_t *bytes)
{
    return word_node(record0("load_words", (uint64_t)(bytes - message)));
}

static inline void words_store(uint8_t *bytes, word_vec a)
{
    const uint64_t at = (uint64_t)(bytes - out);
    const uint32_t node = record("output", 1, &a.node, 2, (const uint64_t[]){PLACE_MEMORY, at});
    name_node(node, "out", at / sizeof a);
}

/* The kernels use it for streams of several keys, which no basic block here covers. */
static inline word_vec words_splat(uint32_t value)
{
    uint64_t numbers[WORDS];
    for (int i = 0; i < WORDS; i++)
        numbers[i] = value;
    return word_node(record("words", 0, NULL, WORDS, numbers));
}

static inline void bb_in_state(void) {}
static inline void bb_out_memory(size_t nvectors) { (void)nvectors; }

static inline void bb_in_vectors(const char *name, word_vec *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        numbers[i] = word_node(record0("input", PLACE_REGISTER));
        name_node(numbers[i].node, name, i);
    }
}

static inline void bb_out_vectors(const char *name, const word_vec *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        name_node(record1("output", numbers[i].node), name, i);
}

#endif
