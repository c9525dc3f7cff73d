/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Shared by all programs that write basic blocks: their inputs and outputs, and the loop over all samples.
 * Included after HORNET_LANES_HOOK, which records them. */
#ifndef COCONUT_LINES_LINES_H
#define COCONUT_LINES_LINES_H

#include "samples.h"

#define IN(place, name, numbers) line_in(place, name, &(numbers), sizeof(numbers))
#define OUT(name, numbers)       line_out(name, &(numbers), sizeof(numbers))

static void write_lines(const char *kernel, int lanes, void (*lines)(const struct sample *))
{
    lines_begin(kernel, lanes);
    for (int i = 0; i < SAMPLES && i < SAMPLES_WANTED; i++) {
        const struct sample sample = sample_number(i);
        line_sample(i);
        lines(&sample);
    }
    lines_end();
}

#endif
