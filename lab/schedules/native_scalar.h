/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Compares an emitted function with the compiler's, on this CPU or an emulated one, as native.h does for
 * loops. The states must be the same, bit for bit; then it times both, and prints the nanoseconds for 13
 * blocks of each.
 *
 * It is included in the middle of the scalar kernel's file. EMITTED is the function (functions.py
 * lists its arguments). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../src/poly1305/horner/serial_kernel.h"

enum { BLOCKS = 40 };

/* The message is at an odd address, except where words must be aligned. */
static uint8_t memory[16 * BLOCKS + 24] __attribute__((aligned(64)));
#define message memory
#include "../../coconut/blocks/samples.h"
#undef message
#ifdef __riscv
#define message memory
#else
#define message (memory + 1)
#endif

void EMITTED(struct poly1305 *state, const uint8_t *blocks, uint64_t nblocks, const uint8_t *last);

/* serial_absorb without clearing the stack. */
HORNET_NOINLINE void compiled(struct poly1305 *state, const uint8_t *blocks, size_t len_bytes)
{
    uint64_t first[3];
    load_first_block(first, blocks, len_bytes);
    add_words(first, state->h[0], state->h[1], state->h[2]);
    const scalar_fe value = serial_value(SERIAL_ANY, scalar_fe_from_words(first),
                                         scalar_r_from_words(state->r), blocks, len_bytes);
    scalar_fe_to_words(state->h, value, 0);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    (void)kernel_mac, (void)kernel_absorb;
    const int rounds = argc > 1 ? atoi(argv[1]) : 0;
    struct poly1305 state = {{0}, {0}, {0}};
    for (int i = 0; i < SAMPLES; i++) {
        const struct sample sample = sample_number(i);
        memcpy(state.r, sample.r, sizeof state.r);
        memcpy(state.h, sample.h, sizeof state.h);
        for (size_t nblocks = 1; nblocks <= BLOCKS; nblocks = 3 * nblocks + 1)
            for (size_t part = 0; part < 16; part += 5) {
                struct poly1305 emitted = state, expected = state;
                uint8_t last[16] __attribute__((aligned(8))) = {0};
                memcpy(last, message + 16 * nblocks, part);
                last[part] = 1;
                EMITTED(&emitted, message, nblocks, part == 0 ? NULL : last);
                compiled(&expected, message, 16 * nblocks + part);
                if (memcmp(&emitted, &expected, sizeof expected) != 0) {
                    printf(
                        "sample %d, %zu blocks and %zu bytes: the emitted function leaves another state\n",
                        i, nblocks, part);
                    return 1;
                }
            }
    }
    /* The least of many rounds, in which both alternate. */
    double best[2] = {1e9, 1e9};
    for (int round = 0; round < rounds; round++)
        for (int which = 0; which < 2; which++) {
            const double start = now();
            for (int k = 0; k < 1000; k++)
                if (which == 0)
                    compiled(&state, message, 16 * 13);
                else
                    EMITTED(&state, message, 13, NULL);
            const double time = (now() - start) / 1000;
            if (time < best[which])
                best[which] = time;
        }
    if (rounds != 0)
        printf("%.2f %.2f\n", best[0], best[1]);
    return 0;
}

/* The kernel needs no record, because nothing calls it. */
#undef KERNEL_REQUIRED
