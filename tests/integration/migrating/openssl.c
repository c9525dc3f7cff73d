/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The calls of docs/migrating.md, "OpenSSL". check.py runs this. */
#include "same.h"
#include <openssl/crypto.h>
#include <openssl/evp.h>

static uint8_t key[32], iv[12], aad[13], in[LEN], *const out = output, tag[16], received[16];
static const int in_len = LEN, aad_len = sizeof aad;
static EVP_CIPHER_CTX *ctx;
static EVP_MAC_CTX *mac;
static int n;

/* The calls for a message in one buffer. */
static bool evp_seal(uint8_t *out, uint8_t tag[16], const uint8_t *in, int in_len, const uint8_t *aad,
                     int aad_len, const uint8_t *iv, const uint8_t *key)
{
    return EVP_EncryptInit_ex2(ctx, EVP_chacha20_poly1305(), key, iv, NULL) == 1 &&
           EVP_EncryptUpdate(ctx, NULL, &n, aad, aad_len) == 1 &&
           EVP_EncryptUpdate(ctx, out, &n, in, in_len) == 1 && EVP_EncryptFinal_ex(ctx, NULL, &n) == 1 &&
           EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, tag) == 1;
}

static bool evp_open(uint8_t *out, const uint8_t *in, int in_len, uint8_t tag[16], const uint8_t *aad,
                     int aad_len, const uint8_t *iv, const uint8_t *key)
{
    return EVP_DecryptInit_ex2(ctx, EVP_chacha20_poly1305(), key, iv, NULL) == 1 &&
           EVP_DecryptUpdate(ctx, NULL, &n, aad, aad_len) == 1 &&
           EVP_DecryptUpdate(ctx, out, &n, in, in_len) == 1 &&
           EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag) == 1 &&
           EVP_DecryptFinal_ex(ctx, NULL, &n) == 1;
}

static void pieces(void)
{
    hornet_aead_state state;
    bool ok = evp_seal(out, received, in, in_len, aad, aad_len, iv, key);
    clear();
    hornet_chacha20_poly1305_init(&state, iv, key);
    ok = ok && hornet_aead_aad(&state, aad, aad_len) && hornet_aead_encrypt(&state, out, in, in_len) &&
         hornet_aead_final(&state, tag) && memcmp(before, output, LEN) == 0 &&
         memcmp(tag, received, 16) == 0;
    same("EVP_EncryptInit_ex2(ctx, EVP_chacha20_poly1305(), key, iv, NULL)", ok);
    same("EVP_EncryptUpdate(ctx, NULL, &n, aad, aad_len)", ok);
    same("EVP_EncryptUpdate(ctx, out, &n, in, in_len)", ok);
    same("EVP_EncryptFinal_ex(ctx, NULL, &n)", ok && !hornet_aead_final(&state, tag));

    /* Back, from a copy of the ciphertext. */
    uint8_t text[LEN], in[LEN];
    memcpy(in, output, LEN);
    ok = evp_open(out, in, in_len, received, aad, aad_len, iv, key);
    memcpy(text, out, LEN);
    clear();
    hornet_chacha20_poly1305_init(&state, iv, key);
    ok = ok && hornet_aead_aad(&state, aad, aad_len) && hornet_aead_decrypt(&state, out, in, in_len);
    memcpy(tag, received, 16);
    ok = ok && memcmp(before, output, LEN) == 0;
    same("EVP_DecryptUpdate(ctx, out, &n, in, in_len)", ok);
    ok = ok && hornet_aead_final_verify(&state, tag) && !hornet_aead_final_verify(&state, tag);
    same("EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, 16, tag)", ok);
}

