/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Times the passes of a ChaCha20 kernel, KERNEL_FILE, and calls of Poly1305 by POLY1305_KERNEL. Writes a
 * line of JSON with the features of this CPU, and then one for each pass, and for each of two lengths of
 * Poly1305: samples [ns, addition, multiplication], the time of a pass and those of operations in a chain,
 * after it. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <hornet.h>

#include "../../src/poly1305/state.h"
#include KERNEL_FILE

enum { SAMPLES = 200, PASSES = 40, OPERATIONS = 8000 };

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static uint8_t in[4096], out[4096], copy[4096] __attribute__((aligned(64)));

/* Prints a sample that began at that time. */
static void sample(bool first, double begin)
{
    double times[4] = {begin, now_ns()};
    uint64_t chain = 3, factor = 3;
    HORNET_VALUE_BARRIER("r", factor); /* or an addition would do */
    for (int i = 0; i < OPERATIONS; i++) {
        chain += 1;
        HORNET_IN_ORDER("r", chain);
    }
    times[2] = now_ns();
    for (int i = 0; i < OPERATIONS; i++) {
        chain *= factor;
        HORNET_IN_ORDER("r", chain);
    }
    times[3] = now_ns();
    printf("%s[%.2f, %.4f, %.4f]", first ? "" : ", ", (times[1] - times[0]) / PASSES,
           (times[2] - times[1]) / OPERATIONS, (times[3] - times[2]) / OPERATIONS);
}

static void time_pass(const char *kind, const chacha20_layout *layout, bool first, size_t rounds)
{
    static uint8_t key[32];
    static chacha20_state state;
    static struct poly1305 poly = {.r = {0x0123456709abcdef, 0x0123456409abcdec}};
    printf(", \"%s\": [", kind);
    for (int i = 0; i < SAMPLES; i++) {
        const double begin = now_ns();
        for (uint32_t nonce = 0; nonce < PASSES; nonce++) {
            state.word[13] = nonce;
            layout->run(
                &(chacha20_work){.out = out,
                                 .in = in,
                                 .len_bytes = CHACHA20_BLOCK_BYTES * (size_t)(layout->nblocks - first),
                                 .copy = first ? copy : NULL,
                                 .key = first ? key : NULL,
                                 .state = &state,
                                 .companion = {&poly, in, rounds * layout->stitched}});
        }
        sample(i == 0, begin);
    }
    printf("]");
}

static void time_poly1305(size_t len_bytes)
{
    static const uint8_t key[32] = {1, 2, 3};
    uint8_t tag[16];
    printf("{\"poly1305_blocks\": %zu, \"samples\": [", len_bytes / 16);
    for (int i = 0; i < SAMPLES; i++) {
        const double begin = now_ns();
        for (int call = 0; call < PASSES; call++)
            hornet_poly1305(tag, in, len_bytes, key);
        sample(i == 0, begin);
    }
    puts("]}");
}

int main(void)
{
    if (!hornet_kernel_force(HORNET_CHACHA20, HORNET_STRING(KERNEL)) ||
        !hornet_kernel_force(HORNET_POLY1305, POLY1305_KERNEL))
        return 0;
    hornet_cpu_feature feature;
    printf("[");
    for (size_t i = 0; hornet_cpu_feature_at(&feature, i); i++)
        if (feature.usable)
            printf("\"%s\", ", feature.name);
    puts("null]");
    time_poly1305(sizeof in / 4);
    time_poly1305(sizeof in);
#define LAYOUT_NAME(name, ...) #name,
    static const char *const names[] = {LAYOUTS(LAYOUT_NAME)};
    for (size_t i = 0; i < sizeof kernel_layouts / sizeof kernel_layouts[0]; i++) {
        const chacha20_layout *const layout = &kernel_layouts[i];
        printf("{\"name\": \"%s\", \"blocks\": %d, \"stitched\": %d", names[i], layout->nblocks,
               layout->stitched);
        time_pass("first", layout, true, 0);
        if (!layout->keyed)
            time_pass("next", layout, false, 0);
        if (layout->stitched != 0)
            time_pass("with", layout, false, CHACHA20_DOUBLE_ROUNDS);
        puts("}");
    }
    return 0;
}
