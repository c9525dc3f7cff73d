/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The clock, and chains of dependent operations, whose times tell whether another thread runs on the same
 * core: samples.py. */
#ifndef HORNET_MEASURE_CHAINS_H
#define HORNET_MEASURE_CHAINS_H

#include <stdint.h>
#include <time.h>

/* In nanoseconds. A program defines _POSIX_C_SOURCE, or is compiled as GNU C. */
static inline uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#define FOUR(code)    code code code code
#define SIXTEEN(code) FOUR(FOUR(code))
#define HIDDEN(x, y)  __asm__ volatile("" : "+r"(x), "+r"(y))
/* Defines a function that returns the nanoseconds of a number of operations, a multiple of 16. */
#define CHAIN(name, op, steps)                                                                             \
    __attribute__((noinline)) static uint64_t name(void)                                                   \
    {                                                                                                      \
        uint64_t x = 3, y = 5;                                                                             \
        const uint64_t begin = now();                                                                      \
        for (int i = 0; i < (steps) / 16; i++) {                                                           \
            SIXTEEN(x op y; HIDDEN(x, y);)                                                                 \
        }                                                                                                  \
        HIDDEN(x, y);                                                                                      \
        return now() - begin;                                                                              \
    }
/* A register is added: CPUs skip additions of small constants. */
#define CHAIN_OF_ADDITIONS(steps)       CHAIN(additions, +=, steps)
#define CHAIN_OF_MULTIPLICATIONS(steps) CHAIN(multiplications, *=, steps)

#endif
