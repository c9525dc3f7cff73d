/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Runs an emitted function, EMITTED, on samples from standard input, each of which consists of a number of
 * iterations, the accumulator, the inputs in memory, and the message; writes what each leaves. */
#include <stdint.h>
#include <stdio.h>

static uint64_t state[STATE_WORDS + 1], powers[POWERS_WORDS + 1];
static uint8_t message[MESSAGE_BYTES + 1];

void EMITTED(uint64_t *state, const uint64_t *powers, const uint8_t *message, uint64_t iterations);

static int all_read(void *to, size_t len_bytes) { return fread(to, 1, len_bytes, stdin) == len_bytes; }

int main(void)
{
    uint64_t iterations;
    while (all_read(&iterations, sizeof iterations)) {
        if (!all_read(state, 8 * STATE_WORDS) || !all_read(powers, 8 * POWERS_WORDS) ||
            !all_read(message, MESSAGE_BYTES))
            return 1;
        EMITTED(state, powers, message, iterations);
        fwrite(state, 8, STATE_WORDS, stdout);
    }
    return 0;
}
