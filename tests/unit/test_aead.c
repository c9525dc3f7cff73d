/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20-Poly1305 and XChaCha20-Poly1305 against their definition and against OpenSSL: single calls,
 * pieces and batches; every ChaCha20 kernel with every Poly1305 kernel; what is refused, and what is
 * then written; buffers at the edges of memory.
 *
 *     test_aead [--few|--huge|--huge-chacha20|--product]
 *
 * --few tests only some of the lengths, for emulators, which are slow.
 * --huge instead tests messages and associated data of more than 4 GiB, which take seconds each, and
 * --huge-chacha20 every kernel of ChaCha20 on such a message. --product tests every length with every
 * length of associated data; otherwise, the lengths are divided among the kernels and among each other. */
#define _DEFAULT_SOURCE /* mmap's flags */
#ifndef HORNET_NO_PEERS
#include <openssl/evp.h>
#endif
#include <stdlib.h>
#include <string.h>

#include "../../include/hornet.h"
#include "../../include/hornet_kernels.h"
#include "../support/chacha20_kernels.h"
#include "../support/check.h"
#include "../support/crash.h"
#include "../support/inputs.h"
#include "../support/kernels.h"
#include "../support/pages.h"
#include "../support/reference_aead.h"

enum { EVERY_BYTES = 4200, EVERY_AAD_BYTES = 70, LONGEST = 1300000, MOST_AAD_BYTES = 100000 };
enum { AROUND = 64, FILL = 0xa5 };

typedef uint8_t tag_t[16];

/* Only every step-th case of the most numerous ones is tested. */
static size_t step = 1;

/* A message, its parameters, and the result according to the definition. */
struct message {
    const uint8_t *msg, *aad, *nonce, *key;
    size_t len_bytes, aad_bytes;
    bool extended; /* the nonce has 24 bytes, not 12 */
    uint8_t *ciphertext;
    tag_t tag;
};

/* Inputs that most tests share, and the expected ciphertext. */
static uint8_t random_msg[LONGEST], random_aad[MOST_AAD_BYTES], ciphertext[LONGEST];
static uint8_t random_nonce[24], random_key[32];

/* An output buffer, with bytes on both sides that must not change. */
static uint8_t output_memory[AROUND + LONGEST + AROUND];
#define OUTPUT (output_memory + AROUND)

static void fill_output(size_t len_bytes) { memset(output_memory, FILL, AROUND + len_bytes + AROUND); }

