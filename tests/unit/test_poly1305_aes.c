/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Poly1305-AES against the definition in GMP, with AES from libgcrypt, and against two other complete
 * implementations, those of libgcrypt and Nettle. On every kernel.
 *
 * All three take k first and then r, like the paper. hornet_poly1305, the GMP reference and RFC 8439
 * take r first and then the pad. */
#ifndef HORNET_NO_PEERS
#include <gcrypt.h>
#include <nettle/poly1305.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "../../include/hornet.h"
#include "../../include/hornet_poly1305_aes.h"
#include "../../src/aes/aes.h"
#include "../support/check.h"
#include "../support/inputs.h"
#include "../support/kernels.h"
#include "../support/reference.h"

enum { MAX_BYTES = 700, BATCH = 150 };

typedef uint8_t tag_t[16];

/* The name of the kernel under test. */
static const char *running;

/* Ends the program if a peer cannot be set up: a test without its peer has failed. */
static void must(bool holds, const char *what)
{
    if (holds)
        return;
    printf("FAILED: %s\n", what);
    exit(1);
}

#ifndef HORNET_NO_PEERS

static void aes_by_peer(tag_t out, const uint8_t in[16], const uint8_t key[16])
{
    static gcry_cipher_hd_t aes;
    if (aes == NULL)
        must(gcry_cipher_open(&aes, GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_ECB, 0) == 0, "libgcrypt: AES");
    must(gcry_cipher_setkey(aes, key, 16) == 0, "libgcrypt: AES key");
    must(gcry_cipher_encrypt(aes, out, 16, in, 16) == 0, "libgcrypt: AES block");
}

static void tag_by_libgcrypt(tag_t tag, const uint8_t *msg, size_t len_bytes, const uint8_t nonce[16],
                             const uint8_t key[32])
{
    static gcry_mac_hd_t mac;
    size_t tag_bytes = 16;
    if (mac == NULL)
        must(gcry_mac_open(&mac, GCRY_MAC_POLY1305_AES, 0, NULL) == 0, "libgcrypt: Poly1305-AES");
    must(gcry_mac_setkey(mac, key, 32) == 0, "libgcrypt: key");
    must(gcry_mac_setiv(mac, nonce, 16) == 0, "libgcrypt: nonce");
    must(gcry_mac_write(mac, msg, len_bytes) == 0, "libgcrypt: message");
    must(gcry_mac_read(mac, tag, &tag_bytes) == 0, "libgcrypt: tag");
}

static void tag_by_nettle(tag_t tag, const uint8_t *msg, size_t len_bytes, const uint8_t nonce[16],
                          const uint8_t key[32])
{
    struct poly1305_aes_ctx ctx;
    poly1305_aes_set_key(&ctx, key);
    poly1305_aes_set_nonce(&ctx, nonce);
    poly1305_aes_update(&ctx, len_bytes, msg);
    poly1305_aes_digest(&ctx, 16, tag);
}

static void set_up_peers(void) { must(gcry_check_version(NULL) != NULL, "libgcrypt"); }

#else /* for CPUs whose libraries are not available: there, test_aes checks AES with known answers too */

static void aes_by_peer(tag_t out, const uint8_t in[16], const uint8_t key[16])
{
    uint8_t keys[1][32] = {0}, blocks[2][16];
    memcpy(keys[0], key, 16);
    memcpy(blocks[0], in, 16);
    hornet_aes_bitsliced.encrypt(&blocks[1], (const uint8_t(*)[16])blocks, (const uint8_t(*)[32])keys, 1);
    memcpy(out, blocks[1], 16);
}

static void set_up_peers(void) {}

#endif

static void tag_by_definition(tag_t tag, const uint8_t *msg, size_t len_bytes, const uint8_t nonce[16],
                              const uint8_t key[32])
{
    uint8_t one_time[32];
    memcpy(one_time, key + 16, 16);
    aes_by_peer(one_time + 16, nonce, key);
    reference_tag(tag, msg, len_bytes, one_time);
}

