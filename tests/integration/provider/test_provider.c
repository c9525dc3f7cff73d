/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Compares the provider with libcrypto's default one, through EVP: the same calls, in the same order, to
 * both. Results, output and the reasons of errors must be the same, with the exceptions that
 * bindings/openssl/README.md lists. This program processes whole messages; test_walk.c makes calls in
 * any order. */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/proverr.h>
#include <openssl/provider.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../../support/check.h"
#include "../../support/inputs.h"
#include "providers.h"

/* MOST_BYTES exceeds the longest first piece that the provider handles as a whole message, and the longest
 * TLS record. */
enum { MOST_BYTES = 20000, MOST_AAD_BYTES = 200, TAG_BYTES = 16 };

static uint8_t random_text[MOST_BYTES], key[32], nonce[24], aad[MOST_AAD_BYTES];

/* Result of a message with one provider: its output, and whether final accepts. */
typedef struct {
    uint8_t text[MOST_BYTES];
    uint8_t tag[TAG_BYTES];
    int result;
} outcome;

/* How to process a message. */
typedef struct {
    bool encrypts, in_place, tag_last;
    size_t len_bytes, aad_bytes, tag_bytes;
    size_t cut_bytes; /* length of the pieces; 0: one piece */
} plan;

static void process(outcome *o, EVP_CIPHER_CTX *c, const plan *p, const uint8_t *text, const uint8_t *tag)
{
    static uint8_t empty[1];
    int done = 0, n = 0;
    bool good = true;
    memset(o, 0x5a, sizeof *o);
    if (p->in_place)
        memcpy(o->text, text, p->len_bytes);
    const uint8_t *const in = p->in_place ? o->text : text;
    if (!p->encrypts && !p->tag_last)
        good = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, (int)p->tag_bytes, (void *)tag);
    const size_t aad_cut = p->cut_bytes == 0 || p->aad_bytes == 0 ? p->aad_bytes : p->cut_bytes;
    for (size_t i = 0; i < p->aad_bytes && good; i += aad_cut)
        good = EVP_CipherUpdate(c, NULL, &n, aad + i,
                                (int)(p->aad_bytes - i < aad_cut ? p->aad_bytes - i : aad_cut));
    const size_t cut = p->cut_bytes == 0 ? p->len_bytes : p->cut_bytes;
    for (size_t i = 0; i < p->len_bytes && good; i += cut) {
        const size_t piece = p->len_bytes - i < cut ? p->len_bytes - i : cut;
        good = EVP_CipherUpdate(c, o->text + i, &n, in + i, (int)piece) && n == (int)piece;
    }
    if (!p->encrypts && p->tag_last)
        good = good && EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, (int)p->tag_bytes, (void *)tag);
    done = good && EVP_CipherFinal_ex(c, empty, &n) && n == 0;
    if (p->encrypts && done)
        done = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, o->tag);
    o->result = good ? done : -1;
    ERR_clear_error();
}

static void count_up(void)
{
    for (size_t i = 0; i < sizeof nonce && ++nonce[i] == 0; i++)
        ;
}

/* Processes a message with both providers and, if the plan encrypts, decrypts it again, unchanged and
 * forged. Contexts are reused as in TLS: the key is set once, and a nonce for each message. */
static void compare(EVP_CIPHER_CTX *const c[PROVIDERS], const plan *p, const uint8_t *text,
                    const uint8_t *tag)
{
    static outcome outcomes[PROVIDERS];
    for (int i = 0; i < PROVIDERS; i++) {
        check(EVP_CipherInit_ex(c[i], NULL, NULL, NULL, nonce, p->encrypts), "init");
        process(&outcomes[i], c[i], p, text, tag);
    }
    check(memcmp(&outcomes[DEFAULT], &outcomes[HORNET], sizeof(outcome)) == 0,
          "%s %zu bytes, aad %zu, tag %zu, cut %zu, in place %d, tag last %d: results %d and %d",
          p->encrypts ? "encrypting" : "decrypting", p->len_bytes, p->aad_bytes, p->tag_bytes, p->cut_bytes,
          p->in_place, p->tag_last, outcomes[DEFAULT].result, outcomes[HORNET].result);
    if (!p->encrypts)
        return;
    check(outcomes[HORNET].result == 1, "encrypting %zu bytes fails", p->len_bytes);
    static outcome sealed;
    sealed = outcomes[DEFAULT];
    for (int forged = 0; forged < 3; forged++)
        for (int tag_last = 0; tag_last < 2; tag_last++) {
            plan back = *p;
            back.encrypts = false;
            back.tag_last = tag_last;
            if (forged == 1)
                sealed.tag[random_word() % p->tag_bytes] ^= (uint8_t)(1U << random_word() % 8);
            else if (forged == 2 && p->len_bytes != 0)
                sealed.text[random_word() % p->len_bytes] ^= (uint8_t)(1U << random_word() % 8);
            compare(c, &back, sealed.text, sealed.tag);
        }
}

