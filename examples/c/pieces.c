/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A message that is encrypted in pieces, as they arrive, and decrypted in others. Nothing of it is used
 * before the tag has been verified, which comes last. If that is too long to wait, see files.c. */
#include <hornet.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { MESSAGE_BYTES = 5000, PIECE_BYTES = 1000 };

static bool encrypt(uint8_t *ciphertext, uint8_t tag[16], const uint8_t *msg, const uint8_t nonce[24],
                    const uint8_t key[32])
{
    hornet_aead_state state;
    hornet_xchacha20_poly1305_init(&state, nonce, key);
    bool ok = hornet_aead_aad(&state, "version 1", 9);
    for (size_t at = 0; at < MESSAGE_BYTES; at += PIECE_BYTES)
        ok &= hornet_aead_encrypt(&state, ciphertext + at, msg + at, PIECE_BYTES);
    return hornet_aead_final(&state, tag) && ok; /* in any case, so that the state is wiped */
}

static bool decrypt(uint8_t *msg, const uint8_t *ciphertext, const uint8_t tag[16], const uint8_t nonce[24],
                    const uint8_t key[32])
{
    hornet_aead_state state;
    hornet_xchacha20_poly1305_init(&state, nonce, key);
    bool ok = hornet_aead_aad(&state, "version 1", 9);
    for (size_t at = 0; at < MESSAGE_BYTES; at += PIECE_BYTES / 2)
        ok &= hornet_aead_decrypt(&state, msg + at, ciphertext + at, PIECE_BYTES / 2);
    if (hornet_aead_final_verify(&state, tag) && ok)
        return true;
    hornet_wipe(msg, MESSAGE_BYTES); /* what a forger wrote */
    return false;
}

int main(void)
{
    static uint8_t text[MESSAGE_BYTES], ciphertext[MESSAGE_BYTES], msg[MESSAGE_BYTES];
    uint8_t key[32], nonce[24], tag[16];
    memset(text, 'x', sizeof text);
    if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key ||
        getrandom(nonce, sizeof nonce, 0) != (ssize_t)sizeof nonce ||
        !encrypt(ciphertext, tag, text, nonce, key)) {
        (void)fprintf(stderr, "cannot encrypt\n");
        return 1;
    }
    const bool accepted = decrypt(msg, ciphertext, tag, nonce, key) && memcmp(msg, text, sizeof text) == 0;
    ciphertext[MESSAGE_BYTES - 1] ^= 1; /* changed in transit */
    const bool refused = !decrypt(msg, ciphertext, tag, nonce, key);
    hornet_wipe(key, sizeof key);
    printf("%d bytes in %d pieces: %s; changed: %s\n", MESSAGE_BYTES, MESSAGE_BYTES / PIECE_BYTES,
           accepted ? "accepted" : "refused", refused ? "refused" : "accepted");
    return accepted && refused ? 0 : 1;
}
