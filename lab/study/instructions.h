/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What is timed in a chain and apart: the instructions of table 1 of the IET paper, for its columns of
 * latency and throughput, and Bernstein's three ways to load an integer. */
#ifndef HORNET_STUDY_INSTRUCTIONS_H
#define HORNET_STUDY_INSTRUCTIONS_H

#include <stddef.h>

/* `chain` runs INSTRUCTIONS_CHAINED, of which each waits for the one before it; `apart` INSTRUCTIONS_APART,
 * in 16 chains that are interleaved. The names are those of the operations that the study counts. */
enum { INSTRUCTIONS_CHAINED = 256, INSTRUCTIONS_APART = 1024 };

struct study_instruction {
    const char *name;
    void (*chain)(void), (*apart)(void);
};

/* Returns their number; 0 if this CPU lacks them. */
size_t study_instructions(const struct study_instruction **all);

#endif
