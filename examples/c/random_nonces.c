/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Many messages under one key, without a counter: XChaCha20-Poly1305, whose nonces are long enough to be
 * drawn at random. */
#include <hornet.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum {
    NONCE_BYTES = HORNET_XCHACHA20_POLY1305_NONCE_BYTES,
    TAG_BYTES = HORNET_CHACHA20_POLY1305_TAG_BYTES
};
enum { OVERHEAD_BYTES = NONCE_BYTES + TAG_BYTES, TEXT_BYTES = 9 };

/* Writes nonce, ciphertext and tag: len_bytes + OVERHEAD_BYTES. */
static bool seal_message(uint8_t *sealed, const void *text, size_t len_bytes, const uint8_t key[32])
{
    uint8_t *ciphertext = sealed + NONCE_BYTES;
    return getrandom(sealed, NONCE_BYTES, 0) == NONCE_BYTES &&
           hornet_xchacha20_poly1305_seal(ciphertext, ciphertext + len_bytes, text, len_bytes, NULL, 0,
                                          sealed, key);
}

/* Writes the text: sealed_bytes - OVERHEAD_BYTES. */
static bool open_message(void *text, const uint8_t *sealed, size_t sealed_bytes, const uint8_t key[32])
{
    if (sealed_bytes < OVERHEAD_BYTES)
        return false;
    const size_t len_bytes = sealed_bytes - OVERHEAD_BYTES;
    const uint8_t *ciphertext = sealed + NONCE_BYTES;
    return hornet_xchacha20_poly1305_open(text, ciphertext, len_bytes, ciphertext + len_bytes, NULL, 0,
                                          sealed, key);
}

int main(void)
{
    uint8_t key[HORNET_CHACHA20_POLY1305_KEY_BYTES], sealed[2][TEXT_BYTES + OVERHEAD_BYTES];
    char text[TEXT_BYTES];
    bool ok = getrandom(key, sizeof key, 0) == (ssize_t)sizeof key;
    for (int i = 0; i < 2; i++)
        ok = ok && seal_message(sealed[i], "a message", TEXT_BYTES, key);
    for (int i = 0; i < 2; i++)
        ok = ok && open_message(text, sealed[i], sizeof sealed[i], key) &&
             memcmp(text, "a message", TEXT_BYTES) == 0;
    hornet_wipe(key, sizeof key);
    if (!ok || memcmp(sealed[0], sealed[1], sizeof sealed[0]) == 0) {
        (void)fprintf(stderr, "cannot seal, or cannot open\n");
        return 1;
    }
    printf("the same text twice: two packets of %zu bytes, which differ\n", sizeof sealed[0]);
    return 0;
}