static void begin(EVP_CIPHER_CTX *c[PROVIDERS])
{
    for (int i = 0; i < PROVIDERS; i++) {
        c[i] = new_context();
        check(EVP_CipherInit_ex(c[i], ciphers[i], NULL, key, NULL, 1), "init with a key");
    }
}

static void end(EVP_CIPHER_CTX *c[PROVIDERS])
{
    for (int i = 0; i < PROVIDERS; i++)
        EVP_CIPHER_CTX_free(c[i]);
}

static void test_lengths(void)
{
    static const size_t longer[] = {960,  961,  1023, 1024, 1350, 1983, 1984,  1985,  2047,
                                    2048, 2049, 4096, 4097, 8191, 8192, 16384, 16385, MOST_BYTES};
    EVP_CIPHER_CTX *c[PROVIDERS];
    begin(c);
    for (size_t len = 0; len <= 600; len++) {
        count_up();
        compare(c, &(plan){true, len % 2, false, len, len % 41, 16, 0}, random_text, NULL);
    }
    for (size_t aad_bytes = 0; aad_bytes <= 40; aad_bytes++)
        for (size_t len = 0; len <= 40; len++) {
            count_up();
            compare(c, &(plan){true, len % 2, false, len, aad_bytes, 16, 0}, random_text, NULL);
        }
    for (size_t i = 0; i < sizeof longer / sizeof *longer; i++)
        for (size_t aad_bytes = 0; aad_bytes < MOST_AAD_BYTES; aad_bytes += 13) {
            count_up();
            compare(c, &(plan){true, aad_bytes % 2, false, longer[i], aad_bytes, 16, 0}, random_text, NULL);
        }
    end(c);
}

/* Cuts messages into pieces of every size. The longest first piece that the provider handles as a whole
 * message is between the lengths. */
static void test_cuts(void)
{
    static const size_t lens[] = {1, 65, 130, 600, 2048, 2100};
    EVP_CIPHER_CTX *c[PROVIDERS];
    begin(c);
    for (size_t i = 0; i < sizeof lens / sizeof *lens; i++)
        for (size_t cut = 1; cut <= lens[i]; cut += 1 + cut / 24) {
            count_up();
            compare(c, &(plan){true, cut % 2, false, lens[i], 5 + cut % 96, 16, cut}, random_text, NULL);
        }
    for (size_t tag_bytes = 1; tag_bytes <= 16; tag_bytes++)
        for (size_t cut = 0; cut <= 50; cut += 25) {
            count_up();
            compare(c, &(plan){true, cut % 2, false, 100, 13, tag_bytes, cut}, random_text, NULL);
        }
    end(c);
}

/* Seals TLS 1.2 records with one provider and opens them with the other: tlsaad, and one update in place
 * with the tag. */
static void test_records(void)
{
    for (int from = 0; from < PROVIDERS; from++) {
        EVP_CIPHER_CTX *c[PROVIDERS];
        begin(c);
        check(EVP_CipherInit_ex(c[from], NULL, NULL, NULL, nonce, 1), "init");
        check(EVP_CipherInit_ex(c[!from], NULL, NULL, NULL, nonce, 0), "init");
        for (size_t len = 0; len <= 16400; len += len < 600 ? 1 : 601) {
            static uint8_t record[16400 + TAG_BYTES], copy[16400 + TAG_BYTES];
            uint8_t header[13] = {0};
            const bool forged = len % 3 == 0;
            header[6] = (uint8_t)(len >> 8);
            header[7] = (uint8_t)len;
            header[8] = 23;
            header[9] = header[10] = 3;
            header[11] = (uint8_t)(len >> 8);
            header[12] = (uint8_t)len;
            memcpy(record, random_text, len);
            check(EVP_CIPHER_CTX_ctrl(c[from], EVP_CTRL_AEAD_TLS1_AAD, 13, header) == TAG_BYTES, "tlsaad");
            check(EVP_Cipher(c[from], record, record, (unsigned)(len + TAG_BYTES)) == (int)len + TAG_BYTES,
                  "a record of %zu", len);
            memcpy(copy, record, len + TAG_BYTES);
            if (forged)
                copy[random_word() % (len + TAG_BYTES)] ^= 1;
            header[11] = (uint8_t)((len + TAG_BYTES) >> 8);
            header[12] = (uint8_t)(len + TAG_BYTES);
            check(EVP_CIPHER_CTX_ctrl(c[!from], EVP_CTRL_AEAD_TLS1_AAD, 13, header) == TAG_BYTES, "tlsaad");
            check(EVP_Cipher(c[!from], copy, copy, (unsigned)(len + TAG_BYTES)) == (forged ? -1 : (int)len),
                  "opening a record of %zu, forged %d", len, forged);
            memcpy(record, random_text, len);
            if (forged)
                memset(record, 0, len);
            check(memcmp(copy, record, len) == 0, "what is left of a record of %zu, forged %d", len,
                  forged);
        }
        end(c);
    }
}

