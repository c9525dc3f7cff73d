/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Measures what packets of the AEAD take, alone and together, with one kernel of each algorithm: the
 * arguments. The library must be compiled with HORNET_BATCH_ALWAYS. Prints lines of numbers, in nanoseconds
 * of CPU time, medians:
 *
 *     lanes LANES                   of the kernel of ChaCha20
 *     alone BLOCKS NS               a packet of that many blocks
 *     single NS                     what HChaCha20 takes alone
 *     together PACKETS BLOCKS NS    packets of that many blocks each */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../include/hornet.h"
#include "../../include/hornet_kernels.h"
#include "../../src/core/tuning.h"

enum { ROUNDS = 61, PACKETS = 32, BLOCKS = 24, BLOCK_BYTES = 64, AAD_BYTES = 13, SAMPLE_NS = 40000 };

static uint8_t text[BLOCKS * BLOCK_BYTES], ciphertexts[PACKETS][BLOCKS * BLOCK_BYTES + 64],
    tags[PACKETS][16];
static uint8_t nonces[PACKETS][24], keys[PACKETS][32];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int order(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct {
    size_t packets, blocks; /* packets is 0 for one alone */
    bool extended;
    double ns[ROUNDS];
} sample;

static void call(const sample *of, const hornet_packet *packets)
{
    bool done;
    if (of->packets != 0)
        done = hornet_chacha20_poly1305_seal_batch(packets, of->packets);
    else if (of->extended)
        done = hornet_xchacha20_poly1305_seal(ciphertexts[0], tags[0], text, of->blocks * BLOCK_BYTES, text,
                                              AAD_BYTES, nonces[0], keys[0]);
    else
        done = hornet_chacha20_poly1305_seal(ciphertexts[0], tags[0], text, of->blocks * BLOCK_BYTES, text,
                                             AAD_BYTES, nonces[0], keys[0]);
    if (!done)
        abort();
}

static double measured(const sample *of)
{
    hornet_packet packets[PACKETS];
    for (size_t i = 0; i < PACKETS; i++)
        packets[i] = (hornet_packet){
            ciphertexts[i], text, of->blocks * BLOCK_BYTES, text, AAD_BYTES, nonces[i], keys[i], tags[i]};
    call(of, packets);
    /* Reading the clock takes longer than some calls. */
    for (size_t calls = 8;; calls *= 2) {
        const double start = now();
        for (size_t i = 0; i < calls; i++)
            call(of, packets);
        const double ns = now() - start;
        if (ns >= SAMPLE_NS)
            return ns / (double)calls;
    }
}

static size_t lanes_of(const char *name)
{
    hornet_kernel kernel;
    for (size_t i = 0; hornet_kernel_at(&kernel, HORNET_CHACHA20, i); i++)
        if (strcmp(kernel.name, name) == 0)
            return kernel.lanes;
    abort();
}

int main(int argc, char **argv)
{
    static const size_t counts[] = {2, 3, 4, 6, 8, 12, 16, 24, 32};
    static sample samples[2 * BLOCKS + 8 * BLOCKS * sizeof counts / sizeof counts[0]];
    size_t n = 0;
    if (argc != 3 || !hornet_kernel_force(HORNET_CHACHA20, argv[1]) ||
        !hornet_kernel_force(HORNET_POLY1305, argv[2]))
        return 1;
    for (size_t blocks = 0; blocks <= BLOCKS; blocks++)
        samples[n++] = (sample){.blocks = blocks};
    samples[n++] = (sample){.blocks = 1, .extended = true};
    const size_t lanes = lanes_of(argv[1]);
    printf("lanes %zu\n", lanes);
    for (size_t blocks = 0; blocks <= BLOCKS; blocks += blocks < 4 ? 1 : 4)
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
            if (counts[i] <= lanes && counts[i] * (blocks + 3) * BLOCK_BYTES <= AEAD_SHARED_MEMORY_BYTES)
                samples[n++] = (sample){.packets = counts[i], .blocks = blocks};
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < n; i++)
            samples[i].ns[round] = measured(&samples[i]);
    double one_block = 0;
    for (size_t i = 0; i < n; i++) {
        sample *const of = &samples[i];
        qsort(of->ns, ROUNDS, sizeof of->ns[0], order);
        const double median = of->ns[ROUNDS / 2];
        if (of->packets != 0)
            printf("together %zu %zu %.1f\n", of->packets, of->blocks, median);
        else if (of->extended)
            printf("single %.1f\n", median - one_block);
        else
            printf("alone %zu %.1f\n", of->blocks, median);
        if (of->blocks == 1 && of->packets == 0 && !of->extended)
            one_block = median;
    }
}
