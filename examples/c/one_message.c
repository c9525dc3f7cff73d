/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* One message under a one-time key, and how the receiver checks it.
 *
 * A one-time key is for one message. Here both sides already know it. A real program derives a fresh key
 * for each message, as ChaCha20-Poly1305 does with the first bytes of its keystream. */
#include <hornet.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    /* RFC 8439, section 2.5.2. */
    uint8_t key[HORNET_POLY1305_KEY_BYTES] = {
        0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8,
        0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b};
    const char *message = "Cryptographic Forum Research Group";
    uint8_t tag[HORNET_POLY1305_TAG_BYTES];

    hornet_poly1305(tag, message, strlen(message), key);
    for (size_t i = 0; i < sizeof tag; i++)
        printf("%02x", tag[i]);
    printf("\n");

    /* The receiver never uses memcmp, which reveals to a forger how much of a guess was right. */
    const bool genuine = hornet_poly1305_verify(tag, message, strlen(message), key);
    const bool forged = hornet_poly1305_verify(tag, "Cryptographic Forum Research Croup", 34, key);
    hornet_wipe(key, sizeof key);
    printf("the message: %s; a forgery: %s\n", genuine ? "accepted" : "refused",
           forged ? "accepted" : "refused");
    return genuine && !forged ? 0 : 1;
}