/* Overlapping output and input must give the same result as separate ones. */
static void test_overlap(void)
{
    static uint8_t expected[1000], buffer[2000];
    uint8_t tag[TAG_BYTES], expected_tag[TAG_BYTES];
    EVP_CIPHER_CTX *c[PROVIDERS];
    int n = 0;
    begin(c);
    for (size_t i = 0; i < PROVIDERS; i++)
        EVP_CipherInit_ex(c[i], NULL, NULL, NULL, nonce, 1);
    EVP_CipherUpdate(c[DEFAULT], expected, &n, random_text, 1000);
    EVP_CipherFinal_ex(c[DEFAULT], buffer, &n);
    EVP_CIPHER_CTX_ctrl(c[DEFAULT], EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, expected_tag);
    for (size_t out = 0; out <= 1000; out += 25) {
        EVP_CipherInit_ex(c[HORNET], NULL, NULL, NULL, nonce, 1);
        memcpy(buffer + 500, random_text, 1000);
        check(EVP_CipherUpdate(c[HORNET], buffer + out, &n, buffer + 500, 1000), "overlap");
        check(memcmp(buffer + out, expected, 1000) == 0, "output %zu bytes before input", 500 - out);
        check(EVP_CipherFinal_ex(c[HORNET], buffer, &n), "final");
        EVP_CIPHER_CTX_ctrl(c[HORNET], EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, tag);
        check(memcmp(tag, expected_tag, TAG_BYTES) == 0, "the tag");
    }
    end(c);
}

