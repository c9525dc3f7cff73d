/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The basic blocks of a kernel that decimates the message over its lanes: inputs, a call of the library,
 * outputs. Over graph lanes, this writes their graphs; over the model lanes, their values.
 *
 * It is included in the middle of the kernel's own file: see coconut/trace.py. */
#include "blocks.h"

#include "../../src/poly1305/horner/batch.h"
#include "../../src/poly1305/horner/combine.h"
#include "../../src/poly1305/horner/decimated.h"
#include "table.h"

static void in_register(const char *name, fe *a)
{
    bb_in(PLACE_REGISTER, name, a, sizeof *a);
    bb_in_max(FE_LIMB_MAX);
}

static void in_carried(const char *name, fe *a)
{
    bb_in(PLACE_REGISTER, name, a, sizeof *a);
    bb_in_max(FE_CARRIED_MAX);
}

static void in_multiplier(size_t n, splat_multiplier *a)
{
    bb_in(PLACE_MEMORY, numbered("R^%zu", n), a, sizeof *a);
    bb_in_max(MULTIPLIER_MAX);
}

/* Cuts the 130 bits of a block into limbs. */
static void bb_expand(void)
{
    bb_begin("expand", 0);
    const fe group = fe_from_blocks(message);
    OUT("c", group);
    bb_end();
}

/* Carries a product. */
static void bb_reduce(fe t, const splat_multiplier *b)
{
    wide sum = wide_mul_add_splat(wide_zero(), t, b);
    bb_begin("reduce", 0);
    IN(PLACE_REGISTER, "d", sum);
#if LIMBS == 3 /* what wide_limbs shifts is at most as much as what it adds to */
    bb_in_max_of(0, 3, WIDE_LIMB_MAX / 2);
    bb_in_max_of(3, 3, WIDE_LIMB_MAX >> 14);
#else
    bb_in_max(WIDE_LIMB_MAX);
#endif
    const fe carried = fe_carry(sum);
    OUT("t", carried);
    bb_end();
}

/* Begins a message: the powers for n groups per reduction, and T of the first group and of h. The inputs
 * are Go's state, r, s and h; the outputs are in the order in which later basic blocks take them. */
static void bb_begin_message(size_t n, const struct sample *sample)
{
    static long_multiplier table[TABLE_VECTORS(LONG_SUM_MAX)];
    static evaluation_powers powers = {.table = table};
    uint64_t r_words[3] = {sample->r[0], sample->r[1], 0}, s[2] = {0}, h[3];
    memcpy(h, sample->h, sizeof h);
    begin("begin", n, 0);
    bb_in_words("r", r_words, 2);
    bb_in_words("s", s, 2);
    bb_in_words("h", h, 3);
    const fe r = fe_from_three_words(r_words);
    evaluation_begin(&powers, n, r, fe_square(r));
    const fe t = evaluation_continue(fe_from_blocks(message), 0, h);
    OUT("t", t);
    OUT("last", powers.of_last);
    OUT("others", powers.of_others);
    for (size_t i = 0; i < (n > STEPS_MAX ? 2 : n); i++) {
        if (n > STEPS_MAX && i == 1) /* for groups that do not fill a long step */
            powers.steps[1] = splat_multiplier_from(fe_first(powers.of_others));
        OUT(numbered("R^%zu", i + 1), powers.steps[i]);
    }
    if (n > STEPS_MAX) {
        for (size_t i = 0; i < n / POWERS_IN_VECTOR; i++)
            OUT(numbered("table%zu", i), powers.table[i]);
        const fe tops = evaluation_tops(&powers, n);
        OUT("tops", tops);
    }
    bb_end();
}

static void bb_step(size_t n, fe t, evaluation_powers *powers)
{
    begin("step", n, n * GROUP_BYTES);
    in_register("t", &t);
    for (size_t i = 0; i < n; i++)
        in_multiplier(i + 1, &powers->steps[i]);
    t = evaluation_step(t, powers, message, n);
    OUT("t", t);
    bb_end();
}

/* An iteration of evaluation_long_step's loop. */
static void bb_long_group(fe t, evaluation_powers *powers)
{
    long_sum sum = long_sum_from(t);
    vec lo, hi;
    bb_begin("long group", GROUP_BYTES);
    IN(PLACE_REGISTER, "d", sum);
    in_table("table", &powers->table[0]);
    vec_load_blocks(message, &lo, &hi);
    sum = long_sum_add_blocks(sum, lo, hi, table_vector(powers->table, 0), table_block(0));
    OUT("d", sum);
    bb_end();
}

