/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The basic blocks of the scalar kernel in radix 2^64, as decimated.h has those of the vector kernels.
 * "begin", iterations of "block", "last" if the message ends in part of a block, and "end" make up a
 * function that continues a value. "start", iterations of "four" and "finish" do the same for a multiple of
 * four blocks, beside ChaCha20 in vectors: there the time of a block matters less than that all are alike.
 *
 * HORNET_LANES_HOOK is graph_scalar.h or values_scalar.h. */
#include "../../src/core/compiler.h"

#include HORNET_LANES_HOOK

#include "blocks.h"

#define uint64_t COCONUT_WORD
#include "../../src/poly1305/field/radix64.h"

/* Adds block `i` to t r. */
static scalar_fe next(scalar_fe t, scalar_r k, size_t i, uint64_t top)
{
    uint64_t lo, hi;
    load_block(message + 16 * i, &lo, &hi);
    return scalar_fe_mul_add(t, k, lo, hi, top);
}

/* Begins as serial_absorb does. The inputs are a struct poly1305. */
static void bb_begin_of_message(const struct sample *sample)
{
    uint64_t r[2] = {sample->r[0], sample->r[1]}, s[2] = {1, 2}, first[3];
    uint64_t h[3] = {sample->h[0], sample->h[1], sample->h[2]};
    bb_begin("begin", 16);
    IN(PLACE_MEMORY, "r", r);
    IN(PLACE_MEMORY, "s", s);
    IN(PLACE_MEMORY, "h", h);
    load_block(message, &first[0], &first[1]);
    first[2] = 1;
    add_words(first, h[0], h[1], h[2]);
    const scalar_fe t = scalar_fe_from_words(first);
    const scalar_r k = scalar_r_from_words(r);
    OUT("t", t);
    OUT("k", k);
    bb_end();
}

/* `top` is 0 for a padded block. */
static void bb_blocks(const char *name, size_t n, scalar_fe t, scalar_r k, unsigned top)
{
    bb_begin(name, 16 * n);
    IN(PLACE_REGISTER, "t", t);
    IN(PLACE_REGISTER, "k", k);
    for (size_t i = 0; i < n; i++)
        t = next(t, k, i, top);
    OUT("t", t);
    OUT("k", k);
    bb_end();
}

static void bb_end_of_message(scalar_fe t, scalar_r k)
{
    uint64_t h[3];
    bb_begin("end", 0);
    IN(PLACE_REGISTER, "t", t);
    IN(PLACE_REGISTER, "k", k);
    scalar_fe_to_words(h, scalar_fe_mul(t, k), 0);
    OUT("h", h);
    bb_end();
}

/* Adds each block before a multiplication, not after it, so that none is left over. */
static void bb_beside(const struct sample *sample, scalar_fe t, scalar_r k)
{
    uint64_t r[2] = {sample->r[0], sample->r[1]}, s[2] = {1, 2}, lo, hi;
    uint64_t h[3] = {sample->h[0], sample->h[1], sample->h[2]};
    bb_begin("start", 0);
    IN(PLACE_MEMORY, "r", r);
    IN(PLACE_MEMORY, "s", s);
    IN(PLACE_MEMORY, "h", h);
    const scalar_fe first = scalar_fe_from_words(h);
    const scalar_r prepared = scalar_r_from_words(r);
    OUT("t", first);
    OUT("k", prepared);
    bb_end();

    bb_begin("four", 16 * 4);
    IN(PLACE_REGISTER, "t", t);
    IN(PLACE_REGISTER, "k", k);
    for (size_t i = 0; i < 4; i++) {
        load_block(message + 16 * i, &lo, &hi);
        add_words(t.limb, lo, hi, 1);
        t = scalar_fe_mul(t, k);
    }
    OUT("t", t);
    OUT("k", k);
    bb_end();

    bb_begin("finish", 0);
    IN(PLACE_REGISTER, "t", t);
    bb_in_max_of(2, 1, SCALAR_LIMB2_MAX); /* after a multiplication, as in "four" */
    IN(PLACE_REGISTER, "k", k);
    scalar_fe_to_words(h, t, 0);
    OUT("h", h);
    bb_end();
}

static void blocks_of_sample(const struct sample *sample)
{
    const uint64_t r[2] = {sample->r[0], sample->r[1]};
    const uint64_t limb = sample->largest ? UINT64_MAX : 0;
    scalar_fe t = {{sample->h[0] + limb, sample->h[1] + limb, sample->h[2] + limb}};
    const scalar_r k = scalar_r_from_words(r);
    bb_begin_of_message(sample);
    bb_blocks("block", 1, t, k, 1);
    bb_blocks("blocks 2", 2, t, k, 1);
    bb_blocks("blocks 4", 4, t, k, 1);
    bb_blocks("last", 1, t, k, 0);
    bb_end_of_message(t, k);
    t.limb[2] = sample->largest ? SCALAR_LIMB2_MAX : sample->h[2];
    bb_beside(sample, t, k);
}

int main()
{
    write_blocks("scalar64", 1, blocks_of_sample);
    return 0;
}
