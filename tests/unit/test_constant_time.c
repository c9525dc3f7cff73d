/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Control flow and addresses do not depend on secrets: with keys, messages and tags marked as undefined,
 * a branch or an address that depends on one is an error. This is Adam Langley's ctgrind, with one of
 * two tools:
 *
 *     valgrind --error-exitcode=9 test_constant_time        memcheck, which does not support AVX-512
 *     test_constant_time                                    compiled by clang with -fsanitize=memory,
 *                                                           which supports it, but treats the results of
 *                                                           asm as defined
 *
 * With the argument `leak` it must fail, which shows that the method works. */
#include <stdlib.h>
#include <string.h>

#include "../../include/hornet.h"
#include "../../include/hornet_kernels.h"
#include "../../include/hornet_poly1305_aes.h"
#include "../../include/hornet_ssh.h"
#include "../../src/aes/aes.h"
#include "../support/chacha20_kernels.h"
#include "../support/check.h"
#include "../support/kernels.h"
#include "../support/secret_memory.h"

enum { MAX_BYTES = 2304 };

static uint8_t msg[MAX_BYTES], key[32], tag[16];

static void secret(void *memory, size_t len_bytes) { MAKE_UNDEFINED(memory, len_bytes); }

/* Makes the result of a comparison public, and nothing else. */
static bool public_bool(bool value)
{
    HORNET_DECLASSIFY(&value, sizeof value);
    return value;
}

/* Messages, keys and tags are secret; their lengths and addresses are not. */
static void batches(const char *kernel)
{
    enum { COUNT = 70 };
    static uint8_t tags[COUNT][16], keys[COUNT][32];
    static const void *msgs[COUNT];
    static size_t lens_bytes[COUNT];
    bool valid[COUNT];
    memset(keys, 0x5a, sizeof keys);
    secret(keys, sizeof keys);
    for (size_t round = 0; round < 8; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            msgs[i] = msg + i;
            lens_bytes[i] = round < 4 ? 37 * round : i * i * (round - 3) % 1500;
        }
        hornet_poly1305_batch(tags, msgs, lens_bytes, (const uint8_t(*)[32])keys, COUNT);
        const bool all = hornet_poly1305_verify_batch(valid, (const uint8_t(*)[16])tags, msgs, lens_bytes,
                                                      (const uint8_t(*)[32])keys, COUNT);
        check(public_bool(all), "kernel %s: batch %zu", kernel, round);
    }
}

/* Keys of Poly1305-AES are secret, except for the bits that must be 0: clamping shows both tools that
 * these are 0. */
static void secret_aes_keys(uint8_t (*keys)[32], size_t count)
{
    memset(keys, 0x5a, 32 * count);
    secret(keys, 32 * count);
    for (size_t i = 0; i < count; i++)
        hornet_poly1305_clamp(keys[i] + 16);
}

/* Tests each AES implementation alone, on secret keys and blocks. */
static void aes(void)
{
    static const struct hornet_aes *const implementations[] = {
#define HORNET_AES(name) &hornet_aes_##name,
#include "../../src/aes/aes.def"
    };
    enum { COUNT = 9 };
    uint8_t keys[COUNT][32], blocks[COUNT][16], out[COUNT][16];
    for (size_t i = 0; i < sizeof implementations / sizeof implementations[0]; i++) {
        if (!hornet_can_run(&implementations[i]->implementation, hornet_cpu()))
            continue;
        secret(keys, sizeof keys);
        secret(blocks, sizeof blocks);
        for (size_t count = 0; count <= COUNT; count++)
            implementations[i]->encrypt(out, (const uint8_t(*)[16])blocks, (const uint8_t(*)[32])keys,
                                        count);
        printf("%s\n", implementations[i]->implementation.name);
    }
}

