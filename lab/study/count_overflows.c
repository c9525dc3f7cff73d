/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Counts the limbs that exceed their 44, 44 and 42 bits after each iteration of the z14 paper's evaluation
 * with the parallel reduction, over blocks of ones, as its appendix 2 does. Prints one line of JSON for
 * each state at the beginning and each multiplier, of which the paper states none. */
#include <stdio.h>
#include <string.h>

#include "../../src/core/compiler.h"

#define KERNEL z14_overflows
#include "../../src/poly1305/kernel_begin.h"

#include "../../src/poly1305/lanes/vmsl.h"

#include "../../src/poly1305/field/radix44_sums.h"

#include "../../src/poly1305/horner/vmsl_kernel.h"

enum { ITERATIONS = 4, KEYS = 4096 };

static const int limb_bits[3] = {44, 44, 42};

/* Returns an element in both lanes whose limbs are 2^(bits + more) - 1. */
static fe limbs_of_ones(int more)
{
    fe a;
    for (int i = 0; i < 3; i++)
        a.limb[i] = vec_splat((UINT64_C(1) << (limb_bits[i] + more)) - 1);
    return a;
}

/* For each iteration, how many limbs exceed their bits at most, in one of the two elements. */
struct counts {
    unsigned limbs[ITERATIONS];
    int most_bits;
};

static void count(struct counts *counts, fe t, const multiplier *by)
{
    uint8_t ones[SUMMED_GROUP_BYTES];
    memset(ones, 0xff, sizeof ones);
    for (int n = 0; n < ITERATIONS; n++) {
        t = vmsl_step(t, ones, by, 1);
        for (int lane = 0; lane < 2; lane++) {
            unsigned found = 0;
            for (int i = 0; i < 3; i++) {
                int bits = 0;
                for (uint64_t over = vec_element(t.limb[i], lane) >> limb_bits[i]; over != 0; over >>= 1)
                    bits++;
                found += bits != 0;
                counts->most_bits = bits > counts->most_bits ? bits : counts->most_bits;
            }
            counts->limbs[n] = found > counts->limbs[n] ? found : counts->limbs[n];
        }
    }
}

static void count_key(struct counts *counts, fe t, const uint64_t r[2])
{
    vmsl_powers powers;
    raise_vmsl_powers(&powers.odd, powers.even, r, 1);
    count(counts, t, &powers.even[0]);
}

/* splitmix64 */
static uint64_t random_word(void)
{
    static uint64_t state;
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void print(const char *begin, const char *by, const struct counts *counts)
{
    printf("{\"begin\": \"%s\", \"multiplier\": \"%s\", \"limbs\": [", begin, by);
    for (int n = 0; n < ITERATIONS; n++)
        printf("%s%u", n == 0 ? "" : ", ", counts->limbs[n]);
    printf("], \"most_bits\": %d}\n", counts->most_bits);
}

int main(void)
{
    static const char *const begins[] = {"no limb", "all limbs"};
    static const uint64_t all_bits[2] = {HORNET_CLAMP_LO, HORNET_CLAMP_HI};
    for (int more = 1; more >= 0; more--) {
        const fe t = limbs_of_ones(more);
        struct counts ones = {{0}, 0}, largest = ones, random = ones;
        const multiplier by = multiplier_from(limbs_of_ones(0));
        char keys[32];
        count(&ones, t, &by);
        print(begins[more], "limbs of ones", &ones);
        count_key(&largest, t, all_bits);
        print(begins[more], "powers of r with all its bits", &largest);
        for (int key = 0; key < KEYS; key++) {
            const uint64_t r[2] = {random_word() & all_bits[0], random_word() & all_bits[1]};
            count_key(&random, t, r);
        }
        (void)snprintf(keys, sizeof keys, "powers of %d random r", KEYS);
        print(begins[more], keys, &random);
    }
    return 0;
}

#include "../../src/poly1305/kernel_end.h"
