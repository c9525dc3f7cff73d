/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The straight lines of a kernel whose message is decimated over its lanes: what goes in, a call of the
 * library, what comes out. Over graph lanes, this writes their graphs; over the model lanes, their values.
 *
 * Included into the middle of the kernel's own file: see coconut/describe.py. */
#include "lines.h"

#include "../../src/poly1305/horner/decimated.h"

static void begin(const char *name, size_t n, size_t advance_bytes)
{
    static char text[64];
    snprintf(text, sizeof text, n == 0 ? "%s" : "%s %zu", name, n);
    line_begin(text, advance_bytes);
}

/* Names with a number in them. */
static const char *power_name(const char *format, size_t n)
{
    static char text[16];
    snprintf(text, sizeof text, format, n);
    return text;
}

static void in_register(const char *name, fe *a) { line_in(PLACE_REGISTER, name, a, sizeof *a); }

/* The 130 bits of a block, cut into limbs. */
static void line_expand(void)
{
    begin("expand", 0, 0);
    const fe group = load_group(message);
    OUT("c", group);
    line_end();
}

/* The carries of a product. */
static void line_reduce(fe t, const multiplier *b)
{
    wide sum = wide_mul_add(wide_zero(), t, b);
    begin("reduce", 0, 0);
    IN(PLACE_REGISTER, "d", sum);
    const fe carried = fe_carry(sum);
    OUT("t", carried);
    line_end();
}

static void line_powers(size_t n, fe r, fe square)
{
    static evaluation_powers powers;
    begin("powers", n, 0);
    in_register("r", &r);
    in_register("r^2", &square);
    evaluation_begin(&powers, n, r, square);
    OUT("last", powers.of_last);
    OUT("others", powers.of_others);
    if (n > STEPS_MAX)
        for (size_t i = 0; i < n / POWERS_IN_VECTOR; i++)
            OUT(power_name("table%zu", i), powers.table[i]);
    else
        for (size_t i = 0; i < n; i++)
            OUT(power_name("R^%zu", i + 1), powers.steps[i]);
    line_end();
}

static void line_step(size_t n, fe t, evaluation_powers *powers)
{
    begin("step", n, n * GROUP_BYTES);
    in_register("t", &t);
    for (size_t i = 0; i < n; i++)
        IN(PLACE_MEMORY, power_name("R^%zu", i + 1), powers->steps[i]);
    t = evaluation_step(t, powers, message, n);
    OUT("t", t);
    line_end();
}

/* A turn of evaluation_long_step's loop. */
static void line_long_group(fe t, evaluation_powers *powers)
{
    long_sum sum = long_sum_from(t);
    vec lo, hi;
    begin("long group", 0, GROUP_BYTES);
    IN(PLACE_REGISTER, "d", sum);
    IN(PLACE_MEMORY, "table", powers->table[0]);
    vec_load_blocks(message, &lo, &hi);
    sum = long_sum_add_blocks(sum, lo, hi, table_vector(powers->table, 0), table_block(0));
    OUT("d", sum);
    line_end();
}

static void line_long_step(size_t n, fe t, evaluation_powers *powers)
{
    fe tops = evaluation_tops(powers, n);
    begin("long step", n, n * GROUP_BYTES);
    in_register("t", &t);
    for (size_t i = 0; i < n / POWERS_IN_VECTOR; i++)
        IN(PLACE_MEMORY, power_name("table%zu", i), powers->table[i]);
    IN(PLACE_MEMORY, "tops", tops);
    t = evaluation_long_step(t, powers, message, n, tops);
    OUT("t", t);
    line_end();
}

/* Each lane times its power, summed. */
static void line_end_of_message(fe t, fe last, evaluation_powers *powers)
{
    uint64_t h[3];
    begin("end", 0, 0);
    in_register("t", &t);
    in_register("c", &last);
    IN(PLACE_REGISTER, "last", powers->of_last);
    IN(PLACE_REGISTER, "others", powers->of_others);
    evaluation_end(h, t, last, powers, 0);
    line_end();
}

static void lines_of_sample(const struct sample *sample)
{
    static const size_t ns[] = {
#define NUMBER_OF_GROUPS(n, min_groups) n,
        GROUPS_TO_A_REDUCTION(NUMBER_OF_GROUPS)};
    static evaluation_powers powers;
    const uint64_t r_words[3] = {sample->r[0], sample->r[1], 0};
    fe t = evaluation_continue(evaluation_first(message, 0), 0, sample->h);
    if (sample->largest)
        for (int i = 0; i < LIMBS; i++)
            t.limb[i] = factor_splat(FE_LIMB_MAX);

    line_expand();
    for (size_t i = 0; i < sizeof ns / sizeof ns[0]; i++) {
        const size_t n = ns[i];
        const fe r = fe_from_three_words(r_words);
        line_powers(n, r, fe_square(r));
        raise_r(&powers, n, sample->r);
        if (n > STEPS_MAX) {
            line_long_group(t, &powers);
            line_long_step(n, t, &powers);
        } else {
            line_step(n, t, &powers);
        }
        if (i == 0) {
            line_reduce(t, &powers.steps[0]);
            line_step(1, t, &powers);
            line_end_of_message(t, evaluation_first(message, 0), &powers);
        }
    }
}

int main(void)
{
    /* Their parts are run above. */
    (void)kernel_mac, (void)kernel_absorb, (void)kernel_batch, (void)evaluation_last;
#if KERNEL_KEEPS_LANES
    (void)kernel_lanes_begin, (void)kernel_lanes_absorb, (void)kernel_lanes_end;
#endif
    write_lines(HORNET_STRING(KERNEL), LANES, lines_of_sample);
    return 0;
}

/* No record: nothing calls this kernel. */
#undef KERNEL_NEEDS
