/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The messages and keys of `answers`, which prints their tags on the machine under test, and of
 * `check_answers`, which knows what they should be on a machine with GMP. */
#ifndef HORNET_TESTS_ANSWERS_H
#define HORNET_TESTS_ANSWERS_H

#include <stdint.h>

enum { ANSWER_KINDS = 3, ANSWER_MAX_BYTES = 2304 };

/* All ones; patterns under the largest key; patterns. */
static inline void answer_input(int kind, uint8_t msg[ANSWER_MAX_BYTES], uint8_t key[32])
{
    for (int i = 0; i < ANSWER_MAX_BYTES; i++)
        msg[i] = (uint8_t)(kind == 0 ? 255 : i * i * 7 + i / 5 + kind);
    for (int i = 0; i < 32; i++)
        key[i] = (uint8_t)(kind == 2 ? i * 97 + 5 : 255);
}

#endif