static void one_buffer(void)
{
    bool ok = evp_seal(out, tag, in, in_len, aad, aad_len, iv, key);
    clear();
    memcpy(received, tag, 16);
    ok = ok && hornet_chacha20_poly1305_seal(out, tag, in, in_len, aad, aad_len, iv, key) &&
         memcmp(before, output, LEN) == 0 && memcmp(tag, received, 16) == 0;
    same("evp_seal(out, tag, in, in_len, aad, aad_len, iv, key)", ok);

    uint8_t text[LEN];
    memcpy(text, in, LEN);
    uint8_t in[LEN];
    memcpy(in, output, LEN);
    ok = evp_open(out, in, in_len, tag, aad, aad_len, iv, key) && memcmp(out, text, LEN) == 0;
    clear();
    ok = ok && hornet_chacha20_poly1305_open(out, in, in_len, tag, aad, aad_len, iv, key) &&
         memcmp(out, text, LEN) == 0;
    tag[3] ^= 1;
    clear();
    /* It has written the text before it compares the tag. */
    ok = ok && !evp_open(out, in, in_len, tag, aad, aad_len, iv, key) && memcmp(out, text, LEN) == 0;
    ok = ok && !hornet_chacha20_poly1305_open(out, in, in_len, tag, aad, aad_len, iv, key) &&
         is(out, LEN, 0);
    same("evp_open(out, in, in_len, tag, aad, aad_len, iv, key)", ok);
}

static void poly1305_alone(void)
{
    hornet_poly1305_state poly1305;
    size_t tag_len = 0;
    bool ok = EVP_MAC_init(mac, key, 32, NULL) == 1 && EVP_MAC_update(mac, in, in_len) == 1 &&
              EVP_MAC_final(mac, tag, &tag_len, 16) == 1 && tag_len == 16;
    memcpy(received, tag, 16);
    hornet_poly1305_init(&poly1305, key);
    hornet_poly1305_update(&poly1305, in, in_len);
    hornet_poly1305_final(&poly1305, tag);
    ok = ok && memcmp(tag, received, 16) == 0;
    same("EVP_MAC_init(mac, key, 32, NULL)", ok);
    same("EVP_MAC_update(mac, in, in_len)", ok);
    same("EVP_MAC_final(mac, tag, &tag_len, 16)", ok);

    for (int right = 1; right >= 0; right--) {
        hornet_poly1305_init(&poly1305, key);
        hornet_poly1305_update(&poly1305, in, in_len);
        ok = ok && (CRYPTO_memcmp(tag, received, 16) == 0) == right &&
             hornet_poly1305_final_verify(&poly1305, received) == right;
        received[15] ^= 1;
    }
    same("CRYPTO_memcmp(tag, received, 16) == 0", ok);
}

static void others(void)
{
    uint8_t counter_and_iv[16] = {1};
    memcpy(counter_and_iv + 4, iv, 12);
    bool ok = EVP_EncryptInit_ex2(ctx, EVP_chacha20(), key, counter_and_iv, NULL) == 1 &&
              EVP_EncryptUpdate(ctx, out, &n, in, in_len) == 1;
    clear();
    ok = ok && hornet_chacha20(out, in, in_len, 1, iv, key) && memcmp(before, output, LEN) == 0;
    same("EVP_EncryptInit_ex2(ctx, EVP_chacha20(), key, counter_and_iv, NULL)", ok);

    OPENSSL_cleanse(out, in_len);
    ok = is(out, LEN, 0);
    clear();
    hornet_wipe(out, in_len);
    same("OPENSSL_cleanse(out, in_len)", ok && is(out, LEN, 0));
}

int main(void)
{
    fill(key, sizeof key, 1);
    fill(iv, sizeof iv, 50);
    fill(aad, sizeof aad, 90);
    fill(in, LEN, 120);
    EVP_MAC *const poly1305 = EVP_MAC_fetch(NULL, "POLY1305", NULL);
    ctx = EVP_CIPHER_CTX_new();
    mac = poly1305 == NULL ? NULL : EVP_MAC_CTX_new(poly1305);
    if (ctx == NULL || mac == NULL)
        return 1;
    pieces();
    one_buffer();
    poly1305_alone();
    others();
    EVP_CIPHER_CTX_free(ctx);
    EVP_MAC_CTX_free(mac);
    EVP_MAC_free(poly1305);
    return 0;
}