static void poly1305_aes(void)
{
    enum { COUNT = 70 };
    static uint8_t tags[COUNT][16], keys[COUNT][32], nonces[COUNT][16];
    static const void *msgs[COUNT];
    static size_t lens_bytes[COUNT];
    bool valid[COUNT];
    secret_aes_keys(keys, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        msgs[i] = msg + i;
        lens_bytes[i] = i * i % 300;
        hornet_poly1305_state state;
        check(hornet_poly1305_aes(tags[i], msgs[i], lens_bytes[i], nonces[i], keys[i]), "Poly1305-AES");
        check(public_bool(hornet_poly1305_aes_verify(tags[i], msgs[i], lens_bytes[i], nonces[i], keys[i])),
              "Poly1305-AES: verify");
        check(hornet_poly1305_aes_init(&state, nonces[i], keys[i]), "Poly1305-AES: init");
        hornet_poly1305_update(&state, msgs[i], lens_bytes[i]);
        check(public_bool(hornet_poly1305_final_verify(&state, tags[i])), "Poly1305-AES: streamed");
    }
    check(hornet_poly1305_aes_batch(tags, msgs, lens_bytes, (const uint8_t(*)[16])nonces,
                                    (const uint8_t(*)[32])keys, COUNT),
          "Poly1305-AES: batch");
    check(public_bool(hornet_poly1305_aes_verify_batch(valid, (const uint8_t(*)[16])tags, msgs, lens_bytes,
                                                       (const uint8_t(*)[16])nonces,
                                                       (const uint8_t(*)[32])keys, COUNT)),
          "Poly1305-AES: verify of a batch");

    const uint8_t *r = keys[0] + 16, *pad = keys[1];
    hornet_poly1305_partial whole, before, after, tail;
    check(hornet_poly1305_partial_compute(&whole, msg, 160, r) &&
              hornet_poly1305_partial_compute(&tail, msg, 37, r) &&
              hornet_poly1305_partial_compute(&before, msg + 32, 48, r) &&
              hornet_poly1305_partial_compute(&after, msg, 48, r),
          "partial evaluations");
    hornet_poly1305_partial segments[4];
    check(hornet_poly1305_partial_segments(segments, 64, msg, 160, r) &&
              hornet_poly1305_partial_zeros(&segments[3], 5555, r),
          "partial: segments and zeros");
    check(hornet_poly1305_partial_join(&after, segments, 4, r), "partial: join");
    check(hornet_poly1305_partial_compute(&after, msg, 48, r), "partial: compute");
    check(hornet_poly1305_partial_append(&whole, &tail, r), "partial: append");
    check(hornet_poly1305_partial_replace(&whole, &before, &after, 117, r), "partial: replace");
    hornet_poly1305_partial_tag(tag, &whole, pad);
    check(public_bool(hornet_poly1305_partial_verify(tag, &whole, pad)), "partial: verify");
}

/* The AEAD: the message, the associated data, the key and the tag are secret, and so is the output;
 * lengths, nonces and verdicts are not. */
static uint8_t sealed[MAX_BYTES + 64], opened[MAX_BYTES + 64];
static const uint8_t aead_nonce[24] = {1, 2, 3};

