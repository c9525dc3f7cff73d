/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Counts the checks of a test program and prints the first failures, each with a description of the
 * check. */
#ifndef HORNET_TESTS_CHECK_H
#define HORNET_TESTS_CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long checks_done, checks_failed;

/* Counts one check. If it failed, describes it with the printf arguments, and ends the program if
 * CHECK_ENDS_AT_FAILURE is defined, for a caller that asks only whether anything fails. */
__attribute__((format(printf, 2, 3), unused)) static void check(bool condition, const char *format, ...)
{
    checks_done++;
    if (condition)
        return;
    if (++checks_failed > 20)
        return;
    va_list arguments;
    va_start(arguments, format);
    printf("FAILED: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
#ifdef CHECK_ENDS_AT_FAILURE
    exit(1);
#endif
}

/* Returns the exit status of the program. A program that checked nothing has failed. */
__attribute__((unused)) static int check_report(const char *program)
{
    printf("%s: %lu checks, %lu failed\n", program, checks_done, checks_failed);
    return checks_failed != 0 || checks_done == 0;
}

#endif
