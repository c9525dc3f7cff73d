/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Calls emitted functions of one instruction each on vectors from standard input, and writes the results,
 * for coconut/check_instructions.py and check_scalar.py. INSTRUCTIONS is a file that lists
 * INSTRUCTION(function, vectors of its state, calls); ELEMENTS is a vector's number of 64-bit words. */
#include <stdint.h>
#include <stdio.h>

enum { STATE_VECTORS_MAX = 8 };

typedef void one_instruction(uint64_t *state, const void *powers, const uint8_t *message, uint64_t turns);

#define INSTRUCTION(function, vectors, calls) one_instruction function;
#include INSTRUCTIONS
#undef INSTRUCTION

static const struct {
    one_instruction *function;
    size_t vectors, calls;
} instructions[] = {
#define INSTRUCTION(function, vectors, calls) {function, vectors, calls},
#include INSTRUCTIONS
};

int main(void)
{
    for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++)
        for (size_t call = 0; call < instructions[i].calls; call++) {
            static uint64_t state[STATE_VECTORS_MAX][ELEMENTS] __attribute__((aligned(64)));
            static uint64_t message[2 * ELEMENTS] __attribute__((aligned(64)));
            const size_t operands = instructions[i].vectors - 1;
            if (fread(state, sizeof state[0], operands, stdin) != operands ||
                fread(message, sizeof message, 1, stdin) != 1)
                return 1;
            instructions[i].function(state[0], NULL, (const uint8_t *)message, 1);
            if (fwrite(state[operands], sizeof state[0], 1, stdout) != 1)
                return 1;
        }
    return 0;
}