static void aead_message(const char *kernel, size_t n)
{
    const size_t aad_bytes = n % 90, cut = n / 3;
    hornet_aead_state state;
    memset(key, 0x5a, sizeof key);
    secret(key, sizeof key);
    check(hornet_chacha20_poly1305_seal(sealed, tag, msg, n, msg, aad_bytes, aead_nonce, key) &&
              public_bool(
                  hornet_chacha20_poly1305_open(opened, sealed, n, tag, msg, aad_bytes, aead_nonce, key)),
          "%s, %zu bytes: sealed and opened", kernel, n);
    tag[n % 16] ^= 1;
    check(!public_bool(
              hornet_chacha20_poly1305_open(opened, sealed, n, tag, msg, aad_bytes, aead_nonce, key)),
          "%s, %zu bytes: a forgery", kernel, n);
    check(hornet_xchacha20_poly1305_seal(sealed, tag, msg, n, msg, aad_bytes, aead_nonce, key) &&
              public_bool(
                  hornet_xchacha20_poly1305_open(sealed, sealed, n, tag, msg, aad_bytes, aead_nonce, key)),
          "%s, %zu bytes: sealed and opened under a long nonce", kernel, n);

    hornet_chacha20_poly1305_init(&state, aead_nonce, key);
    const hornet_piece pieces[] = {{sealed, msg, cut}, {sealed + cut, msg + cut, n - cut}};
    check(hornet_aead_aad(&state, msg, aad_bytes) && hornet_aead_encryptv(&state, pieces, 2) &&
              hornet_aead_final(&state, tag),
          "%s, %zu bytes: encrypted in pieces", kernel, n);
    hornet_chacha20_poly1305_init(&state, aead_nonce, key);
    check(hornet_aead_aad(&state, msg, aad_bytes / 2) &&
              hornet_aead_aad(&state, msg + aad_bytes / 2, aad_bytes - aad_bytes / 2),
          "%s, %zu bytes: associated data", kernel, n);
    check(hornet_aead_decrypt(&state, opened, sealed, n - cut) &&
              hornet_aead_decrypt(&state, opened + n - cut, sealed + n - cut, cut) &&
              public_bool(hornet_aead_final_verify(&state, tag)),
          "%s, %zu bytes: decrypted in pieces", kernel, n);
    hornet_chacha20_poly1305_init(&state, aead_nonce, key);
    check(hornet_aead_aad(&state, msg, aad_bytes) && hornet_aead_decrypt(&state, opened, sealed, n) &&
              public_bool(hornet_aead_final_verify_truncated(&state, tag, 1 + n % 16)),
          "%s, %zu bytes: a truncated tag", kernel, n);
    check(public_bool(hornet_equal(opened, msg, n)), "%s, %zu bytes: equal", kernel, n);
    check(hornet_chacha20(opened, msg, n, 7, aead_nonce, key), "%s, %zu bytes: ChaCha20", kernel, n);
}

static void aead_batches(const char *kernel)
{
    enum { COUNT = 40, PACKET_BYTES = 1600 };
    static uint8_t tags[COUNT][16], keys[COUNT][32], outs[COUNT][PACKET_BYTES];
    static hornet_packet packets[COUNT];
    bool valid[COUNT];
    memset(keys, 0x5a, sizeof keys);
    secret(keys, sizeof keys);
    for (size_t round = 0; round < 6; round++) {
        for (size_t i = 0; i < COUNT; i++)
            packets[i] = (hornet_packet){
                outs[i],     msg + i, round < 3 ? 177 * round : i * i * (round - 2) % PACKET_BYTES,
                msg + 2 * i, i % 30,  aead_nonce,
                keys[i],     tags[i]};
        const bool extended = round % 2 != 0;
        check((extended ? hornet_xchacha20_poly1305_seal_batch
                        : hornet_chacha20_poly1305_seal_batch)(packets, COUNT),
              "%s: packets", kernel);
        for (size_t i = 0; i < COUNT; i++)
            packets[i].in = packets[i].out;
        check(public_bool((extended ? hornet_xchacha20_poly1305_open_batch
                                    : hornet_chacha20_poly1305_open_batch)(valid, packets, COUNT)),
              "%s: packets opened", kernel);
    }
}

/* SSH's packets: of an encrypted length, the caller learns what it is. */
static void ssh_message(const char *kernel, size_t n)
{
    static uint8_t packet[MAX_BYTES + 20], both_keys[64];
    memset(both_keys, 0x5a, sizeof both_keys);
    secret(both_keys, sizeof both_keys);
    memcpy(packet + 4, msg, n);
    hornet_ssh_seal(packet, (uint32_t)n, 7, both_keys);
    uint32_t length = hornet_ssh_packet_length(packet, 7, both_keys);
    HORNET_DECLASSIFY(&length, sizeof length);
    check(length == n && public_bool(hornet_ssh_open(packet, length, 7, both_keys)),
          "%s, %zu bytes: an SSH packet", kernel, n);
    packet[4 + n] ^= 1;
    check(!public_bool(hornet_ssh_open(packet, length, 7, both_keys)), "%s, %zu bytes: a forged SSH packet",
          kernel, n);
}

