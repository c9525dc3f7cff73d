/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Calls emitted functions of one instruction each on vectors from standard input, and writes the results,
 * for coconut/check_instructions.py. INSTRUCTIONS is a file that lists
 * INSTRUCTION(function, vectors of operands, vectors of results, calls); VECTOR_BYTES is the length of a
 * vector. */
#include <stdint.h>
#include <stdio.h>

enum { VECTORS_MAX = 8 };

typedef void one_instruction(void *results, const void *operands, const void *message);

#define INSTRUCTION(function, operands, results, calls) one_instruction function;
#include INSTRUCTIONS
#undef INSTRUCTION

static const struct {
    one_instruction *function;
    size_t operands, results, calls;
} instructions[] = {
#define INSTRUCTION(function, operands, results, calls) {function, operands, results, calls},
#include INSTRUCTIONS
};

typedef uint8_t vector[VECTOR_BYTES];

int main(void)
{
    for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++)
        for (size_t call = 0; call < instructions[i].calls; call++) {
            static vector operands[VECTORS_MAX] __attribute__((aligned(64)));
            static vector results[VECTORS_MAX] __attribute__((aligned(64)));
            static vector message[2] __attribute__((aligned(64)));
            if (fread(operands, sizeof operands[0], instructions[i].operands, stdin) !=
                    instructions[i].operands ||
                fread(message, sizeof message, 1, stdin) != 1)
                return 1;
            instructions[i].function(results, operands, message);
            if (fwrite(results, sizeof results[0], instructions[i].results, stdout) !=
                instructions[i].results)
                return 1;
        }
    return 0;
}
