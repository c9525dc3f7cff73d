/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* GMP's header for mini-gmp, with the functions that the tests use and mini-gmp lacks. */
#ifndef HORNET_TESTS_CROSS_GMP_H
#define HORNET_TESTS_CROSS_GMP_H

#include <mini-gmp.h>
#include <stdarg.h>

#define FOR_EACH_NUMBER(function)                                                                          \
    va_list numbers;                                                                                       \
    va_start(numbers, number);                                                                             \
    for (; number != NULL; number = va_arg(numbers, mpz_ptr))                                              \
        function(number);                                                                                  \
    va_end(numbers)

static inline void mpz_inits(mpz_ptr number, ...) { FOR_EACH_NUMBER(mpz_init); }
static inline void mpz_clears(mpz_ptr number, ...) { FOR_EACH_NUMBER(mpz_clear); }

#endif