static void bb_long_step(size_t n, fe t, evaluation_powers *powers)
{
    fe tops = evaluation_tops(powers, n);
    begin("long step", n, n * GROUP_BYTES);
    in_register("t", &t);
    for (size_t i = 0; i < n / POWERS_IN_VECTOR; i++)
        in_table(numbered("table%zu", i), &powers->table[i]);
    IN(PLACE_MEMORY, "tops", tops);
    bb_in_max(FE_LIMB_MAX);
    t = evaluation_long_step(t, powers, message, n, tops);
    OUT("t", t);
    bb_end();
}

/* Multiplies each lane by its power, and sums the products. */
static void bb_end_of_message(fe t, evaluation_powers *powers)
{
    uint64_t h[3];
    bb_begin("end", 0);
    in_register("t", &t);
    in_carried("last", &powers->of_last);
    in_carried("others", &powers->of_others);
    evaluation_end(h, t, fe_from_blocks(message), powers, 0);
    bb_end();
}

/* n blocks of each message of a batch, with one reduction. */
static void bb_batch(size_t n, const evaluation_powers *powers)
{
    fe h = powers->of_others;
    multiplier r[BATCH_LAZY];
    fe c[BATCH_LAZY];
    for (size_t i = 0; i < n; i++)
        r[i] = multiplier_from(powers->of_last);
    begin("batch", n, n * GROUP_BYTES);
    in_carried("value", &h);
    for (size_t i = 0; i < n; i++) {
        bb_in(PLACE_MEMORY, numbered("r^%zu", i + 1), &r[i], sizeof r[i]);
        bb_in_max(MULTIPLIER_MAX);
        c[i] = fe_from_blocks(message + i * GROUP_BYTES);
    }
    h = n == 1 ? absorb_block_each(h, c[0], &r[0]) : absorb_blocks_each(h, c, n, r);
    OUT("value", h);
    bb_end();
}

/* A segment behind another one, and in place of another one. */
static void bb_segments(const evaluation_powers *powers)
{
    fe left = powers->of_last, right = powers->of_others, shift = powers->of_last, old = powers->of_others;
    bb_begin("append", 0);
    in_carried("left", &left);
    in_carried("right", &right);
    in_carried("shift", &shift);
    const wide joined = combine(left, right, shift);
    OUT("d", joined);
    bb_end();
    left = powers->of_last, right = powers->of_others, shift = powers->of_last;
    bb_begin("replace", 0);
    in_carried("whole", &left);
    in_carried("replaced", &old);
    in_carried("replacement", &right);
    in_carried("shift", &shift);
    const wide replaced = replace_segment(left, old, right, shift);
    OUT("d", replaced);
    bb_end();
}

static void blocks_of_sample(const struct sample *sample)
{
    static const size_t ns[] = {
#define NUMBER_OF_GROUPS(n, min_groups) n,
        GROUPS_TO_A_REDUCTION(NUMBER_OF_GROUPS)};
    static long_multiplier table[TABLE_VECTORS(LONG_SUM_MAX)];
    static evaluation_powers powers = {.table = table};
    fe t = evaluation_continue(evaluation_first(message, 0), 0, sample->h);
    if (sample->largest)
        for (int i = 0; i < LIMBS; i++)
            t.limb[i] = factor_splat(FE_LIMB_MAX);

    bb_expand();
    for (size_t i = 0; i < sizeof ns / sizeof ns[0]; i++) {
        const size_t n = ns[i];
        bb_begin_message(n, sample);
        raise_r(&powers, n, sample->r);
        if (n > STEPS_MAX) {
            bb_long_group(t, &powers);
            bb_long_step(n, t, &powers);
        } else {
            bb_step(n, t, &powers);
        }
        if (i == 0) {
            bb_reduce(t, &powers.steps[0]);
            bb_step(1, t, &powers);
            bb_end_of_message(t, &powers);
            bb_batch(1, &powers);
            bb_batch(BATCH_LAZY, &powers);
            bb_segments(&powers);
        }
    }
}

int main(void)
{
    /* Their parts run above. */
    (void)kernel_mac, (void)kernel_absorb, (void)kernel_batch, (void)evaluation_last;
#if KERNEL_STREAMS
    (void)kernel_lanes_begin, (void)kernel_lanes_absorb, (void)kernel_lanes_end;
#endif
    write_blocks(HORNET_STRING(KERNEL), LANES, blocks_of_sample);
    return 0;
}

/* The kernel needs no record, because nothing calls it. */
#undef KERNEL_REQUIRED
