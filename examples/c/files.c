/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Seals a file in chunks of 64 KiB, or opens it. Sealing creates the key, which serves one text. Nothing is
 * written that was not verified, and a file gets its name when it is complete. */
#include <hornet_stream.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static uint8_t key[HORNET_STREAM_KEY_BYTES], chunk[HORNET_STREAM_SEALED_CHUNK_BYTES];
static const char *incomplete;

static void need(bool ok, const char *path, const char *otherwise)
{
    if (ok)
        return;
    if (incomplete != NULL)
        (void)unlink(incomplete);
    hornet_wipe(key, sizeof key);
    (void)fprintf(stderr, "%s: %s\n", path, otherwise);
    exit(1);
}

int main(int argc, char **argv)
{
    const bool seal = argc == 5 && strcmp(argv[1], "seal") == 0;
    need(seal || (argc == 5 && strcmp(argv[1], "open") == 0), "usage", "files seal|open KEY FROM TO");
    umask(077);
    FILE *in = fopen(argv[3], "rb");
    need(in != NULL, argv[3], "cannot be read");
    FILE *key_file = fopen(argv[2], seal ? "wbx" : "rb"); /* x: one key, one text */
    need(key_file != NULL && (!seal || getrandom(key, sizeof key, 0) == (ssize_t)sizeof key) &&
             (seal ? fwrite(key, sizeof key, 1, key_file) : fread(key, sizeof key, 1, key_file)) == 1 &&
             fclose(key_file) == 0,
         argv[2], seal ? "is no new file, or cannot be written" : "cannot be read, or is no key");
    char path[4096];
    const bool fits = snprintf(path, sizeof path, "%s.XXXXXX", argv[4]) < (int)sizeof path;
    const int descriptor = fits ? mkstemp(path) : -1;
    FILE *out = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    need(out != NULL, argv[4], "cannot be written");
    incomplete = path;
    uint64_t chunks = 0, bytes = 0;
    for (int next = 0; next != EOF; chunks++) {
        const size_t n = fread(chunk, 1, sizeof chunk - (seal ? 16 : 0), in), end = seal ? n + 16 : n - 16;
        next = feof(in) || ferror(in) ? EOF : getc(in); /* nothing follows the last chunk */
        need(!ferror(in) && (next == EOF || ungetc(next, in) == next), argv[3], "cannot be read");
        need(seal ? hornet_stream_seal(chunk, chunk, n, chunks, next == EOF, key)
                  : hornet_stream_open(chunk, NULL, chunk, n, chunks, next == EOF, key),
             argv[3], seal ? "is too long" : "is not authentic, or cut off");
        need(fwrite(chunk, 1, end, out) == end, argv[4], "cannot be written");
        bytes += seal ? n : end;
    }
    need(fclose(in) == 0 && fflush(out) == 0 && fsync(descriptor) == 0 && fclose(out) == 0 &&
             rename(path, argv[4]) == 0,
         argv[4], "cannot be written");
    hornet_wipe(key, sizeof key);
    printf("%s: %llu bytes\n", argv[1], (unsigned long long)bytes);
}
