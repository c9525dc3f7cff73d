/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The messages and keys of `answers`, which prints their tags on the machine under test, and of
 * `check_answers`, which computes the expected tags on a machine with GMP. */
#ifndef HORNET_TESTS_ANSWERS_H
#define HORNET_TESTS_ANSWERS_H

#include <stddef.h>
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

/* The sealed packets use the input of the last kind: the start of the message is both the text and the
 * associated data, ANSWER_PACKETS packets at a time. Covers every length up to ANSWER_EACH_BYTES, so
 * that a ChaCha20 block ends at each position, and beyond it one length in ANSWER_STEP, which covers all
 * lengths modulo 64. */
enum { ANSWER_PACKETS = 20, ANSWER_EACH_BYTES = 320, ANSWER_STEP = 13 };
enum { ANSWER_SEALED = ANSWER_EACH_BYTES + (ANSWER_MAX_BYTES - ANSWER_EACH_BYTES) / ANSWER_STEP + 1 };

static inline size_t answer_sealed_bytes(int number)
{
    return (size_t)(number < ANSWER_EACH_BYTES
                        ? number
                        : ANSWER_EACH_BYTES + (number - ANSWER_EACH_BYTES) * ANSWER_STEP);
}

static inline size_t answer_aad_bytes(int number) { return (size_t)(number % 71); }

static inline void answer_nonce(int number, uint8_t nonce[12])
{
    for (int i = 0; i < 12; i++)
        nonce[i] = (uint8_t)(number * (i + 1) + i);
}

#endif
