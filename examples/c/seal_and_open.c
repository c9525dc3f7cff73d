/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A message that is encrypted and authenticated, then opened by its receiver; and a forgery, which is
 * refused. */
#include <hornet.h>
#include <stdio.h>
#include <sys/random.h>

static const char text[] = "Attack at dawn.", address[] = "to: the general";
enum { TEXT_BYTES = sizeof text - 1, ADDRESS_BYTES = sizeof address - 1 };

int main(void)
{
    uint8_t key[HORNET_CHACHA20_POLY1305_KEY_BYTES];
    if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key) {
        perror("getrandom");
        return 1;
    }

    /* The number of the message. No two messages under a key have the same. */
    const uint8_t nonce[HORNET_CHACHA20_POLY1305_NONCE_BYTES] = {0};
    uint8_t ciphertext[TEXT_BYTES], tag[HORNET_CHACHA20_POLY1305_TAG_BYTES];
    /* Everybody can read the address, but nobody can alter it. */
    if (!hornet_chacha20_poly1305_seal(ciphertext, tag, text, TEXT_BYTES, address, ADDRESS_BYTES, nonce,
                                       key)) {
        (void)fprintf(stderr, "the message is too long\n");
        return 1;
    }

    /* The receiver has the key. Nonce, address, ciphertext and tag are sent. */
    uint8_t opened[TEXT_BYTES], forged[TEXT_BYTES];
    const bool genuine = hornet_chacha20_poly1305_open(opened, ciphertext, TEXT_BYTES, tag, address,
                                                       ADDRESS_BYTES, nonce, key);

    ciphertext[10] ^= 'd' ^ 'm'; /* without the tag, this would change the time of day */
    const bool refused = !hornet_chacha20_poly1305_open(forged, ciphertext, TEXT_BYTES, tag, address,
                                                        ADDRESS_BYTES, nonce, key);
    hornet_wipe(key, sizeof key);
    if (!genuine || !refused) {
        (void)fprintf(stderr, "%s\n", genuine ? "a forgery was opened" : "the message is not authentic");
        return 1;
    }
    printf("opened \"%.*s\"; a forgery is refused\n", TEXT_BYTES, (const char *)opened);
    return 0;
}
