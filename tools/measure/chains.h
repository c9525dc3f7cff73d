/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The clock, and loops whose times tell whether another thread runs on the same core: samples.py. */
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

/* The counter of the loops, unless a program names its own before it includes this file. */
#ifndef CHAIN_COUNTER
#define CHAIN_COUNTER now
#endif

#define FOUR(code)    code code code code
#define SIXTEEN(code) FOUR(FOUR(code))
/* Defines a function that returns what the counter counts during a number of operations, a multiple of 64,
 * with registers' width: a chain of wider multiplications would take more instructions. */
#define TIMED(name, steps, operation)                                                                      \
    __attribute__((noinline)) static uint64_t name(void)                                                   \
    {                                                                                                      \
        unsigned long x = 3, y = 5;                                                                        \
        const uint64_t begin = CHAIN_COUNTER();                                                            \
        for (int i = 0; i < (steps) / 64; i++) {                                                           \
            FOUR(SIXTEEN(operation;))                                                                      \
        }                                                                                                  \
        __asm__ volatile("" : "+r"(x), "+r"(y));                                                           \
        return CHAIN_COUNTER() - begin;                                                                    \
    }
#define CHAIN_OF_MULTIPLICATIONS(steps)                                                                    \
    TIMED(multiplications, steps, x *= y; __asm__ volatile("" : "+r"(x), "+r"(y)))
/* Instructions that only take a slot: on x86, they set a register to 0, which costs no execution, but are
 * not joined with others, as Zen 4 joins instructions that do nothing. */
#if defined __x86_64__ || defined __i386__
#define EMPTY_SLOT __asm__ volatile("xor %%ecx, %%ecx" ::: "ecx", "cc")
#elif defined __s390x__
#define EMPTY_SLOT __asm__ volatile("nopr")
#else
#define EMPTY_SLOT __asm__ volatile("nop")
#endif
#define EMPTY_SLOTS(steps) TIMED(empty_slots, steps, EMPTY_SLOT)

#endif
