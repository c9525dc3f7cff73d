/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The cipher of SSH packets, chacha20-poly1305@openssh.com. Unlike RFC 8439's, it has a key for lengths,
 * and Poly1305's input is the packet itself, without padding: its blocks begin 4 bytes before those of the
 * keystream. */
#include "passes.h"

#include "../core/constant_time.h"

static void ssh_chunk(aead_chunk *t, uint8_t *last, uint8_t *memory);
#define LONG_CHUNK   ssh_chunk
#define INPUT_BEFORE ((size_t)HORNET_SSH_LENGTH_BYTES)
#include "long_chunk.h"

/* OpenSSH's nonce and counter have 64 bits each: what RFC 8439 has in the nonce begins with those of the
 * counter. */
HORNET_INLINE void ssh_nonce(uint8_t nonce[12], uint32_t sequence)
{
    memset(nonce, 0, 8);
    store_be32(nonce + 8, sequence);
}

HORNET_INLINE void ssh_begin(chacha20_state *state, uint32_t sequence, const uint8_t key[32])
{
    uint8_t nonce[12];
    ssh_nonce(nonce, sequence);
    hornet_chacha20_begin(state, key, 0, nonce);
}

/* Sets *length to it xor the keystream of lengths. */
HORNET_NOINLINE uintptr_t ssh_length_xored(uint32_t *length, uint32_t sequence, const uint8_t key[64],
                                           uint32_t chacha20_in_use)
{
    uint8_t block[CHACHA20_KEY_BYTES];
    chacha20_state state;
    ssh_begin(&state, sequence, key + CHACHA20_KEY_BYTES);
    chacha20_work work = {.key = block, .state = &state};
    const uintptr_t end = hornet_chacha20_passes(hornet_chacha20_kernel_for(0, chacha20_in_use), &work);
    *length ^= load_be32(block);
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
        uint32_t length = p->len_bytes;
        clear_stack_and_registers(ssh_length_xored(&length, p->sequence, p->key, kernels.chacha20));
        store_be32(p->packet, length);
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
    uint32_t length = load_be32(encrypted);
    clear_stack_and_registers(ssh_length_xored(&length, sequence, key, hornet_chacha20_entries_in_use()));
    const uint32_t decrypted = length;
    wipe(&length, sizeof length);
    return decrypted;
}

static bool ssh_alone(const aead_window *window, const hornet_packet *p)
{
    const hornet_ssh_packet packet = {(uint8_t *)p->out - HORNET_SSH_LENGTH_BYTES, (uint32_t)p->len_bytes,
                                      load_be32(p->nonce + 8), p->key};
    return ssh_packet(window->opens, &packet, window->kernels);
}

/* Seals or opens a batch, and returns whether all packets are authentic. */
static bool ssh_batch(bool opens, bool *valid, const hornet_ssh_packet *packets, size_t count)
{
    bool sealed[AEAD_WINDOW], all = true;
    hornet_packet texts[AEAD_WINDOW];
    uint8_t nonces[AEAD_WINDOW][12] = {{0}};
    aead_window window = {texts,        opens ? valid : sealed,       opens,
                          AEAD_OPENSSH, hornet_aead_kernels_in_use(), ssh_alone};
    for (size_t first = 0; first < count; first += AEAD_WINDOW) {
        const size_t n = hornet_batch_window(first, count);
        for (size_t i = 0; i < n; i++) {
            const hornet_ssh_packet *const p = &packets[first + i];
            uint8_t *const text = p->packet + HORNET_SSH_LENGTH_BYTES;
            ssh_nonce(nonces[i], p->sequence);
            texts[i] =
                (hornet_packet){text, text, p->len_bytes, NULL, 0, nonces[i], p->key, text + p->len_bytes};
        }
        all &= hornet_aead_process_window(&window, n);
        if (opens)
            window.valid += n;
    }
    return all;
}

void hornet_ssh_seal_batch(const hornet_ssh_packet *packets, size_t count)
{
    (void)ssh_batch(false, NULL, packets, count);
}

bool hornet_ssh_open_batch(bool *valid, const hornet_ssh_packet *packets, size_t count)
{
    return ssh_batch(true, valid, packets, count);
}
