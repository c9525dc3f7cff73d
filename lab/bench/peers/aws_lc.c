/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AWS-LC, with one context for all packets. */
#include <openssl/aead.h>
#include <openssl/poly1305.h>

#include "peer.h"

static EVP_AEAD_CTX context;

static void init(void *state, const uint8_t *key) { CRYPTO_poly1305_init(state, key); }

static void update(void *state, const void *piece, size_t len_bytes)
{
    CRYPTO_poly1305_update(state, piece, len_bytes);
}

static void final(void *state, uint8_t *tag) { CRYPTO_poly1305_finish(state, tag); }

PEER const struct peer_pieces peer_pieces = {init, update, final};

PEER_MAC
{
    poly1305_state state;
    CRYPTO_poly1305_init(&state, key);
    CRYPTO_poly1305_update(&state, msg, len_bytes);
    CRYPTO_poly1305_finish(&state, tag);
}

PEER void peer_key(const uint8_t *key)
{
    EVP_AEAD_CTX_cleanup(&context);
    EVP_AEAD_CTX_init(&context, EVP_aead_chacha20_poly1305(), key, 32, 16, NULL);
}

PEER_SEAL
{
    size_t tag_bytes;
    return EVP_AEAD_CTX_seal_scatter(&context, out, tag, &tag_bytes, 16, nonce, 12, in, len_bytes, NULL, 0,
                                     aad, aad_bytes) == 1;
}

PEER_OPEN
{
    return EVP_AEAD_CTX_open_gather(&context, out, nonce, 12, in, len_bytes, tag, 16, aad, aad_bytes) == 1;
}
