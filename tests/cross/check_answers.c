/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reads the output of `answers` and compares every line with the definition in GMP.
 *
 *     check_answers KERNEL...     the ChaCha20 kernels that must have answered, best first, and no
 *                                 others */
#include <string.h>

#include "../support/check.h"
#include "../support/reference_aead.h"
#include "answers.h"

static char expected[ANSWER_KINDS][ANSWER_MAX_BYTES + 1][33], expected_sealed[ANSWER_SEALED][33];

static void expect(char hex[33], const uint8_t tag[16])
{
    for (int i = 0; i < 16; i++)
        snprintf(hex + 2 * i, 3, "%02x", tag[i]);
}

/* Returns the next line, without its newline; "" after the last. */
static const char *next_line(void)
{
    static char line[80];
    if (!fgets(line, sizeof line, stdin))
        line[0] = 0;
    line[strcspn(line, "\r\n")] = 0;
    return line;
}

int main(int argc, char **argv)
{
    for (int kind = 0; kind < ANSWER_KINDS; kind++) {
        static uint8_t msg[ANSWER_MAX_BYTES];
        uint8_t key[32], tag[16];
        answer_input(kind, msg, key);
        for (size_t n = 0; n <= ANSWER_MAX_BYTES; n++) {
            reference_tag(tag, msg, n, key);
            expect(expected[kind][n], tag);
        }
    }
    for (int i = 0; i < ANSWER_SEALED; i++) {
        static uint8_t msg[ANSWER_MAX_BYTES], ciphertext[ANSWER_MAX_BYTES];
        uint8_t key[32], nonce[12], tag[16];
        answer_input(ANSWER_KINDS - 1, msg, key);
        answer_nonce(i, nonce);
        reference_aead(ciphertext, tag, msg, answer_sealed_bytes(i), msg, answer_aad_bytes(i), nonce, 12,
                       key);
        expect(expected_sealed[i], tag);
    }

    int ciphers = 1;
    for (const char *title; *(title = next_line()) != 0;) {
        char name[80];
        snprintf(name, sizeof name, "%s", title);
        if (strncmp(name, "ChaCha20 ", 9) == 0) {
            /* A kernel answers once for each of its pass tables. */
            if (ciphers == 1 || strcmp(name + 9, argv[ciphers - 1]) != 0) {
                check(ciphers < argc && strcmp(name + 9, argv[ciphers]) == 0, "%s, not %s", name,
                      ciphers < argc ? argv[ciphers] : "any");
                ciphers++;
            }
            for (int i = 0; i < ANSWER_SEALED; i++) {
                const char *line = next_line();
                check(strcmp(line, expected_sealed[i]) == 0, "%s, %zu bytes: '%s', not %s", name,
                      answer_sealed_bytes(i), line, expected_sealed[i]);
            }
            continue;
        }
        check(strncmp(name, "kernel ", 7) == 0, "'%s' where a kernel should be named", name);
        for (int kind = 0; kind < ANSWER_KINDS; kind++)
            for (size_t n = 0; n <= ANSWER_MAX_BYTES; n++) {
                const char *line = next_line();
                check(strcmp(line, expected[kind][n]) == 0, "%s, kind %d, length %zu: '%s', not %s", name,
                      kind, n, line, expected[kind][n]);
            }
    }
    check(ciphers == argc, "%d of %d kernels of ChaCha20 have answered", ciphers - 1, argc - 1);
    return check_report("check_answers");
}
