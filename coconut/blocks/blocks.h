/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Shared by all programs that write basic blocks: their inputs and outputs, and the loop over all samples.
 * Included after HORNET_LANES_HOOK, which records them. */
#ifndef COCONUT_LINES_BLOCKS_H
#define COCONUT_LINES_BLOCKS_H

#include <stdio.h>

#include "samples.h"

#define IN(place, name, numbers) bb_in(place, name, &(numbers), sizeof(numbers))
#define OUT(name, numbers)       bb_out(name, &(numbers), sizeof(numbers))

/* Begins the basic block "NAME N". */
static inline void begin(const char *name, size_t n, size_t advance_bytes)
{
    static char text[64];
    snprintf(text, sizeof text, "%s %zu", name, n);
    bb_begin(text, advance_bytes);
}

/* Returns a name that contains the number n, until the next call. */
static inline const char *numbered(const char *format, size_t n)
{
    static char text[16];
    snprintf(text, sizeof text, format, n);
    return text;
}

/* A program with many basic blocks may leave out samples: every fifth has each r, h and message. */
#ifndef SAMPLES_EVERY
#define SAMPLES_EVERY 1
#endif

static void write_blocks(const char *kernel, int lanes, void (*blocks_of)(const struct sample *))
{
    blocks_begin(kernel, lanes);
    for (int i = 0; i < SAMPLES && i < SAMPLES_WANTED; i += SAMPLES_EVERY) {
        const struct sample sample = sample_number(i);
        bb_sample(i);
        blocks_of(&sample);
    }
    blocks_end();
}

#endif
