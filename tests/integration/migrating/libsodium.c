/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The calls of docs/migrating.md, "libsodium". check.py runs this. */
#include "same.h"
#include <sodium.h>

static uint8_t k[32], npub[24], ad[13], m[LEN], text[LEN], *const c = output, mac[16], expected[16];
static const size_t mlen = LEN, adlen = sizeof ad;
static unsigned long long clen, maclen;

static bool equal_outputs(void) { return memcmp(before, output, sizeof output) == 0; }

static void aead(void)
{
    bool ok = crypto_aead_chacha20poly1305_ietf_encrypt(c, &clen, m, mlen, ad, adlen, NULL, npub, k) == 0;
    clear();
    ok = ok && hornet_chacha20_poly1305_seal(c, c + mlen, m, mlen, ad, adlen, npub, k) && clen == mlen + 16;
    same("crypto_aead_chacha20poly1305_ietf_encrypt(c, &clen, m, mlen, ad, adlen, NULL, npub, k)",
         ok && equal_outputs());

    unsigned long long mlen;
    ok = crypto_aead_chacha20poly1305_ietf_decrypt(m, &mlen, NULL, c, clen, ad, adlen, npub, k) == 0;
    ok = ok && mlen == LEN && memcmp(m, text, LEN) == 0;
    memset(m, 0, LEN);
    ok = ok && clen >= 16 &&
         hornet_chacha20_poly1305_open(m, c, clen - 16, c + clen - 16, ad, adlen, npub, k);
    same("crypto_aead_chacha20poly1305_ietf_decrypt(m, &mlen, NULL, c, clen, ad, adlen, npub, k)",
         ok && memcmp(m, text, LEN) == 0);
}

static void detached(void)
{
    bool ok = crypto_aead_chacha20poly1305_ietf_encrypt_detached(c, mac, &maclen, m, mlen, ad, adlen, NULL,
                                                                 npub, k) == 0;
    clear();
    memcpy(expected, mac, 16);
    ok = ok && hornet_chacha20_poly1305_seal(c, mac, m, mlen, ad, adlen, npub, k) && maclen == 16;
    same("crypto_aead_chacha20poly1305_ietf_encrypt_detached(c, mac, &maclen, m, mlen, ad, adlen, NULL, "
         "npub, k)",
         ok && memcmp(before, output, LEN) == 0 && memcmp(mac, expected, 16) == 0);

    const size_t clen = LEN;
    ok = crypto_aead_chacha20poly1305_ietf_decrypt_detached(m, NULL, c, clen, mac, ad, adlen, npub, k) == 0;
    ok = ok && memcmp(m, text, LEN) == 0;
    memset(m, 0, LEN);
    ok = ok && hornet_chacha20_poly1305_open(m, c, clen, mac, ad, adlen, npub, k) &&
         memcmp(m, text, LEN) == 0;
    mac[15] ^= 1;
    ok = ok &&
         crypto_aead_chacha20poly1305_ietf_decrypt_detached(m, NULL, c, clen, mac, ad, adlen, npub, k) != 0;
    ok = ok && is(m, LEN, 0);
    memcpy(m, text, LEN);
    ok = ok && !hornet_chacha20_poly1305_open(m, c, clen, mac, ad, adlen, npub, k) && is(m, LEN, 0);
    memcpy(m, text, LEN);
    same("crypto_aead_chacha20poly1305_ietf_decrypt_detached(m, NULL, c, clen, mac, ad, adlen, npub, k)",
         ok);
}

static void xaead(void)
{
    bool ok = crypto_aead_xchacha20poly1305_ietf_encrypt(c, &clen, m, mlen, ad, adlen, NULL, npub, k) == 0;
    clear();
    ok = ok && hornet_xchacha20_poly1305_seal(c, c + mlen, m, mlen, ad, adlen, npub, k);
    same("crypto_aead_xchacha20poly1305_ietf_encrypt(c, &clen, m, mlen, ad, adlen, NULL, npub, k)",
         ok && equal_outputs());

    unsigned long long mlen;
    ok = crypto_aead_xchacha20poly1305_ietf_decrypt(m, &mlen, NULL, c, clen, ad, adlen, npub, k) == 0;
    ok = ok && memcmp(m, text, LEN) == 0;
    memset(m, 0, LEN);
    ok = ok && clen >= 16 &&
         hornet_xchacha20_poly1305_open(m, c, clen - 16, c + clen - 16, ad, adlen, npub, k);
    same("crypto_aead_xchacha20poly1305_ietf_decrypt(m, &mlen, NULL, c, clen, ad, adlen, npub, k)",
         ok && memcmp(m, text, LEN) == 0);
}

