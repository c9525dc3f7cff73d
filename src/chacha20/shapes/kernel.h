/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The functions of a kernel and its record. The kernel file defines
 *
 *     KERNEL, KERNEL_REQUIRED    its name, and the CPU features that it requires
 *     WORDS                   words in a vector
 *     HORNET_TARGET           its instruction set
 *     LANES_SETS              2 if there are registers for two sets of lanes
 *     SHAPES(X)               the shapes of its passes: X(name, lanes, rows, key, beside, quick): pass.h
 *     PLAN                    its plan in core/tuning.h: PLAN_first, PLAN_next and PLAN_period
 *     KERNEL_TUNING           optional: the name of another record, whose plan is TUNED_PLAN
 *
 * and the optional macros of lanes/words.h. This file has no include guard: each kernel includes it
 * again. */
#ifndef KERNEL
#error "KERNEL must be the kernel's name"
#endif

#include "../../core/stack_wipe.h"
#include "../../core/tuning.h"
#include "../../core/words.h"
#include "../chacha20.h"

/* Where vectors are compiled to words in general-purpose registers, clang 19 does not unroll long loops,
 * and warns. */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#include "pass.h"

#ifndef SHAPES /* parsed alone */
#define SHAPES(X)                                                                                          \
    X(key, 0, 0, 1, 0, 0) X(rows1, 0, 1, 0, 0, 0) X(rows3, 0, 3, 0, 0, 0) X(lanes1, 1, 0, 0, 0, 0)
#define PLAN PLAN_VECTOR128
#endif

/* The functions of the shapes, the shapes, their numbers, and the tables of the plan. Names that macros
 * make end in the kernel's. */
#define SHAPE_FUNCTION(name, lanes, rows, key, beside, quick)                                              \
    HORNET_NOINLINE uintptr_t HORNET_PASTE(chacha20_, name, _, KERNEL)(const chacha20_work *work)          \
    {                                                                                                      \
        pass(lanes, rows, key, beside, quick, work);                                                       \
        return stack_end(STACK_BELOW_BYTES);                                                               \
    }
SHAPES(SHAPE_FUNCTION)

#define SHAPE_RECORD(name, lanes, rows, key, beside, quick)                                                \
    {HORNET_PASTE(chacha20_, name, _, KERNEL), (lanes) * WORDS + (rows) * ROWS_BLOCKS + (key), key, beside},
static const chacha20_shape kernel_shapes[] = {SHAPES(SHAPE_RECORD)};

#define SHAPE_NUMBER(name, ...) HORNET_PASTE(chacha20_shape_, name, _, KERNEL),
enum { SHAPES(SHAPE_NUMBER) };

#define PLAN_SHAPES(name, number) HORNET_TIMES_##number(HORNET_PASTE(chacha20_shape_, name, _, KERNEL)),
static const uint8_t plan_first[] = {HORNET_PASTE(PLAN, _first, , )(PLAN_SHAPES)};
static const uint8_t plan_next[] = {HORNET_PASTE(PLAN, _next, , )(PLAN_SHAPES)};
_Static_assert(sizeof plan_first == sizeof plan_next, "two tables of one length");

/* Sets out to in xor stream, and copy to in (if copies_in) or out, followed by zeros. */
HORNET_INLINE void apply_stream_twice(uint8_t *out, uint8_t *copy, bool copies_in, const uint8_t *in,
                                      const uint8_t *stream, size_t len_bytes)
{
    HORNET_KEEP_LOOP
    for (; len_bytes >= sizeof(word_vec); len_bytes -= sizeof(word_vec)) {
        const word_vec input = words_load(in), output = words_xor(input, words_load(stream));
        words_store(out, output);
        words_store(copy, copies_in ? input : output);
        copy += sizeof(word_vec);
        in += sizeof(word_vec);
        stream += sizeof(word_vec);
        out += sizeof(word_vec);
    }
    if (len_bytes != 0) {
        const word_vec input = words_load_first(in, len_bytes);
        const word_vec output = words_xor(input, words_first(words_load(stream), len_bytes));
        words_store_first(out, output, len_bytes);
        words_store(copy, copies_in ? input : output);
    }
}