/* Wrong parameters, and some right ones, must give the same results and reasons. */
static void test_params(void)
{
    uint8_t bytes[64] = {1};
    size_t right[] = {12, 32, 16}, wrong = 256 + 12, huge = SIZE_MAX;
    int negative = -1, small = 12;
    uint32_t half = 32;
    double real = 32.5;
    struct {
        const char *what;
        OSSL_PARAM param;
        bool gets, encrypts;
    } all[] = {
        {"ivlen", OSSL_PARAM_construct_size_t("ivlen", &right[0]), false, true},
        {"ivlen as int", OSSL_PARAM_construct_int("ivlen", &small), false, true},
        {"wrong ivlen", OSSL_PARAM_construct_size_t("ivlen", &wrong), false, true},
        {"negative ivlen", OSSL_PARAM_construct_int("ivlen", &negative), false, true},
        {"ivlen as text", OSSL_PARAM_construct_utf8_string("ivlen", (char *)bytes, 2), false, true},
        {"keylen", OSSL_PARAM_construct_uint32("keylen", &half), false, true},
        {"wrong keylen", OSSL_PARAM_construct_size_t("keylen", &huge), false, true},
        {"keylen as real", OSSL_PARAM_construct_double("keylen", &real), false, true},
        {"tag to encrypt", OSSL_PARAM_construct_octet_string("tag", bytes, 16), false, true},
        {"tag to decrypt", OSSL_PARAM_construct_octet_string("tag", bytes, 16), false, false},
        {"tag of 17", OSSL_PARAM_construct_octet_string("tag", bytes, 17), false, false},
        {"tag of 0", OSSL_PARAM_construct_octet_string("tag", bytes, 0), false, false},
        {"tag as text", OSSL_PARAM_construct_utf8_string("tag", (char *)bytes, 1), false, false},
        {"length of tag", OSSL_PARAM_construct_octet_string("tag", NULL, 12), false, true},
        {"tlsaad of 12", OSSL_PARAM_construct_octet_string("tlsaad", bytes, 12), false, true},
        {"tlsaad of 14", OSSL_PARAM_construct_octet_string("tlsaad", bytes, 14), false, true},
        {"tlsaad as text", OSSL_PARAM_construct_utf8_string("tlsaad", (char *)bytes, 13), false, true},
        {"tlsaad of a record too short", OSSL_PARAM_construct_octet_string("tlsaad", bytes, 13), false,
         false},
        {"tlsivfixed", OSSL_PARAM_construct_octet_string("tlsivfixed", bytes, 12), false, true},
        {"tlsivfixed of 4", OSSL_PARAM_construct_octet_string("tlsivfixed", bytes, 4), false, true},
        {"tlsivfixed as int", OSSL_PARAM_construct_int("tlsivfixed", &small), false, true},
        {"unknown", OSSL_PARAM_construct_int("padding", &small), false, true},
        {"get ivlen", OSSL_PARAM_construct_size_t("ivlen", &right[0]), true, true},
        {"get ivlen as int", OSSL_PARAM_construct_int("ivlen", &small), true, true},
        {"get keylen", OSSL_PARAM_construct_uint32("keylen", &half), true, true},
        {"get keylen as text", OSSL_PARAM_construct_utf8_string("keylen", (char *)bytes, 8), true, true},
        {"get ivlen as text", OSSL_PARAM_construct_utf8_string("ivlen", (char *)bytes, 8), true, true},
        {"get taglen", OSSL_PARAM_construct_size_t("taglen", &right[2]), true, true},
        {"get taglen as octets", OSSL_PARAM_construct_octet_string("taglen", bytes, 8), true, true},
        {"get tlsaadpad", OSSL_PARAM_construct_size_t("tlsaadpad", &right[2]), true, true},
        {"get tag to decrypt", OSSL_PARAM_construct_octet_string("tag", bytes, 16), true, false},
        {"get tag of 17", OSSL_PARAM_construct_octet_string("tag", bytes, 17), true, true},
        {"get tag as text", OSSL_PARAM_construct_utf8_string("tag", (char *)bytes, 16), true, true},
        {"get unknown", OSSL_PARAM_construct_int("padding", &small), true, true},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        int result[PROVIDERS], reason[PROVIDERS], n = 0;
        uint8_t after[PROVIDERS][64];
        size_t sizes[PROVIDERS];
        for (int i = 0; i < PROVIDERS; i++) {
            EVP_CIPHER_CTX *const c = new_context();
            uint8_t storage[64] = {0}, out[16];
            OSSL_PARAM params[] = {all[k].param, OSSL_PARAM_construct_end()};
            if (params[0].data != NULL) {
                memcpy(storage, params[0].data, params[0].data_size);
                params[0].data = storage;
            }
            EVP_CipherInit_ex(c, ciphers[i], NULL, key, nonce, all[k].encrypts);
            if (all[k].encrypts && all[k].gets)
                check(EVP_CipherFinal_ex(c, out, &n), "final");
            result[i] =
                all[k].gets ? EVP_CIPHER_CTX_get_params(c, params) : EVP_CIPHER_CTX_set_params(c, params);
            reason[i] = last_reason();
            memcpy(after[i], storage, sizeof storage);
            sizes[i] = params[0].return_size;
            EVP_CIPHER_CTX_free(c);
        }
        check(result[DEFAULT] == result[HORNET] && reason[DEFAULT] == reason[HORNET],
              "%s: %d for reason %d, and %d for reason %d", all[k].what, result[DEFAULT], reason[DEFAULT],
              result[HORNET], reason[HORNET]);
        check(memcmp(after[DEFAULT], after[HORNET], sizeof *after) == 0, "%s: what is read", all[k].what);
        check(!all[k].gets || !result[DEFAULT] || strcmp(all[k].param.key, "tag") == 0 ||
                  sizes[DEFAULT] == sizes[HORNET],
              "%s: sizes %zu and %zu", all[k].what, sizes[DEFAULT], sizes[HORNET]);
    }
}

