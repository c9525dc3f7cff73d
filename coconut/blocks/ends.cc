/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What comes before and after the basic blocks of decimated.h: what words enter the lanes, and what leaves
 * them. In C++, words can be nodes like lanes, so that nothing in between is left out.
 *
 * "powers N", "first K" for K absent blocks, and "end" or "end 5" surround the steps of a message, among
 * which there may be "long N", a long step of N groups. "stream begin", "stream N" and "stream end" are the
 * functions of streaming.h. "keys", "begun K" for K messages that have begun, "short" and "finish" surround
 * the blocks of a batch. "append", "join", "replace", "shift N", "square", "times", "zeros N", "twice",
 * "twice and one" and "zeros end" belong to partial evaluations.
 *
 * HORNET_LANES_HOOK is graph_ends.h or values_ends.h, and FIELD_FILE the field's file. */
#include <stdbool.h>
#include <string.h>

#include "../../src/core/compiler.h"

/* Before uint64_t stands for another type. */
#include "../../src/core/cpu.h"
#include "../../src/core/stack_wipe.h"
#include "../../src/core/tuning.h"

#include HORNET_LANES_HOOK

#define uint64_t COCONUT_WORD
#include "../../src/poly1305/state.h"
#undef uint64_t

#define SAMPLES_EVERY 5
#include "blocks.h"

#define uint64_t COCONUT_WORD

/* What horner/batch.h takes from kernel.h and core/wipe.h, which are not C++. */
#define HORNET_POLY1305_KERNEL_H
struct hornet_batch {
    uint8_t (*tags)[16];
    const uint8_t *const *msgs;
    const size_t *lens_bytes;
    const uint8_t (*keys)[32];
};
void hornet_batch_last_blocks(uint8_t *blocks, uint64_t *tops, bool equal, const struct hornet_batch *batch,
                              const uint8_t *order, size_t count);
#define HORNET_CORE_WIPE_H
static inline void wipe(void *, size_t) {}

#include FIELD_FILE

#include "../../src/poly1305/horner/batch.h"
#include "../../src/poly1305/horner/combine.h"
#include "../../src/poly1305/horner/decimated.h"
#include "../../src/poly1305/horner/streaming.h"
#include "table.h"

static void in_element(const char *name, fe &a, unsigned long max)
{
    IN(PLACE_REGISTER, name, a);
    bb_in_max(max);
}

template <size_t COUNT> void in_words(const char *name, uint64_t (&words)[COUNT])
{
    bb_in_numbers(PLACE_WORD, name, words, COUNT);
}

/* r^2 comes in three words, the highest of them at most 4. */
#define WORDS_MAX ((5 << 24) - UINT64_C(1))
#define LAST_MAX  (FE_CARRIED_MAX > WORDS_MAX ? FE_CARRIED_MAX : WORDS_MAX)

static void out_powers(evaluation_powers &powers, size_t n)
{
    OUT("last", powers.of_last);
    OUT("others", powers.of_others);
    for (size_t i = 0; i < (n > STEPS_MAX ? 1 : n); i++)
        OUT(numbered("R^%zu", i + 1), powers.steps[i]);
    for (size_t i = 0; n > STEPS_MAX && i < n / POWERS_IN_VECTOR; i++)
        OUT(numbered("table%zu", i), powers.table[i]);
}

static void bb_powers(const struct sample *sample, size_t n)
{
    static long_multiplier table[TABLE_VECTORS(LONG_SUM_MAX)];
    static evaluation_powers powers = {.table = table};
    uint64_t r[2] = {sample->r[0], sample->r[1]};
    begin("powers", n, 0);
    in_words("r", r);
    raise_r(&powers, n, r);
    out_powers(powers, n);
    bb_end();
}

/* The message has LANES blocks, and there is room before it. */
static void bb_first(const struct sample *sample, size_t absent)
{
    uint64_t h[3] = {sample->h[0], sample->h[1], sample->h[2]};
    begin("first", absent, 0);
    in_words("h", h);
    const fe t = evaluation_continue(evaluation_first(message + 16 * LANES, absent), absent, h);
    OUT("t", t);
    bb_end();
}

