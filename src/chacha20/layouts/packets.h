/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Many packets at once, each under its own key and nonce, one block per lane.
 *
 * Packets take the lanes round-robin, each with its next block, so that only the last pass has empty
 * lanes. Packets 0, 1 and 2 of 5, 4 and 2 blocks in four lanes:
 *
 *     pass 0    0 1 2 0
 *     pass 1    1 2 0 1
 *     pass 2    0 1 0
 */
#ifndef HORNET_CHACHA20_LAYOUTS_PACKETS_H
#define HORNET_CHACHA20_LAYOUTS_PACKETS_H

#include "../../core/stack_wipe.h"
#include "lanes.h"

/* The lanes of all sets. */
#define PACKETS_LANES (WORDS * LANES_SETS)
_Static_assert(PACKETS_LANES <= CHACHA20_PACKETS_MAX, "room for all packets in packets_lanes");

/* The contents of the lanes before the rounds. The last two have room for all packets once more. */
typedef struct {
    uint32_t word[LANES_SETS][12][WORDS] __attribute__((aligned(64))); /* from word 4 on */
    uint32_t block[2 * PACKETS_LANES] __attribute__((aligned(64)));    /* word 12 of each lane */
    uint8_t packet[2 * CHACHA20_PACKETS_MAX];                          /* the packet in each lane */
    size_t used;                                                       /* lanes with a packet */
} packets_lanes;

/* Sets words 4 to 15 of each lane, but not the counters, to those of its packet. */
HORNET_INLINE void packets_load(packets_lanes *lanes, const chacha20_packets *packets)
{
    HORNET_KEEP_LOOP
    for (size_t s = 0; s < LANES_SETS; s++) {
        HORNET_UNROLL
        for (size_t row = 0; row < 3; row++) {
            word_vec x[4];
            HORNET_UNROLL
            for (size_t i = 0; i < 4; i++) {
                const uint8_t *parts[WORDS / 4];
                HORNET_UNROLL
                for (size_t part = 0; part < WORDS / 4; part++) {
                    const size_t packet = lanes->packet[WORDS * s + 4 * part + i];
                    parts[part] = row < 2 ? packets->key[packet] + 16 * row
                                          : (const uint8_t *)packets->last_row[packet];
                }
                x[i] = words_load_parts(parts);
                if (row < 2)
                    x[i] = words_little_endian(x[i]);
            }
            words_transpose_parts(x);
            HORNET_UNROLL
            for (size_t i = 0; i < 4; i++)
                words_store((uint8_t *)lanes->word[s][4 * row + i], x[i]);
        }
    }
}

/* Word i of the blocks of set s; in HChaCha20, word 12 is of the nonce. */
HORNET_INLINE word_vec packets_word(const packets_lanes *lanes, int i, size_t s, bool hchacha20)
{
    if (i < 4)
        return words_broadcast(&chacha20_constants[i]);
    return words_load(
        (const uint8_t *)(i == 12 && !hchacha20 ? lanes->block + WORDS * s : lanes->word[s][i - 4]));
}

/* Sets rows[s] to the blocks of set s, one row for each lane. hchacha20 is a constant: HChaCha20 omits the
 * addition. */
HORNET_INLINE void packets_rows(word_vec (*rows)[16], const packets_lanes *lanes, bool hchacha20)
{
    word_vec x[LANES_SETS][16];
    HORNET_UNROLL
    for (size_t s = 0; s < LANES_SETS; s++) {
        HORNET_UNROLL
        for (int i = 0; i < 16; i++)
            x[s][i] = packets_word(lanes, i, s, hchacha20);
    }
    lanes_rounds(x, LANES_SETS);
    HORNET_VALUE_BARRIER("r", lanes);
    HORNET_UNROLL
    for (size_t s = 0; s < LANES_SETS; s++) {
        HORNET_UNROLL
        for (int i = 0; i < 16; i++)
            if (!hchacha20)
                x[s][i] = words_add(x[s][i], packets_word(lanes, i, s, false));
        lanes_to_rows(rows[s], x[s]);
    }
}

/* Sets a vector of out to in xor row, and of copy to in (if opens) or out. */
HORNET_INLINE void packets_apply(uint8_t *out, uint8_t *copy, bool opens, const uint8_t *in,
                                 const uint8_t *row)
{
    const word_vec input = words_load(in), output = words_xor(input, words_load(row));
    words_store(out, output);
    words_store(copy, opens ? input : output);
}

/* Does the same for less than a block, and sets what remains of the last vector of copy to zeros. */
HORNET_INLINE void packets_apply_rest(uint8_t *out, uint8_t *copy, bool opens, const uint8_t *in,
                                      const uint8_t *row, size_t len_bytes)
{
    size_t at = 0;
    HORNET_KEEP_LOOP
    for (; len_bytes - at >= sizeof(word_vec); at += sizeof(word_vec))
        packets_apply(out + at, copy + at, opens, in + at, row + at);
    len_bytes -= at;
    if (len_bytes == 0)
        return;
    const word_vec input = words_load_first(in + at, len_bytes);
    const word_vec output = words_xor(input, words_first(words_load(row + at), len_bytes));
    words_store_first(out + at, output, len_bytes);
    words_store(copy + at, opens ? input : output);
}