/* Checks the parameters of the ciphers without a context, and calls that only this provider refuses. */
static void test_refusals(void)
{
    uint8_t out[64];
    int n = 0;
    for (int i = 0; i < PROVIDERS; i++) {
        check(EVP_CIPHER_get_iv_length(ciphers[i]) == 12 && EVP_CIPHER_get_key_length(ciphers[i]) == 32 &&
                  EVP_CIPHER_get_block_size(ciphers[i]) == 1 &&
                  EVP_CIPHER_get_flags(ciphers[i]) == EVP_CIPHER_get_flags(ciphers[DEFAULT]) &&
                  EVP_CIPHER_get_mode(ciphers[i]) == EVP_CIPHER_get_mode(ciphers[DEFAULT]),
              "what %s says of the cipher", properties[i]);
        check(EVP_CIPHER_is_a(ciphers[i], "ChaCha20-Poly1305"), "the name");
    }
    EVP_CIPHER_CTX *c = new_context();
    check(EVP_CipherInit_ex(c, ciphers[HORNET], NULL, NULL, NULL, 0), "init with nothing");
    check(EVP_CIPHER_CTX_get_iv_length(c) == 12 && EVP_CIPHER_CTX_get_key_length(c) == 32, "fresh lengths");
    check(!EVP_CipherUpdate(c, out, &n, out, 16) && last_reason() == PROV_R_NO_KEY_SET,
          "text without a key");
    check(!EVP_CipherFinal_ex(c, out, &n) && last_reason() == PROV_R_NO_KEY_SET, "final without a key");
    check(EVP_CipherInit_ex(c, NULL, NULL, key, nonce, 0), "init");
    check(!EVP_CipherFinal_ex(c, out, &n) && last_reason() == PROV_R_TAG_NOT_SET, "final without a tag");
    check(EVP_CipherInit_ex(c, NULL, NULL, key, nonce, 1), "init");
    check(!EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, out) && last_reason() == PROV_R_TAG_NOT_SET,
          "a tag before final");
    check(EVP_CipherUpdate(c, out, &n, out, 16), "text");
    check(!EVP_CipherUpdate(c, NULL, &n, out, 16) && last_reason() == PROV_R_INVALID_DATA,
          "aad after text");
    check(EVP_CipherFinal_ex(c, out, &n), "final");
    check(!EVP_CipherUpdate(c, out, &n, out, 16) && last_reason() == PROV_R_CIPHER_OPERATION_FAILED,
          "text under a nonce that has been used");
    check(!EVP_CipherFinal_ex(c, out, &n) && last_reason() == PROV_R_CIPHER_OPERATION_FAILED,
          "final under a nonce that has been used");
    check(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, out), "its tag again");
    check(EVP_CipherInit_ex(c, NULL, NULL, NULL, nonce, 1) && EVP_CipherUpdate(c, out, &n, out, 16),
          "another");
    check(!EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, out), "the tag of the message before");
    check(EVP_Cipher(c, NULL, NULL, 0) == 0 && EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, out + 16),
          "EVP_Cipher as final");
    EVP_CIPHER_CTX_free(c);

    c = new_context();
    check(EVP_CipherInit_ex(c, extended, NULL, key, NULL, 1) && EVP_CIPHER_CTX_get_iv_length(c) == 24,
          "XChaCha20");
    check(!EVP_CipherUpdate(c, out, &n, out, 16) && last_reason() == PROV_R_INVALID_IV_LENGTH, "no nonce");
    check(!EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IVLEN, 12, NULL), "XChaCha20 with a nonce of 12 bytes");
    ERR_clear_error();
    /* No version of TLS has XChaCha20-Poly1305. */
    check(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_TLS1_AAD, 13, out) == 0 &&
              last_reason() == PROV_R_NOT_SUPPORTED,
          "a record with XChaCha20");
    check(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, 12, out) == 0 &&
              last_reason() == PROV_R_NOT_SUPPORTED,
          "a fixed nonce with XChaCha20");
    for (int i = 0; i < 2; i++) {
        const OSSL_PARAM *const settable = EVP_CIPHER_settable_ctx_params(i ? extended : ciphers[HORNET]);
        const OSSL_PARAM *const gettable = EVP_CIPHER_gettable_ctx_params(i ? extended : ciphers[HORNET]);
        check(OSSL_PARAM_locate_const(settable, "ivlen") != NULL &&
                  (OSSL_PARAM_locate_const(settable, "tlsaad") == NULL) == i &&
                  (OSSL_PARAM_locate_const(settable, "tlsivfixed") == NULL) == i,
              "what can be set, XChaCha20 %d", i);
        check(OSSL_PARAM_locate_const(gettable, "ivlen") != NULL &&
                  (OSSL_PARAM_locate_const(gettable, "tlsaadpad") == NULL) == i,
              "what can be read, XChaCha20 %d", i);
    }
    EVP_CIPHER_CTX_free(c);
    ERR_clear_error();
}

