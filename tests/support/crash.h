/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Reports which test was running if the program crashes, by a read outside a buffer or an instruction
 * that the CPU lacks. */
#ifndef HORNET_TESTS_CRASH_H
#define HORNET_TESTS_CRASH_H

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

static const char *volatile running_kernel = "none";
static volatile size_t running_length;

static inline void on_crash(int signal_number)
{
    char line[120];
    const int n = snprintf(line, sizeof line, "FAILED: kernel %s, length %zu: signal %d\n", running_kernel,
                           running_length, signal_number);
    _exit(write(STDOUT_FILENO, line, (size_t)n) == n ? 1 : 2);
}

static inline void report_crashes(void)
{
    static const int crashes[] = {
        SIGSEGV,
        SIGILL,
#ifdef SIGBUS
        SIGBUS,
#endif
    };
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        signal(crashes[i], on_crash);
}

#if !defined(_WIN32) && SIZE_MAX > UINT32_MAX
static sigjmp_buf before_crash;

static inline void on_expected_crash(int signal_number) { siglongjmp(before_crash, signal_number); }

/* Returns whether a call accesses memory that is inaccessible. */
static inline bool accesses_guard_page(void (*call)(void))
{
    void (*const before)(int) = signal(SIGSEGV, on_expected_crash);
    volatile bool crashed = true;
    if (sigsetjmp(before_crash, 1) == 0) {
        call();
        crashed = false;
    }
    signal(SIGSEGV, before);
    return crashed;
}
#endif

#endif
