/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Measures the passes of a ChaCha20 kernel, KERNEL_FILE, and writes a line of JSON for each of its shapes.
 * The times are cycles, counted by a chain of additions beside them: the lower quartile of many moments. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <hornet.h>
#include <hornet_kernels.h>

#include KERNEL_FILE

enum { MOMENTS = 200, PASSES = 40, ADDITIONS = 20000 };

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int by_number(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quartile(double times[MOMENTS])
{
    qsort(times, MOMENTS, sizeof times[0], by_number);
    return times[MOMENTS / 4];
}

/* The time of an addition that waits for another. */
static double cycle_ns(void)
{
    const double begin = now_ns();
    uint64_t chain = 0;
    for (int i = 0; i < ADDITIONS; i++) {
        chain += 1;
        HORNET_IN_ORDER("r", chain);
    }
    return (now_ns() - begin) / ADDITIONS;
}

static uint8_t in[4096], out[4096], copy[4096] __attribute__((aligned(64)));

static double time_of(const chacha20_shape *shape, bool first, size_t rounds_beside)
{
    static uint8_t key[32];
    static chacha20_state state;
    static struct poly1305 poly = {.r = {0x0123456709abcdef, 0x0123456409abcdec}};
    double times[MOMENTS];
    for (int moment = 0; moment < MOMENTS; moment++) {
        const double cycle = cycle_ns(), begin = now_ns();
        for (uint32_t i = 0; i < PASSES; i++) {
            state.word[13] = i;
            shape->run(
                &(chacha20_work){.out = out,
                                 .in = in,
                                 .len_bytes = CHACHA20_BLOCK_BYTES * (size_t)(shape->nblocks - first),
                                 .copy = first ? copy : NULL,
                                 .key = first ? key : NULL,
                                 .state = &state,
                                 .poly = &poly,
                                 .blocks = in,
                                 .nblocks = rounds_beside * shape->beside});
        }
        times[moment] = (now_ns() - begin) / PASSES / cycle;
    }
    return quartile(times);
}

/* Cycles for a message of Poly1305. */
static double time_of_poly1305(size_t len_bytes)
{
    static const uint8_t key[32] = {1, 2, 3};
    uint8_t tag[16];
    double times[MOMENTS];
    for (int moment = 0; moment < MOMENTS; moment++) {
        const double cycle = cycle_ns(), begin = now_ns();
        for (int i = 0; i < PASSES; i++)
            hornet_poly1305(tag, in, len_bytes, key);
        times[moment] = (now_ns() - begin) / PASSES / cycle;
    }
    return quartile(times);
}

int main(void)
{
    if (!hornet_kernel_force(HORNET_CHACHA20, HORNET_STRING(KERNEL)) ||
        !hornet_kernel_force(HORNET_POLY1305, POLY1305_KERNEL))
        return 0;
    const double shorter = time_of_poly1305(sizeof in / 4), longer = time_of_poly1305(sizeof in);
    const double block = (longer - shorter) / (sizeof in / 4 * 3 / 16.0);
    printf("{\"poly1305_block\": %.3f, \"poly1305_call\": %.0f}\n", block,
           shorter - block * (sizeof in / 4 / 16.0));
#define SHAPE_NAME(name, ...) #name,
    static const char *const names[] = {SHAPES(SHAPE_NAME)};
    for (size_t i = 0; i < sizeof kernel_shapes / sizeof kernel_shapes[0]; i++) {
        const chacha20_shape *const shape = &kernel_shapes[i];
        printf("{\"name\": \"%s\", \"blocks\": %d, \"keyed\": %s, \"beside\": %d, \"first\": %.0f",
               names[i], shape->nblocks, shape->keyed ? "true" : "false", shape->beside,
               time_of(shape, true, 0));
        if (!shape->keyed)
            printf(", \"next\": %.0f", time_of(shape, false, 0));
        if (shape->beside != 0)
            printf(", \"with_poly1305\": %.0f", time_of(shape, false, CHACHA20_DOUBLE_ROUNDS));
        puts("}");
    }
    return 0;
}