/* To begin a message again under the nonce of one that has begun must be refused, with both ciphers. */
static void test_nonce_again(void)
{
    static const struct {
        const char *what;
        int again[3];   /* 1: EncryptInit, 0: DecryptInit, -1: same direction, 2: no call */
        bool key_again; /* the last of these calls sets the key */
        size_t aad_bytes, len_bytes;
        bool ends, decrypts;
        bool opens; /* afterwards, a message may be decrypted, but not encrypted */
    } all[] = {
        {"there and back", {0, 1, 2}, false, 0, 50, false, false, false},
        {"there and back, long", {0, 1, 2}, false, 0, 2100, false, false, false},
        {"there and back, associated data", {0, 1, 2}, false, 13, 0, false, false, false},
        {"there and back, after final", {0, 1, 2}, false, 0, 50, true, false, false},
        {"there and back, after the tag of nothing", {0, 1, 2}, false, 0, 0, true, false, false},
        {"after final", {-1, 2, 2}, false, 0, 50, true, false, false},
        {"there, back and there", {0, 1, 0}, false, 0, 50, false, false, false},
        {"the key again", {1, 2, 2}, true, 0, 50, false, false, false},
        {"the key again, after final", {1, 2, 2}, true, 0, 50, true, false, false},
        {"the key again, to decrypt", {0, 2, 2}, true, 0, 50, true, false, true},
        {"the key again, there and back", {0, 1, 2}, true, 0, 50, true, false, false},
        {"from decrypting", {1, 2, 2}, false, 0, 50, false, true, false},
        {"from decrypting, with the key", {1, 2, 2}, true, 0, 50, false, true, false},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int i = 0; i < 2; i++) {
            EVP_CIPHER_CTX *const c = new_context();
            uint8_t out[2200];
            int n = 0;
            check(EVP_CipherInit_ex(c, i ? extended : ciphers[HORNET], NULL, key, nonce, !all[k].decrypts),
                  "init");
            check(EVP_CipherUpdate(c, NULL, &n, aad, (int)all[k].aad_bytes), "associated data");
            check(EVP_CipherUpdate(c, out, &n, random_text, (int)all[k].len_bytes), "text");
            check(!all[k].ends || EVP_CipherFinal_ex(c, out, &n), "final");
            for (int j = 0; j < 3 && all[k].again[j] != 2; j++)
                check(
                    EVP_CipherInit_ex(c, NULL, NULL,
                                      all[k].key_again && (j == 2 || all[k].again[j + 1] == 2) ? key : NULL,
                                      NULL, all[k].again[j]),
                    "init again");
            check(EVP_CipherUpdate(c, out, &n, random_text, 50) == all[k].opens &&
                      (all[k].opens || last_reason() == PROV_R_CIPHER_OPERATION_FAILED),
                  "%s: text, XChaCha20 %d", all[k].what, i);
            check(EVP_CipherUpdate(c, NULL, &n, random_text, 50) == 0, "%s: associated data", all[k].what);
            check(EVP_CipherFinal_ex(c, out, &n) == 0, "%s: final", all[k].what);
            ERR_clear_error();
            /* The caller may set the same nonce, or another key. */
            check(EVP_CipherInit_ex(c, NULL, NULL, NULL, nonce, 1) &&
                      EVP_CipherUpdate(c, out, &n, random_text, 50) && EVP_CipherFinal_ex(c, out, &n),
                  "%s: the nonce given again", all[k].what);
            check(EVP_CipherInit_ex(c, NULL, NULL, aad, NULL, 1) &&
                      EVP_CipherUpdate(c, out, &n, random_text, 50) && EVP_CipherFinal_ex(c, out, &n),
                  "%s: another key", all[k].what);
            EVP_CIPHER_CTX_free(c);
        }

    /* TLS 1.2: a fixed nonce is for later messages, and the tag of the previous message is gone. */
    EVP_CIPHER_CTX *const c = new_context();
    uint8_t out[64];
    int n = 0;
    check(EVP_CipherInit_ex(c, ciphers[HORNET], NULL, key, nonce, 1) &&
              EVP_CipherUpdate(c, out, &n, random_text, 50),
          "text");
    check(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, 12, aad) == 0 &&
              last_reason() == PROV_R_CIPHER_OPERATION_FAILED,
          "a fixed nonce in the midst of a message");
    check(EVP_CipherFinal_ex(c, out, &n), "final");
    check(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_IV_FIXED, 12, aad) &&
              EVP_CipherUpdate(c, out, &n, random_text, 50),
          "the message after a fixed nonce");
    check(!EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, out) && last_reason() == PROV_R_TAG_NOT_SET,
          "the tag of its beginning");
    EVP_CIPHER_CTX_free(c);
}

/* The given tag must be compared in full: a tag length that is set later changes nothing. */
static void test_length_after_tag(void)
{
    uint8_t sealed[50], out[50], tag[TAG_BYTES];
    int n = 0;
    EVP_CIPHER_CTX *const c = new_context();
    check(EVP_CipherInit_ex(c, ciphers[HORNET], NULL, key, nonce, 1) &&
              EVP_CipherUpdate(c, sealed, &n, random_text, sizeof sealed) &&
              EVP_CipherFinal_ex(c, out, &n) && EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, tag),
          "sealing");
    for (int given = 1; given <= TAG_BYTES; given++)
        for (int forged = 0; forged < 2; forged++) {
            tag[given - 1] ^= (uint8_t)forged;
            for (int length = 1; length <= TAG_BYTES; length++) {
                check(EVP_CipherInit_ex(c, NULL, NULL, NULL, nonce, 0) &&
                          EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, given, tag) &&
                          EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, length, NULL) &&
                          EVP_CipherUpdate(c, out, &n, sealed, sizeof sealed),
                      "opening");
                check(EVP_CIPHER_CTX_get_tag_length(c) == length, "the length");
                check(EVP_CipherFinal_ex(c, out, &n) == !forged,
                      "a tag of %d bytes, forged %d, and then a length of %d", given, forged, length);
            }
            tag[given - 1] ^= (uint8_t)forged;
        }
    EVP_CIPHER_CTX_free(c);
    ERR_clear_error();
}

