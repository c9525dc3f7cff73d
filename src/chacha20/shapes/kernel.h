/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The functions of a kernel and its record: rows for few blocks, lanes for many. The kernel file defines
 *
 *     KERNEL, KERNEL_REQUIRED    its name, and the CPU features that it requires
 *     WORDS                   words in a vector
 *     HORNET_TARGET           its instruction set
 *     LANES_SETS              2 if there are registers for two sets of lanes
 *     LANES_BESIDE_SCALAR     defined if the lanes leave units free for interleaved scalar Poly1305
 *
 * and the optional macros of lanes/words.h. This file has no include guard: each kernel includes it
 * again. */
#ifndef KERNEL
#error "KERNEL must be the kernel's name"
#endif

#include "../../core/stack_wipe.h"
#include "../../core/words.h"
#include "../chacha20.h"

/* Where vectors are compiled to words in general-purpose registers, clang 19 does not unroll long loops,
 * and warns. */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#include "lanes.h"
#include "rows.h"

#ifdef LANES_BESIDE_SCALAR
#include "stitched.h"
#endif

#define PASS_BLOCKS ((size_t)WORDS * LANES_SETS)

/* Up to this many blocks are processed in rows: three sets take little longer than one. */
#define ROWS_BLOCKS_MAX (3 * (size_t)ROWS_BLOCKS)

/* Each of these functions returns where its stack has ended. `later` is added to the state's counter. */

#define rows_1 HORNET_KERNEL_NAME(chacha20, rows_1)
HORNET_NOINLINE uintptr_t rows_1(uint8_t *stream, const chacha20_state *state, uint32_t later)
{
    rows_stream(1, stream, state->word, later);
    return stack_end(STACK_BELOW_BYTES);
}

#define rows_2 HORNET_KERNEL_NAME(chacha20, rows_2)
HORNET_NOINLINE uintptr_t rows_2(uint8_t *stream, const chacha20_state *state, uint32_t later)
{
    rows_stream(2, stream, state->word, later);
    return stack_end(STACK_BELOW_BYTES);
}

#define rows_3 HORNET_KERNEL_NAME(chacha20, rows_3)
HORNET_NOINLINE uintptr_t rows_3(uint8_t *stream, const chacha20_state *state, uint32_t later)
{
    rows_stream(3, stream, state->word, later);
    return stack_end(STACK_BELOW_BYTES);
}

/* If in is NULL, out gets the keystream. */
#define lanes_1 HORNET_KERNEL_NAME(chacha20, lanes_1)
HORNET_NOINLINE uintptr_t lanes_1(uint8_t *out, const uint8_t *in, const chacha20_state *state,
                                  uint32_t later)
{
    lanes_xor(1, out, in, state->word, later);
    return stack_end(STACK_BELOW_BYTES);
}

#ifdef LANES_BESIDE_SCALAR
#define kernel_stitched HORNET_KERNEL_NAME(chacha20, kernel_stitched)
static uintptr_t kernel_stitched(uint8_t *out, const uint8_t *in, const chacha20_state *state,
                                 struct poly1305 *poly, const uint8_t *msg, size_t nblocks)
{
    lanes_xor_stitched(out, in, state->word, poly, msg, nblocks);
    return stack_end(STACK_BELOW_BYTES);
}
#endif

#if LANES_SETS == 2
#define lanes_2 HORNET_KERNEL_NAME(chacha20, lanes_2)
HORNET_NOINLINE uintptr_t lanes_2(uint8_t *out, const uint8_t *in, const chacha20_state *state,
                                  uint32_t later)
{
    lanes_xor(2, out, in, state->word, later);
    return stack_end(STACK_BELOW_BYTES);
}
#define LANES_PASS lanes_2
#else
#define LANES_PASS lanes_1
#endif

#define kernel_stream HORNET_KERNEL_NAME(chacha20, kernel_stream)
static uintptr_t kernel_stream(uint8_t *stream, size_t nblocks, const chacha20_state *state)
{
    uintptr_t end = UINTPTR_MAX, end_of_pass;
    uint32_t done = 0;
    while (nblocks > ROWS_BLOCKS_MAX) {
        const size_t pass_blocks = nblocks > WORDS ? PASS_BLOCKS : WORDS;
        end_of_pass = (nblocks > WORDS ? LANES_PASS : lanes_1)(stream, NULL, state, done);
        end = lower_end(end, end_of_pass);
        done += (uint32_t)pass_blocks;
        stream += pass_blocks * CHACHA20_BLOCK_BYTES;
        nblocks = nblocks > pass_blocks ? nblocks - pass_blocks : 0;
    }
    if (nblocks == 0)
        return end;
    if (nblocks <= ROWS_BLOCKS)
        end_of_pass = rows_1(stream, state, done);
    else
        end_of_pass = (nblocks <= 2 * ROWS_BLOCKS ? rows_2 : rows_3)(stream, state, done);
    return lower_end(end, end_of_pass);
}