/* Checks that a wrong tag is refused, given the nonce, the key, and the encrypted nonce. */
static void check_wrong_tag(const uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                            const uint8_t *nonce_key_pad[3], const char *what)
{
    const uint8_t *nonce = nonce_key_pad[0], *key = nonce_key_pad[1], *pad = nonce_key_pad[2];
    check(!hornet_poly1305_aes_verify(tag, msg, len_bytes, nonce, key),
          "%s, length %zu: %s, verify of a wrong tag", running, len_bytes, what);
    check(!hornet_poly1305_pad_verify(tag, msg, len_bytes, key + 16, pad),
          "%s, length %zu: %s, verify of a wrong tag with a pad", running, len_bytes, what);
}

/* Compares all ways of computing a tag. */
static void check_message(const char *what, const uint8_t *msg, size_t len_bytes, const uint8_t nonce[16],
                          const uint8_t key[32])
{
    static unsigned long number;
    tag_t expected, tag, pad;
    hornet_poly1305_state state;
    tag_by_definition(expected, msg, len_bytes, nonce, key);
#ifndef HORNET_NO_PEERS
    tag_by_libgcrypt(tag, msg, len_bytes, nonce, key);
    check(memcmp(tag, expected, 16) == 0, "libgcrypt, length %zu: %s", len_bytes, what);
    tag_by_nettle(tag, msg, len_bytes, nonce, key);
    check(memcmp(tag, expected, 16) == 0, "Nettle, length %zu: %s", len_bytes, what);
#endif

    check(hornet_poly1305_aes(tag, msg, len_bytes, nonce, key) && memcmp(tag, expected, 16) == 0,
          "%s, length %zu: %s, one call", running, len_bytes, what);
    check(hornet_poly1305_aes_verify(expected, msg, len_bytes, nonce, key), "%s, length %zu: %s, verify",
          running, len_bytes, what);
    const size_t cut = len_bytes == 0 ? 0 : number++ % len_bytes;
    check(hornet_poly1305_aes_init(&state, nonce, key), "%s: init", running);
    hornet_poly1305_update(&state, msg, cut);
    hornet_poly1305_update(&state, msg + cut, len_bytes - cut);
    hornet_poly1305_final(&state, tag);
    check(memcmp(tag, expected, 16) == 0, "%s, length %zu: %s, cut at %zu", running, len_bytes, what, cut);

    aes_by_peer(pad, nonce, key);
    check(hornet_poly1305_pad(tag, msg, len_bytes, key + 16, pad) && memcmp(tag, expected, 16) == 0,
          "%s, length %zu: %s, with a pad", running, len_bytes, what);
    check(hornet_poly1305_pad_verify(expected, msg, len_bytes, key + 16, pad),
          "%s, length %zu: %s, verify with a pad", running, len_bytes, what);
    check(hornet_poly1305_pad_init(&state, key + 16, pad), "%s: init with a pad", running);
    hornet_poly1305_update(&state, msg, len_bytes);
    check(hornet_poly1305_final_verify(&state, expected), "%s, length %zu: %s, in pieces with a pad",
          running, len_bytes, what);

    /* A bit is wrong, or the same one in both words: their sum, and their exclusive or, do not show that.
     */
    for (size_t i = number % 16, wrong = 0; wrong < 2; wrong++, i = (i + 8) % 16) {
        expected[i] ^= (uint8_t)(i % 8 == 7 ? 0x80 : 1 << number % 8);
        check_wrong_tag(expected, msg, len_bytes, (const uint8_t *[]){nonce, key, pad}, what);
    }
}

