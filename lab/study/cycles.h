/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Counts cycles with rdpmc, or by reading a perf counter, if the system provides one and gives access;
 * otherwise with a counter of constant rate: the time stamp counter on x86, the system's clock
 * elsewhere. */
#ifndef HORNET_STUDY_CYCLES_H
#define HORNET_STUDY_CYCLES_H

#include <stdint.h>

/* Opens the counter, and returns its name: "rdpmc", "perf", "tsc" or "clock" (nanoseconds). */
const char *cycles_open(void);

/* Returns the count, after everything that precedes it in the program and before everything that
 * follows. */
uint64_t cycles_read(void);

/* Waits until all preceding instructions have completed. */
void cycles_wait(void);

#endif
