/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Runs an emitted loop beside the compiler's, on this CPU: the results must be the same, bit for bit, and
 * then both are timed.
 *
 * Included into the middle of the kernel's own file, with its own lanes. LINE_GROUPS is the number of
 * groups to a turn, EMITTED the function (emit.py says what it takes). Prints the nanoseconds of a turn of
 * each. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "../../src/poly1305/horner/decimated.h"

/* For the kernel's instruction set, again: kernel_end.h has closed its region. */
#include "../../src/core/target_begin.h"

enum { TURNS = 32, MESSAGE_BYTES = TURNS * LINE_GROUPS * 16 * LANES };

static uint8_t message[MESSAGE_BYTES] __attribute__((aligned(64)));

#include "samples.h"

void EMITTED(fe *t, const void *powers, const uint8_t *blocks, uint64_t turns);

/* What the emitted loop finds in memory: the graph's inputs, one after another. */
static struct {
    union {
        multiplier steps[STEPS_MAX];
        struct {
            long_multiplier table[LINE_GROUPS > STEPS_MAX ? LINE_GROUPS / POWERS_IN_VECTOR : 1];
            fe tops;
        } many;
    } of;
} in_memory __attribute__((aligned(64)));

static evaluation_powers powers;

HORNET_NOINLINE fe compiled(fe t, const uint8_t *blocks, uint64_t turns, fe tops)
{
    for (; turns != 0; turns--, blocks += LINE_GROUPS * GROUP_BYTES)
#if LINE_GROUPS > 4
        t = evaluation_long_step(t, &powers, blocks, LINE_GROUPS, tops);
#else
        t = evaluation_step(t, &powers, blocks, LINE_GROUPS);
#endif
    (void)tops;
    return t;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv)
{
    (void)kernel_mac, (void)kernel_absorb, (void)kernel_batch, (void)evaluation_long_step;
#if KERNEL_KEEPS_LANES
    (void)kernel_lanes_begin, (void)kernel_lanes_absorb, (void)kernel_lanes_end;
#endif
    const int rounds = argc > 1 ? atoi(argv[1]) : 0;
    fe t, tops;
    for (int i = 0; i < SAMPLES; i++) {
        const struct sample sample = sample_number(i);
        raise_r(&powers, LINE_GROUPS, sample.r);
        t = evaluation_continue(evaluation_first(message, 0), 0, sample.h);
        tops = fe_zero();
#if LINE_GROUPS > 4
        tops = evaluation_tops(&powers, LINE_GROUPS);
        memcpy(in_memory.of.many.table, powers.table, sizeof in_memory.of.many.table);
        in_memory.of.many.tops = tops;
#else
        memcpy(in_memory.of.steps, powers.steps, sizeof powers.steps);
#endif
        for (uint64_t turns = 1; turns <= TURNS; turns = 3 * turns + 1) {
            fe emitted = t;
            EMITTED(&emitted, &in_memory, message, turns);
            const fe expected = compiled(t, message, turns, tops);
            if (memcmp(&emitted, &expected, sizeof expected) != 0) {
                printf("sample %d, %llu turns: the emitted loop leaves another accumulator\n", i,
                       (unsigned long long)turns);
                return 1;
            }
        }
    }
    /* The least of many, in turn. */
    double best[2] = {1e9, 1e9};
    for (int round = 0; round < rounds; round++)
        for (int which = 0; which < 2; which++) {
            const double start = now();
            for (int k = 0; k < 50; k++)
                if (which == 0)
                    t = compiled(t, message, TURNS, tops);
                else
                    EMITTED(&t, &in_memory, message, TURNS);
            const double time = (now() - start) / (50 * TURNS);
            if (time < best[which])
                best[which] = time;
        }
    if (rounds != 0)
        printf("%.2f %.2f\n", best[0], best[1]);
    return 0;
}

#include "../../src/core/target_end.h"

/* No record: nothing calls this kernel. */
#undef KERNEL_NEEDS
