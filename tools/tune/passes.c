/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Times the passes of a ChaCha20 kernel, KERNEL_FILE, and calls of Poly1305 by POLY1305_KERNEL. Writes a
 * line of JSON with the features of this CPU, and then one for each pass, and for each of two lengths of
 * Poly1305: samples [ns, slot, multiplication], the time of a pass and those of operations after it. */
#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>

#include <hornet.h>
#include <hornet_kernels.h>

#include "../../src/poly1305/state.h"
#include "../measure/chains.h"
#include KERNEL_FILE

enum { SAMPLES = 200, PASSES = 40, OPERATIONS = 8192 };

EMPTY_SLOTS(OPERATIONS)
CHAIN_OF_MULTIPLICATIONS(OPERATIONS)

static uint8_t in[4096], out[4096], copy[4096] __attribute__((aligned(64)));

/* Prints a sample that began at that time. */
static void sample(bool first, uint64_t begin)
{
    const double ns = (double)(now() - begin) / PASSES, slot = (double)empty_slots() / OPERATIONS;
    printf("%s[%.2f, %.4f, %.4f]", first ? "" : ", ", ns, slot, (double)multiplications() / OPERATIONS);
}

static void time_pass(const char *kind, const chacha20_layout *layout, bool first, size_t rounds)
{
    static uint8_t key[32];
    static chacha20_state state;
    static struct poly1305 poly = {.r = {0x0123456709abcdef, 0x0123456409abcdec}};
    printf(", \"%s\": [", kind);
    for (int i = 0; i < SAMPLES; i++) {
        const uint64_t begin = now();
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
        const uint64_t begin = now();
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
        printf("%s[\"%s\", %s]", i == 0 ? "" : ", ", feature.name, feature.usable ? "true" : "false");
    puts("]");
    time_poly1305(sizeof in / 4);
    time_poly1305(sizeof in);
#define LAYOUT_NAME(name, ...) #name,
    static const char *const names[] = {LAYOUTS(LAYOUT_NAME)};
    /* The further layouts are the same functions without the companion, as their "next" is here. */
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
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