static void bb_end_of_message(const char *name, fe t, evaluation_powers powers, unsigned long addend)
{
    uint64_t h[3], block[3] = {UINT64_MAX, 1, 1};
    bb_begin(name, 0);
    in_element("t", t, FE_LIMB_MAX);
    in_element("last", powers.of_last, LAST_MAX);
    in_element("others", powers.of_others, FE_CARRIED_MAX);
    in_words("block", block);
    evaluation_end(h, t, evaluation_last(message, block), &powers, addend);
    bb_out_numbers(addend == 0 ? "h" : "x", h, 3);
    bb_end();
}

/* A long step of up to as many groups as the table has powers, with its tops. */
static void bb_long(size_t n, fe t, evaluation_powers powers)
{
    begin("long", n, 0);
    in_element("t", t, FE_LIMB_MAX);
    for (size_t i = 0; i * POWERS_IN_VECTOR < n; i++)
        in_table(numbered("table%zu", i), &powers.table[i]);
    t = evaluation_long_step(t, &powers, message, n, evaluation_tops(&powers, n));
    OUT("t", t);
    bb_end();
}

static void bb_keep(const struct sample *sample)
{
    static uint64_t lanes[STREAMING_WORDS];
    uint64_t r[2] = {sample->r[0], sample->r[1]}, h[3] = {sample->h[0], sample->h[1], sample->h[2]};
    bb_begin("stream begin", 0);
    in_words("r", r);
    in_words("h", h);
    (void)begin_lanes(lanes, r, h, message);
    const fe t = load_fe(STREAMING_T(lanes)), last = load_fe(STREAMING_LAST(lanes));
    OUT("t", t);
    OUT("last", last);
    for (size_t i = 0; i < STREAMING_STEPS; i++) {
        const splat_multiplier power = splat_multiplier_from_words(STREAMING_STEP(lanes, i));
        OUT(numbered("R^%zu", i + 1), power);
    }
    bb_end();
}

/* The powers are kept as words. */
static void bb_kept(size_t n, fe t, evaluation_powers powers)
{
    static uint64_t lanes[STREAMING_WORDS];
    begin("stream", n, 0);
    in_element("t", t, FE_LIMB_MAX);
    for (size_t i = 0; i < n; i++) {
        IN(PLACE_MEMORY, numbered("R^%zu", i + 1), powers.steps[i]);
        bb_in_max(MULTIPLIER_MAX);
        splat_multiplier_to_words(STREAMING_STEP(lanes, i), &powers.steps[i]);
    }
    store_fe(STREAMING_T(lanes), t);
    (void)absorb_runs(lanes, message, n, message, 0);
    t = load_fe(STREAMING_T(lanes));
    OUT("t", t);
    bb_end();
}

static void bb_fold(fe t, fe last)
{
    static uint64_t lanes[STREAMING_WORDS];
    uint64_t h[3];
    bb_begin("stream end", 0);
    in_element("t", t, FE_LIMB_MAX);
    in_element("last", last, LAST_MAX);
    store_fe(STREAMING_T(lanes), t);
    store_fe(STREAMING_LAST(lanes), last);
    (void)sum_lanes(h, lanes);
    bb_out_numbers("h", h, 3);
    bb_end();
}

/* A batch of LANES messages, whose keys are in the message, or whose blocks are as far apart as possible.
 */
#define APART (sizeof message / LANES)

static void bb_keys(void)
{
    static const uint8_t order[LANES] = {0};
    const struct hornet_batch batch = {NULL, NULL, NULL, (const uint8_t(*)[32])message};
    batch_bundle group = {&batch, order, 0, 0, 0, 0};
    batch_lanes lanes;
    bb_begin("keys", 0);
    batch_load_keys(&lanes, &group, true, 1);
    OUT("r^1", lanes.r[0]);
    OUT("s low", lanes.s_lo[0]);
    OUT("s high", lanes.s_hi[0]);
    OUT("value", lanes.h[0]);
    bb_end();
}

static void in_lanes(batch_lanes &lanes)
{
    in_element("value", lanes.h[0], FE_CARRIED_MAX);
    IN(PLACE_MEMORY, "r^1", lanes.r[0]);
    bb_in_max(MULTIPLIER_MAX);
}