/* Processes the blocks in the lanes. */
#define packets_pass HORNET_KERNEL_NAME(chacha20, packets_pass)
HORNET_NOINLINE uintptr_t packets_pass(chacha20_packets *packets, const packets_lanes *lanes)
{
    word_vec rows[LANES_SETS][16];
    packets_rows(rows, lanes, false);
    const size_t used = lanes->used;
    const bool opens = packets->opens;
    HORNET_KEEP_LOOP
    for (size_t lane = 0; lane < used; lane++) {
        const uint8_t *const row = (const uint8_t *)rows + CHACHA20_BLOCK_BYTES * lane;
        const size_t i = lanes->packet[lane], block = lanes->block[lane];
        if (block == 0) {
            memcpy(packets->block0[i], row, sizeof packets->block0[i]);
            continue;
        }
        const size_t at = CHACHA20_BLOCK_BYTES * (block - 1), left = packets->len_bytes[i] - at;
        const uint8_t *const in = packets->in[i] + at;
        uint8_t *const out = packets->out[i] + at, *const copy = packets->copy[i] + at;
        if (left < CHACHA20_BLOCK_BYTES) {
            packets_apply_rest(out, copy, opens, in, row, left);
            continue;
        }
        HORNET_UNROLL
        for (size_t j = 0; j < CHACHA20_BLOCK_BYTES; j += sizeof(word_vec))
            packets_apply(out + j, copy + j, opens, in + j, row + j);
    }
    return stack_end(STACK_BELOW_BYTES);
}

/* The number of packets that have more blocks; of these the next one to take a lane, and its block. */
typedef struct {
    size_t left, next;
    uint32_t block;
} packets_cursor;

/* Fills the lanes with packets and their blocks. Returns whether a lane has another packet than before. */
HORNET_INLINE bool packets_take(packets_lanes *lanes, packets_cursor *cursor,
                                const chacha20_packets *packets)
{
    static const uint8_t numbers[2 * CHACHA20_PACKETS_MAX] = {
#define NUMBERS(i) WORDS_FOUR(WORDS_NUMBER, i), WORDS_FOUR(WORDS_NUMBER, (i) + 4)
        NUMBERS(0),  NUMBERS(8),  NUMBERS(16), NUMBERS(24),
        NUMBERS(32), NUMBERS(40), NUMBERS(48), NUMBERS(56)};
    uint8_t before[CHACHA20_PACKETS_MAX];
    uint64_t moved = 0;
    memcpy(before, lanes->packet, sizeof before);
    size_t lane = 0;
    while (lane < PACKETS_LANES && cursor->left != 0) {
        memcpy(lanes->packet + lane, numbers + cursor->next, CHACHA20_PACKETS_MAX);
        HORNET_UNROLL
        for (size_t s = 0; s < LANES_SETS; s++)
            words_store((uint8_t *)(lanes->block + lane + WORDS * s), words_splat(cursor->block));
        const size_t free = PACKETS_LANES - lane, n = cursor->left - cursor->next;
        lane += n < free ? n : free;
        cursor->next += n < free ? n : free;
        if (cursor->next == cursor->left) {
            cursor->next = 0;
            cursor->block++;
            while (cursor->left != 0 && packets->len_bytes[cursor->left - 1] <=
                                            CHACHA20_BLOCK_BYTES * (size_t)(cursor->block - 1))
                cursor->left--;
        }
    }
    memset(lanes->packet + lane, 0, CHACHA20_PACKETS_MAX); /* lanes left over take any packet */
    lanes->used = lane;
    HORNET_UNROLL
    for (size_t i = 0; i < CHACHA20_PACKETS_MAX / 8; i++)
        moved |= load_le64(before + 8 * i) ^ load_le64(lanes->packet + 8 * i);
    return moved != 0;
}

#define kernel_packets HORNET_KERNEL_NAME(chacha20, kernel_packets)
static uintptr_t kernel_packets(chacha20_packets *packets)
{
    packets_lanes lanes;
    memset(lanes.packet, 0xff, sizeof lanes.packet);
    packets_cursor cursor = {.left = packets->count};
    uintptr_t end = UINTPTR_MAX;
    while (cursor.left != 0) {
        if (packets_take(&lanes, &cursor, packets))
            packets_load(&lanes, packets);
        end = packets_pass(packets, &lanes); /* the same in each iteration */
    }
    return end;
}

#define kernel_subkeys HORNET_KERNEL_NAME(chacha20, kernel_subkeys)
HORNET_NOINLINE uintptr_t kernel_subkeys(uint8_t (*subkeys)[CHACHA20_KEY_BYTES],
                                         const chacha20_packets *packets)
{
    packets_lanes lanes;
    packets_cursor cursor = {.left = packets->count};
    word_vec rows[LANES_SETS][16];
    memset(lanes.packet, 0xff, sizeof lanes.packet);
    (void)packets_take(&lanes, &cursor, packets); /* the first lanes have the packets in their order */
    packets_load(&lanes, packets);
    packets_rows(rows, &lanes, true);
    HORNET_KEEP_LOOP
    for (size_t lane = 0; lane < packets->count; lane++) {
        const uint8_t *const row = (const uint8_t *)rows + CHACHA20_BLOCK_BYTES * lane;
        memcpy(subkeys[lane], row, 16);
        memcpy(subkeys[lane] + 16, row + 48, 16);
    }
    return stack_end(STACK_BELOW_BYTES);
}

#endif