/* Derives key and nonce for XChaCha20-Poly1305 with libcrypto: HChaCha20 is a block of ChaCha20 minus its
 * initial state (draft-irtf-cfrg-xchacha-03, section 2.2). It gives the key; the nonce is four zeros and
 * the rest of the long nonce. */
static void subkey(uint8_t out[32], uint8_t rest[12])
{
    static const uint8_t zeros[64], constants[17] = "expand 32-byte k";
    uint8_t block[64];
    int n = 0;
    EVP_CIPHER *const chacha20 = EVP_CIPHER_fetch(NULL, "ChaCha20", properties[DEFAULT]);
    EVP_CIPHER_CTX *const c = new_context();
    EVP_CipherInit_ex(c, chacha20, NULL, key, nonce, 1);
    EVP_CipherUpdate(c, block, &n, zeros, sizeof zeros);
    for (size_t i = 0; i < 8; i++) {
        const uint8_t *const from = block + (i < 4 ? 4 * i : 32 + 4 * i);
        const uint8_t *const begun = i < 4 ? constants + 4 * i : nonce + 4 * (i - 4);
        uint32_t word = 0;
        for (size_t k = 0; k < 4; k++)
            word += ((uint32_t)from[k] << 8 * k) - ((uint32_t)begun[k] << 8 * k);
        for (size_t k = 0; k < 4; k++)
            out[4 * i + k] = (uint8_t)(word >> 8 * k);
    }
    memset(rest, 0, 4);
    memcpy(rest + 4, nonce + 16, 8);
    EVP_CIPHER_CTX_free(c);
    EVP_CIPHER_free(chacha20);
}

static void test_extended(void)
{
    static outcome expected, got;
    EVP_CIPHER_CTX *const by_default = new_context(), *const c = new_context();
    check(EVP_CipherInit_ex(c, extended, NULL, key, NULL, 1), "init");
    for (size_t len = 0; len <= 4200; len += len < 300 ? 1 : 97)
        for (size_t cut = 0; cut <= len; cut = cut * 3 + 17) {
            uint8_t derived[32], rest[12];
            plan p = {true, len % 2, len % 3 == 0, len, len % 70, 16, cut};
            random_bytes(nonce, sizeof nonce);
            subkey(derived, rest);
            EVP_CipherInit_ex(by_default, ciphers[DEFAULT], NULL, derived, rest, 1);
            process(&expected, by_default, &p, random_text, NULL);
            check(EVP_CipherInit_ex(c, NULL, NULL, NULL, nonce, 1), "init");
            process(&got, c, &p, random_text, NULL);
            check(memcmp(&expected, &got, sizeof got) == 0 && got.result == 1, "XChaCha20, %zu cut by %zu",
                  len, cut);
            p.encrypts = false;
            check(EVP_CipherInit_ex(c, NULL, NULL, NULL, nonce, 0), "init");
            process(&got, c, &p, expected.text, expected.tag);
            check(got.result == 1 && memcmp(got.text, random_text, len) == 0, "and back");
            expected.tag[len % 16] ^= 1;
            check(EVP_CipherInit_ex(c, NULL, NULL, NULL, nonce, 0), "init");
            process(&got, c, &p, expected.text, expected.tag);
            check(got.result == 0, "a forged tag");
        }
    EVP_CIPHER_CTX_free(c);
    EVP_CIPHER_CTX_free(by_default);
}

