/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* libsodium. */
#include <sodium.h>

#include "peer.h"

PEER const char *peer_init(void) { return sodium_init() < 0 ? "cannot be initialized" : NULL; }
PEER const char *peer_version(void) { return sodium_version_string(); }

/* Its functions return 0 and take another type of length, so each of these is a single jump. */
static void init(void *state, const uint8_t *key) { crypto_onetimeauth_init(state, key); }

static void update(void *state, const void *piece, size_t len_bytes)
{
    crypto_onetimeauth_update(state, piece, len_bytes);
}

static void final(void *state, uint8_t *tag) { crypto_onetimeauth_final(state, tag); }

PEER const struct peer_pieces peer_pieces = {init, update, final};

PEER_MAC { crypto_onetimeauth(tag, msg, len_bytes, key); }

PEER_SEAL
{
    return crypto_aead_chacha20poly1305_ietf_encrypt_detached(out, tag, NULL, in, len_bytes, aad, aad_bytes,
                                                              NULL, nonce, key) == 0;
}

PEER_OPEN
{
    return crypto_aead_chacha20poly1305_ietf_decrypt_detached(out, NULL, in, len_bytes, tag, aad, aad_bytes,
                                                              nonce, key) == 0;
}