static bool all_are(const uint8_t *bytes, size_t len_bytes, uint8_t value)
{
    for (size_t i = 0; i < len_bytes; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

static bool nothing_around_output(size_t len_bytes)
{
    return all_are(output_memory, AROUND, FILL) && all_are(OUTPUT + len_bytes, AROUND, FILL);
}

/* memcmp and memcpy for which NULL is allowed if the length is 0. */
static bool same(const uint8_t *a, const uint8_t *b, size_t len_bytes)
{
    return len_bytes == 0 || memcmp(a, b, len_bytes) == 0;
}

static void copy(uint8_t *to, const uint8_t *from, size_t len_bytes)
{
    if (len_bytes != 0)
        memcpy(to, from, len_bytes);
}

/* Ends the program if a peer cannot be set up: a test without its peer has failed. */
static void must(bool holds, const char *what)
{
    if (holds)
        return;
    printf("FAILED: %s\n", what);
    exit(1);
}

#ifndef HORNET_NO_PEERS
static EVP_CIPHER_CTX *openssl_ctx;

/* OpenSSL takes lengths as int. */
static void openssl_seal(uint8_t *out, tag_t tag, const struct message *m)
{
    int n;
    const int len_bytes = (int)m->len_bytes, aad_bytes = (int)m->aad_bytes;
    must(EVP_EncryptInit_ex(openssl_ctx, NULL, NULL, m->key, m->nonce) == 1, "OpenSSL: key");
    must(aad_bytes == 0 || EVP_EncryptUpdate(openssl_ctx, NULL, &n, m->aad, aad_bytes) == 1,
         "OpenSSL: associated data");
    must(len_bytes == 0 || EVP_EncryptUpdate(openssl_ctx, out, &n, m->msg, len_bytes) == 1,
         "OpenSSL: message");
    must(EVP_EncryptFinal_ex(openssl_ctx, out + len_bytes, &n) == 1 && n == 0, "OpenSSL: the end");
    must(EVP_CIPHER_CTX_ctrl(openssl_ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1, "OpenSSL: tag");
}

static void set_up_peers(void)
{
    openssl_ctx = EVP_CIPHER_CTX_new();
    must(openssl_ctx != NULL &&
             EVP_EncryptInit_ex(openssl_ctx, EVP_chacha20_poly1305(), NULL, NULL, NULL) == 1,
         "OpenSSL: ChaCha20-Poly1305");
}

static void check_peers(const struct message *m)
{
    tag_t tag;
    if (m->extended)
        return;
    openssl_seal(OUTPUT, tag, m);
    check(same(OUTPUT, m->ciphertext, m->len_bytes) && memcmp(tag, m->tag, 16) == 0,
          "OpenSSL: %zu bytes, %zu of associated data", m->len_bytes, m->aad_bytes);
}
#else
static void set_up_peers(void) {}
static void check_peers(const struct message *m) { (void)m; }
#endif

/* Sets the result of a message to that of the definition, which is compared with OpenSSL if available. */
static void compute_result(struct message *m)
{
    reference_aead(m->ciphertext, m->tag, m->msg, m->len_bytes, m->aad, m->aad_bytes, m->nonce,
                   m->extended ? 24 : 12, m->key);
    check_peers(m);
}

/* A message from the shared inputs, under its own key and nonce, and its result. Keys of all ones give the
 * largest tags and words. */
static struct message make_message(size_t len_bytes, size_t aad_bytes, bool extended)
{
    random_bytes(random_key, sizeof random_key);
    random_bytes(random_nonce, sizeof random_nonce);
    if (random_word() % 16 == 0)
        memset(random_key, 255, sizeof random_key);
    struct message m = {
        .msg = random_msg + random_word() % 64 * (len_bytes < LONGEST - 64),
        .aad = aad_bytes == 0 ? NULL : random_aad + random_word() % 64 * (aad_bytes < MOST_AAD_BYTES - 64),
        .nonce = random_nonce,
        .key = random_key,
        .len_bytes = len_bytes,
        .aad_bytes = aad_bytes,
        .extended = extended,
        .ciphertext = ciphertext,
    };
    compute_result(&m);
    return m;
}

static bool seal_message(const struct message *m, uint8_t *out, uint8_t *tag, const uint8_t *in)
{
    return (m->extended ? hornet_xchacha20_poly1305_seal : hornet_chacha20_poly1305_seal)(
        out, tag, in, m->len_bytes, m->aad, m->aad_bytes, m->nonce, m->key);
}

static bool seal_packets(const hornet_packet *calls, size_t count, bool extended)
{
    return (extended ? hornet_xchacha20_poly1305_seal_batch : hornet_chacha20_poly1305_seal_batch)(calls,
                                                                                                   count);
}

static bool open_packets(bool *valid, const hornet_packet *calls, size_t count, bool extended)
{
    return (extended ? hornet_xchacha20_poly1305_open_batch
                     : hornet_chacha20_poly1305_open_batch)(valid, calls, count);
}

static bool open_message(const struct message *m, uint8_t *out, const uint8_t *in, const uint8_t *tag)
{
    return (m->extended ? hornet_xchacha20_poly1305_open : hornet_chacha20_poly1305_open)(
        out, in, m->len_bytes, tag, m->aad, m->aad_bytes, m->nonce, m->key);
}

/* Starts a message, with its associated data split at a byte. */
static void begin(hornet_aead_state *state, const struct message *m, size_t cut)
{
    (m->extended ? hornet_xchacha20_poly1305_init : hornet_chacha20_poly1305_init)(state, m->nonce, m->key);
    const size_t rest = m->aad_bytes - cut;
    check(hornet_aead_aad(state, m->aad, cut) &&
              hornet_aead_aad(state, rest == 0 ? NULL : m->aad + cut, rest),
          "associated data refused");
}

static const char *names(void)
{
    static char both[80];
    snprintf(both, sizeof both, "%s, %s", chacha20_name(chacha20_in_use()),
             hornet_kernel_in_use(HORNET_POLY1305));
    return both;
}

/* Seals and opens the message in two pieces, in place or not. */
static void check_pieces(const struct message *m, size_t cut, bool in_place)
{
    static const uint8_t zeros[sizeof(hornet_aead_state)];
    const size_t n = m->len_bytes, rest = n - cut;
    hornet_aead_state state;
    tag_t tag;
    fill_output(n);
    const uint8_t *in = m->msg;
    if (in_place)
        copy(OUTPUT, in, n), in = OUTPUT;
    begin(&state, m, m->aad_bytes * cut / (n + 1));
    check(hornet_aead_encrypt(&state, OUTPUT, in, cut) &&
              hornet_aead_encrypt(&state, OUTPUT + cut, in + cut, rest) && hornet_aead_final(&state, tag) &&
              same(OUTPUT, m->ciphertext, n) && memcmp(tag, m->tag, 16) == 0 && nothing_around_output(n),
          "%s: %zu bytes, %zu of associated data, encrypted in pieces, cut at %zu", names(), n,
          m->aad_bytes, cut);
    check(memcmp(&state, zeros, sizeof state) == 0, "%s: state not wiped", names());
    fill_output(n);
    in = m->ciphertext;
    if (in_place)
        copy(OUTPUT, in, n), in = OUTPUT;
    begin(&state, m, m->aad_bytes * rest / (n + 1));
    check(hornet_aead_decrypt(&state, OUTPUT, in, cut) &&
              hornet_aead_decrypt(&state, OUTPUT + cut, in + cut, rest) &&
              hornet_aead_final_verify(&state, m->tag) && same(OUTPUT, m->msg, n) &&
              nothing_around_output(n),
          "%s: %zu bytes, %zu of associated data, decrypted in pieces, cut at %zu", names(), n,
          m->aad_bytes, cut);
    check(memcmp(&state, zeros, sizeof state) == 0, "%s: state not wiped", names());
}

/* Seals and opens the message in every way, with the kernels in use. */
static void check_message(const struct message *m)
{
    static size_t number;
    const size_t n = m->len_bytes;
    tag_t tag, wrong;
    running_kernel = chacha20_name(chacha20_in_use());
    running_length = n;
    number++;
    for (int in_place = 0; in_place < 2; in_place++) {
        const char *where = in_place ? "in place" : "apart";
        fill_output(n);
        if (in_place)
            copy(OUTPUT, m->msg, n);
        check(seal_message(m, OUTPUT, tag, in_place ? OUTPUT : m->msg) && same(OUTPUT, m->ciphertext, n) &&
                  memcmp(tag, m->tag, 16) == 0,
              "%s: %zu bytes, %zu of associated data, sealed %s", names(), n, m->aad_bytes, where);
        check(nothing_around_output(n), "%s: %zu bytes sealed %s, and more written", names(), n, where);

        fill_output(n);
        if (in_place)
            copy(OUTPUT, m->ciphertext, n);
        check(open_message(m, OUTPUT, in_place ? OUTPUT : m->ciphertext, m->tag) && same(OUTPUT, m->msg, n),
              "%s: %zu bytes, %zu of associated data, opened %s", names(), n, m->aad_bytes, where);
        check(nothing_around_output(n), "%s: %zu bytes opened %s, and more written", names(), n, where);
    }

    /* A forged message gives zeros, and nothing else. */
    const bool in_place = number % 2 == 0;
    memcpy(wrong, m->tag, 16);
    wrong[number / 8 % 16] ^= (uint8_t)(1 << number % 8);
    fill_output(n);
    if (in_place)
        copy(OUTPUT, m->ciphertext, n);
    check(!open_message(m, OUTPUT, in_place ? OUTPUT : m->ciphertext, wrong) && all_are(OUTPUT, n, 0) &&
              nothing_around_output(n),
          "%s: %zu bytes, %zu of associated data, a forgery", names(), n, m->aad_bytes);
    check_pieces(m, number * 37 % (n + 1), in_place);
}

/* Seals and opens the message as each packet of a batch. */
static void check_copies(const struct message *m)
{
    enum { COPIES = 17, COPY_BYTES = 400 };
    static uint8_t outs[COPIES][COPY_BYTES];
    hornet_packet calls[COPIES];
    tag_t tags[COPIES];
    bool valid[COPIES] = {false};
    for (size_t i = 0; i < COPIES; i++)
        calls[i] =
            (hornet_packet){outs[i], m->msg, m->len_bytes, m->aad, m->aad_bytes, m->nonce, m->key, tags[i]};
    check(seal_packets(calls, COPIES, m->extended), "%s: copies refused", names());
    for (size_t i = 0; i < COPIES; i++) {
        check(same(outs[i], m->ciphertext, m->len_bytes) && memcmp(tags[i], m->tag, 16) == 0,
              "%s: %zu bytes, copy %zu of a packet", names(), m->len_bytes, i);
        calls[i].in = outs[i];
    }
    check(open_packets(valid, calls, COPIES, m->extended), "%s: sealed copies refused", names());
    for (size_t i = 0; i < COPIES; i++)
        check(valid[i] && same(outs[i], m->msg, m->len_bytes), "%s: %zu bytes, copy %zu opened", names(),
              m->len_bytes, i);
}

static void test_vectors(void)
{
    static const struct {
        const char *key, *nonce, *aad, *msg, *ciphertext, *tag;
    } vectors[] = {
#include "../vectors/chacha20_poly1305.h"
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint8_t key[32], nonce[24], aad[32], msg[400], expected[400];
        struct message m = {.msg = msg, .aad = aad, .nonce = nonce, .key = key, .ciphertext = expected};
        from_hex(key, vectors[i].key);
        m.extended = from_hex(nonce, vectors[i].nonce) == 24;
        m.aad_bytes = from_hex(aad, vectors[i].aad);
        m.len_bytes = from_hex(msg, vectors[i].msg);
        from_hex(expected, vectors[i].ciphertext);
        from_hex(m.tag, vectors[i].tag);
        tag_t tag;
        reference_aead(OUTPUT, tag, msg, m.len_bytes, aad, m.aad_bytes, nonce, m.extended ? 24 : 12, key);
        check(same(OUTPUT, expected, m.len_bytes) && memcmp(tag, m.tag, 16) == 0,
              "the definition: vector %zu", i);
        check_message(&m);
        check_copies(&m);
    }
}

static void check_on_every_chacha20(const struct message *m)
{
    for (int k = 0; k < CHACHA20_KERNELS; k++) {
        if (!chacha20_runs_here(chacha20_kernels[k]))
            continue;
        force_chacha20(chacha20_kernels[k]);
        check_message(m);
    }
    force_chacha20(NULL);
}

/* Tests every length, each with three lengths of associated data. */
static void test_lengths(void)
{
    for (size_t n = 0; n <= EVERY_BYTES; n += step) {
        struct message m = make_message(n, n % (EVERY_AAD_BYTES + 1), n % 5 == 0);
        check_on_every_chacha20(&m);
        m = make_message(n, 0, false);
        force_chacha20(nth_chacha20(n));
        check_message(&m);
        m = make_message(n, 13, false);
        force_chacha20(nth_chacha20(n + 1));
        check_message(&m);
        force_chacha20(NULL);
    }
}

/* Tests every length with every length of associated data, each pair on one kernel. */
static void test_product(void)
{
    for (size_t n = 0; n <= EVERY_BYTES; n++)
        for (size_t a = 0; a <= EVERY_AAD_BYTES; a++) {
            const struct message m = make_message(n, a, (n + a) % 9 == 0);
            force_chacha20(nth_chacha20(n + a));
            check_message(&m);
        }
    force_chacha20(NULL);
}

/* Lengths at which a single call changes its code path, and their neighbours. */
static const size_t edges[] = {0,    1,    15,   16,   17,   31,   32,   63,   64,   65,   127,
                               128,  191,  192,  193,  255,  256,  257,  319,  320,  321,  447,
                               448,  449,  500,  511,  512,  513,  959,  960,  961,  1023, 1024,
                               1216, 1217, 1350, 1472, 1473, 1983, 1984, 1985, 2048, 2049, 4200};
enum { EDGES = sizeof edges / sizeof edges[0] };

/* Tests all short lengths of associated data, and some long ones. */
static void test_aad_lengths(void)
{
    static const size_t more[] = {79, 80, 127, 128, 129, 255, 256, 257, 1000, 2304, 5000};
    for (size_t a = 0; a <= EVERY_AAD_BYTES + sizeof more / sizeof more[0]; a += step)
        for (size_t e = 0; e < EDGES; e++) {
            const size_t aad_bytes = a <= EVERY_AAD_BYTES ? a : more[a - EVERY_AAD_BYTES - 1];
            const struct message m = make_message(edges[e], aad_bytes, (a + e) % 7 == 0);
            force_chacha20(nth_chacha20(a + e));
            check_message(&m);
        }
    force_chacha20(NULL);
}

/* Tests associated data in pieces: two whose sum is around what waits for the text, up to six, and without
 * text. */
static void test_aad_pieces(void)
{
    enum { MOST = 6, AROUND_BYTES = 20, WAITS_BYTES = 256 };
    hornet_aead_state state;
    tag_t tag;
    for (size_t total = WAITS_BYTES - AROUND_BYTES; total <= WAITS_BYTES + AROUND_BYTES; total += step)
        for (size_t cut = 0; cut <= total; cut++) {
            const struct message m = make_message(total % 3 * 20, total, false);
            begin(&state, &m, cut);
            check(hornet_aead_encrypt(&state, OUTPUT, m.msg, m.len_bytes) &&
                      hornet_aead_final(&state, tag) && memcmp(tag, m.tag, 16) == 0,
                  "%zu bytes of associated data, cut at %zu", total, cut);
        }
    for (size_t total = 0; total <= 2 * WAITS_BYTES; total++) {
        const struct message m = make_message(0, total, false);
        begin(&state, &m, total / 2);
        check(hornet_aead_final(&state, tag) && memcmp(tag, m.tag, 16) == 0,
              "%zu bytes of associated data, and no text", total);
    }
    for (int round = 0; round < 500; round += (int)step) {
        size_t sizes[MOST], total = 0, at = 0;
        for (size_t i = 0; i < MOST; i++)
            total += sizes[i] = random_word() % 4 == 0 ? 0 : random_word() % (round % 2 == 0 ? 100 : 400);
        const struct message m = make_message((size_t)round % 90, total, false);
        begin(&state, &(struct message){.nonce = m.nonce, .key = m.key}, 0);
        for (size_t i = 0; i < MOST; at += sizes[i++])
            check(hornet_aead_aad(&state, sizes[i] == 0 ? NULL : m.aad + at, sizes[i]), "associated data");
        check(hornet_aead_decrypt(&state, OUTPUT, m.ciphertext, m.len_bytes) &&
                  hornet_aead_final_verify(&state, m.tag),
              "round %d: %zu bytes of associated data in pieces", round, total);
    }
}

/* Tests messages that are processed piece by piece, with ends around the ends of pieces. */
static void test_long_lengths(void)
{
    static const size_t more[] = {0, 1, 63, 64, 65, 1983, 1984, 1985, 2047, 2048};
    for (size_t k = 1; k <= 64; k *= 2)
        for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
            const struct message m =
                make_message(4096 * k + more[i] - (i == 4 ? 130 : 0), i * k % 90, false);
            if (k == 16)
                check_on_every_chacha20(&m);
            else
                check_message(&m);
        }
    const size_t longest = step == 1 ? LONGEST : 300000;
    const size_t cuts[] = {0, 1, 64, 4097, longest / 4, longest / 2, longest - 64, longest};
    struct message m = make_message(longest, 20, true);
    check_on_every_chacha20(&m);
    /* In long pieces, and with much associated data. */
    m = make_message(longest, MOST_AAD_BYTES, false);
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++)
        check_pieces(&m, cuts[i], i % 2 == 0);
}

/* Tests nonces and keys that consist of zeros and ones, of one bit that differs from all others, and of
 * words of zeros or ones among random ones. */
static void test_special_nonces(void)
{
    enum { BITS = 192, WORDS = 6, KINDS = 2 * BITS + (2 << WORDS) };
    for (size_t kind = 0; kind < KINDS; kind++)
        for (size_t key = 0; key < 3; key++) {
            struct message m = make_message(40, 13, true);
            const uint8_t fill = kind % 2 == 0 ? 0 : 255;
            const size_t number = kind / 2;
            if (key != 0)
                memset(random_key, key == 1 ? 0 : 255, sizeof random_key);
            if (number < BITS) {
                memset(random_nonce, fill, sizeof random_nonce);
                random_nonce[number / 8] ^= (uint8_t)(1 << number % 8);
            } else {
                for (size_t word = 0; word < WORDS; word++)
                    if (((number - BITS) >> word) % 2 != 0)
                        memset(random_nonce + 4 * word, fill, 4);
            }
            for (int extended = 0; extended < 2; extended++) {
                m.extended = extended == 1;
                compute_result(&m);
                check_message(&m);
            }
        }
}

/* Tests every ChaCha20 kernel with every Poly1305 kernel. */
static void test_pairs(void)
{
    for (size_t e = 0; e < EDGES; e++) {
        const struct message m = make_message(edges[e], e * 17 % (EVERY_AAD_BYTES + 1), e % 4 == 0);
        for (int k = 0; k < KERNEL_COUNT; k++) {
            if (!kernel_runs_here(all_kernels[k]))
                continue;
            force_kernel(name_of(all_kernels[k]));
            check_on_every_chacha20(&m);
        }
    }
    force_kernel(NULL);
}

/* Tests a message cut in two at every byte. */
static void test_cuts(void)
{
    for (size_t n = 0; n <= 1400; n += n < 270 ? step : 97 * step) {
        const struct message m = make_message(n, n % (EVERY_AAD_BYTES + 1), n % 3 == 0);
        for (size_t cut = 0; cut <= n; cut++) {
            force_chacha20(nth_chacha20(n + cut));
            check_pieces(&m, cut, cut % 2 == 0);
        }
    }
    force_chacha20(NULL);
}

/* Tests messages cut at random, with empty pieces, as single calls and as lists of pieces that are not
 * adjacent. The kernels change in between. */
static void test_many_pieces(void)
{
    enum { MOST = 12, GAP = 5 };
    static uint8_t in[LONGEST], out[LONGEST];
    for (int round = 0; round < 1500; round += (int)step) {
        size_t total = 0, sizes[MOST];
        const size_t count = random_word() % (MOST + 1), most = round % 30 == 0 ? 9000 : 1 + round % 700;
        for (size_t i = 0; i < count; i++) {
            sizes[i] = random_word() % 4 == 0 ? 0 : random_word() % most;
            total += sizes[i];
        }
        const struct message m = make_message(total, (size_t)round % 100, round % 2 == 0);
        for (int decrypts = 0; decrypts < 2; decrypts++) {
            const bool in_place = random_word() % 2 == 0, as_list = random_word() % 2 == 0;
            const uint8_t *from = decrypts ? m.ciphertext : m.msg,
                          *expected = decrypts ? m.msg : m.ciphertext;
            hornet_piece pieces[MOST];
            hornet_aead_state state, other;
            tag_t tag;
            size_t at = 0;
            begin(&state, &m, m.aad_bytes / 3);
            memset(out, FILL, total + (MOST + 1) * GAP);
            for (size_t i = 0; i < count; i++) {
                uint8_t *const to = out + at + (i + 1) * GAP;
                uint8_t *const source = in_place ? to : in + at + i * 3;
                copy(source, from + at, sizes[i]);
                pieces[i] = (hornet_piece){to, source, sizes[i]};
                if (sizes[i] == 0)
                    pieces[i] = (hornet_piece){NULL, NULL, 0};
                at += sizes[i];
            }
            /* A list of some pieces, followed by the rest. */
            for (size_t i = 0; i < count;) {
                const size_t some = as_list ? 1 + random_word() % (count - i) : 1;
                bool went;
                force_chacha20(nth_chacha20(random_word()));
                if (as_list)
                    went =
                        (decrypts ? hornet_aead_decryptv : hornet_aead_encryptv)(&state, pieces + i, some);
                else
                    went = (decrypts ? hornet_aead_decrypt : hornet_aead_encrypt)(
                        &state, pieces[i].out, pieces[i].in, pieces[i].len_bytes);
                check(went, "piece %zu of %zu refused", i, count);
                i += some;
                /* The state may be copied. */
                memcpy(&other, &state, sizeof state);
                memset(&state, 1, sizeof state);
                memcpy(&state, &other, sizeof state);
            }
            check(decrypts ? hornet_aead_final_verify(&state, m.tag)
                           : hornet_aead_final(&state, tag) && memcmp(tag, m.tag, 16) == 0,
                  "round %d, %zu bytes in %zu pieces, decrypts %d: the tag", round, total, count, decrypts);
            at = 0;
            for (size_t i = 0; i < count; i++) {
                check(same(out + at + (i + 1) * GAP, expected + at, sizes[i]) &&
                          all_are(out + at + i * GAP, GAP, FILL),
                      "round %d, %zu bytes in %zu pieces, decrypts %d: piece %zu", round, total, count,
                      decrypts, i);
                at += sizes[i];
            }
        }
    }
    force_chacha20(NULL);

    /* Byte by byte. */
    const struct message m = make_message(1500, 40, false);
    hornet_aead_state state;
    tag_t tag;
    hornet_chacha20_poly1305_init(&state, m.nonce, m.key);
    for (size_t i = 0; i < m.aad_bytes; i++)
        check(hornet_aead_aad(&state, m.aad + i, 1), "a byte of associated data");
    for (size_t i = 0; i < m.len_bytes; i++)
        check(hornet_aead_encrypt(&state, OUTPUT + i, m.msg + i, 1), "a byte");
    check(hornet_aead_final(&state, tag) && memcmp(tag, m.tag, 16) == 0 &&
              same(OUTPUT, m.ciphertext, m.len_bytes),
          "byte by byte");
}

/* Tests every buffer at every alignment. */
static void test_alignments(void)
{
    static uint8_t in[EVERY_BYTES + 64], aad[128 + 64], nonce[24 + 64], key[32 + 64], tag[16 + 64];
    for (size_t e = 0; e < EDGES; e++)
        for (size_t offset = 0; offset < 64; offset++) {
            struct message m = make_message(edges[e], (edges[e] + offset) % 71, offset % 2 == 0);
            copy(in + offset, m.msg, m.len_bytes);
            m.msg = in + offset;
            copy(aad + offset * 5 % 64, m.aad, m.aad_bytes);
            m.aad = aad + offset * 5 % 64;
            m.nonce = memcpy(nonce + offset * 3 % 64, m.nonce, 24);
            m.key = memcpy(key + offset * 7 % 64, m.key, 32);
            uint8_t *const t = tag + offset * 11 % 64, *const out = OUTPUT + 63 - offset;
            force_chacha20(nth_chacha20(e + offset));
            running_length = m.len_bytes;
            check(seal_message(&m, out, t, m.msg) && same(out, m.ciphertext, m.len_bytes) &&
                      memcmp(t, m.tag, 16) == 0,
                  "%s: %zu bytes at offset %zu, sealed", names(), m.len_bytes, offset);
            copy(out, m.msg, m.len_bytes);
            check(seal_message(&m, out, t, out) && same(out, m.ciphertext, m.len_bytes) &&
                      memcmp(t, m.tag, 16) == 0,
                  "%s: %zu bytes at offset %zu, sealed in place", names(), m.len_bytes, offset);
            check(open_message(&m, out, out, t) && same(out, m.msg, m.len_bytes),
                  "%s: %zu bytes at offset %zu, opened", names(), m.len_bytes, offset);
        }
    force_chacha20(NULL);
}

/* Packets of arbitrary lengths, some in place. Each must be the same as from its own call. All have nonces
 * of 24 bytes, or all of 12. */
enum { MOST_PACKETS = 200, PACKET_BYTES = 4300, PACKET_AAD_BYTES = 100 };

static struct packet {
    uint8_t msg[PACKET_BYTES], sealed[PACKET_BYTES], out[PACKET_BYTES + AROUND];
    uint8_t aad[PACKET_AAD_BYTES], nonce[24], key[32];
    tag_t tag, expected;
    size_t len_bytes, aad_bytes;
} packets[MOST_PACKETS];

static bool packets_extended;

static hornet_packet packet_calls[MOST_PACKETS + 1];

static void make_packet(struct packet *p, size_t len_bytes, size_t aad_bytes)
{
    p->len_bytes = len_bytes;
    p->aad_bytes = aad_bytes;
    random_bytes(p->nonce, sizeof p->nonce);
    random_bytes(p->key, sizeof p->key);
    memcpy(p->msg, random_msg + random_word() % 5000, len_bytes);
    memcpy(p->aad, random_aad + random_word() % 1000, aad_bytes);
    check((packets_extended ? hornet_xchacha20_poly1305_seal : hornet_chacha20_poly1305_seal)(
              p->sealed, p->expected, p->msg, len_bytes, p->aad, aad_bytes, p->nonce, p->key),
          "a packet alone");
}

static void make_packets(size_t count, size_t kind)
{
    for (size_t i = 0; i < count; i++) {
        const size_t lengths[] = {
            64,
            1350,
            random_word() % 300,
            random_word() % 1500,
            i,
            random_word() % 8 == 0 ? 0 : random_word() % (1 + random_word() % EVERY_BYTES),
            i % 2 == 0 ? 1500 : 20,
        };
        /* Up to 48 bytes, packets that share passes take less memory. */
        const size_t aad_bytes[] = {13, i % 2 == 0 ? 48 : random_word() % 48,
                                    random_word() % PACKET_AAD_BYTES};
        make_packet(&packets[i], lengths[kind % (sizeof lengths / sizeof lengths[0])], aad_bytes[kind % 3]);
    }
}

/* Makes the calls for them, which read the messages, or, if `opens`, the sealed packets. */
static void make_calls(size_t count, bool opens)
{
    for (size_t i = 0; i < count; i++) {
        struct packet *p = &packets[i];
        uint8_t *const in = opens ? p->sealed : p->msg;
        const bool in_place = i % 3 == 0, empty = p->len_bytes == 0 && i % 2 == 0;
        memset(p->out, FILL, p->len_bytes + AROUND);
        if (in_place)
            memcpy(p->out, in, p->len_bytes);
        packet_calls[i] = (hornet_packet){
            .out = empty ? NULL : p->out,
            .in = empty      ? NULL
                  : in_place ? p->out
                             : in,
            .len_bytes = p->len_bytes,
            .aad = p->aad_bytes == 0 ? NULL : p->aad,
            .aad_bytes = p->aad_bytes,
            .nonce = p->nonce,
            .key = p->key,
            .tag = p->tag,
        };
        if (opens)
            memcpy(p->tag, p->expected, 16);
        else
            memset(p->tag, FILL, 16);
    }
}

static void check_sealed(size_t count)
{
    make_calls(count, false);
    running_length = count;
    check(seal_packets(packet_calls, count, packets_extended), "%s: %zu packets refused", names(), count);
    for (size_t i = 0; i < count; i++) {
        const struct packet *p = &packets[i];
        check(memcmp(p->out, p->sealed, p->len_bytes) == 0 && memcmp(p->tag, p->expected, 16) == 0 &&
                  all_are(p->out + p->len_bytes, AROUND, FILL),
              "%s: packet %zu of %zu, %zu bytes, sealed", names(), i, count, p->len_bytes);
    }
}

static void check_batch(size_t count, size_t kind)
{
    bool valid[MOST_PACKETS + 1];
    make_packets(count, kind);
    check_sealed(count);
    make_calls(count, true);
    memset(valid, 0, sizeof valid);
    check(open_packets(valid, packet_calls, count, packets_extended), "%s: %zu packets refused", names(),
          count);
    for (size_t i = 0; i < count; i++) {
        const struct packet *p = &packets[i];
        check(valid[i] && memcmp(p->out, p->msg, p->len_bytes) == 0 &&
                  all_are(p->out + p->len_bytes, AROUND, FILL),
              "%s: packet %zu of %zu, %zu bytes, opened", names(), i, count, p->len_bytes);
    }
    if (count == 0)
        return;

    /* Forge one packet: its tag, its text, its associated data, or its nonce. */
    make_calls(count, true);
    const size_t forged = random_word() % count;
    struct packet *f = &packets[forged];
    uint8_t *const parts[] = {f->tag, (uint8_t *)packet_calls[forged].in, f->aad, f->nonce};
    const size_t parts_bytes[] = {16, f->len_bytes, f->aad_bytes, packets_extended ? 24 : 12};
    size_t part = random_word() % 4;
    if (parts_bytes[part] == 0)
        part = 0;
    parts[part][random_word() % parts_bytes[part]] ^= (uint8_t)(1 << random_word() % 8);
    memset(valid, 1, sizeof valid);
    check(!open_packets(valid, packet_calls, count, packets_extended),
          "%s: one forged packet of %zu, and all are valid", names(), count);
    for (size_t i = 0; i < count; i++) {
        const struct packet *p = &packets[i];
        check(valid[i] == (i != forged) &&
                  (i == forged ? all_are(p->out, p->len_bytes, 0)
                               : memcmp(p->out, p->msg, p->len_bytes) == 0) &&
                  all_are(p->out + p->len_bytes, AROUND, FILL),
              "%s: packet %zu of %zu, where %zu is forged", names(), i, count, forged);
    }

#if SIZE_MAX > UINT32_MAX
    /* One packet is too long: it is not touched, and all others are processed correctly. */
    make_packets(count, kind + 1);
    for (int opens = 0; opens < 2; opens++) {
        make_calls(count, opens);
        packet_calls[forged].len_bytes = HORNET_CHACHA20_POLY1305_MAX_BYTES + 1;
        packet_calls[forged].out = NULL;
        packet_calls[forged].in = NULL;
        memset(f->tag, FILL, 16);
        memset(valid, 1, sizeof valid);
        check(!(opens ? open_packets(valid, packet_calls, count, packets_extended)
                      : seal_packets(packet_calls, count, packets_extended)),
              "%s: a packet that is too long is taken", names());
        check(all_are(f->tag, 16, FILL) && (!opens || !valid[forged]),
              "%s: a packet that is too long: opens %d", names(), opens);
        for (size_t i = 0; i < count; i++) {
            const struct packet *p = &packets[i];
            check(i == forged || ((!opens || valid[i]) && memcmp(p->tag, p->expected, 16) == 0 &&
                                  memcmp(p->out, opens ? p->msg : p->sealed, p->len_bytes) == 0),
                  "%s: packet %zu of %zu, beside one that is too long", names(), i, count);
        }
    }
#endif
}

static void test_batches(void)
{
    for (size_t count = 0; count <= MOST_PACKETS; count += step) {
        force_chacha20(nth_chacha20(count));
        packets_extended = count / 3 % 2 != 0;
        check_batch(count, count);
    }
    /* All kernels, with a full and a partial bundle. */
    for (int k = 0; k < CHACHA20_KERNELS; k++)
        for (int p = 0; p < KERNEL_COUNT; p++) {
            if (!chacha20_runs_here(chacha20_kernels[k]) || !kernel_runs_here(all_kernels[p]))
                continue;
            force_chacha20(chacha20_kernels[k]);
            force_kernel(name_of(all_kernels[p]));
            for (size_t kind = 0; kind < 7; kind++) {
                packets_extended = (kind + (size_t)p) % 2 != 0;
                check_batch(35 + kind, kind);
            }
        }
    force_kernel(NULL);
    force_chacha20(NULL);
    /* One packet has more associated data than the others, and comes after them, because it has less text:
     * between the others there must be room for that data too. */
    enum { COUNT = 17 };
    for (size_t most = 0; most < COUNT; most++) {
        packets_extended = most % 2 != 0;
        for (size_t i = 0; i < COUNT; i++)
            make_packet(&packets[i], i == most ? 120 : 128, i == most ? 49 : 0);
        check_sealed(COUNT);
    }
    packets_extended = false;
    for (int extended = 0; extended < 2; extended++)
        check(seal_packets(NULL, 0, extended) && open_packets(NULL, NULL, 0, extended), "no packets");
}

/* Checks that every function that opens refuses a forgery, and that single calls and batches leave
 * zeros. */
static void check_refused(const struct message *m, const uint8_t *in, const uint8_t *tag, const char *what,
                          size_t bit)
{
    const size_t n = m->len_bytes;
    hornet_aead_state state;
    fill_output(n);
    check(!open_message(m, OUTPUT, in, tag) && all_are(OUTPUT, n, 0) && nothing_around_output(n),
          "%zu bytes: bit %zu of the %s ignored", n, bit, what);
    begin(&state, m, 0);
    check(hornet_aead_decrypt(&state, OUTPUT, in, n) && !hornet_aead_final_verify(&state, tag),
          "%zu bytes: bit %zu of the %s ignored, in pieces", n, bit, what);
    if (bit % 8 != 0)
        return;
    enum { COUNT = 17 };
    static uint8_t outs[COUNT][EVERY_BYTES];
    bool valid[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        packet_calls[i] =
            (hornet_packet){outs[i], in, n, m->aad, m->aad_bytes, m->nonce, m->key, (uint8_t *)tag};
    memset(outs, FILL, sizeof outs);
    check(!open_packets(valid, packet_calls, COUNT, m->extended), "a batch of forgeries");
    for (size_t i = 0; i < COUNT; i++)
        check(!valid[i] && all_are(outs[i], n, 0), "%zu bytes: bit %zu of the %s ignored, in a batch", n,
              bit, what);
}

static void test_every_bit(void)
{
    static const size_t lengths[] = {0, 1, 16, 100, 193, 500, 1000, 2100};
    static uint8_t in[EVERY_BYTES], aad[71], nonce[24], key[32];
    for (size_t e = 0; e < 2 * sizeof lengths / sizeof lengths[0]; e++) {
        const struct message sealed = make_message(lengths[e / 2], 1 + e * 9 % 70, e % 2 == 0);
        struct message m = sealed;
        tag_t tag;
        copy(in, sealed.ciphertext, sealed.len_bytes);
        m.aad = memcpy(aad, sealed.aad, sealed.aad_bytes);
        m.nonce = memcpy(nonce, sealed.nonce, 24);
        m.key = memcpy(key, sealed.key, 32);
        memcpy(tag, sealed.tag, 16);
        const struct {
            const char *name;
            uint8_t *bytes;
            size_t len_bytes;
        } parts[] = {{"tag", tag, 16},
                     {"ciphertext", in, sealed.len_bytes},
                     {"associated data", aad, sealed.aad_bytes},
                     {"nonce", nonce, sealed.extended ? 24 : 12},
                     {"key", key, 32}};
        for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++)
            for (size_t bit = 0; bit < 8 * parts[p].len_bytes;
                 bit += step * (p == 1 && bit > 3000 ? 13 : 1)) {
                parts[p].bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
                check_refused(&m, in, tag, parts[p].name, bit);
                parts[p].bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
            }
        /* Words that both differ in the same bit have the same sum, if it is the highest, and the same
         * exclusive or. */
        for (size_t bit = 0; bit < 64; bit += bit == 56 ? 7 : 8) {
            tag[bit / 8] ^= (uint8_t)(1 << bit % 8), tag[bit / 8 + 8] ^= (uint8_t)(1 << bit % 8);
            check_refused(&m, in, tag, "tag's two words", bit - bit % 8);
            tag[bit / 8] ^= (uint8_t)(1 << bit % 8), tag[bit / 8 + 8] ^= (uint8_t)(1 << bit % 8);
        }
        check(open_message(&m, OUTPUT, in, tag) && same(OUTPUT, sealed.msg, sealed.len_bytes),
              "what was sealed");

        /* Lengths are authenticated: remove one byte, and move one from the associated data to the
         * ciphertext. */
        m.aad_bytes--;
        check_refused(&m, in, tag, "length of associated data", 1);
        m.aad_bytes++;
        if (m.len_bytes != 0) {
            m.len_bytes--;
            check_refused(&m, in, tag, "length", 1);
        }
    }
}

/* Within the library: src/aead/aead.h. */
bool hornet_aead_compute_tag(hornet_aead_state *state, uint8_t tag[16]);

/* Checks that the functions of a state that is not live do nothing. */
static void check_ended(hornet_aead_state *state, const char *how, const tag_t real_tag)
{
    static const uint8_t zeros[sizeof(hornet_aead_state)];
    uint8_t in[100] = {1}, out[100];
    tag_t tag;
    const hornet_piece piece = {out, in, sizeof in};
    memset(out, FILL, sizeof out);
    check(memcmp(state, zeros, sizeof *state) == 0, "%s: not wiped", how);
    check(!hornet_aead_aad(state, in, sizeof in) && !hornet_aead_aad(state, NULL, 0),
          "%s: takes associated data", how);
    check(!hornet_aead_encrypt(state, out, in, sizeof in) && !hornet_aead_encrypt(state, NULL, NULL, 0) &&
              !hornet_aead_encryptv(state, &piece, 1) && !hornet_aead_encryptv(state, NULL, 0),
          "%s: encrypts", how);
    check(!hornet_aead_decrypt(state, out, in, sizeof in) && !hornet_aead_decrypt(state, NULL, NULL, 0) &&
              !hornet_aead_decryptv(state, &piece, 1) && !hornet_aead_decryptv(state, NULL, 0),
          "%s: decrypts", how);
    check(all_are(out, sizeof out, FILL), "%s: writes", how);
    check(!hornet_aead_final_verify(state, zeros) && !hornet_aead_final_verify(state, real_tag),
          "%s: accepts a tag", how);
    memset(tag, FILL, 16);
    check(!hornet_aead_final(state, tag) && all_are(tag, 16, 0), "%s: gives a tag", how);
    memset(tag, FILL, 16);
    check(!hornet_aead_compute_tag(state, tag) && all_are(tag, 16, 0), "%s: a tag is computed", how);
    check(memcmp(state, zeros, sizeof *state) == 0, "%s: changed", how);
}

/* Checks that calls in an invalid order are refused, and change nothing. */
static void test_states(void)
{
    const struct message m = make_message(300, 30, false);
    const uint8_t *const in = m.msg;
    hornet_aead_state state, other;
    tag_t tag, wrong;
    memcpy(wrong, m.tag, 16);
    wrong[15] ^= 0x80;

    memset(&state, 0, sizeof state);
    check_ended(&state, "a state of zeros", m.tag);

    /* While encrypting: no more associated data, no decryption, no verification. */
    for (size_t first = 0; first <= 200; first += 100) {
        memset(&state, (int)first, sizeof state);
        begin(&state, &m, 7);
        check(hornet_aead_encrypt(&state, OUTPUT, in, first), "encrypt");
        fill_output(300);
        check(!hornet_aead_aad(&state, m.aad, 5) && !hornet_aead_aad(&state, NULL, 0),
              "associated data after %zu bytes of text", first);
        check(!hornet_aead_decrypt(&state, OUTPUT, in, 50) && !hornet_aead_decrypt(&state, NULL, NULL, 0) &&
                  !hornet_aead_decryptv(&state, &(hornet_piece){OUTPUT, in, 50}, 1),
              "an encrypting state decrypts");
        check(all_are(OUTPUT, 300, FILL) && nothing_around_output(300), "what is refused is written");
        memcpy(&other, &state, sizeof state);
        check(hornet_aead_encrypt(&state, OUTPUT + first, in + first, 300 - first) &&
                  hornet_aead_final(&state, tag) && memcmp(tag, m.tag, 16) == 0 &&
                  same(OUTPUT + first, m.ciphertext + first, 300 - first),
              "what is refused changes the message");
        check_ended(&state, "after final", m.tag);
        /* The copy ends independently. */
        check(hornet_aead_encrypt(&other, OUTPUT, in + first, 300 - first) &&
                  !hornet_aead_final_verify(&other, m.tag),
              "an encrypting state verifies");
        check_ended(&other, "after a final_verify that was refused", m.tag);
    }

    /* While decrypting: likewise, and no tag is returned. */
    for (size_t first = 0; first <= 200; first += 100) {
        begin(&state, &m, 30);
        check(hornet_aead_decrypt(&state, OUTPUT, m.ciphertext, first), "decrypt");
        fill_output(300);
        check(!hornet_aead_aad(&state, m.aad, 5) && !hornet_aead_encrypt(&state, OUTPUT, in, 50) &&
                  !hornet_aead_encryptv(&state, &(hornet_piece){OUTPUT, in, 50}, 1) &&
                  !hornet_aead_encrypt(&state, NULL, NULL, 0),
              "a decrypting state encrypts");
        check(all_are(OUTPUT, 300, FILL), "what is refused is written");
        check(hornet_aead_decrypt(&state, OUTPUT + first, m.ciphertext + first, 300 - first) &&
                  same(OUTPUT + first, in + first, 300 - first),
              "what is refused changes the message");
        memcpy(&other, &state, sizeof state);
        check(hornet_aead_final_verify(&state, m.tag), "what is refused changes the tag");
        check_ended(&state, "after final_verify", m.tag);
        state = other;
        check(!hornet_aead_final_verify(&state, wrong), "a wrong tag");
        check_ended(&state, "after a wrong tag", m.tag);
        memset(tag, FILL, 16);
        check(!hornet_aead_final(&other, tag) && all_are(tag, 16, 0), "a decrypting state gives a tag");
        check_ended(&other, "after a final that was refused", m.tag);
    }

    /* Without text, and with neither text nor associated data; lists of nothing. */
    for (size_t aad_bytes = 0; aad_bytes <= 30; aad_bytes += 15)
        for (int pieces = 0; pieces < 3; pieces++) {
            const struct message empty = make_message(0, aad_bytes, false);
            begin(&state, &empty, 0);
            if (pieces != 0)
                check(pieces == 1 ? hornet_aead_encrypt(&state, NULL, NULL, 0)
                                  : hornet_aead_encryptv(&state, NULL, 0),
                      "no text refused");
            check(hornet_aead_final(&state, tag) && memcmp(tag, empty.tag, 16) == 0,
                  "the tag of no text, %zu bytes of associated data", aad_bytes);
            begin(&state, &empty, 0);
            if (pieces != 0)
                check(pieces == 1 ? hornet_aead_decrypt(&state, NULL, NULL, 0)
                                  : hornet_aead_decryptv(&state, NULL, 0),
                      "no text refused");
            check(hornet_aead_final_verify(&state, empty.tag), "no text verified");
        }

    /* After init, a live state is like a new one. */
    const struct message again = make_message(300, 30, true);
    hornet_chacha20_poly1305_init(&state, again.key, again.key);
    check(hornet_aead_aad(&state, again.key, 20) && hornet_aead_encrypt(&state, OUTPUT, again.msg, 77),
          "a message that is left");
    begin(&state, &again, 3);
    check(hornet_aead_encrypt(&state, OUTPUT, again.msg, 300) && hornet_aead_final(&state, tag) &&
              memcmp(tag, again.tag, 16) == 0,
          "init of a live state");
}

/* Checks that a truncated tag is compared up to its length, and no further. */
static void test_truncated_tags(void)
{
    const struct message m = make_message(300, 30, false);
    hornet_aead_state decrypted, state;
    begin(&decrypted, &m, 0);
    check(hornet_aead_decrypt(&decrypted, OUTPUT, m.ciphertext, m.len_bytes), "decrypt");
    for (size_t n = 0; n <= 18; n++) {
        uint8_t tag[18] = {0};
        memcpy(tag, m.tag, n < 16 ? n : 16);
        state = decrypted;
        check(hornet_aead_final_verify_truncated(&state, tag, n) == (n >= 1 && n <= 16),
              "the first %zu bytes of the tag", n);
        check_ended(&state, "after a truncated tag", m.tag);
        for (size_t bit = 0; bit < 8 * n; bit++) {
            tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
            state = decrypted;
            check(!hornet_aead_final_verify_truncated(&state, tag, n), "%zu bytes, bit %zu is wrong", n,
                  bit);
            tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
    state = decrypted;
    check(!hornet_aead_final_verify_truncated(&state, m.tag, SIZE_MAX), "a tag of SIZE_MAX bytes");
    state = decrypted;
    check(!hornet_aead_final_verify_truncated(&state, NULL, 0), "no tag");
#if SIZE_MAX > UINT32_MAX
    for (size_t n = 0; n <= 17; n++) {
        state = decrypted;
        check(!hornet_aead_final_verify_truncated(&state, m.tag, ((size_t)1 << 32) + n),
              "a tag of 4 GiB and %zu bytes", n);
    }
#endif
    check(!hornet_aead_final_verify_truncated(&state, m.tag, 16), "an ended state verifies");
    begin(&state, &m, 0);
    check(hornet_aead_encrypt(&state, OUTPUT, m.msg, m.len_bytes) &&
              !hornet_aead_final_verify_truncated(&state, m.tag, 8),
          "an encrypting state verifies");
    check_ended(&state, "after a truncated tag that was refused", m.tag);
}

/* Checks that the first n bytes of a tag are refused if they differ in these bits. */
static void check_difference(const struct message *m, const hornet_aead_state *decrypted, size_t n,
                             const tag_t difference)
{
    hornet_aead_state state = *decrypted;
    tag_t tag;
    for (size_t i = 0; i < 16; i++)
        tag[i] = m->tag[i] ^ difference[i];
    check(!hornet_aead_final_verify_truncated(&state, tag, n) &&
              (n < 16 || !open_message(m, OUTPUT, m->ciphertext, tag)),
          "a forged tag of %zu bytes, whose first byte differs by %d, and the last by %d", n, difference[0],
          difference[n - 1]);
}

/* Differences between tags do not cancel: any two bits, and a bit after some bytes of which every bit is
 * wrong, where a sum of words may be zero. */
static void test_forged_tags(void)
{
    const struct message m = make_message(16, 0, false);
    hornet_aead_state decrypted;
    begin(&decrypted, &m, 0);
    check(hornet_aead_decrypt(&decrypted, OUTPUT, m.ciphertext, m.len_bytes), "decrypt");
    for (size_t n = 1; n <= 16; n++)
        for (size_t i = 0; i < 8 * n; i += step) {
            for (size_t j = 0; j < i; j++) {
                tag_t difference = {0};
                difference[i / 8] = (uint8_t)(1 << i % 8);
                difference[j / 8] |= (uint8_t)(1 << j % 8);
                check_difference(&m, &decrypted, n, difference);
            }
            for (size_t wrong = 0; wrong <= i / 8; wrong++) {
                tag_t difference = {0};
                memset(difference, 255, wrong);
                difference[i / 8] = (uint8_t)(1 << i % 8);
                check_difference(&m, &decrypted, n, difference);
            }
        }
}

/* Nothing is mapped here, nor in the block before. */
#define NOWHERE ((uint8_t *)(uintptr_t)1024)

#if !defined(_WIN32) && SIZE_MAX > UINT32_MAX
/* A call with more text than there is memory for, and its result. */
static struct {
    bool (*process)(hornet_aead_state *state, void *out, const void *in, size_t len_bytes);
    hornet_aead_state state;
    size_t len_bytes;
} longest;

static void process_longest(void)
{
    (void)longest.process(&longest.state, NOWHERE, NOWHERE, longest.len_bytes);
}

/* The other functions for one message; the state has no part in them. */
static bool seal_longest(hornet_aead_state *state, void *out, const void *in, size_t len_bytes)
{
    tag_t tag;
    (void)state;
    return hornet_chacha20_poly1305_seal(out, tag, in, len_bytes, NULL, 0, random_nonce, random_key);
}

static bool encrypt_longest_list(hornet_aead_state *state, void *out, const void *in, size_t len_bytes)
{
    const hornet_piece pieces[] = {{OUTPUT, random_msg, 36}, {out, in, len_bytes - 36}};
    return hornet_aead_encryptv(state, pieces, 2);
}

/* The longest text that is allowed is processed: memory at these addresses is accessed, which crashes. */
static void test_longest(void)
{
    const struct message m = make_message(100, 30, false);
    for (size_t before = 0; before <= 100; before += 100) {
        bool (*const calls[])(hornet_aead_state *, void *, const void *,
                              size_t) = {hornet_aead_encrypt, encrypt_longest_list, seal_longest};
        for (size_t i = 0; i < (before == 0 ? 3 : 2); i++) {
            longest.process = calls[i];
            longest.len_bytes = HORNET_CHACHA20_POLY1305_MAX_BYTES - before;
            begin(&longest.state, &m, 0);
            check(hornet_aead_encrypt(&longest.state, OUTPUT, m.msg, before), "the first piece");
            check(accesses_guard_page(process_longest), "%zu bytes after %zu refused", longest.len_bytes,
                  before);
        }
    }
}
#else
static void test_longest(void) {}
#endif

/* A text that is too long is not touched: nothing is mapped at these addresses. */
static void test_too_long(void)
{
#if SIZE_MAX > UINT32_MAX
    static const size_t lengths[] = {HORNET_CHACHA20_POLY1305_MAX_BYTES + 1, (size_t)1 << 38, SIZE_MAX - 63,
                                     SIZE_MAX};
    const struct message m = make_message(300, 30, false);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const size_t n = lengths[i];
        tag_t tag;
        memset(tag, FILL, 16);
        check(!hornet_chacha20_poly1305_seal(NOWHERE, tag, NOWHERE, n, m.aad, 30, m.nonce, m.key) &&
                  !hornet_xchacha20_poly1305_seal(NOWHERE, tag, NOWHERE, n, m.aad, 30, m.nonce, m.key) &&
                  all_are(tag, 16, FILL),
              "%zu bytes sealed", n);
        check(!hornet_chacha20_poly1305_open(NOWHERE, NOWHERE, n, tag, m.aad, 30, m.nonce, m.key) &&
                  !hornet_xchacha20_poly1305_open(NOWHERE, NOWHERE, n, tag, m.aad, 30, m.nonce, m.key),
              "%zu bytes opened", n);

        hornet_aead_state state;
        const hornet_piece pieces[] = {
            {OUTPUT, m.msg, 64}, {NOWHERE, NOWHERE, n - 63}, {NOWHERE, NOWHERE, n}};
        begin(&state, &m, 0);
        fill_output(300);
        check(!hornet_aead_encrypt(&state, NOWHERE, NOWHERE, n) &&
                  !hornet_aead_decrypt(&state, NOWHERE, NOWHERE, n) &&
                  !hornet_aead_encryptv(&state, pieces, 3) && !hornet_aead_encryptv(&state, pieces, 2) &&
                  !hornet_aead_decryptv(&state, pieces, 2) && all_are(OUTPUT, 300, FILL),
              "%zu bytes in a piece", n);
        /* The sum of these is 100 modulo 2^64. */
        enum { WRAPS = 28 };
        hornet_piece wraps[WRAPS] = {{NOWHERE, NOWHERE, HORNET_CHACHA20_POLY1305_MAX_BYTES}};
        size_t sum = wraps[0].len_bytes;
        for (size_t k = 1; k < WRAPS; k++) {
            const size_t most = HORNET_CHACHA20_POLY1305_MAX_BYTES + sum, rest = 100 - sum;
            wraps[k] = (hornet_piece){NOWHERE, NOWHERE, rest <= most ? rest : most};
            sum += wraps[k].len_bytes;
        }
        check(sum == 100 && !hornet_aead_encryptv(&state, wraps, WRAPS), "pieces whose lengths wrap");
        check(hornet_aead_encrypt(&state, OUTPUT, m.msg, 100), "a piece after one that is too long");
        check(!hornet_aead_encrypt(&state, NOWHERE, NOWHERE, n - 100) &&
                  !hornet_aead_encrypt(&state, NOWHERE, NOWHERE, n),
              "%zu bytes in pieces", n);
        check(hornet_aead_encrypt(&state, OUTPUT + 100, m.msg + 100, 200) &&
                  hornet_aead_final(&state, tag) && memcmp(tag, m.tag, 16) == 0 &&
                  same(OUTPUT, m.ciphertext, 300),
              "after a piece that is too long");
    }
#endif
}

/* Places each buffer at the very end, and then at the very start, of accessible memory. */
static void test_guard_pages(void)
{
    enum { AT_IN, AT_OUT, AT_AAD, AT_NONCE, AT_KEY, AT_TAG, BUFFERS };
    enum { MAX_BYTES = 2304, PACKETS = 17 };
    static uint8_t outs[PACKETS][MAX_BYTES];
    tag_t tags[PACKETS];
    bool valid[PACKETS];
    const size_t page = page_bytes();
    uint8_t *pages[BUFFERS], *at[BUFFERS];
    for (int i = 0; i < BUFFERS; i++) {
        uint8_t *reserved = reserve_pages(3 * page);
        must(reserved != NULL && allow_pages(reserved + page, page), "memory for guard pages");
        pages[i] = reserved + page;
    }
    for (size_t n = 0; n <= MAX_BYTES; n += step) {
        const struct message sealed = make_message(n, n % 71, n % 2 == 0);
        for (size_t offset = 0; offset < 128; offset += n > 300 ? 64 : offset < 64 ? 1 + n % 7 : 64) {
            /* Ends within 63 bytes of the page's end, or starts within 63 bytes of its start. */
            const bool at_end = offset < 64;
            const size_t sizes[BUFFERS] = {n, n, sealed.aad_bytes, sealed.extended ? 24 : 12, 32, 16};
            for (int i = 0; i < BUFFERS; i++) {
                const size_t shift = i == AT_IN || i == AT_OUT ? offset % 64 : 0;
                at[i] = at_end ? pages[i] + page - sizes[i] - shift : pages[i] + shift;
            }
            struct message m = sealed;
            copy(at[AT_AAD], m.aad, m.aad_bytes);
            m.aad = at[AT_AAD];
            m.nonce = memcpy(at[AT_NONCE], m.nonce, sizes[AT_NONCE]);
            m.key = memcpy(at[AT_KEY], m.key, 32);
            force_chacha20(nth_chacha20(n + offset));
            running_kernel = chacha20_name(chacha20_in_use());
            running_length = n;

            copy(at[AT_IN], sealed.msg, n);
            check(seal_message(&m, at[AT_OUT], at[AT_TAG], at[AT_IN]) &&
                      same(at[AT_OUT], m.ciphertext, n) && memcmp(at[AT_TAG], m.tag, 16) == 0,
                  "%s: %zu bytes, guard pages, offset %zu: sealed", names(), n, offset);
            check(open_message(&m, at[AT_IN], at[AT_OUT], at[AT_TAG]) && same(at[AT_IN], sealed.msg, n),
                  "%s: %zu bytes, guard pages, offset %zu: opened", names(), n, offset);
            check(seal_message(&m, at[AT_IN], at[AT_TAG], at[AT_IN]) &&
                      open_message(&m, at[AT_IN], at[AT_IN], at[AT_TAG]) && same(at[AT_IN], sealed.msg, n),
                  "%s: %zu bytes, guard pages, offset %zu: in place", names(), n, offset);

            hornet_aead_state state;
            const size_t cut = n * offset / 128;
            begin(&state, &m, m.aad_bytes / 2);
            check(hornet_aead_encrypt(&state, at[AT_OUT], at[AT_IN], cut) &&
                      hornet_aead_encrypt(&state, at[AT_OUT] + cut, at[AT_IN] + cut, n - cut) &&
                      hornet_aead_final(&state, at[AT_TAG]) && same(at[AT_OUT], m.ciphertext, n) &&
                      memcmp(at[AT_TAG], m.tag, 16) == 0,
                  "%s: %zu bytes, guard pages, offset %zu: in pieces", names(), n, offset);
            begin(&state, &m, m.aad_bytes / 3);
            check(hornet_aead_decrypt(&state, at[AT_IN], at[AT_OUT], n) &&
                      hornet_aead_final_verify(&state, at[AT_TAG]),
                  "%s: %zu bytes, guard pages, offset %zu: decrypted", names(), n, offset);

            reference_chacha20(OUTPUT, sealed.msg, m.extended ? 0 : n, m.key, 7, m.nonce);
            check(m.extended || (hornet_chacha20(at[AT_OUT], at[AT_IN], n, 7, m.nonce, m.key) &&
                                 same(at[AT_OUT], OUTPUT, n)),
                  "%s: %zu bytes, guard pages, offset %zu: ChaCha20", names(), n, offset);

            if (n > 130 && n % 9 != 0)
                continue;
            /* Among shorter packets. */
            for (size_t i = 0; i < PACKETS; i++)
                packet_calls[i] = (hornet_packet){outs[i], at[AT_IN],   i == 5 ? n : n - n * i / 30,
                                                  m.aad,   m.aad_bytes, m.nonce,
                                                  m.key,   tags[i]};
            packet_calls[5].out = at[AT_OUT];
            packet_calls[5].tag = at[AT_TAG];
            check(seal_packets(packet_calls, PACKETS, m.extended) && same(at[AT_OUT], m.ciphertext, n) &&
                      memcmp(at[AT_TAG], m.tag, 16) == 0,
                  "%s: %zu bytes, guard pages, offset %zu: in a batch", names(), n, offset);
            for (size_t i = 0; i < PACKETS; i++) {
                packet_calls[i].in = packet_calls[i].out;
                packet_calls[i].out = outs[i];
            }
            packet_calls[5].out = at[AT_IN];
            check(open_packets(valid, packet_calls, PACKETS, m.extended) && same(at[AT_IN], sealed.msg, n),
                  "%s: %zu bytes, guard pages, offset %zu: opened in a batch", names(), n, offset);
        }
    }
    force_chacha20(NULL);
    for (int i = 0; i < BUFFERS; i++)
        release_pages(pages[i] - page, 3 * page);
}

#if defined(__linux__) && SIZE_MAX > UINT32_MAX
/* Maps memory in which all windows are the same pages: an output of more than 4 GiB that needs little
 * memory. */
static uint8_t *map_windows(size_t len_bytes, size_t window_bytes)
{
    FILE *file = tmpfile();
    uint8_t *memory = reserve_pages(len_bytes);
    bool there = file != NULL && memory != NULL && ftruncate(fileno(file), (off_t)window_bytes) == 0;
    for (size_t at = 0; there && at < len_bytes; at += window_bytes)
        there = mmap(memory + at, window_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                     fileno(file), 0) != MAP_FAILED;
    must(there, "address space for 4 GiB");
    fclose(file);
    return memory;
}

/* 4 GiB is no multiple of a window, so that an address that is cut to 32 bits has other bytes. */
enum { HUGE_AAD_BYTES = 20, WINDOW_BYTES = (1 << 24) - (1 << 16) };
/* Cut to 32 bits, it would be below each limit for short input, the least of which is 64 bytes. */
static const size_t huge_bytes = ((size_t)1 << 32) + 53;
/* What is sealed is longer, by more than three parts of 64 KiB, so that parts begin beyond 4 GiB. */
static const size_t longer_bytes = ((size_t)1 << 32) + 200000;
/* Rounded up to windows. */
static const size_t huge_mapped = (((size_t)1 << 32) / WINDOW_BYTES + 1) * WINDOW_BYTES;

/* As many windows, all of the same random bytes. */
static uint8_t *huge_input(void)
{
    uint8_t *const in = map_windows(huge_mapped, WINDOW_BYTES);
    must(huge_mapped >= longer_bytes && huge_mapped - WINDOW_BYTES < huge_bytes,
         "the last window has the end");
    random_bytes(in, WINDOW_BYTES);
    return in;
}

/* Absorbs a part of Poly1305's input, padded. If it is huge, its windows are absorbed in closed form: each
 * multiplies h by a power of r and adds what a window alone gives. */
static void absorb_part(mpz_t h, const mpz_t r, const uint8_t *bytes, size_t len_bytes)
{
    uint8_t padded[16] = {0};
    if (len_bytes == huge_bytes) {
        mpz_t p, power, window;
        mpz_inits(p, power, window, NULL);
        reference_prime(p);
        mpz_powm_ui(power, r, WINDOW_BYTES / 16, p);
        reference_absorb(window, r, bytes, WINDOW_BYTES);
        for (; len_bytes >= WINDOW_BYTES; len_bytes -= WINDOW_BYTES) {
            mpz_mul(h, h, power);
            mpz_add(h, h, window);
            mpz_mod(h, h, p);
        }
        mpz_clears(p, power, window, NULL);
    }
    const size_t whole = len_bytes / 16 * 16;
    reference_absorb(h, r, bytes, whole);
    memcpy(padded, bytes + whole, len_bytes - whole);
    reference_absorb(h, r, padded, (len_bytes - whole + 15) / 16 * 16);
}

/* Sets the tag of a message whose ciphertext, associated data or both are huge_input(). */
static void compute_huge_tag(struct message *m)
{
    uint8_t one_time[64], lengths[16], subkey[32], short_nonce[12];
    mpz_t h, r, s;
    mpz_inits(h, r, s, NULL);
    if (m->extended)
        reference_xchacha20_begin(subkey, short_nonce, m->key, m->nonce);
    reference_chacha20_block(one_time, m->extended ? subkey : m->key, 0,
                             m->extended ? short_nonce : m->nonce);
    reference_clamped(r, one_time);
    reference_from_bytes(s, one_time + 16, 16);
    absorb_part(h, r, m->aad, m->aad_bytes);
    absorb_part(h, r, m->ciphertext, m->len_bytes);
    for (int i = 0; i < 8; i++) {
        lengths[i] = (uint8_t)((uint64_t)m->aad_bytes >> 8 * i);
        lengths[8 + i] = (uint8_t)((uint64_t)m->len_bytes >> 8 * i);
    }
    absorb_part(h, r, lengths, 16);
    mpz_add(h, h, s);
    reference_to_bytes(m->tag, 16, h);
    mpz_clears(h, r, s, NULL);
}

/* Sets all packets to a short message, and one to this one, which is also its output. */
enum { HUGE_PACKETS = 17, HUGE_PACKET = 5 };
static void make_huge_packets(const struct message *m, uint8_t *out, tag_t tag)
{
    make_packets(HUGE_PACKETS, 2);
    make_calls(HUGE_PACKETS, true);
    packet_calls[HUGE_PACKET] =
        (hornet_packet){out, m->ciphertext, m->len_bytes, m->aad, m->aad_bytes, m->nonce, m->key, tag};
}

static void check_huge_packets(const struct message *m, uint8_t *out, const char *what)
{
    bool valid[HUGE_PACKETS] = {false};
    tag_t tag;
    memcpy(tag, m->tag, 16);
    make_huge_packets(m, out, tag);
    check(hornet_chacha20_poly1305_open_batch(valid, packet_calls, HUGE_PACKETS), "%s: a batch", what);
    for (size_t i = 0; i < HUGE_PACKETS; i++)
        check(valid[i] && (i == HUGE_PACKET || same(packets[i].out, packets[i].msg, packets[i].len_bytes)),
              "%s: packet %zu of a batch", what, i);
    tag[15] ^= 1;
    make_huge_packets(m, out, tag);
    check(!hornet_chacha20_poly1305_open_batch(valid, packet_calls, HUGE_PACKETS) && !valid[HUGE_PACKET],
          "%s: forged, in a batch", what);
}

/* One message of more than 4 GiB, in a single call, as one piece, and in a batch. The ciphertext to be
 * opened is the same bytes again and again, so that its tag has a closed form; the sealed result is
 * compared with OpenSSL. All windows of the output are the same memory, so that it contains the last of
 * them, or zeros. */
static void test_huge_message(void)
{
    const size_t n = huge_bytes, last = huge_mapped - WINDOW_BYTES;
    uint8_t *const in = huge_input(), *const out = map_windows(huge_mapped, WINDOW_BYTES);
    uint8_t *const expected = malloc(longer_bytes - last);
    must(expected != NULL, "memory");
    struct message m = make_message(0, HUGE_AAD_BYTES, false);
    m.msg = m.ciphertext = in;
    m.len_bytes = n;
    /* What is in the last window. */
    reference_chacha20(expected, in + last, longer_bytes - last, m.key, 1 + (uint32_t)(last / 64), m.nonce);
    compute_huge_tag(&m);

    check(open_message(&m, out, in, m.tag) && memcmp(out + last, expected, n - last) == 0,
          "%zu bytes opened", n);
    hornet_aead_state state;
    begin(&state, &m, 3);
    memset(out + last, 0, n - last);
    check(hornet_aead_decrypt(&state, out, in, n) && hornet_aead_final_verify(&state, m.tag) &&
              memcmp(out + last, expected, n - last) == 0,
          "%zu bytes decrypted", n);
    check_huge_packets(&m, out, "a huge packet");
    check(all_are(out, WINDOW_BYTES, 0), "%zu bytes: a forgery", n);
    m.len_bytes = (size_t)1 << 32;
    memset(out, FILL, WINDOW_BYTES);
    check(!open_message(&m, out, in, m.tag) && all_are(out, WINDOW_BYTES, 0), "%zu bytes: a forgery",
          m.len_bytes);
    m.len_bytes = n;

#ifndef HORNET_NO_PEERS
    tag_t tag, sealed;
    int written;
    must(EVP_EncryptInit_ex(openssl_ctx, NULL, NULL, m.key, m.nonce) == 1 &&
             EVP_EncryptUpdate(openssl_ctx, NULL, &written, m.aad, HUGE_AAD_BYTES) == 1,
         "OpenSSL: key");
    m.len_bytes = longer_bytes;
    for (size_t at = 0; at < longer_bytes; at += WINDOW_BYTES)
        must(EVP_EncryptUpdate(
                 openssl_ctx, out, &written, in + at,
                 (int)(longer_bytes - at < WINDOW_BYTES ? longer_bytes - at : WINDOW_BYTES)) == 1,
             "OpenSSL: message");
    must(EVP_EncryptFinal_ex(openssl_ctx, sealed, &written) == 1 &&
             EVP_CIPHER_CTX_ctrl(openssl_ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1,
         "OpenSSL: tag");
    check(seal_message(&m, out, sealed, in) && memcmp(tag, sealed, 16) == 0 &&
              memcmp(out + last, expected, longer_bytes - last) == 0,
          "%zu bytes sealed", longer_bytes);
    /* Two pieces, of which the first has the most bytes that 32 bits count, and one byte more. */
    for (size_t cut = UINT32_MAX; cut <= (size_t)UINT32_MAX + 1; cut++) {
        begin(&state, &m, 20);
        check(hornet_aead_encrypt(&state, out, in, cut) &&
                  hornet_aead_encrypt(&state, out + cut, in + cut, longer_bytes - cut) &&
                  hornet_aead_final(&state, sealed) && memcmp(tag, sealed, 16) == 0,
              "%zu bytes encrypted, cut at %zu", longer_bytes, cut);
    }
#endif
    free(expected);
    release_pages(out, huge_mapped);
    release_pages(in, huge_mapped);
}

/* More than 4 GiB of associated data, in a single call, in pieces, without text, and in a batch. */
static void test_huge_aad(void)
{
    uint8_t *const in = huge_input();
    struct message m;
    hornet_aead_state state;
    tag_t tag;
    for (int extended = 1; extended >= 0; extended--) {
        m = make_message(100, 0, extended);
        m.aad = in;
        m.aad_bytes = huge_bytes;
        compute_huge_tag(&m);
        check(seal_message(&m, OUTPUT, tag, m.msg) && same(OUTPUT, m.ciphertext, 100) &&
                  memcmp(tag, m.tag, 16) == 0,
              "%zu bytes of associated data, sealed, extended %d", m.aad_bytes, extended);
        check(open_message(&m, OUTPUT, m.ciphertext, m.tag) && same(OUTPUT, m.msg, 100),
              "%zu bytes of associated data, opened, extended %d", m.aad_bytes, extended);
    }
    static const size_t cuts[] = {0, 13, UINT32_MAX};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        begin(&state, &m, cuts[i]);
        check(hornet_aead_decrypt(&state, OUTPUT, m.ciphertext, 100) &&
                  hornet_aead_final_verify(&state, m.tag) && same(OUTPUT, m.msg, 100),
              "%zu bytes of associated data, in pieces, cut at %zu", m.aad_bytes, cuts[i]);
    }
    check_huge_packets(&m, OUTPUT, "huge associated data");
    m.len_bytes = 0;
    compute_huge_tag(&m);
    begin(&state, &m, 300);
    check(hornet_aead_final(&state, tag) && memcmp(tag, m.tag, 16) == 0,
          "%zu bytes of associated data, no text", m.aad_bytes);
    release_pages(in, huge_mapped);
}

/* Batches of 2^32 packets, and lists of as many pieces, begin with the first, and do not end before what is
 * readable of them. */
enum { READABLE = 256 };
static bool many_valid[READABLE];
static const hornet_packet *many_packets;
static const hornet_piece *many_pieces;

static void seal_many(void) { (void)!seal_packets(many_packets, (size_t)1 << 32, packets_extended); }

static void open_many(void)
{
    (void)!open_packets(many_valid, many_packets, (size_t)1 << 32, packets_extended);
}

static void encrypt_many(void)
{
    hornet_aead_state state;
    hornet_chacha20_poly1305_init(&state, random_nonce, random_key);
    (void)!hornet_aead_encryptv(&state, many_pieces, (size_t)1 << 32);
}

static void decrypt_many(void)
{
    hornet_aead_state state;
    hornet_chacha20_poly1305_init(&state, random_nonce, random_key);
    (void)!hornet_aead_decryptv(&state, many_pieces, (size_t)1 << 32);
}

static void test_huge_counts(void)
{
    const size_t page = page_bytes(), packets_bytes = READABLE * sizeof(hornet_packet);
    const size_t readable = (packets_bytes + page - 1) / page * page;
    uint8_t *const pages = reserve_pages(readable + page);
    must(pages != NULL && allow_pages(pages, readable), "memory for guard pages");
    hornet_packet *const calls = (hornet_packet *)(void *)(pages + readable - packets_bytes);
    many_packets = calls;
    for (int way = 0; way < 4; way++) {
        const bool opens = way % 2 != 0;
        packets_extended = way / 2 != 0;
        make_packets(2, 0);
        make_calls(2, opens);
        for (size_t i = 0; i < READABLE; i++)
            calls[i] = packet_calls[i != 0];
        check(accesses_guard_page(opens ? open_many : seal_many), "a batch of 2^32 packets ends early");
        check(opens ? many_valid[0] : memcmp(packets[0].tag, packets[0].expected, 16) == 0,
              "the first of 2^32 packets, opens %d", opens);
    }
    packets_extended = false;
    memset(pages, 0, readable);
    many_pieces = (const hornet_piece *)(const void *)(pages + readable - READABLE * sizeof *many_pieces);
    check(accesses_guard_page(encrypt_many), "a list of 2^32 pieces ends early");
    check(accesses_guard_page(decrypt_many), "a list of 2^32 pieces to decrypt ends early");
    release_pages(pages, readable + page);
}

/* Every kernel of ChaCha20 on more than 4 GiB. */
static void test_huge_chacha20(void)
{
    const size_t n = huge_bytes, last = huge_mapped - WINDOW_BYTES;
    uint8_t *const in = huge_input(), *const out = map_windows(huge_mapped, WINDOW_BYTES);
    uint8_t *const expected = malloc(n - last);
    must(expected != NULL, "memory");
    reference_chacha20(expected, in + last, n - last, random_key, 1 + (uint32_t)(last / 64), random_nonce);
    for (int k = 0; k < CHACHA20_KERNELS; k++) {
        if (!chacha20_runs_here(chacha20_kernels[k]))
            continue;
        force_chacha20(chacha20_kernels[k]);
        memset(out + last, 0, n - last);
        check(hornet_chacha20(out, in, n, 1, random_nonce, random_key) &&
                  memcmp(out + last, expected, n - last) == 0,
              "%s: %zu bytes", names(), n);
    }
    force_chacha20(NULL);
    free(expected);
    release_pages(out, huge_mapped);
    release_pages(in, huge_mapped);
}

static void test_huge(void)
{
    test_huge_aad();
    test_huge_counts();
    test_huge_message();
}
#else
static void test_huge(void) { check(false, "no 4 GiB here"); }
static void test_huge_chacha20(void) { check(false, "no 4 GiB here"); }
#endif

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*test)(void);
    } tests[] = {
        {"vectors", test_vectors},
        {"lengths", test_lengths},
        {"associated data", test_aad_lengths},
        {"associated data in pieces", test_aad_pieces},
        {"long messages", test_long_lengths},
        {"special nonces", test_special_nonces},
        {"pairs of kernels", test_pairs},
        {"cuts", test_cuts},
        {"pieces", test_many_pieces},
        {"alignments", test_alignments},
        {"batches", test_batches},
        {"every bit", test_every_bit},
        {"states", test_states},
        {"truncated tags", test_truncated_tags},
        {"forged tags", test_forged_tags},
        {"the longest", test_longest},
        {"too long", test_too_long},
        {"guard pages", test_guard_pages},
    };
    report_crashes();
    set_up_peers();
    random_bytes(random_msg, sizeof random_msg);
    random_bytes(random_aad, sizeof random_aad);
    if (argc > 1 && strcmp(argv[1], "--few") == 0) {
        step = 37;
    } else if (argc > 1) {
        static const struct {
            const char *option;
            void (*test)(void);
        } others[] = {
            {"--huge", test_huge}, {"--huge-chacha20", test_huge_chacha20}, {"--product", test_product}};
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            if (strcmp(argv[1], others[i].option) == 0) {
                others[i].test();
                return check_report("test_aead");
            }
        must(false, "--few, --huge, --huge-chacha20 or --product");
    }
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        const unsigned long before = checks_done;
        tests[i].test();
        printf("%s: %lu checks\n", tests[i].name, checks_done - before);
    }
    return check_report("test_aead");
}