/* A step, of any number, at which `begun` messages have begun; the others begin at the next one. */
static void bb_begun(size_t begun, batch_lanes lanes)
{
    enum { STEP = 3 };
    const struct hornet_batch batch = {NULL, NULL, NULL, NULL};
    batch_bundle group = {&batch, NULL, STEP + 2, STEP + 1, STEP + 1, STEP};
    batch_sources sources;
    begin("begun", begun, 0);
    in_lanes(lanes);
    for (size_t i = 0; i < LANES; i++) {
        sources.first_step[i] = i < begun ? STEP - begun + i + 1 : STEP + 1;
        sources.base[i] = sources.own_base[i] = message + APART * i;
    }
    batch_begin_ragged(&lanes, &group, &sources, 1);
    OUT("value", lanes.h[0]);
    bb_end();
}

/* The last blocks of messages, padded. */
static void bb_short(batch_lanes lanes)
{
    static batch_ends ends;
    uint64_t block[3] = {UINT64_MAX, 1, 1};
    bb_begin("short", 0);
    in_lanes(lanes);
    for (size_t i = 0; i < LANES; i++) {
        bb_in_numbers(PLACE_WORD, numbered("block%zu", i), block, 3);
        store_le64(ends.blocks + 16 * i, block[0]);
        store_le64(ends.blocks + 16 * i + 8, block[1]);
        ends.tops[i] = block[2];
    }
    batch_last(&lanes, &ends, 1);
    OUT("value", lanes.h[0]);
    bb_end();
}

static void bb_finish(batch_lanes lanes)
{
    vec tag[2];
    bb_begin("finish", 0);
    in_element("value", lanes.h[0], FE_CARRIED_MAX);
    IN(PLACE_REGISTER, "s low", lanes.s_lo[0]);
    IN(PLACE_REGISTER, "s high", lanes.s_hi[0]);
    fe_finish(&tag[0], &tag[1], lanes.h[0], lanes.s_lo[0], lanes.s_hi[0]);
    OUT("tag", tag);
    bb_end();
}

static void bb_batch(fe value, evaluation_powers powers)
{
    batch_lanes lanes = {{value}, {multiplier_from(powers.of_last)}, {}, {}};
    vec_load_blocks(message, &lanes.s_lo[0], &lanes.s_hi[0]);
    bb_keys();
    for (size_t begun = 1; begun < LANES; begun++)
        bb_begun(begun, lanes);
    bb_short(lanes);
    bb_finish(lanes);
}

