/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A message that is encrypted and authenticated in pieces: its parts lie apart in memory, and its receiver
 * gets them one after another. XChaCha20-Poly1305, with a random nonce.
 *
 * The receiver uses nothing of the message before the tag has been verified, which is at its end. A message
 * that is too long to wait for is sent as several messages, each with a nonce and a tag of its own. */
#include <hornet.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { NAME_BYTES = 16, TEXT_BYTES = 5000, ALL_BYTES = NAME_BYTES + TEXT_BYTES, ARRIVES_BYTES = 1024 };

/* The data that is sent: the tag directly follows the ciphertext. */
struct sent {
    uint8_t nonce[HORNET_XCHACHA20_POLY1305_NONCE_BYTES];
    uint8_t ciphertext[ALL_BYTES + HORNET_CHACHA20_POLY1305_TAG_BYTES];
};

static const char version[] = "version 1"; /* associated data: known to both sides */

static bool encrypt(struct sent *sent, const char *name, const char *text, const uint8_t key[32])
{
    if (getrandom(sent->nonce, sizeof sent->nonce, 0) != (ssize_t)sizeof sent->nonce)
        return false;
    const hornet_piece pieces[] = {{sent->ciphertext, name, NAME_BYTES},
                                   {sent->ciphertext + NAME_BYTES, text, TEXT_BYTES}};
    hornet_aead_state state;
    hornet_xchacha20_poly1305_init(&state, sent->nonce, key);
    const bool encrypted =
        hornet_aead_aad(&state, version, sizeof version) && hornet_aead_encryptv(&state, pieces, 2);
    /* In any case, so that the state is wiped. */
    return hornet_aead_final(&state, sent->ciphertext + ALL_BYTES) && encrypted;
}

static bool decrypt(char message[ALL_BYTES], const struct sent *sent, const uint8_t key[32])
{
    hornet_aead_state state;
    hornet_xchacha20_poly1305_init(&state, sent->nonce, key);
    bool decrypted = hornet_aead_aad(&state, version, sizeof version);
    for (size_t at = 0; at < ALL_BYTES; at += ARRIVES_BYTES) {
        const size_t n = ALL_BYTES - at < ARRIVES_BYTES ? ALL_BYTES - at : ARRIVES_BYTES;
        decrypted &= hornet_aead_decrypt(&state, message + at, sent->ciphertext + at, n);
    }
    if (hornet_aead_final_verify(&state, sent->ciphertext + ALL_BYTES) && decrypted)
        return true;
    hornet_wipe(message, ALL_BYTES); /* what a forger wrote */
    return false;
}

int main(void)
{
    uint8_t key[HORNET_CHACHA20_POLY1305_KEY_BYTES];
    static char text[TEXT_BYTES], message[ALL_BYTES];
    static const char name[NAME_BYTES] = "notes.txt";
    static struct sent sent;
    memset(text, 'x', sizeof text);
    if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key || !encrypt(&sent, name, text, key)) {
        (void)fprintf(stderr, "cannot encrypt\n");
        return 2;
    }
    const bool genuine = decrypt(message, &sent, key) && memcmp(message, name, NAME_BYTES) == 0 &&
                         memcmp(message + NAME_BYTES, text, TEXT_BYTES) == 0;
    printf("%d bytes in pieces: %s\n", ALL_BYTES, genuine ? "decrypted" : "refused");

    sent.ciphertext[ALL_BYTES - 1] ^= 1; /* changed in transit */
    const bool forged = decrypt(message, &sent, key);
    printf("forged: %s\n", forged ? "decrypted" : "refused");
    hornet_wipe(key, sizeof key);
    return genuine && !forged ? 0 : 1;
}
