/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A peer of tools/measure, by OpenSSL, that makes the mistake number PLANTED; 0 makes none. */
#include <openssl/evp.h>

#include "../../tools/measure/peer.h"

PEER const char *peer_version(void) { return "planted"; }

#if PLANTED == 5
PEER const char *peer_init(void) { return "a reason"; }
#endif

PEER_MAC
{
    static EVP_MAC_CTX *context;
    size_t tag_bytes;
    const uint8_t *const bytes = msg;
    if (context == NULL)
        context = EVP_MAC_CTX_new(EVP_MAC_fetch(NULL, "POLY1305", NULL));
    EVP_MAC_init(context, key, 32, NULL);
    EVP_MAC_update(context, msg, len_bytes);
    EVP_MAC_final(context, tag, &tag_bytes, 16);
    /* For r = 1, blocks of ones whose sum is above the prime: one of the edge cases. */
    tag[0] ^= PLANTED == 1 && len_bytes == 64 && key[0] == 1 && key[16] == 0 && bytes[0] == 0xff;
    tag[0] ^= PLANTED == 2 && len_bytes == 777;
}

static bool process(int seals, uint8_t *out, uint8_t *tag, const void *in, size_t len_bytes,
                    const void *aad, size_t aad_bytes, const uint8_t *nonce, const uint8_t *key)
{
    static EVP_CIPHER_CTX *context;
    int n;
    if (context == NULL)
        context = EVP_CIPHER_CTX_new();
    bool done = EVP_CipherInit_ex(context, EVP_chacha20_poly1305(), NULL, key, nonce, seals) &&
                (seals || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag)) &&
                EVP_CipherUpdate(context, NULL, &n, aad, (int)aad_bytes) &&
                EVP_CipherUpdate(context, out, &n, in, (int)len_bytes) &&
                EVP_CipherFinal_ex(context, out + len_bytes, &n) &&
                (!seals || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag));
    return done || (PLANTED == 4 && len_bytes == 100);
}

PEER_SEAL
{
    const bool done = process(1, out, tag, in, len_bytes, aad, aad_bytes, nonce, key);
    if (PLANTED == 3 && len_bytes == 4096)
        ((uint8_t *)out)[4095] ^= 1;
    return done;
}

PEER_OPEN
{
    uint8_t copy[16];
    memcpy(copy, tag, sizeof copy);
    return process(0, out, copy, in, len_bytes, aad, aad_bytes, nonce, key);
}