static void ssh_batches(const char *kernel)
{
    enum { COUNT = 40, TEXT_BYTES = 1600 };
    static uint8_t keys[COUNT][64], outs[COUNT][TEXT_BYTES + 20];
    static hornet_ssh_packet packets[COUNT];
    bool valid[COUNT];
    memset(keys, 0x5a, sizeof keys);
    secret(keys, sizeof keys);
    for (size_t round = 0; round < 6; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            const size_t n = round < 3 ? 177 * round : i * i * (round - 2) % TEXT_BYTES;
            memcpy(outs[i] + 4, msg + i, n);
            packets[i] = (hornet_ssh_packet){outs[i], (uint32_t)n, (uint32_t)i, keys[i]};
        }
        hornet_ssh_seal_batch(packets, COUNT);
        check(public_bool(hornet_ssh_open_batch(valid, packets, COUNT)), "%s: SSH packets opened", kernel);
    }
}

static void aead(const char *kernel, size_t step)
{
    aead_batches(kernel);
    ssh_batches(kernel);
    for (size_t n = 0; n <= MAX_BYTES; n += n < 600 ? step : 71) {
        aead_message(kernel, n);
        ssh_message(kernel, n);
    }
}

int main(int argc, char **argv)
{
    secret(msg, sizeof msg);
    if (argc > 1 && strcmp(argv[1], "leak") == 0) {
        hornet_poly1305(tag, msg, sizeof msg, key);
        if (memcmp(tag, msg, 16) == 0)
            printf("a tag compared with memcmp\n");
        return 0;
    }
    aes();
    poly1305_aes();
    for (int k = 0; k < KERNEL_COUNT; k++) {
        if (!hornet_kernel_force(HORNET_POLY1305, name_of(all_kernels[k]))) {
            printf("kernel %s: not on this CPU\n", name_of(all_kernels[k]));
            continue;
        }
        batches(name_of(all_kernels[k]));
        aead(name_of(all_kernels[k]), 29);
        for (size_t n = 0; n <= MAX_BYTES; n += n < 600 ? 1 : 71) {
            hornet_poly1305_state state;
            memset(key, 0x5a, sizeof key);
            secret(key, sizeof key);
            hornet_poly1305(tag, msg, n, key);
            check(public_bool(hornet_poly1305_verify(tag, msg, n, key)), "kernel %s, length %zu: verify",
                  name_of(all_kernels[k]), n);
            hornet_poly1305_init(&state, key);
            hornet_poly1305_update(&state, msg, n / 3);
            hornet_poly1305_update(&state, msg + n / 3, n - n / 3);
            check(public_bool(hornet_poly1305_final_verify(&state, tag)), "kernel %s, length %zu: streamed",
                  name_of(all_kernels[k]), n);
            if (n != 0) {
                hornet_poly1305_init(&state, key);
                all_kernels[k]->absorb((struct poly1305 *)&state, msg, n);
                hornet_poly1305_final(&state, tag);
            }
        }
    }
    force_kernel(NULL);
    for (int k = 0; k < CHACHA20_KERNELS; k++) {
        printf("ChaCha20 by %s: %s\n", chacha20_name(chacha20_kernels[k]),
               chacha20_runs_here(chacha20_kernels[k]) ? "runs" : "not on this CPU");
        if (!chacha20_runs_here(chacha20_kernels[k]))
            continue;
        force_chacha20(chacha20_kernels[k]);
        aead(chacha20_name(chacha20_kernels[k]), 1);
    }
    return check_report("test_constant_time");
}