/* Sets out to in xor stream. */
HORNET_INLINE void apply_stream(uint8_t *out, const uint8_t *in, const uint8_t *stream, size_t len_bytes)
{
    HORNET_KEEP_LOOP
    for (; len_bytes >= sizeof(word_vec); len_bytes -= sizeof(word_vec)) {
        words_store(out, words_xor(words_load(in), words_load(stream)));
        in += sizeof(word_vec);
        stream += sizeof(word_vec);
        out += sizeof(word_vec);
    }
    if (len_bytes != 0)
        words_store_first(
            out, words_xor(words_load_first(in, len_bytes), words_first(words_load(stream), len_bytes)),
            len_bytes);
}

/* Does the same, and sets copy to out, followed by zeros. */
HORNET_INLINE void apply_stream_twice(uint8_t *out, uint8_t *copy, const uint8_t *in, const uint8_t *stream,
                                      size_t len_bytes)
{
    HORNET_KEEP_LOOP
    for (; len_bytes >= sizeof(word_vec); len_bytes -= sizeof(word_vec)) {
        const word_vec output = words_xor(words_load(in), words_load(stream));
        words_store(out, output);
        words_store(copy, output);
        copy += sizeof(word_vec);
        in += sizeof(word_vec);
        stream += sizeof(word_vec);
        out += sizeof(word_vec);
    }
    if (len_bytes != 0) {
        const word_vec output =
            words_xor(words_load_first(in, len_bytes), words_first(words_load(stream), len_bytes));
        words_store_first(out, output, len_bytes);
        words_store(copy, output);
    }
}

#define kernel_apply HORNET_KERNEL_NAME(chacha20, kernel_apply)
HORNET_NOINLINE uintptr_t kernel_apply(uint8_t *out, const uint8_t *in, const uint8_t *stream,
                                       size_t len_bytes)
{
    apply_stream(out, in, stream, len_bytes);
    return stack_end(STACK_BELOW_BYTES);
}

#define kernel_apply_twice HORNET_KERNEL_NAME(chacha20, kernel_apply_twice)
HORNET_NOINLINE uintptr_t kernel_apply_twice(uint8_t *out, uint8_t *copy, const uint8_t *in,
                                             const uint8_t *stream, size_t len_bytes)
{
    apply_stream_twice(out, copy, in, stream, len_bytes);
    return stack_end(STACK_BELOW_BYTES);
}

/* Processes less than a pass. */
#define xor_rest HORNET_KERNEL_NAME(chacha20, xor_rest)
HORNET_NOINLINE uintptr_t xor_rest(uint8_t *out, const uint8_t *in, size_t len_bytes,
                                   const chacha20_state *state, uint32_t later)
{
    uint8_t stream[PASS_BLOCKS * CHACHA20_BLOCK_BYTES] __attribute__((aligned(64)));
    chacha20_state at = *state;
    at.word[12] += later;
    const size_t nblocks = (len_bytes + CHACHA20_BLOCK_BYTES - 1) / CHACHA20_BLOCK_BYTES;
    uintptr_t end = kernel_stream(stream, nblocks, &at);
    end = lower_end(end, kernel_apply(out, in, stream, len_bytes));
    return lower_end(end, stack_end(STACK_BELOW_BYTES));
}

#define kernel_xor HORNET_KERNEL_NAME(chacha20, kernel_xor)
static uintptr_t kernel_xor(uint8_t *out, const uint8_t *in, size_t len_bytes, const chacha20_state *state)
{
    const size_t pass_bytes = PASS_BLOCKS * CHACHA20_BLOCK_BYTES;
    uintptr_t end = UINTPTR_MAX;
    uint32_t done = 0;
    for (; len_bytes >= pass_bytes; len_bytes -= pass_bytes, done += (uint32_t)PASS_BLOCKS) {
        end = LANES_PASS(out, in, state, done); /* the same in each iteration */
        out += pass_bytes;
        in += pass_bytes;
    }
    return len_bytes != 0 ? lower_end(end, xor_rest(out, in, len_bytes, state, done)) : end;
}

#include "packets.h"

#include "../../core/target_end.h"

#ifdef __clang__
#pragma clang diagnostic pop
#endif

const struct hornet_chacha20_kernel HORNET_PASTE(hornet_chacha20_kernel, _, KERNEL, ) = {
    .implementation = {.name = HORNET_STRING(KERNEL), .required = KERNEL_REQUIRED},
    .lanes = (uint32_t)PASS_BLOCKS,
    .stream = kernel_stream,
    .apply = kernel_apply,
    .apply_twice = kernel_apply_twice,
    .packets = kernel_packets,
    .xor_stream = kernel_xor,
#ifdef LANES_BESIDE_SCALAR
    .stitched = kernel_stitched,
#endif
};
