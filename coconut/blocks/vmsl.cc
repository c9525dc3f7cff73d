/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The basic blocks of the kernels whose products are summed (the z14 paper, figures 3 and 4), as
 * decimated.h has those of the others; and what surrounds them: "powers", "enter" and "leave".
 *
 * HORNET_LANES_HOOK is graph_vmsl.h or values_vmsl.h. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../../src/core/compiler.h"

/* Before uint64_t stands for another type. */
#include "../../src/core/stack_wipe.h"
#include "../../src/core/tuning.h"

#include HORNET_LANES_HOOK

#define uint64_t COCONUT_WORD
#include "../../src/poly1305/state.h"
#undef uint64_t

#include "blocks.h"

#define uint64_t COCONUT_WORD

/* What horner/vmsl_kernel.h takes from kernel.h, which is not C++: blocks that fill no group go to another
 * kernel. */
#define HORNET_POLY1305_KERNEL_H
struct hornet_poly1305_kernel {
    void (*mac)(uint8_t *tag, const uint8_t *msg, size_t len_bytes, const uint8_t *key);
    void (*absorb)(struct poly1305 *state, const uint8_t *msg, size_t len_bytes);
};
static const struct hornet_poly1305_kernel *const hornet_poly1305_fallback = NULL;

#include "../../src/poly1305/horner/vmsl_kernel.h"

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
    begin("step", n, n * SUMMED_GROUP_BYTES);
    IN(PLACE_REGISTER, "t", t);
    bb_in_max(FE_LIMB_MAX);
    for (size_t i = 0; i < n; i++)
        in_multiplier(numbered("r^%zu", 4 * i + 4), &powers->even[i]);
    t = vmsl_step(t, message, powers->even, n);
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
    t = vmsl_last(t, message, &powers->even[0], &powers->odd);
    OUT("last", t);
    bb_end();
}

static void bb_powers(const struct sample *sample)
{
    static vmsl_powers powers;
    uint64_t r[2] = {sample->r[0], sample->r[1]};
    bb_begin("powers", 0);
    bb_in_numbers(PLACE_WORD, "r", r, 2);
    raise_vmsl_powers(&powers.odd, powers.even, r, SUMMED_STEPS_MAX);
    for (size_t i = 0; i < SUMMED_STEPS_MAX; i++)
        OUT(numbered("r^%zu", 4 * i + 4), powers.even[i]);
    OUT("odd", powers.odd);
    bb_end();
}

/* As absorb_groups begins and ends. */
static void bb_words(const struct sample *sample, fe t)
{
    uint64_t h[3] = {sample->h[0], sample->h[1], sample->h[2]};
    bb_begin("enter", 0);
    bb_in_numbers(PLACE_WORD, "h", h, 3);
    const fe entered = fe_from_words(vec_pair(h[0], 0), vec_pair(h[1], 0), vec_pair(h[2], 0));
    OUT("t", entered);
    bb_end();

    bb_begin("leave", 0);
    IN(PLACE_REGISTER, "last", t);
    bb_in_max(VMSL_LAST_MAX);
    vmsl_end(h, t);
    bb_out_numbers("h", h, 3);
    bb_end();
}

static void blocks_of_sample(const struct sample *sample)
{
    static vmsl_powers powers;
    const uint64_t h[3] = {sample->h[0], sample->h[1], sample->h[2]};
    uint64_t r[2] = {sample->r[0], sample->r[1]};
    fe t = fe_from_words(vec_pair(h[0], 0), vec_pair(h[1], 0), vec_pair(h[2], 0));
    raise_vmsl_powers(&powers.odd, powers.even, r, SUMMED_STEPS_MAX);
    t = vmsl_step(t, message, powers.even, 1);
    bb_expand();
    bb_reduce(t, &powers.even[0]);
    for (size_t n = 1; n <= SUMMED_STEPS_MAX; n++)
        bb_step(n, t, &powers);
    bb_last(t, &powers);
    bb_powers(sample);
    bb_words(sample, t);
}

int main()
{
    write_blocks(HORNET_STRING(KERNEL), HORNET_VMSL_LANES, blocks_of_sample);
    return 0;
}