/* Tests extreme and random keys, nonces and messages, of every length. */
static void test_messages(void)
{
    uint8_t keys[8][32] = {{0}}, nonces[4][16] = {{0}}, msgs[3][MAX_BYTES];
    memset(keys[1], 255, 32); /* the largest k and r */
    keys[2][16] = 1;          /* r = 1, r = 2 and r = 2^64 times 4 */
    keys[3][16] = 2;
    keys[4][24] = 4;
    for (int i = 5; i < 8; i++)
        random_bytes(keys[i], 32);
    for (int i = 0; i < 8; i++)
        hornet_poly1305_clamp(keys[i] + 16);
    memset(nonces[1], 255, 16);
    random_bytes(nonces[2], 16);
    nonces[3][15] = 0x80;
    memset(msgs[0], 255, MAX_BYTES);
    memset(msgs[1], 0, MAX_BYTES);
    random_bytes(msgs[2], MAX_BYTES);
    for (size_t n = 0; n <= MAX_BYTES; n++)
        for (size_t i = 0; i < 8; i++)
            for (size_t m = 0; m < 3; m++)
                check_message(m == 0   ? "all ones"
                              : m == 1 ? "zeros"
                                       : "random",
                              msgs[m], n, nonces[(n + i + m) % 4], keys[i]);
}

/* Tests the sum h + pad around 2^128, for h at every limb boundary. With r = 1 and two blocks, h is the
 * sum of the blocks and of their two bits of 2^128; the blocks are solved for. */
static void test_edge_sums(void)
{
    mpz_t h, block, top;
    mpz_inits(h, block, top, NULL);
    for (int i = 0; reference_edge_value(h, i, 0); i++)
        for (int offset = -8; offset <= 8; offset++) {
            uint8_t msg[80] = {0}, key[32] = {0}, nonce[16];
            random_bytes(nonce, 16);
            random_bytes(key, 16);
            key[16] = 1;
            reference_edge_value(h, i, offset);
            /* Five blocks: four of them can hold at most 2^128 - 1 each. */
            mpz_set_ui(top, 5);
            mpz_mul_2exp(top, top, 128);
            reference_prime(block);
            mpz_sub(top, h, top);
            mpz_mod(top, top, block);
            for (int b = 0; b < 5; b++) {
                mpz_set_ui(block, 1);
                mpz_mul_2exp(block, block, 128);
                mpz_sub_ui(block, block, 1);
                if (mpz_cmp(top, block) < 0)
                    mpz_set(block, top);
                reference_to_bytes(msg + 16 * b, 16, block);
                mpz_sub(top, top, block);
            }
            check(mpz_sgn(top) == 0, "edge value %d %+d is not reached", i, offset);
            check_message("an edge value", msg, sizeof msg, nonce, key);
        }
    mpz_clears(h, block, top, NULL);
}

/* Tests batches of every size, with equal and mixed lengths, some with one wrong tag and one unclamped
 * r. */
