/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Many packets at once, each under its own key and nonce. A lane holds LANES_SETS consecutive blocks of a
 * packet.
 *
 * Packets take the lanes in turn, each with its next blocks, so that only the last pass has empty lanes.
 * Packets 0, 1, 2 and 3 of 5, 4, 2 and 1 blocks, in four lanes of one block:
 *
 *     pass 0    0 1 2 3
 *     pass 1    0 1 2 0
 *     pass 2    1 0 1 0
 */
#ifndef HORNET_CHACHA20_SHAPES_PACKETS_H
#define HORNET_CHACHA20_SHAPES_PACKETS_H

#include "lanes.h"

/* The contents of the lanes before the rounds. */
typedef struct {
    uint32_t word[16][WORDS] __attribute__((aligned(64))); /* word[i][j]: word i of lane j */
    uint8_t packet[WORDS];                                 /* the packet in each lane */
    size_t used;                                           /* lanes with a packet */
} packets_lanes;

/* Sets rows 1 to 3 of the state in each lane to those of its packet, with the counter 0. */
HORNET_INLINE void packets_load(packets_lanes *lanes, const chacha20_packets *packets)
{
    HORNET_UNROLL
    for (size_t row = 1; row < 4; row++) {
        word_vec x[4];
        HORNET_UNROLL
        for (size_t i = 0; i < 4; i++) {
            const uint8_t *parts[WORDS / 4];
            HORNET_UNROLL
            for (size_t part = 0; part < WORDS / 4; part++) {
                const size_t packet = lanes->packet[4 * part + i];
                parts[part] = row < 3 ? packets->key[packet] + 16 * (row - 1)
                                      : (const uint8_t *)packets->last_row[packet];
            }
            x[i] = words_load_parts(parts);
            if (row < 3)
                x[i] = words_little_endian(x[i]);
        }
        words_transpose_parts(x);
        HORNET_UNROLL
        for (size_t i = 0; i < 4; i++)
            words_store((uint8_t *)lanes->word[4 * row + i], x[i]);
    }
}

/* Word i of the blocks of set s. */
HORNET_INLINE word_vec packets_word(const packets_lanes *lanes, int i, size_t s)
{
    const word_vec word = words_load((const uint8_t *)lanes->word[i]);
    return i == 12 && s != 0 ? words_add(word, words_splat((uint32_t)s)) : word;
}

/* Sets rows[s] to the blocks of set s, one row for each lane. */
HORNET_INLINE void packets_rows(word_vec (*rows)[16], const packets_lanes *lanes)
{
    word_vec x[LANES_SETS][16];
    HORNET_UNROLL
    for (size_t s = 0; s < LANES_SETS; s++) {
        HORNET_UNROLL
        for (int i = 0; i < 16; i++)
            x[s][i] = packets_word(lanes, i, s);
    }
    lanes_rounds(x, LANES_SETS);
    HORNET_VALUE_BARRIER("r", lanes);
    HORNET_UNROLL
    for (size_t s = 0; s < LANES_SETS; s++) {
        HORNET_UNROLL
        for (int i = 0; i < 16; i++)
            x[s][i] = words_add(x[s][i], packets_word(lanes, i, s));
        lanes_to_rows(rows[s], x[s]);
    }
}

/* Processes the blocks in the lanes. */
#define packets_pass HORNET_KERNEL_NAME(chacha20, packets_pass)
HORNET_NOINLINE uintptr_t packets_pass(chacha20_packets *packets, const packets_lanes *lanes)
{
    word_vec rows[LANES_SETS][16];
    packets_rows(rows, lanes);
    HORNET_KEEP_LOOP
    for (size_t lane = 0; lane < lanes->used; lane++) {
        const uint8_t *const row = (const uint8_t *)rows + CHACHA20_BLOCK_BYTES * lane;
        const size_t i = lanes->packet[lane], block = lanes->word[12][lane];
        size_t s = 0;
        if (block == 0) {
            memcpy(packets->block0[i], row, sizeof packets->block0[i]);
            s = 1;
        }
        const size_t at = CHACHA20_BLOCK_BYTES * (block + s - 1);
        const uint8_t *in = packets->in[i] + at;
        uint8_t *out = packets->out[i] + at, *copy = packets->copy[i] + at;
        size_t left = packets->len_bytes[i] - at;
        for (; s < LANES_SETS && left != 0; s++) {
            const size_t n = left < CHACHA20_BLOCK_BYTES ? left : CHACHA20_BLOCK_BYTES;
            apply_stream_twice(out, copy, packets->opens, in, row + sizeof rows[0] * s, n);
            in += CHACHA20_BLOCK_BYTES;
            out += CHACHA20_BLOCK_BYTES;
            copy += CHACHA20_BLOCK_BYTES;
            left -= n;
        }
    }
    return stack_end(STACK_BELOW_BYTES);
}

/* Returns how many of the first `left` packets have block `block`. */
HORNET_INLINE size_t packets_with(const chacha20_packets *packets, size_t left, uint32_t block)
{
    while (left != 0 && CHACHA20_BLOCK_BYTES * (size_t)(block - 1) >= packets->len_bytes[left - 1])
        left--;
    return left;
}

#define kernel_packets HORNET_KERNEL_NAME(chacha20, kernel_packets)
static uintptr_t kernel_packets(chacha20_packets *packets)
{
    packets_lanes lanes = {.used = 0};
    for (size_t i = 0; i < 4; i++)
        words_store((uint8_t *)lanes.word[i], words_splat(chacha20_constants[i]));
    size_t left = packets->count, next = 0; /* the packets that have more blocks, and whose turn it is */
    uint32_t block = 0;
    uintptr_t end = UINTPTR_MAX;
    while (left != 0) {
        if (left == WORDS && block != 0) { /* each packet stays in its lane */
            words_store((uint8_t *)lanes.word[12], words_splat(block));
            block += LANES_SETS;
            left = packets_with(packets, left, block);
        } else {
            uint32_t counters[WORDS] = {0};
            for (lanes.used = 0; lanes.used < WORDS && left != 0; lanes.used++) {
                lanes.packet[lanes.used] = (uint8_t)next;
                counters[lanes.used] = block;
                if (++next < left)
                    continue;
                next = 0;
                block += LANES_SETS;
                left = packets_with(packets, left, block);
            }
            packets_load(&lanes, packets);
            memcpy(lanes.word[12], counters, sizeof counters);
        }
        end = packets_pass(packets, &lanes); /* the same in each iteration */
    }
    return end;
}

#endif
