/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The basic blocks of the kernel whose products are summed (the z14 paper, figures 3 and 4), as decimated.h
 * has those of the others.
 *
 * HORNET_LANES_HOOK is graph_vmsl.h or values_vmsl.h. */
#include <stdio.h>
#include <string.h>

#define KERNEL vmsl
#include "../../src/core/compiler.h"

#include HORNET_LANES_HOOK

#include "../../src/poly1305/horner/vmsl_kernel.h"

#include "blocks.h"

static void bb_expand(void)
{
    bb_begin("expand", 0);
    const fe two = load_two(message);
    OUT("c", two);
    bb_end();
}

/* Carries both sums in parallel: the paper's parallel reduction. */
static void bb_reduce(fe a, const multiplier *b)
{
    summed first = vmsl_mul_add(vmsl_zero(), a, b), second = vmsl_mul_add(first, a, b);
    bb_begin("reduce", 0);
    bb_in_sums("first", first.d, 3);
    bb_in_sums("second", second.d, 3);
    const fe carried = fe_carry(first, second);
    OUT("t", carried);
    bb_end();
}

static void in_multiplier(const char *name, multiplier *a)
{
    bb_in(PLACE_MEMORY, name, a, sizeof *a);
    bb_in_max_of(0, 3, FE_LIMB_MAX);
    bb_in_max_of(3, 2, 20 * FE_LIMB_MAX);
}

static void bb_step(size_t n, fe t, vmsl_powers *powers)
{
    char name[16], power[16];
    snprintf(name, sizeof name, "step %zu", n);
    bb_begin(name, n * SUMMED_GROUP_BYTES);
    IN(PLACE_REGISTER, "t", t);
    bb_in_max(FE_LIMB_MAX);
    for (size_t i = 0; i < n; i++) {
        snprintf(power, sizeof power, "r^%zu", 4 * i + 4);
        in_multiplier(power, &powers->even[i]);
    }
    t = vmsl_step(t, message, powers->even, n, &powers->even[0]);
    OUT("t", t);
    bb_end();
}

/* The last group, for which L has other powers. */
static void bb_last(fe t, vmsl_powers *powers)
{
    bb_begin("last", 0);
    IN(PLACE_REGISTER, "t", t);
    bb_in_max(FE_LIMB_MAX);
    in_multiplier("even", &powers->even[0]);
    in_multiplier("odd", &powers->odd);
    t = vmsl_step(t, message, powers->even, 1, &powers->odd);
    OUT("t", t);
    bb_end();
}

static void blocks_of_sample(const struct sample *sample)
{
    static vmsl_powers powers;
    const uint64_t *h = sample->h;
    fe t = fe_from_words(vec_pair(h[0], 0), vec_pair(h[1], 0), vec_pair(h[2], 0));
    raise_vmsl_powers(&powers.odd, powers.even, sample->r, SUMMED_STEPS_MAX);
    t = vmsl_step(t, message, powers.even, 1, &powers.even[0]);
    bb_expand();
    bb_reduce(t, &powers.even[0]);
    for (size_t n = 1; n <= 4; n++)
        bb_step(n, t, &powers);
    bb_step(SUMMED_STEPS_MAX, t, &powers);
    bb_last(t, &powers);
}

int main(void)
{
    (void)kernel_mac, (void)kernel_absorb; /* their parts run above */
    write_blocks(HORNET_STRING(KERNEL), HORNET_VMSL_LANES, blocks_of_sample);
    return 0;
}
