/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The features of this CPU that the operating system lets programs use, and known properties of its cores.
 *
 * cpu/ has a file for each architecture with features to detect, and a list of these features: cpu/x86.c,
 * cpu/x86.def. */
#ifndef HORNET_CORE_CPU_H
#define HORNET_CORE_CPU_H

#include <stdint.h>

#include "compiler.h"

#pragma GCC visibility push(hidden)

enum {
#define HORNET_CPU_FEATURE(name, ...) CPU_INDEX_##name,
#include "cpu/list.def"
    CPU_FEATURE_COUNT
};

/* A set of features is a uint32_t of these bits. */
enum {
    CPU_ANY = 0, /* nothing beyond the architecture that this was compiled for */
#define HORNET_CPU_FEATURE(name, ...) CPU_##name = 1 << CPU_INDEX_##name,
#include "cpu/list.def"
};

_Static_assert(CPU_FEATURE_COUNT < 32, "cpu.c needs a bit of its own");

/* Returns the features of this CPU. The result is the same every time, in every thread. */
uint32_t hornet_cpu(void);

/* Asks the CPU and the operating system. Implemented in cpu/. */
uint32_t hornet_cpu_detect(void);

#pragma GCC visibility pop

#endif
