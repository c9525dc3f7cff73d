/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A user's program: computes the tag of its input, with the key in RFC 8439, section 2.5.2. */
#include <hornet.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    static const uint8_t key[HORNET_POLY1305_KEY_BYTES] = {
        0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8,
        0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b};
    uint8_t tag[HORNET_POLY1305_TAG_BYTES], buffer[4096];
    hornet_poly1305_state state;
    size_t n;

    if (strcmp(hornet_version(), HORNET_VERSION) != 0) {
        fprintf(stderr, "header %s, library %s\n", HORNET_VERSION, hornet_version());
        return 1;
    }
    hornet_poly1305_init(&state, key);
    while ((n = fread(buffer, 1, sizeof buffer, stdin)) != 0)
        hornet_poly1305_update(&state, buffer, n);
    hornet_poly1305_final(&state, tag);
    for (int i = 0; i < HORNET_POLY1305_TAG_BYTES; i++)
        printf("%02x", tag[i]);
    printf("\n");
    return 0;
}