/* As partial.c does it. */
static void bb_partials(const struct sample *sample, fe shift)
{
    uint64_t words[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            words[i][k] = sample->h[k];
    bb_begin("append", 0);
    in_words("left", words[0]);
    in_words("right", words[1]);
    in_element("shift", shift, FE_CARRIED_MAX);
    const fe both = fe_carry(combine(fe_from_three_words(words[0]), fe_from_three_words(words[1]), shift));
    wide_sum_to_words(words[0], wide_from(both), 0);
    bb_out_numbers("h", words[0], 3);
    bb_end();

    fe value = shift;
    bb_begin("join", 0);
    in_element("left", value, FE_CARRIED_MAX);
    in_words("right", words[1]);
    in_element("shift", shift, FE_CARRIED_MAX);
    value = fe_carry(combine(value, fe_from_three_words(words[1]), shift));
    OUT("value", value);
    bb_end();

    for (int k = 0; k < 3; k++)
        words[0][k] = sample->h[k];
    bb_begin("replace", 0);
    in_words("whole", words[0]);
    in_words("replaced", words[1]);
    in_words("replacement", words[2]);
    in_element("shift", shift, FE_CARRIED_MAX);
    wide_sum_to_words(words[0],
                      replace_segment(fe_from_three_words(words[0]), fe_from_three_words(words[1]),
                                      fe_from_three_words(words[2]), shift),
                      0);
    bb_out_numbers("h", words[0], 3);
    bb_end();
}

/* r^n as in partial.c, for the smallest exponents. */
static void bb_shift(const struct sample *sample, unsigned long n)
{
    uint64_t r[3] = {sample->r[0], sample->r[1], 0};
    begin("shift", n, 0);
    bb_in_numbers(PLACE_WORD, "r", r, 2);
    const fe shift = fe_power(fe_from_three_words(r), n);
    OUT("shift", shift);
    bb_end();
}

/* Iterations of fe_power. */
static void bb_power(fe a, fe result)
{
    bb_begin("square", 0);
    in_element("result", result, FE_CARRIED_MAX);
    result = fe_square(result);
    OUT("result", result);
    bb_end();

    bb_begin("times", 0);
    in_element("a", a, FE_CARRIED_MAX);
    in_element("result", result, FE_CARRIED_MAX);
    const multiplier factors = multiplier_from(a);
    result = fe_mul(result, &factors);
    OUT("result", result);
    bb_end();
}

/* Zeros as in partial.c, for the smallest numbers of blocks. */
static void bb_zeros(const struct sample *sample, unsigned long n)
{
    uint64_t r[3] = {sample->r[0], sample->r[1], 0}, excess[3] = {sample->h[0], sample->h[1], 3}, h[3];
    begin("zeros", n, 0);
    bb_in_numbers(PLACE_WORD, "r", r, 2);
    in_words("excess", excess);
    wide_sum_to_words(h, zeros_value(fe_from_three_words(r), n, excess), 0);
    bb_out_numbers("h", h, 3);
    bb_end();
}

/* Iterations of zeros_value, and its end. */
static void bb_sums(const struct sample *sample, fe r, fe f)
{
    for (int odd = 0; odd < 2; odd++) {
        fe sum = f, less_one = r;
        bb_begin(odd != 0 ? "twice and one" : "twice", 0);
        in_element("f", sum, FE_CARRIED_MAX);
        in_element("r", r, FE_CARRIED_MAX);
        in_element("less one", less_one, FE_CARRIED_MAX);
        const multiplier by_r = multiplier_from(r), by_less_one = multiplier_from(less_one);
        sum = powers_summed(sum, &by_r, &by_less_one, odd != 0);
        OUT("f", sum);
        bb_end();
    }
    uint64_t excess[3] = {sample->h[0], sample->h[1], 3}, h[3];
    bb_begin("zeros end", 0);
    in_element("f", f, FE_CARRIED_MAX);
    in_element("r", r, FE_CARRIED_MAX);
    in_words("excess", excess);
    const multiplier by_r = multiplier_from(r);
    wide_sum_to_words(h, zeros_of_powers(f, excess, &by_r), 0);
    bb_out_numbers("h", h, 3);
    bb_end();
}

static void blocks_of_sample(const struct sample *sample)
{
    static long_multiplier table[TABLE_VECTORS(LONG_SUM_MAX)];
    static evaluation_powers powers = {.table = table};
    uint64_t r[2] = {sample->r[0], sample->r[1]};
    const uint64_t h[3] = {sample->h[0], sample->h[1], sample->h[2]};
    raise_r(&powers, 2, r);
    powers.steps[2] = powers.steps[1];
    powers.steps[3] = powers.steps[1];
    const fe first = evaluation_continue(evaluation_first(message, 0), 0, h), carried = powers.of_others;
    fe t = first;
    if (sample->largest)
        for (int i = 0; i < LIMBS; i++)
            t.limb[i] = factor_splat(FE_LIMB_MAX);
    if (LANES == 1) {
        bb_partials(sample, carried);
        for (unsigned long n = 0; n <= 5; n++)
            bb_shift(sample, n);
        bb_power(powers.of_last, carried);
        for (unsigned long n = 0; n <= 5; n++)
            bb_zeros(sample, n);
        bb_sums(sample, powers.of_last, carried);
        return;
    }
    bb_powers(sample, 2);
    bb_powers(sample, 4);
    if (LANES > 2) /* no kernel with two has a table, into which r^2 would have to be carried */
        bb_powers(sample, 8);
    for (size_t n = 16; n <= LONG_SUM_MAX; n *= 2)
        bb_powers(sample, n);
    bb_keep(sample);
    for (size_t n = 1; n <= STREAMING_STEPS; n *= 2)
        bb_kept(n, t, powers);
    bb_end_of_message("end", t, powers, 0);
#ifndef LANES_MULTIPLY_BLOCK /* nothing else is different with packed multipliers */
    bb_end_of_message("end 5", t, powers, 5);
    for (size_t absent = 0; absent < LANES; absent++)
        bb_first(sample, absent);
    bb_fold(t, powers.of_last);
    bb_batch(carried, powers);
    raise_r(&powers, LONG_SUM_MAX, r);
    for (size_t n = 1; n <= LONG_SUM_MAX; n++)
        bb_long(n, t, powers);
#endif
}

int main()
{
    write_blocks(HORNET_STRING(KERNEL), LANES, blocks_of_sample);
    return 0;
}