/* Processes blocks counter to counter + LANES_SETS - 1 of the packets that have them. */
#define packets_pass HORNET_KERNEL_NAME(chacha20, packets_pass)
HORNET_NOINLINE uintptr_t packets_pass(chacha20_packets *packets, uint32_t counter)
{
    word_vec rows[LANES_SETS][16];
    lanes_of_each(LANES_SETS, rows, packets, counter);
    HORNET_KEEP_LOOP
    for (size_t s = 0; s < LANES_SETS; s++, counter++) {
        HORNET_KEEP_LOOP
        for (size_t i = 0; i < packets->count; i++) {
            const uint8_t *const row = (const uint8_t *)rows[s] + CHACHA20_BLOCK_BYTES * i;
            if (counter == 0) {
                memcpy(packets->block0[i], row, sizeof packets->block0[i]);
                continue;
            }
            const size_t at = CHACHA20_BLOCK_BYTES * (size_t)(counter - 1);
            if (packets->len_bytes[i] >= at + CHACHA20_BLOCK_BYTES)
                apply_stream_twice(packets->out[i] + at, packets->copy[i] + at, packets->opens,
                                   packets->in[i] + at, row, CHACHA20_BLOCK_BYTES);
            else if (packets->len_bytes[i] > at)
                apply_stream_twice(packets->out[i] + at, packets->copy[i] + at, packets->opens,
                                   packets->in[i] + at, row, packets->len_bytes[i] - at);
        }
    }
    return stack_end(STACK_BELOW_BYTES);
}

#define kernel_packets HORNET_KERNEL_NAME(chacha20, kernel_packets)
static uintptr_t kernel_packets(chacha20_packets *packets)
{
    size_t longest = 0;
    for (size_t i = 0; i < packets->count; i++)
        longest = longest > packets->len_bytes[i] ? longest : packets->len_bytes[i];
    const uint32_t nblocks = 1 + (uint32_t)((longest + CHACHA20_BLOCK_BYTES - 1) / CHACHA20_BLOCK_BYTES);
    uintptr_t end = UINTPTR_MAX;
    for (uint32_t done = 0; done < nblocks; done += LANES_SETS)
        end = packets_pass(packets, done); /* the same in each iteration */
    return end;
}

#include "../../core/target_end.h"

#ifdef __clang__
#pragma clang diagnostic pop
#endif

#define KERNEL_RECORD(plan_period, first_shapes, next_shapes)                                              \
    {                                                                                                      \
        .implementation = {.name = HORNET_STRING(KERNEL), .required = KERNEL_REQUIRED},                    \
        .lanes = WORDS * LANES_SETS,                                                                       \
        .shapes = kernel_shapes,                                                                           \
        .nshapes = sizeof kernel_shapes / sizeof kernel_shapes[0],                                         \
        .plan = {plan_period, sizeof first_shapes - 1, first_shapes, next_shapes},                         \
        .packets = kernel_packets,                                                                         \
        .lanes_of_packets = WORDS,                                                                         \
        .blocks_of_packets = LANES_SETS,                                                                   \
    }

const struct hornet_chacha20_kernel HORNET_PASTE(hornet_chacha20_kernel, _,
                                                 KERNEL, ) = KERNEL_RECORD(HORNET_PASTE(PLAN, _period, , ),
                                                                           plan_first, plan_next);

#ifdef KERNEL_TUNING /* the same with another plan */
static const uint8_t tuned_first[] = {HORNET_PASTE(TUNED_PLAN, _first, , )(PLAN_SHAPES)};
static const uint8_t tuned_next[] = {HORNET_PASTE(TUNED_PLAN, _next, , )(PLAN_SHAPES)};
_Static_assert(sizeof tuned_first == sizeof tuned_next, "two tables of one length");

const struct hornet_chacha20_kernel HORNET_PASTE(hornet_chacha20_kernel_, KERNEL, _, KERNEL_TUNING) =
    KERNEL_RECORD(HORNET_PASTE(TUNED_PLAN, _period, , ), tuned_first, tuned_next);
#endif
