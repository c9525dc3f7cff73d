/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Samples for the basic blocks: keys and states at the ends of their ranges, as test_poly1305.c injects
 * them, roots of small numbers, and messages of ones, of zeros, and random ones. */
#ifndef COCONUT_SAMPLES_H
#define COCONUT_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "../../src/poly1305/state.h"
#include "../../tests/support/inputs.h"

struct sample {
    uint64_t r[2], h[3];
    int fill;     /* of the message: ones, zeros, random */
    bool largest; /* the accumulator has the largest limbs of the contract, in place of h */
};

static const uint64_t sample_rs[][2] = {
    {UINT64_C(0x0ffffffc0fffffff), UINT64_C(0x0ffffffc0ffffffc)},
    {0, UINT64_C(0x0ffffffc0ffffffc)},
    {1, 0},
    {0, 4},
};

static const uint64_t sample_hs[][3] = {{UINT64_MAX, UINT64_MAX, HORNET_H2_MAX},
                                        {UINT64_MAX - 4, UINT64_MAX, 3},
                                        {0, UINT64_MAX, 4},
                                        {0, 0, 0}};

static const struct {
    const char *r;
    int power, value;
} sample_roots[] = {
#include "../../tests/vectors/edge_keys.h"
};

enum {
    SAMPLE_RS = sizeof sample_rs / sizeof sample_rs[0],
    SAMPLE_HS = sizeof sample_hs / sizeof sample_hs[0],
    SAMPLE_ROOTS = sizeof sample_roots / sizeof sample_roots[0],
    SAMPLES = SAMPLE_RS * SAMPLE_HS + SAMPLE_ROOTS,
};

static struct sample sample_number(int i)
{
    struct sample s = {.fill = i % 3};
    if (i < SAMPLE_RS * SAMPLE_HS) {
        memcpy(s.r, sample_rs[i % SAMPLE_RS], sizeof s.r);
        memcpy(s.h, sample_hs[i / SAMPLE_RS], sizeof s.h);
        s.largest = i / SAMPLE_RS == SAMPLE_HS - 1; /* h = 0 has no limbs of its own */
    } else {
        unsigned long long high, low;
        sscanf(sample_roots[i - SAMPLE_RS * SAMPLE_HS].r, "%16llx%16llx", &high, &low);
        s.r[0] = low;
        s.r[1] = high;
        s.h[0] = random_word();
        s.h[1] = random_word();
    }
    memset(message, s.fill == 0 ? 255 : 0, sizeof message);
    if (s.fill == 2)
        random_bytes(message, sizeof message);
    return s;
}

#endif