static void onetimeauth(void)
{
    bool ok = crypto_onetimeauth(mac, m, mlen, k) == 0;
    memcpy(expected, mac, 16);
    hornet_poly1305(mac, m, mlen, k);
    ok = ok && memcmp(mac, expected, 16) == 0;
    same("crypto_onetimeauth(mac, m, mlen, k)", ok);
    ok = crypto_onetimeauth_verify(mac, m, mlen, k) == 0 && hornet_poly1305_verify(mac, m, mlen, k);
    mac[0] ^= 1;
    ok = ok && crypto_onetimeauth_verify(mac, m, mlen, k) != 0 && !hornet_poly1305_verify(mac, m, mlen, k);
    same("crypto_onetimeauth_verify(mac, m, mlen, k)", ok);

    crypto_onetimeauth_state auth;
    hornet_poly1305_state state;
    ok = crypto_onetimeauth_init(&auth, k) == 0;
    hornet_poly1305_init(&state, k);
    ok = ok && crypto_onetimeauth_update(&auth, m, mlen) == 0;
    hornet_poly1305_update(&state, m, mlen);
    ok = ok && crypto_onetimeauth_final(&auth, mac) == 0 && memcmp(mac, expected, 16) == 0;
    hornet_poly1305_final(&state, mac);
    ok = ok && memcmp(mac, expected, 16) == 0;
    hornet_poly1305_final(&state, mac);
    ok = ok && is(mac, 16, 0);
    same("crypto_onetimeauth_init(&auth, k)", ok);
    same("crypto_onetimeauth_update(&auth, m, mlen)", ok);
    same("crypto_onetimeauth_final(&auth, mac)", ok);
}

static void others(void)
{
    bool ok = crypto_stream_chacha20_ietf_xor_ic(c, m, mlen, npub, 1, k) == 0;
    clear();
    ok = ok && hornet_chacha20(c, m, mlen, 1, npub, k) && memcmp(before, output, LEN) == 0;
    ok = ok && !hornet_chacha20(c, m, mlen, UINT32_MAX, npub, k);
    same("crypto_stream_chacha20_ietf_xor_ic(c, m, mlen, npub, 1, k)", ok);

    uint8_t subkey[32], other[32];
    ok = crypto_core_hchacha20(subkey, npub, k, NULL) == 0;
    memcpy(other, subkey, 32);
    hornet_hchacha20(subkey, npub, k);
    same("crypto_core_hchacha20(subkey, npub, k, NULL)", ok && memcmp(subkey, other, 32) == 0);

    memcpy(mac, expected, 16);
    ok = sodium_memcmp(mac, expected, 16) == 0 && hornet_equal(mac, expected, 16);
    mac[15] ^= 1;
    ok = ok && sodium_memcmp(mac, expected, 16) != 0 && !hornet_equal(mac, expected, 16);
    same("sodium_memcmp(mac, expected, 16)", ok);

    sodium_memzero(m, mlen);
    ok = is(m, LEN, 0);
    memcpy(m, text, LEN);
    hornet_wipe(m, mlen);
    same("sodium_memzero(m, mlen)", ok && is(m, LEN, 0));
}

int main(void)
{
    if (sodium_init() < 0)
        return 1;
    fill(k, sizeof k, 1);
    fill(npub, sizeof npub, 50);
    fill(ad, sizeof ad, 90);
    fill(text, LEN, 120);
    memcpy(m, text, LEN);
    aead();
    detached();
    xaead();
    onetimeauth();
    others();
    return 0;
}
