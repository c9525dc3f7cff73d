/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The cipher of SSH packets, chacha20-poly1305@openssh.com. Unlike RFC 8439's, it has a key for lengths,
 * and Poly1305's input is the packet itself, without padding: its blocks begin 4 bytes before those of the
 * keystream. */
#include "passes.h"

#include "../core/constant_time.h"

static void ssh_chunk(aead_chunk *t, uint8_t *last, uint8_t *memory);
#define LONG_CHUNK   ssh_chunk
#define COPY_LAST    last_copied
#define INPUT_BEFORE ((size_t)HORNET_SSH_LENGTH_BYTES)
#include "long_chunk.h"

HORNET_INLINE void ssh_begin(chacha20_state *state, uint32_t sequence, const uint8_t key[32])
{
    static const uint8_t nonce[12];
    hornet_chacha20_begin(state, key, 0, nonce);
    ssh_last_row(state->word + 12, sequence);
}

/* Sets length to it xor the keystream of lengths. */
HORNET_NOINLINE uintptr_t ssh_length_xored(uint8_t length[4], uint32_t sequence, const uint8_t key[64],
                                           uint32_t chacha20_in_use)
{
    uint8_t block[CHACHA20_KEY_BYTES];
    chacha20_state state;
    ssh_begin(&state, sequence, key + CHACHA20_KEY_BYTES);
    chacha20_work work = {.key = block, .state = &state};
    const uintptr_t end = hornet_chacha20_passes(hornet_chacha20_kernel_for(0, chacha20_in_use), &work);
    xor_bytes(length, length, block, HORNET_SSH_LENGTH_BYTES);
    return lower_end(end, stack_end(STACK_BELOW_BYTES));
}

/* The length before the text has been written, and is encrypted. */
HORNET_NOINLINE uintptr_t ssh_processed(bool *valid, bool opens, const hornet_ssh_packet *p,
                                        aead_kernels kernels, uint8_t *memory)
{
    uint8_t *const text = p->packet + HORNET_SSH_LENGTH_BYTES, *const tag = text + p->len_bytes;
    uint8_t key[32], last[16], computed[16];
    chacha20_state state;
    struct poly1305 poly;
    aead_chunk t;
    ssh_begin(&state, p->sequence, p->key);
    aead_chunk_begin(&t, text, text, p->len_bytes, opens, kernels);
    t.work.state = &state;
    t.work.key = key;
    t.poly = &poly;
    t.aad = NULL;
    t.aad_bytes = 0;
    ssh_chunk(&t, last, memory);
    mac_end(opens ? computed : tag, &poly);
    *valid = !opens || declassify(tags_equal(computed, tag));
    if (!*valid)
        zero_some(text, p->len_bytes);
    return lower_end(t.end, stack_end(STACK_BELOW_BYTES));
}

/* Seals or opens a packet, and returns whether it is authentic. */
static bool ssh_packet(bool opens, const hornet_ssh_packet *p, aead_kernels kernels)
{
    uint8_t memory[AEAD_COPIED_BYTES] __attribute__((aligned(64)));
    bool valid;
    if (!opens) {
        store_be32(p->packet, p->len_bytes);
        clear_stack_and_registers(ssh_length_xored(p->packet, p->sequence, p->key, kernels.chacha20));
    }
    clear_stack_and_registers(ssh_processed(&valid, opens, p, kernels, memory));
    return valid;
}

void hornet_ssh_seal(uint8_t *packet, uint32_t len_bytes, uint32_t sequence, const uint8_t key[64])
{
    (void)ssh_packet(false, &(hornet_ssh_packet){packet, len_bytes, sequence, key},
                     hornet_aead_kernels_in_use());
}

bool hornet_ssh_open(uint8_t *packet, uint32_t len_bytes, uint32_t sequence, const uint8_t key[64])
{
    return ssh_packet(true, &(hornet_ssh_packet){packet, len_bytes, sequence, key},
                      hornet_aead_kernels_in_use());
}

uint32_t hornet_ssh_packet_length(const uint8_t encrypted[4], uint32_t sequence, const uint8_t key[64])
{
    uint8_t length[HORNET_SSH_LENGTH_BYTES];
    memcpy(length, encrypted, sizeof length);
    clear_stack_and_registers(ssh_length_xored(length, sequence, key, hornet_chacha20_entries_in_use()));
    const uint32_t len_bytes = load_be32(length);
    wipe(length, sizeof length);
    return len_bytes;
}

static bool ssh_alone(const aead_window *window, size_t i)
{
    return ssh_packet(window->opens, ssh_packet_at(window, i), window->kernels);
}

void hornet_ssh_seal_batch(const hornet_ssh_packet *packets, size_t count)
{
    (void)hornet_aead_batch(packets, count, false, NULL, AEAD_OPENSSH, ssh_alone);
}

bool hornet_ssh_open_batch(bool *valid, const hornet_ssh_packet *packets, size_t count)
{
    return hornet_aead_batch(packets, count, true, valid, AEAD_OPENSSH, ssh_alone);
}
