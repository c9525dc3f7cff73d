/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A message that is encrypted and authenticated, then opened by its receiver; and a forgery that is
 * rejected.
 *
 * Uses XChaCha20-Poly1305, whose nonces are long enough to be drawn at random, a new one for each message.
 * Data that must not be altered but may be read, such as an address, is sent along as associated data. */
#include <hornet.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { TEXT_BYTES = 64 };

/* The data that is sent. */
struct packet {
    char address[16];
    uint8_t nonce[HORNET_XCHACHA20_POLY1305_NONCE_BYTES];
    uint8_t tag[HORNET_CHACHA20_POLY1305_TAG_BYTES];
    uint8_t text[TEXT_BYTES];
};

static bool seal(struct packet *packet, const char text[TEXT_BYTES], const uint8_t key[32])
{
    return getrandom(packet->nonce, sizeof packet->nonce, 0) == (ssize_t)sizeof packet->nonce &&
           hornet_xchacha20_poly1305_seal(packet->text, packet->tag, text, TEXT_BYTES, packet->address,
                                          sizeof packet->address, packet->nonce, key);
}

static bool open(char text[TEXT_BYTES], const struct packet *packet, const uint8_t key[32])
{
    return hornet_xchacha20_poly1305_open((uint8_t *)text, packet->text, TEXT_BYTES, packet->tag,
                                          packet->address, sizeof packet->address, packet->nonce, key);
}

int main(void)
{
    uint8_t key[HORNET_CHACHA20_POLY1305_KEY_BYTES];
    const char text[TEXT_BYTES] = "Attack at dawn.";
    char opened[TEXT_BYTES];
    struct packet packet = {.address = "to: the general"};
    if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key || !seal(&packet, text, key)) {
        (void)fprintf(stderr, "cannot seal\n");
        return 2;
    }
    printf("sealed:");
    for (int i = 0; i < 16; i++)
        printf(" %02x", packet.text[i]);
    printf(" ...\n");

    const bool genuine = open(opened, &packet, key) && memcmp(opened, text, sizeof text) == 0;
    printf("opened: %s\n", genuine ? opened : "refused");

    packet.text[10] ^= 'd' ^ 'm'; /* without authentication, this would change the time of day */
    const bool forged = open(opened, &packet, key);
    printf("forged: %s\n", forged ? opened : "refused");
    hornet_wipe(key, sizeof key);
    return genuine && !forged ? 0 : 1;
}
