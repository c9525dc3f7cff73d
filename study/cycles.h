/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Counts cycles: by rdpmc, or by reading a counter of perf, where the system has one and lets a program; or
 * by what counts at a constant rate: the time stamp counter, elsewhere than on x86 the system's clock. */
#ifndef HORNET_STUDY_CYCLES_H
#define HORNET_STUDY_CYCLES_H

#include <stdint.h>

/* What counts: "rdpmc", "perf", "tsc" or "clock" (nanoseconds). Opens it. */
const char *cycles_open(void);

/* The count, after all that comes before in the program and before all that comes after. */
uint64_t cycles_read(void);

/* How many counts a dependent addition takes, which takes one cycle of the core: 1, or for what counts
 * at a constant rate, that rate by the clock of the core, as it runs now. */
double cycles_per_addition(void);

/* Waits until all that comes before has been done. */
void cycles_wait(void);

#endif
