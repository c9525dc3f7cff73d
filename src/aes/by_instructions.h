/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AES-128 with AES instructions of the CPU, for several interleaved blocks, each with its own key. The file
 * that includes this one has opened a target region and defined
 *
 *     aes_block                                  a vector of 16 bytes
 *     aes_load, aes_store
 *     aes_next_round_key(key, rcon)              FIPS 197, section 5.2
 *     aes_begin(block, key)                      before the first round
 *     aes_round(block, key, next_key, is_last)   a round, between these two round keys
 *     aes_end(block, key)                        after the last round
 */
#ifndef HORNET_AES_BY_INSTRUCTIONS_H
#define HORNET_AES_BY_INSTRUCTIONS_H

#include <stdbool.h>

#include "../core/stack_wipe.h"
#include "aes.h"

#ifndef HORNET_TARGET /* parsed alone: declare what it needs */
typedef struct {
    uint8_t bytes[16];
} aes_block;
aes_block aes_load(const uint8_t *bytes);
void aes_store(uint8_t *bytes, aes_block a);
aes_block aes_next_round_key(aes_block key, uint8_t rcon);
aes_block aes_begin(aes_block block, aes_block key);
aes_block aes_round(aes_block block, aes_block key, aes_block next_key, bool is_last);
aes_block aes_end(aes_block block, aes_block key);
#endif

/* An instruction takes about four cycles, and one or two can start per cycle. */
enum { AES_SIDE_BY_SIDE = 4 };

/* Encrypts n blocks; n is a constant. */
HORNET_INLINE void aes_side_by_side(size_t n, uint8_t (*out)[16], const uint8_t (*in)[16],
                                    const uint8_t (*keys)[32])
{
    static const uint8_t rcon[AES_ROUNDS] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36};
    aes_block block[AES_SIDE_BY_SIDE], key[AES_SIDE_BY_SIDE];
    HORNET_UNROLL
    for (size_t i = 0; i < n; i++) {
        key[i] = aes_load(keys[i]);
        block[i] = aes_begin(aes_load(in[i]), key[i]);
    }
    HORNET_UNROLL
    for (int round = 0; round < AES_ROUNDS; round++) {
        HORNET_UNROLL
        for (size_t i = 0; i < n; i++) {
            const aes_block next = aes_next_round_key(key[i], rcon[round]);
            block[i] = aes_round(block[i], key[i], next, round == AES_ROUNDS - 1);
            key[i] = next;
        }
    }
    HORNET_UNROLL
    for (size_t i = 0; i < n; i++)
        aes_store(out[i], aes_end(block[i], key[i]));
}

HORNET_NOINLINE uintptr_t aes_encrypt_all(uint8_t (*out)[16], const uint8_t (*in)[16],
                                          const uint8_t (*keys)[32], size_t count)
{
    size_t i = 0;
    for (; i + AES_SIDE_BY_SIDE <= count; i += AES_SIDE_BY_SIDE)
        aes_side_by_side(AES_SIDE_BY_SIDE, out + i, in + i, keys + i);
    for (; i < count; i++)
        aes_side_by_side(1, out + i, in + i, keys + i);
    return stack_end(STACK_BELOW_BYTES);
}

static void aes_encrypt(uint8_t (*out)[16], const uint8_t (*in)[16], const uint8_t (*keys)[32],
                        size_t count)
{
    clear_stack_and_registers(aes_encrypt_all(out, in, keys, count));
}

#endif