static void test_batches(void)
{
    static uint8_t msgs_bytes[BATCH][MAX_BYTES], keys[BATCH][32], nonces[BATCH][16];
    tag_t tags[BATCH], expected[BATCH];
    const void *msgs[BATCH];
    size_t lens_bytes[BATCH];
    bool valid[BATCH];
    for (size_t i = 0; i < BATCH; i++) {
        random_bytes(msgs_bytes[i], MAX_BYTES);
        random_bytes(keys[i], 32);
        hornet_poly1305_clamp(keys[i] + 16);
        random_bytes(nonces[i], 16);
        msgs[i] = msgs_bytes[i];
    }
    for (size_t count = 0; count <= BATCH; count++) {
        for (size_t i = 0; i < count; i++) {
            lens_bytes[i] = count % 3 == 0 ? 5 * count % MAX_BYTES : (i * i * 7 + count) % MAX_BYTES;
            tag_by_definition(expected[i], msgs[i], lens_bytes[i], nonces[i], keys[i]);
        }
        memset(tags, 0x5a, sizeof tags);
        check(hornet_poly1305_aes_batch(tags, msgs, lens_bytes, (const uint8_t(*)[16])nonces,
                                        (const uint8_t(*)[32])keys, count),
              "%s: batch of %zu", running, count);
        for (size_t i = 0; i < count; i++)
            check(memcmp(tags[i], expected[i], 16) == 0, "%s: batch of %zu, number %zu", running, count, i);
        check(count == BATCH || tags[count][0] == 0x5a, "%s: batch of %zu writes after the tags", running,
              count);
        check(hornet_poly1305_aes_verify_batch(valid, (const uint8_t(*)[16])tags, msgs, lens_bytes,
                                               (const uint8_t(*)[16])nonces, (const uint8_t(*)[32])keys,
                                               count),
              "%s: batch of %zu, verify", running, count);
        if (count == 0)
            continue;

        const size_t odd = count * count % count + count / 2, bad = count - 1;
        tags[odd][count % 16] ^= 1;
        keys[bad][16 + 3] |= 0x10;
        check(!hornet_poly1305_aes_verify_batch(valid, (const uint8_t(*)[16])tags, msgs, lens_bytes,
                                                (const uint8_t(*)[16])nonces, (const uint8_t(*)[32])keys,
                                                count),
              "%s: batch of %zu, verify of wrong ones", running, count);
        for (size_t i = 0; i < count; i++)
            check(valid[i] == (i != odd && i != bad), "%s: batch of %zu, verify of number %zu", running,
                  count, i);
        check(!hornet_poly1305_aes_batch(tags, msgs, lens_bytes, (const uint8_t(*)[16])nonces,
                                         (const uint8_t(*)[32])keys, count),
              "%s: batch of %zu with an unclamped r", running, count);
        memset(expected[bad], 0, 16);
        for (size_t i = 0; i < count; i++)
            check(memcmp(tags[i], expected[i], 16) == 0, "%s: batch of %zu with an unclamped r, number %zu",
                  running, count, i);
        check(!hornet_poly1305_aes_verify_batch(valid, (const uint8_t(*)[16])tags, msgs, lens_bytes,
                                                (const uint8_t(*)[16])nonces, (const uint8_t(*)[32])keys,
                                                count) &&
                  !valid[bad],
              "%s: batch of %zu, verify of zeros under an unclamped r", running, count);
        keys[bad][16 + 3] &= 0x0f;
    }
}

