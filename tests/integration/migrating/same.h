/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the programs in C share: the arguments of both libraries' calls, and how their results are compared.
 */
#ifndef SAME_H
#define SAME_H

#include <hornet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEN = 100 };

/* Where a call writes, and what the call before it has written there. */
static uint8_t output[LEN + 16], before[LEN + 16];

static void clear(void)
{
    memcpy(before, output, sizeof output);
    memset(output, 0xee, sizeof output);
}

/* Prints the first call of a line, both of whose calls gave the same. */
static void same(const char *line, bool equal)
{
    if (!equal) {
        (void)fprintf(stderr, "%s: another result\n", line);
        exit(1);
    }
    puts(line);
}

/* Fills memory with bytes that differ from each other. */
static void fill(uint8_t *memory, size_t len_bytes, unsigned first)
{
    for (size_t i = 0; i < len_bytes; i++)
        memory[i] = (uint8_t)(first + 7 * i);
}

static bool is(const uint8_t *memory, size_t len_bytes, uint8_t value)
{
    for (size_t i = 0; i < len_bytes; i++)
        if (memory[i] != value)
            return false;
    return true;
}

#endif
