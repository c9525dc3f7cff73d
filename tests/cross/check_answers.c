/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reads what `answers` printed and holds every line against the definition in GMP. */
#include <string.h>

#include "../support/check.h"
#include "../support/reference.h"
#include "answers.h"

static char expected[ANSWER_KINDS][ANSWER_MAX_BYTES + 1][33];

int main(void)
{
    for (int kind = 0; kind < ANSWER_KINDS; kind++) {
        static uint8_t msg[ANSWER_MAX_BYTES];
        uint8_t key[32], tag[16];
        answer_input(kind, msg, key);
        for (size_t n = 0; n <= ANSWER_MAX_BYTES; n++) {
            reference_tag(tag, msg, n, key);
            for (int i = 0; i < 16; i++)
                snprintf(expected[kind][n] + 2 * i, 3, "%02x", tag[i]);
        }
    }

    char name[80], line[80];
    while (fgets(name, sizeof name, stdin)) {
        name[strcspn(name, "\n")] = 0;
        check(strncmp(name, "kernel ", 7) == 0, "'%s' where a kernel should be named", name);
        for (int kind = 0; kind < ANSWER_KINDS; kind++)
            for (size_t n = 0; n <= ANSWER_MAX_BYTES; n++) {
                if (!fgets(line, sizeof line, stdin))
                    line[0] = 0;
                line[strcspn(line, "\n")] = 0;
                check(strcmp(line, expected[kind][n]) == 0, "%s, kind %d, length %zu: '%s', not %s", name,
                      kind, n, line, expected[kind][n]);
            }
    }
    return check_report("check_answers");
}
