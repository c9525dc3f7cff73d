/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Every public function that takes secrets, called with secrets of many kinds, for tests of the
 * behaviour of such calls and of the data that they leave behind. */
#ifndef HORNET_TESTS_SECRET_CALLS_H
#define HORNET_TESTS_SECRET_CALLS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/hornet.h"
#include "../../include/hornet_kernels.h"
#include "../../include/hornet_poly1305_aes.h"
#include "../../include/hornet_ssh.h"
#include "../../include/hornet_stream.h"
#include "../../src/aes/aes.h"
#include "check.h"

enum { SEGMENTS = 3 };

#ifndef MESSAGES
enum { MESSAGE_MAX_BYTES = 16384, MESSAGES = 20 };
#endif

/* The memory that the calls read and write, always at the same addresses; with IN_THREADS, one copy per
 * thread. */
#ifdef IN_THREADS
static _Thread_local struct {
#else
static struct {
#endif
    uint8_t msg[MESSAGE_MAX_BYTES], expected[16], tags[MESSAGES][16], keys[MESSAGES][32];
    uint8_t aes_keys[MESSAGES][32], nonces[MESSAGES][16];
    const void *msgs[MESSAGES];
    size_t lens_bytes[MESSAGES];
    bool valid[MESSAGES], ok;
    hornet_poly1305_state state;
    hornet_poly1305_partial partial, segment, segments[SEGMENTS];
    hornet_aead_state aead;
    uint8_t sealed[MESSAGES][MESSAGE_MAX_BYTES], opened[MESSAGES][MESSAGE_MAX_BYTES];
    uint8_t begun[2][MESSAGE_MAX_BYTES]; /* the text that a state encrypts or decrypts before the call */
    hornet_packet packets[MESSAGES];
    hornet_ssh_packet ssh_packets[MESSAGES];
    uint32_t length;
} it;

/* const for the caller only */
#define IT_KEYS     ((const uint8_t(*)[32])it.keys)
#define IT_AES_KEYS ((const uint8_t(*)[32])it.aes_keys)
#define IT_NONCES   ((const uint8_t(*)[16])it.nonces)
#define IT_TAGS     ((const uint8_t(*)[16])it.tags)
/* sealed in one stream: the first ciphertext, and tags after it */
#define IT_CHUNKS ((uint8_t *)it.sealed)

static void call_mac(size_t n) { hornet_poly1305(it.tags[0], it.msg, n, it.keys[0]); }
static void call_verify(size_t n) { it.ok = hornet_poly1305_verify(it.expected, it.msg, n, it.keys[0]); }
static void call_clamp(size_t n)
{
    (void)n;
    hornet_poly1305_clamp(it.aes_keys[0] + 16);
    it.ok = hornet_poly1305_r_is_clamped(it.aes_keys[0] + 16);
}
static void call_init(size_t n)
{
    (void)n;
    hornet_poly1305_init(&it.state, it.keys[0]);
}
static void call_update(size_t n) { hornet_poly1305_update(&it.state, it.msg, n); }
static void call_updatev(size_t n)
{
    const hornet_piece pieces[2] = {{NULL, it.msg, n / 3}, {NULL, it.msg + n / 3, n - n / 3}};
    hornet_poly1305_updatev(&it.state, pieces, 2);
}
static void call_final(size_t n)
{
    (void)n;
    hornet_poly1305_final(&it.state, it.tags[0]);
}
static void call_final_verify(size_t n)
{
    (void)n;
    it.ok = hornet_poly1305_final_verify(&it.state, it.expected);
}
static void call_batch(size_t n)
{
    (void)n;
    hornet_poly1305_batch(it.tags, it.msgs, it.lens_bytes, IT_KEYS, MESSAGES);
}
static void call_verify_batch(size_t n)
{
    (void)n;
    it.ok = hornet_poly1305_verify_batch(it.valid, IT_TAGS, it.msgs, it.lens_bytes, IT_KEYS, MESSAGES);
}
static void call_aes(size_t n)
{
    it.ok = hornet_poly1305_aes(it.tags[0], it.msg, n, it.nonces[0], it.aes_keys[0]);
}
static void call_aes_verify(size_t n)
{
    it.ok = hornet_poly1305_aes_verify(it.expected, it.msg, n, it.nonces[0], it.aes_keys[0]);
}
static void call_aes_init(size_t n)
{
    (void)n;
    it.ok = hornet_poly1305_aes_init(&it.state, it.nonces[0], it.aes_keys[0]);
}
static void call_aes_batch(size_t n)
{
    (void)n;
    it.ok = hornet_poly1305_aes_batch(it.tags, it.msgs, it.lens_bytes, IT_NONCES, IT_AES_KEYS, MESSAGES);
}
static void call_aes_verify_batch(size_t n)
{
    (void)n;
    it.ok = hornet_poly1305_aes_verify_batch(it.valid, IT_TAGS, it.msgs, it.lens_bytes, IT_NONCES,
                                             IT_AES_KEYS, MESSAGES);
}
static void call_pad(size_t n)
{
    it.ok = hornet_poly1305_pad(it.tags[0], it.msg, n, it.keys[0], it.keys[0] + 16);
}
static void call_pad_verify(size_t n)
{
    it.ok = hornet_poly1305_pad_verify(it.expected, it.msg, n, it.keys[0], it.keys[0] + 16);
}
static void call_pad_init(size_t n)
{
    (void)n;
    it.ok = hornet_poly1305_pad_init(&it.state, it.keys[0], it.keys[0] + 16);
}
static void call_partial_compute(size_t n)
{
    it.ok = hornet_poly1305_partial_compute(&it.segment, it.msg, n, it.keys[0]);
}
static void call_partial_zeros(size_t n)
{
    it.ok = hornet_poly1305_partial_zeros(&it.segment, n + (UINT64_C(5) << 40), it.keys[0]);
}
static void call_partial_segments(size_t n)
{
    it.ok =
        hornet_poly1305_partial_segments(it.segments, n / SEGMENTS / 16 * 16 + 16, it.msg, n, it.keys[0]);
}
static void call_partial_join(size_t n)
{
    (void)n;
    it.ok = hornet_poly1305_partial_join(&it.partial, it.segments, SEGMENTS, it.keys[0]);
}
static void call_partial_append(size_t n)
{
    (void)n;
    it.ok = hornet_poly1305_partial_append(&it.partial, &it.segment, it.keys[0]);
}
static void call_partial_replace(size_t n)
{
    it.ok = hornet_poly1305_partial_replace(&it.partial, &it.segment, &it.segment, 64 - n / 64 * 16,
                                            it.keys[0]);
}
static void call_partial_tag(size_t n)
{
    (void)n;
    hornet_poly1305_partial_tag(it.tags[0], &it.partial, it.keys[0] + 16);
}
static void call_partial_verify(size_t n)
{
    (void)n;
    it.ok = hornet_poly1305_partial_verify(it.expected, &it.partial, it.keys[0] + 16);
}
/* The AEAD's associated data is also secret here. */
enum { AAD_BYTES = 20 };
static uint8_t aead_nonce[24];

/* For messages of n bytes in one call; 32 need no padding. */
static size_t aad_bytes_of(size_t n) { return n % 3 == 0 ? 32 : AAD_BYTES; }

static void call_seal(size_t n)
{
    it.ok = hornet_chacha20_poly1305_seal(it.sealed[0], it.tags[0], it.msg, n, it.msg + 7, aad_bytes_of(n),
                                          aead_nonce, it.keys[0]);
}
static void call_open(size_t n)
{
    it.ok = hornet_chacha20_poly1305_open(it.opened[0], it.sealed[0], n, it.expected, it.msg + 7,
                                          aad_bytes_of(n), aead_nonce, it.keys[0]);
}
/* With enough associated data to take another code path. */
static void call_xseal(size_t n)
{
    it.ok = hornet_xchacha20_poly1305_seal(it.sealed[0], it.tags[0], it.msg, n, it.msg, 100, aead_nonce,
                                           it.keys[0]);
}
static void call_xopen(size_t n) /* in place */
{
    memcpy(it.opened[0], it.sealed[0], n);
    it.ok = hornet_xchacha20_poly1305_open(it.opened[0], it.opened[0], n, it.expected, it.msg, 100,
                                           aead_nonce, it.keys[0]);
}
static void call_aead_init(size_t n)
{
    (void)n;
    hornet_chacha20_poly1305_init(&it.aead, aead_nonce, it.keys[0]);
}
static void call_aead_xinit(size_t n)
{
    (void)n;
    hornet_xchacha20_poly1305_init(&it.aead, aead_nonce, it.keys[0]);
}
static void call_aead_aad(size_t n) { it.ok = hornet_aead_aad(&it.aead, it.msg, n); }
static void call_aead_encrypt(size_t n) { it.ok = hornet_aead_encrypt(&it.aead, it.sealed[1], it.msg, n); }
static void call_aead_decrypt(size_t n)
{
    it.ok = hornet_aead_decrypt(&it.aead, it.opened[1], it.sealed[0], n);
}
static void call_aead_encryptv(size_t n)
{
    const hornet_piece pieces[] = {{it.sealed[1], it.msg, n / 3},
                                   {it.sealed[2], it.msg + n / 3, n - n / 3}};
    it.ok = hornet_aead_encryptv(&it.aead, pieces, 2);
}
static void call_aead_decryptv(size_t n)
{
    const hornet_piece pieces[] = {{it.opened[1], it.sealed[0], n / 3},
                                   {it.opened[2], it.sealed[0] + n / 3, n - n / 3}};
    it.ok = hornet_aead_decryptv(&it.aead, pieces, 2);
}
static void call_aead_final(size_t n)
{
    (void)n;
    it.ok = hornet_aead_final(&it.aead, it.tags[0]);
}
static void call_aead_final_verify(size_t n)
{
    (void)n;
    it.ok = hornet_aead_final_verify(&it.aead, it.expected);
}
static void call_aead_final_verify_truncated(size_t n)
{
    (void)n;
    it.ok = hornet_aead_final_verify_truncated(&it.aead, it.expected, 16); /* the last byte may be wrong */
}
static void call_seal_batch(size_t n)
{
    (void)n;
    it.ok = hornet_chacha20_poly1305_seal_batch(it.packets, MESSAGES);
}
static void call_open_batch(size_t n)
{
    (void)n;
    it.ok = hornet_chacha20_poly1305_open_batch(it.valid, it.packets, MESSAGES);
}
static void call_xseal_batch(size_t n)
{
    (void)n;
    it.ok = hornet_xchacha20_poly1305_seal_batch(it.packets, MESSAGES);
}
static void call_xopen_batch(size_t n)
{
    (void)n;
    it.ok = hornet_xchacha20_poly1305_open_batch(it.valid, it.packets, MESSAGES);
}

/* SSH's packets, in place. */
static void call_ssh_seal(size_t n)
{
    const hornet_ssh_packet *const p = &it.ssh_packets[0];
    hornet_ssh_seal(p->packet, (uint32_t)n, p->sequence, p->key);
}
static void call_ssh_packet_length(size_t n)
{
    (void)n;
    it.length = hornet_ssh_packet_length(it.msg, it.ssh_packets[0].sequence, it.ssh_packets[0].key);
}
static void call_ssh_open(size_t n)
{
    const hornet_ssh_packet *const p = &it.ssh_packets[0];
    it.ok = hornet_ssh_open(p->packet, (uint32_t)n, p->sequence, p->key);
}
static void call_ssh_seal_batch(size_t n)
{
    (void)n;
    hornet_ssh_seal_batch(it.ssh_packets, MESSAGES);
}
static void call_ssh_open_batch(size_t n)
{
    (void)n;
    it.ok = hornet_ssh_open_batch(it.valid, it.ssh_packets, MESSAGES);
}

/* Whether a call seals, or opens, packets. */
static bool is_of_packets(void (*call)(size_t n), bool opens)
{
    return opens ? call == call_open_batch || call == call_xopen_batch || call == call_ssh_open_batch
                 : call == call_seal_batch || call == call_xseal_batch || call == call_ssh_seal_batch;
}

static void call_chacha20(size_t n)
{
    it.ok = hornet_chacha20(it.sealed[0], it.msg, n, 3, aead_nonce, it.keys[0]);
}

static void call_hchacha20(size_t n)
{
    (void)n;
    hornet_hchacha20((uint8_t *)it.tags, aead_nonce, it.keys[0]);
}

static void call_header_masks(size_t n) /* of n packets, or all */
{
    const uint8_t *samples[MESSAGES];
    for (size_t i = 0; i < MESSAGES; i++)
        samples[i] = it.msgs[i];
    hornet_chacha20_header_masks((uint8_t(*)[5])it.tags, samples, it.keys[0], n < MESSAGES ? n : MESSAGES);
}

/* The length of one or two chunks. */
static size_t stream_bytes(size_t n)
{
    uint64_t sealed_bytes;
    it.ok = hornet_stream_sealed_bytes(&sealed_bytes, n);
    return (size_t)sealed_bytes;
}
static void call_stream_seal(size_t n)
{
    it.ok = hornet_stream_seal(IT_CHUNKS, it.msg, n, 0, true, it.keys[0]);
}
static void make_last_chunk(size_t n)
{
    call_stream_seal(n);
    memcpy(it.tags[0], IT_CHUNKS + stream_bytes(n) - 16, 16);
}
static void call_stream_open(size_t n)
{
    const size_t sealed_bytes = stream_bytes(n);
    uint64_t text_bytes;
    it.ok = hornet_stream_text_bytes(&text_bytes, sealed_bytes) && text_bytes == n &&
            hornet_stream_open(it.opened[0], NULL, IT_CHUNKS, sealed_bytes, 0, true, it.keys[0]);
}

static void call_equal(size_t n) { it.ok = hornet_equal(it.msg, it.sealed[0], n); }

static void call_wipe(size_t n)
{
    (void)n;
    hornet_wipe(&it.state, sizeof it.state);
}

struct secret_call {
    const char *name;
    void (*call)(size_t n);
    void (*makes_tag)(size_t n); /* the call that makes the tag which this call compares */
    bool one_length;             /* n is ignored */
    bool encrypts;               /* with ChaCha20, so its kernel matters as well */
    bool leaves_ciphertext;      /* which is public, on the stack */
};

static const struct secret_call secret_calls[] = {
    {"hornet_poly1305", call_mac, NULL, false, false, false},
    {"hornet_poly1305_verify", call_verify, call_mac, false, false, false},
    {"hornet_poly1305_clamp", call_clamp, NULL, true, false, false},
    {"hornet_poly1305_init", call_init, NULL, true, false, false},
    {"hornet_poly1305_update", call_update, NULL, false, false, false},
    {"hornet_poly1305_updatev", call_updatev, NULL, false, false, false},
    {"hornet_poly1305_final", call_final, NULL, false, false, false},
    {"hornet_poly1305_final_verify", call_final_verify, call_final, false, false, false},
    {"hornet_poly1305_batch", call_batch, NULL, false, false, false},
    {"hornet_poly1305_verify_batch", call_verify_batch, call_batch, false, false, false},
    {"hornet_poly1305_aes", call_aes, NULL, false, false, false},
    {"hornet_poly1305_aes_verify", call_aes_verify, call_aes, false, false, false},
    {"hornet_poly1305_aes_init", call_aes_init, NULL, true, false, false},
    {"hornet_poly1305_aes_batch", call_aes_batch, NULL, false, false, false},
    {"hornet_poly1305_aes_verify_batch", call_aes_verify_batch, call_aes_batch, false, false, false},
    {"hornet_poly1305_pad", call_pad, NULL, false, false, false},
    {"hornet_poly1305_pad_verify", call_pad_verify, call_pad, false, false, false},
    {"hornet_poly1305_pad_init", call_pad_init, NULL, true, false, false},
    {"hornet_poly1305_partial_compute", call_partial_compute, NULL, false, false, false},
    {"hornet_poly1305_partial_zeros", call_partial_zeros, NULL, false, false, false},
    {"hornet_poly1305_partial_segments", call_partial_segments, NULL, false, false, false},
    {"hornet_poly1305_partial_join", call_partial_join, NULL, false, false, false},
    {"hornet_poly1305_partial_append", call_partial_append, NULL, false, false, false},
    {"hornet_poly1305_partial_replace", call_partial_replace, NULL, false, false, false},
    {"hornet_poly1305_partial_tag", call_partial_tag, NULL, false, false, false},
    {"hornet_poly1305_partial_verify", call_partial_verify, call_partial_tag, false, false, false},
    {"hornet_equal", call_equal, NULL, false, false, false},
    {"hornet_wipe", call_wipe, NULL, true, false, false},
    {"hornet_chacha20_poly1305_seal", call_seal, NULL, false, true, true},
    {"hornet_chacha20_poly1305_open", call_open, call_seal, false, true, true},
    {"hornet_xchacha20_poly1305_seal", call_xseal, NULL, false, true, true},
    {"hornet_xchacha20_poly1305_open", call_xopen, call_xseal, false, true, true},
    {"hornet_chacha20_poly1305_init", call_aead_init, NULL, true, true, false},
    {"hornet_xchacha20_poly1305_init", call_aead_xinit, NULL, true, true, false},
    {"hornet_aead_aad", call_aead_aad, NULL, false, true, false},
    {"hornet_aead_encrypt", call_aead_encrypt, NULL, false, true, false},
    {"hornet_aead_decrypt", call_aead_decrypt, NULL, false, true, false},
    {"hornet_aead_encryptv", call_aead_encryptv, NULL, false, true, false},
    {"hornet_aead_decryptv", call_aead_decryptv, NULL, false, true, false},
    {"hornet_aead_final", call_aead_final, NULL, false, true, false},
    {"hornet_aead_final_verify", call_aead_final_verify, call_aead_final, false, true, false},
    {"hornet_aead_final_verify_truncated", call_aead_final_verify_truncated, call_aead_final, false, true,
     false},
    {"hornet_chacha20_poly1305_seal_batch", call_seal_batch, NULL, false, true, true},
    {"hornet_chacha20_poly1305_open_batch", call_open_batch, call_seal_batch, false, true, true},
    {"hornet_xchacha20_poly1305_seal_batch", call_xseal_batch, NULL, false, true, true},
    {"hornet_xchacha20_poly1305_open_batch", call_xopen_batch, call_xseal_batch, false, true, true},
    {"hornet_stream_seal", call_stream_seal, NULL, false, true, true},
    {"hornet_stream_open", call_stream_open, make_last_chunk, false, true, true},
    {"hornet_chacha20", call_chacha20, NULL, false, true, false},
    {"hornet_ssh_seal", call_ssh_seal, NULL, false, true, false},
    {"hornet_ssh_packet_length", call_ssh_packet_length, NULL, true, true, false},
    {"hornet_ssh_open", call_ssh_open, call_ssh_seal, false, true, false},
    {"hornet_ssh_seal_batch", call_ssh_seal_batch, NULL, false, true, false},
    {"hornet_ssh_open_batch", call_ssh_open_batch, call_ssh_seal_batch, false, true, false},
    {"hornet_hchacha20", call_hchacha20, NULL, true, true, false},
    {"hornet_chacha20_header_masks", call_header_masks, NULL, false, true, false},
};

enum { SECRET_CALLS = sizeof secret_calls / sizeof secret_calls[0] };

/* Keys, a message, and the errors in the tags to be verified. */
struct secrets {
    uint8_t keys[MESSAGES][32], msg[MESSAGE_MAX_BYTES], tag_difference[16];
};

enum secrets_kind {
    ALL_ZERO,
    ALL_ONE,
    R_IS_1,
    SMALL_R,
    RANDOM,
    RANDOM_TOO,
    WRONG_FIRST_BYTE, /* also random */
    WRONG_LAST_BYTE,
    SECRETS_KINDS
};

static void make_secrets(struct secrets *secrets, enum secrets_kind kind)
{
    const uint8_t fill = kind == ALL_ONE || kind == SMALL_R ? 0xff : 0;
    memset(secrets->keys, fill, sizeof secrets->keys);
    memset(secrets->msg, fill, sizeof secrets->msg);
    memset(secrets->tag_difference, 0, sizeof secrets->tag_difference);
    srand((unsigned)kind);
    if (kind >= RANDOM) {
        for (size_t i = 0; i < sizeof secrets->keys; i++)
            secrets->keys[i / 32][i % 32] = (uint8_t)(rand() >> 7);
        for (size_t i = 0; i < sizeof secrets->msg; i++)
            secrets->msg[i] = (uint8_t)(rand() >> 7);
    }
    for (size_t i = 0; i < MESSAGES; i++) {
        uint8_t *r = secrets->keys[i];
        if (kind == R_IS_1 || kind == SMALL_R) {
            memset(r, 0, 16);
            r[0] = kind == R_IS_1 ? 1 : (uint8_t)i;
        }
        hornet_poly1305_clamp(r);
    }
    /* The blocks of the first 187 bytes then add up to 3 p + 2. Carries leave p + 2 for the last reduction.
     */
    if (kind == R_IS_1) {
        memset(secrets->msg, 0xff, 16);
        secrets->msg[0] = 0xf3;
        secrets->msg[11] = 0xfe;
    }
    if (kind == WRONG_FIRST_BYTE || kind == WRONG_LAST_BYTE)
        secrets->tag_difference[kind == WRONG_FIRST_BYTE ? 0 : 15] = 1;
}

/* Prepares SSH's packets: texts, or, if they are to be opened, what was sealed, of which one tag is wrong.
 */
static void set_up_ssh(const struct secret_call *function, const struct secrets *secrets, bool opens)
{
    const size_t wrong = function->call == call_ssh_open ? 0 : MESSAGES / 2;
    for (size_t i = 0; i < MESSAGES; i++) {
        const size_t n = it.lens_bytes[i];
        uint8_t *const packet = opens ? it.opened[i] : it.sealed[i];
        if (opens)
            memcpy(packet, it.sealed[i], 4 + n + 16);
        else
            memcpy(packet + 4, it.msg + i, n);
        for (size_t k = 0; k < 16 && opens && i == wrong; k++)
            packet[4 + n + k] ^= secrets->tag_difference[k];
        it.ssh_packets[i] =
            (hornet_ssh_packet){packet, (uint32_t)n, 7 + (uint32_t)aead_nonce[0] * 256, it.keys[i / 2 * 2]};
    }
}

/* Prepares a message that is encrypted or decrypted in pieces and has some keystream left; and packets. */
static void set_up_aead(const struct secret_call *function, size_t n, bool again)
{
    const bool decrypts = function->call == call_aead_decrypt || function->call == call_aead_decryptv ||
                          (again && (function->call == call_aead_final_verify ||
                                     function->call == call_aead_final_verify_truncated));
    hornet_chacha20_poly1305_init(&it.aead, aead_nonce, it.keys[0]);
    it.ok = hornet_aead_aad(&it.aead, it.msg, AAD_BYTES);
    if (function->call != call_aead_aad)
        it.ok = decrypts ? hornet_aead_decrypt(&it.aead, it.begun[1], it.begun[0], n / 2 + 5)
                         : hornet_aead_encrypt(&it.aead, it.begun[0], it.msg, n / 2 + 5);
    const bool opens = again && is_of_packets(function->call, true);
    for (size_t i = 0; i < MESSAGES; i++)
        it.packets[i] = (hornet_packet){opens ? it.opened[i] : it.sealed[i],
                                        opens ? it.sealed[i] : it.msg + i,
                                        it.lens_bytes[i],
                                        it.msg + 2 * i,
                                        i,
                                        aead_nonce,
                                        it.keys[i],
                                        it.tags[i]};
}

/* Prepares the state for a call, with the same instructions for all secrets: messages of n bytes, or, in
 * a batch, of n and fewer; tags; a message in pieces, whose last bytes have not been absorbed yet, and
 * whose lanes are about to be kept, or already kept if the call ends it; partial evaluations; inputs of
 * the AEAD functions. */
static void set_up(const struct secret_call *function, size_t n, const struct secrets *secrets)
{
    memcpy(it.keys, secrets->keys, sizeof it.keys);
    memcpy(it.msg, secrets->msg, sizeof it.msg);
    memset(it.tags, 0, sizeof it.tags);
    memset(it.expected, 0, sizeof it.expected);
    for (size_t i = 0; i < MESSAGES; i++) {
        memcpy(it.aes_keys[i], it.keys[i] + 16, 16);
        memcpy(it.aes_keys[i] + 16, it.keys[i], 16);
        it.msgs[i] = it.msg + i;
        it.lens_bytes[i] = i < 13 ? n : n * i / MESSAGES;
        it.nonces[i][0] = (uint8_t)i;
    }
    for (int second = 0; second < 2; second++) {
        hornet_poly1305_init(&it.state, it.keys[0]);
        hornet_poly1305_update(&it.state, it.msg, n - n % 64);
        if (function->call == call_final || function->call == call_final_verify)
            hornet_poly1305_update(&it.state, it.msg, n - n % 64 + 300);
        it.ok = hornet_poly1305_partial_compute(&it.partial, it.msg, n - n % 64 + 128, it.keys[0]) &&
                hornet_poly1305_partial_compute(&it.segment, it.msg + 1, n - n % 64, it.keys[0]);
        for (size_t i = 0; i < SEGMENTS; i++)
            it.segments[i] = i == 0 ? it.partial : it.segment;
        if (function->encrypts)
            set_up_aead(function, n, second != 0);
        if (strncmp(function->name, "hornet_ssh_", 11) == 0)
            set_up_ssh(function, secrets, second != 0);
        if (function->makes_tag == NULL || second != 0)
            break;
        function->makes_tag(n);
        memcpy(it.expected, it.tags[0], 16);
    }
    for (size_t i = 0; i < 16; i++) {
        it.expected[i] ^= secrets->tag_difference[i];
        it.tags[MESSAGES / 2][i] ^= secrets->tag_difference[i];
    }
    if (function->call == call_stream_open)
        memcpy(IT_CHUNKS + stream_bytes(n) - 16, it.expected, 16);
}

#endif
