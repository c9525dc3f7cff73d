/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Compares an emitted loop with the compiler's, whose results must be the same, bit for bit; then times
 * both, and prints the nanoseconds of an iteration of each.
 *
 * It is included in the middle of the kernel's own file, with its own lanes. LINE_GROUPS is the number of
 * groups in an iteration, EMITTED the function (Syntax in architecture.py lists its arguments). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef HORNET_SUMMED_LANES
#include "../../src/poly1305/horner/decimated.h"
#endif

/* The kernel's instruction set again: kernel_end.h has closed its region. */
#include "../../src/core/target_begin.h"

#ifdef HORNET_SUMMED_LANES
enum { TURN_BYTES = LINE_GROUPS * SUMMED_GROUP_BYTES };
#else
enum { TURN_BYTES = LINE_GROUPS * GROUP_BYTES };
#endif
enum { TURNS = 32, MESSAGE_BYTES = TURNS * TURN_BYTES };

static uint8_t message[MESSAGE_BYTES] __attribute__((aligned(64)));

#include "samples.h"

void EMITTED(fe *t, const void *powers, const uint8_t *blocks, uint64_t turns);

/* Each kind of lanes defines in_memory, the graph's inputs in memory one after another, such as the powers;
 * prepare(), which sets them and returns the accumulator of a sample; and turn(), an iteration. */
#ifdef HORNET_SUMMED_LANES
static struct {
    summed_powers of;
} in_memory;

static fe prepare(const struct sample *sample)
{
    const uint64_t *h = sample->h;
    raise_summed_powers(&in_memory.of, sample->r, LINE_GROUPS);
    return fe_from_words(vec_pair(h[0], 0), vec_pair(h[1], 0), vec_pair(h[2], 0));
}

HORNET_INLINE fe turn(fe t, const uint8_t *blocks)
{
    return summed_step(t, blocks, in_memory.of.even, LINE_GROUPS, &in_memory.of.even[0]);
}
#else
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

static fe prepare(const struct sample *sample)
{
    raise_r(&powers, LINE_GROUPS, sample->r);
#if LINE_GROUPS > 4
    memcpy(in_memory.of.many.table, powers.table, sizeof in_memory.of.many.table);
    in_memory.of.many.tops = evaluation_tops(&powers, LINE_GROUPS);
#else
    memcpy(in_memory.of.steps, powers.steps, sizeof powers.steps);
#endif
    return evaluation_continue(evaluation_first(message, 0), 0, sample->h);
}

HORNET_INLINE fe turn(fe t, const uint8_t *blocks)
{
#if LINE_GROUPS > 4
    return evaluation_long_step(t, &powers, blocks, LINE_GROUPS, in_memory.of.many.tops);
#else
    return evaluation_step(t, &powers, blocks, LINE_GROUPS);
#endif
}
#endif

HORNET_NOINLINE fe compiled(fe t, const uint8_t *blocks, uint64_t turns)
{
    for (; turns != 0; turns--, blocks += TURN_BYTES)
        t = turn(t, blocks);
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
    (void)kernel_mac, (void)kernel_absorb;
#ifndef HORNET_SUMMED_LANES
    (void)kernel_batch, (void)evaluation_long_step;
#endif
#if KERNEL_KEEPS_LANES
    (void)kernel_lanes_begin, (void)kernel_lanes_absorb, (void)kernel_lanes_end;
#endif
    const int rounds = argc > 1 ? atoi(argv[1]) : 0;
    fe t;
    for (int i = 0; i < SAMPLES; i++) {
        const struct sample sample = sample_number(i);
        t = prepare(&sample);
        for (uint64_t turns = 1; turns <= TURNS; turns = 3 * turns + 1) {
            fe emitted = t;
            EMITTED(&emitted, &in_memory, message, turns);
            const fe expected = compiled(t, message, turns);
            if (memcmp(&emitted, &expected, sizeof expected) != 0) {
                printf("sample %d, %llu turns: the emitted loop leaves another accumulator\n", i,
                       (unsigned long long)turns);
                return 1;
            }
        }
    }
    /* The least of many rounds, in which both alternate. */
    double best[2] = {1e9, 1e9};
    for (int round = 0; round < rounds; round++)
        for (int which = 0; which < 2; which++) {
            const double start = now();
            for (int k = 0; k < 50; k++)
                if (which == 0)
                    t = compiled(t, message, TURNS);
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

/* The kernel needs no record, because nothing calls it. */
#undef KERNEL_NEEDS