static void test_mac(void)
{
    EVP_MAC_CTX *c[PROVIDERS];
    for (int i = 0; i < PROVIDERS; i++) {
        c[i] = EVP_MAC_CTX_new(macs[i]);
        check(EVP_MAC_CTX_get_mac_size(c[i]) == 16, "the size");
    }
    for (size_t len = 0; len <= 2600; len += len < 600 ? 1 : 37)
        for (size_t cut = 0; cut <= len; cut = cut * 4 + 15) {
            uint8_t tags[PROVIDERS][16];
            size_t written = 0;
            random_bytes(key, sizeof key);
            for (int i = 0; i < PROVIDERS; i++) {
                OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string("key", key, sizeof key),
                                       OSSL_PARAM_construct_end()};
                check(len % 2 ? EVP_MAC_init(c[i], key, sizeof key, NULL)
                              : EVP_MAC_init(c[i], NULL, 0, params),
                      "init");
                check(EVP_MAC_init(c[i], NULL, 0, NULL), "init again, before anything has come");
                const size_t piece = cut == 0 ? len : cut;
                for (size_t at = 0; at < len; at += piece) {
                    check(EVP_MAC_update(c[i], random_text + at, len - at < piece ? len - at : piece),
                          "update");
                    if (at == 0) {
                        EVP_MAC_CTX *const copy = EVP_MAC_CTX_dup(c[i]);
                        check(copy != NULL, "copy");
                        EVP_MAC_CTX_free(c[i]);
                        c[i] = copy;
                    }
                }
                check(EVP_MAC_final(c[i], tags[i], &written, sizeof *tags) && written == 16, "final");
                check(!EVP_MAC_init(c[i], NULL, 0, NULL), "%s: a used key again", properties[i]);
            }
            check(memcmp(tags[DEFAULT], tags[HORNET], 16) == 0, "POLY1305, %zu bytes cut by %zu", len, cut);
        }
    uint8_t out[16];
    size_t written = 0;
    OSSL_PARAM text[] = {OSSL_PARAM_construct_utf8_string("key", (char *)key, 32),
                         OSSL_PARAM_construct_end()};
    ERR_clear_error();
    for (int i = 0; i < PROVIDERS; i++) {
        check(!EVP_MAC_init(c[i], key, 31, NULL) && last_reason() == PROV_R_INVALID_KEY_LENGTH,
              "a key of 31");
        check(!EVP_MAC_CTX_set_params(c[i], text) || i == DEFAULT, "a key that is text"); /* 3.0 takes it */
        EVP_MAC_CTX_free(c[i]);
        ERR_clear_error();
    }
    EVP_MAC_CTX *const fresh = EVP_MAC_CTX_new(macs[HORNET]);
    check(!EVP_MAC_update(fresh, random_text, 1) && last_reason() == PROV_R_NO_KEY_SET, "no key");
    check(!EVP_MAC_final(fresh, out, &written, 16) && last_reason() == PROV_R_NO_KEY_SET, "no key");
    check(EVP_MAC_init(fresh, key, 32, NULL) && EVP_MAC_final(fresh, out, &written, 16),
          "the tag of nothing");
    check(!EVP_MAC_final(fresh, out, &written, 16) && last_reason() == PROV_R_NO_KEY_SET, "a second tag");
    EVP_MAC_CTX_free(fresh);
}

/* Seals the same messages in each thread, with separate contexts. */
static void *seal_many(void *out)
{
    EVP_CIPHER_CTX *const c = new_context();
    int n = 0;
    uint8_t *const tag = out, at[12] = {0};
    static const uint8_t thread_key[32] = {7};
    uint8_t *const text = calloc(1, 3000);
    memset(tag, 0, TAG_BYTES);
    EVP_CipherInit_ex(c, ciphers[HORNET], NULL, thread_key, NULL, 1);
    for (size_t i = 0; text != NULL && i < 3000; i++) {
        uint8_t one[TAG_BYTES] = {0};
        at[0] = (uint8_t)i;
        EVP_CipherInit_ex(c, NULL, NULL, NULL, at, 1);
        EVP_CipherUpdate(c, text, &n, text, (int)i);
        EVP_CipherFinal_ex(c, one, &n);
        EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, one);
        for (size_t k = 0; k < TAG_BYTES; k++)
            tag[k] ^= one[k];
    }
    free(text);
    EVP_CIPHER_CTX_free(c);
    return NULL;
}

static void test_threads(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    uint8_t tags[THREADS][TAG_BYTES];
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&threads[i], NULL, seal_many, tags[i]) == 0, "a thread");
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        check(memcmp(tags[i], tags[0], TAG_BYTES) == 0, "thread %d has other tags", i);
    }
}

int main(void)
{
    if (!load_providers())
        return check_report("test_provider") | 1;

    random_bytes(random_text, sizeof random_text);
    random_bytes(key, sizeof key);
    random_bytes(nonce, sizeof nonce);
    random_bytes(aad, sizeof aad);
    test_lengths();
    test_cuts();
    test_records();
    test_overlap();
    test_params();
    test_refusals();
    test_nonce_again();
    test_length_after_tag();
    test_extended();
    test_mac();
    test_threads();

    unload_providers();
    return check_report("test_provider");
}
