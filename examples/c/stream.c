/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A message that arrives in pieces: prints the tag of standard input under a one-time key, which is 32
 * bytes in a file. (Other users can see the arguments of a process, so a key must not be one of them.)
 *
 *     stream KEYFILE < MESSAGE
 */
#include <hornet.h>
#include <stdio.h>

static bool read_key(uint8_t key[HORNET_POLY1305_KEY_BYTES], const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    const bool complete = fread(key, 1, HORNET_POLY1305_KEY_BYTES, file) == HORNET_POLY1305_KEY_BYTES;
    return fclose(file) == 0 && complete;
}

int main(int argc, char **argv)
{
    uint8_t key[HORNET_POLY1305_KEY_BYTES], tag[HORNET_POLY1305_TAG_BYTES], buffer[64 << 10];
    if (argc != 2) {
        (void)fputs("usage: stream KEYFILE < MESSAGE\n", stderr);
        return 2;
    }
    if (!read_key(key, argv[1])) {
        (void)fprintf(stderr, "%s: cannot read a key of 32 bytes\n", argv[1]);
        return 2;
    }

    hornet_poly1305_state state;
    hornet_poly1305_init(&state, key);
    hornet_wipe(key, sizeof key); /* the state holds it now */
    size_t n;
    while ((n = fread(buffer, 1, sizeof buffer, stdin)) != 0)
        hornet_poly1305_update(&state, buffer, n);
    if (ferror(stdin)) {
        hornet_wipe(&state, sizeof state); /* ends the state: half a message has no tag */
        perror("standard input");
        return 2;
    }
    hornet_poly1305_final(&state, tag);

    for (size_t i = 0; i < sizeof tag; i++)
        printf("%02x", tag[i]);
    printf("\n");
    return 0;
}