/* Tests each bit of r, whether clamping clears it, and how the functions then behave. */
static void test_clamp(void)
{
    static const uint8_t zeros[sizeof(hornet_poly1305_state)] = {0}, msg[40] = {1, 2, 3}, pad[16] = {7};
    int ncleared = 0;
    for (int bit = 0; bit < 128; bit++) {
        uint8_t key[32] = {0}, nonce[16] = {0}, clamped[16];
        uint8_t *r = key + 16;
        r[bit / 8] = (uint8_t)(1 << bit % 8);
        memcpy(clamped, r, 16);
        hornet_poly1305_clamp(clamped);
        const bool cleared = memcmp(clamped, zeros, 16) == 0;
        check(cleared || memcmp(clamped, r, 16) == 0, "bit %d of r: clamped to something else", bit);
        /* Section 2 of the paper, literally. */
        const int byte = bit / 8;
        const bool is_cleared =
            (byte % 4 == 3 && bit % 8 >= 4) || (byte != 0 && byte % 4 == 0 && bit % 8 < 2);
        check(cleared == is_cleared, "bit %d of r: the clamp", bit);
        ncleared += is_cleared;

        hornet_poly1305_state state;
        tag_t tag, aes_pad;
        const bool fine = !is_cleared;
        check(hornet_poly1305_r_is_clamped(r) == fine, "bit %d of r: is_clamped", bit);
        memset(tag, 1, 16);
        check(hornet_poly1305_aes(tag, msg, sizeof msg, nonce, key) == fine, "bit %d of r: aes", bit);
        check((memcmp(tag, zeros, 16) == 0) == is_cleared, "bit %d of r: the tag", bit);
        check(hornet_poly1305_aes_verify(tag, msg, sizeof msg, nonce, key) == fine, "bit %d of r: verify",
              bit);
        memset(&state, 1, sizeof state);
        check(hornet_poly1305_aes_init(&state, nonce, key) == fine, "bit %d of r: init", bit);
        check((memcmp(&state, zeros, sizeof state) == 0) == is_cleared, "bit %d of r: the state", bit);
        aes_by_peer(aes_pad, nonce, key);
        memset(tag, 1, 16);
        check(hornet_poly1305_pad(tag, msg, sizeof msg, r, pad) == fine, "bit %d of r: pad", bit);
        check((memcmp(tag, zeros, 16) == 0) == is_cleared, "bit %d of r: the tag with a pad", bit);
        check(hornet_poly1305_pad_verify(tag, msg, sizeof msg, r, pad) == fine,
              "bit %d of r: verify with a pad", bit);
        check(hornet_poly1305_pad_init(&state, r, pad) == fine, "bit %d of r: init with a pad", bit);
        hornet_poly1305_partial partial, other;
        memset(&partial, 1, sizeof partial);
        check(hornet_poly1305_partial_compute(&partial, msg, 32, r) == fine, "bit %d of r: partial", bit);
        check((memcmp(&partial, zeros, sizeof partial) == 0) == is_cleared, "bit %d of r: the value", bit);
        memset(&partial, 0, sizeof partial);
        other = partial;
        check(hornet_poly1305_partial_append(&partial, &other, r) == fine, "bit %d of r: append", bit);
        check(hornet_poly1305_partial_replace(&partial, &other, &other, 0, r) == fine,
              "bit %d of r: replace", bit);
        check(hornet_poly1305_partial_join(&partial, &other, 1, r) == fine, "bit %d of r: join", bit);
        memset(&partial, 1, sizeof partial);
        check(hornet_poly1305_partial_zeros(&partial, 16, r) == fine, "bit %d of r: zeros", bit);
        check((memcmp(&partial, zeros, sizeof partial) == 0) == is_cleared, "bit %d of r: value of zeros",
              bit);
        memset(&partial, 1, sizeof partial);
        check(hornet_poly1305_partial_segments(&partial, 16, msg, 16, r) == fine, "bit %d of r: segments",
              bit);
        check((memcmp(&partial, zeros, sizeof partial) == 0) == is_cleared, "bit %d of r: a segment", bit);
    }
    check(ncleared == 22, "the clamp clears %d bits", ncleared);
    for (int round = 0; round < 100; round++) {
        uint8_t r[16], expected[16];
        random_bytes(r, sizeof r);
        if (round == 0)
            memset(r, 255, sizeof r);
        for (int i = 0; i < 16; i++)
            expected[i] = r[i] & (i % 4 == 3 ? 15 : i % 4 == 0 && i != 0 ? 252 : 255);
        hornet_poly1305_clamp(r);
        check(memcmp(r, expected, 16) == 0 && hornet_poly1305_r_is_clamped(r), "the clamp of round %d",
              round);
    }
}

/* Writes a tag over each of the inputs. */
static void test_overlap(void)
{
    uint8_t buffer[96];
    for (size_t place = 0; place <= sizeof buffer - 16; place++) {
        tag_t expected;
        random_bytes(buffer, sizeof buffer);
        uint8_t *nonce = buffer, *key = buffer + 16, *msg = buffer + 48;
        hornet_poly1305_clamp(key + 16);
        tag_by_definition(expected, msg, 48, nonce, key);
        check(hornet_poly1305_aes(buffer + place, msg, 48, nonce, key), "overlap at %zu", place);
        check(memcmp(buffer + place, expected, 16) == 0, "overlap at %zu: the tag", place);
    }
}

int main(void)
{
    set_up_peers();
    for (int k = 0; k < KERNEL_COUNT; k++) {
        if (!kernel_runs_here(all_kernels[k]))
            continue;
        running = name_of(all_kernels[k]);
        force_kernel(running);
        test_messages();
        test_edge_sums();
        test_batches();
    }
    test_clamp();
    test_overlap();
    return check_report("test_poly1305_aes");
}
