/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Compares an emitted loop with the compiler's, whose results must be the same, bit for bit; then times
 * both, and prints the nanoseconds of an iteration of each.
 *
 * It is included in the middle of the kernel's own file, with its own lanes. ITERATION_GROUPS is the number
 * of groups in an iteration, EMITTED the function (Syntax in architecture.py lists its arguments). */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifndef HORNET_VMSL_LANES
#include "../../src/poly1305/horner/decimated.h"
#endif

/* The kernel's instruction set again: kernel_end.h has closed its region. */
#include "../../src/core/target_begin.h"

#ifdef HORNET_VMSL_LANES
enum { ITERATION_BYTES = ITERATION_GROUPS * SUMMED_GROUP_BYTES };
#else
enum { ITERATION_BYTES = ITERATION_GROUPS * GROUP_BYTES };
#endif
enum { ITERATIONS = 32, MESSAGE_BYTES = ITERATIONS * ITERATION_BYTES };

static uint8_t message[MESSAGE_BYTES] __attribute__((aligned(64)));

#include "../../coconut/blocks/samples.h"

void EMITTED(fe *t, const void *powers, const uint8_t *blocks, uint64_t iterations);

/* Each kind of lanes defines in_memory, the graph's inputs in memory one after another, such as the powers;
 * prepare(), which sets them and returns the accumulator of a sample; and iterate(), an iteration. */
#ifdef HORNET_VMSL_LANES
static struct {
    vmsl_powers of;
} in_memory;

static fe prepare(const struct sample *sample)
{
    const uint64_t *h = sample->h;
    raise_vmsl_powers(&in_memory.of.odd, in_memory.of.even, sample->r, ITERATION_GROUPS);
    return fe_from_words(vec_pair(h[0], 0), vec_pair(h[1], 0), vec_pair(h[2], 0));
}

HORNET_INLINE fe iterate(fe t, const uint8_t *blocks)
{
    return vmsl_step(t, blocks, in_memory.of.even, ITERATION_GROUPS);
}
#else
static struct {
    union {
        multiplier steps[STEPS_MAX];
        struct {
            long_multiplier table[ITERATION_GROUPS > STEPS_MAX ? ITERATION_GROUPS / POWERS_IN_VECTOR : 1];
            fe tops;
        } many;
    } of;
} in_memory __attribute__((aligned(64)));

static long_multiplier table[TABLE_VECTORS(LONG_SUM_MAX)];
static evaluation_powers powers = {.table = table};

/* Returns a multiplier as graph lanes have it. */
static multiplier each_in_a_vector(const splat_multiplier *a)
{
#ifdef FIELD_SPLAT_MULTIPLIER
    multiplier b;
#define NEXT(i, j) b.v[j] = factor_block(&a->v[(i) / LANES], (i) % LANES);
#define ADD(k, l)
    BY_DIAGONALS(NEXT, ADD)
#undef NEXT
#undef ADD
    return b;
#else
    return *a;
#endif
}

static fe prepare(const struct sample *sample)
{
    raise_r(&powers, ITERATION_GROUPS, sample->r);
#if ITERATION_GROUPS > 4
    memcpy(in_memory.of.many.table, table, sizeof in_memory.of.many.table);
    in_memory.of.many.tops = evaluation_tops(&powers, ITERATION_GROUPS);
#else
    for (size_t i = 0; i < STEPS_MAX; i++)
        in_memory.of.steps[i] = each_in_a_vector(&powers.steps[i]);
#endif
    return evaluation_continue(evaluation_first(message, 0), 0, sample->h);
}

HORNET_INLINE fe iterate(fe t, const uint8_t *blocks)
{
#if ITERATION_GROUPS > 4
    return evaluation_long_step(t, &powers, blocks, ITERATION_GROUPS, in_memory.of.many.tops);
#else
    return evaluation_step(t, &powers, blocks, ITERATION_GROUPS);
#endif
}
#endif

HORNET_NOINLINE fe compiled(fe t, const uint8_t *blocks, uint64_t iterations)
{
    for (; iterations != 0; iterations--, blocks += ITERATION_BYTES)
        t = iterate(t, blocks);
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
#ifndef HORNET_VMSL_LANES
    (void)kernel_batch, (void)evaluation_long_step;
#endif
#if KERNEL_STREAMS
    (void)kernel_lanes_begin, (void)kernel_lanes_absorb, (void)kernel_lanes_end;
#endif
    const int rounds = argc > 1 ? atoi(argv[1]) : 0;
    fe t;
    for (int i = 0; i < SAMPLES; i++) {
        const struct sample sample = sample_number(i);
        t = prepare(&sample);
        for (uint64_t iterations = 1; iterations <= ITERATIONS; iterations = 3 * iterations + 1) {
            fe emitted = t;
            EMITTED(&emitted, &in_memory, message, iterations);
            const fe expected = compiled(t, message, iterations);
            if (memcmp(&emitted, &expected, sizeof expected) != 0) {
                printf("sample %d, %llu iterations: the emitted loop leaves another accumulator\n", i,
                       (unsigned long long)iterations);
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
                    t = compiled(t, message, ITERATIONS);
                else
                    EMITTED(&t, &in_memory, message, ITERATIONS);
            const double time = (now() - start) / (50 * ITERATIONS);
            if (time < best[which])
                best[which] = time;
        }
    if (rounds != 0)
        printf("%.2f %.2f\n", best[0], best[1]);
    return 0;
}

#include "../../src/core/target_end.h"

/* The kernel needs no record, because nothing calls it. */
#undef KERNEL_REQUIRED
