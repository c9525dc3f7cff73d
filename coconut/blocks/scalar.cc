/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The basic blocks of the scalar kernels, as decimated.h has those of the vector kernels. "begin",
 * iterations of "block", "last" if the message ends in part of a block, and "end" make up a function that
 * continues a value. A message in one call has "first" in place of "begin", and "end 5" in place of "end",
 * which leaves the words from which the tag is made. A field in which not every element is small has faster
 * blocks "small ..." for what begins.
 *
 * In radix 2^64, "start", iterations of "four" and "finish" continue a value over a multiple of four
 * blocks, stitched to ChaCha20 in vectors: there the time of a block matters less than that all are alike.
 *
 * HORNET_LANES_HOOK is graph_scalar.h or values_scalar.h, and FIELD_FILE the field's file. */
#include "../../src/core/compiler.h"

#include HORNET_LANES_HOOK

#include "words_of_bytes.h"

#define uint64_t COCONUT_WORD
#define uint32_t COCONUT_WORD32
#include FIELD_FILE
#undef uint32_t
#undef uint64_t

#include "blocks.h"

#define uint64_t COCONUT_WORD

/* The largest highest limb of elements: of those that are small, and of any others. */
#define SMALL_MAX 6
#ifdef SCALAR_LIMB2_MAX
#define ANY_MAX UINT64_MAX
#else
#define ANY_MAX SMALL_MAX
#endif

enum { LIMBS = sizeof(scalar_fe) / sizeof(scalar_fe().limb[0]) };

/* Elements and powers of r are numbers one after another. */
template <typename type> void in_numbers(enum place place, const char *name, type &a)
{
    auto numbers = ((scalar_fe *)&a)->limb;
    bb_in_numbers(place, name, numbers, sizeof a / sizeof *numbers);
}

template <typename type> void out_numbers(const char *name, const type &a)
{
    auto numbers = ((const scalar_fe *)&a)->limb;
    bb_out_numbers(name, numbers, sizeof a / sizeof *numbers);
}

template <size_t COUNT> void in_words(const char *name, uint64_t (&words)[COUNT])
{
    bb_in_numbers(PLACE_MEMORY, name, words, COUNT);
}

static void in_element(scalar_fe &t, unsigned long highest_max)
{
    in_numbers(PLACE_REGISTER, "t", t);
    if (LIMBS == 5)
        bb_in_max_of(0, LIMBS - 1, UINT32_MAX);
    bb_in_max_of(LIMBS - 1, 1, highest_max);
}

static void in_multiplier(scalar_r &k)
{
    in_numbers(PLACE_REGISTER, "k", k);
    if (LIMBS == 5)
        bb_in_max(UINT32_MAX);
}

static void out_state(const scalar_fe &t, const scalar_r &k)
{
    out_numbers("t", t);
    out_numbers("k", k);
}

/* Adds block `i` to t r. */
static scalar_fe next(scalar_fe t, scalar_r k, size_t i, uint64_t top, bool small)
{
    uint64_t lo, hi;
    load_block(message + 16 * i, &lo, &hi);
    return small ? scalar_small_mul_add(t, k, lo, hi, top) : scalar_fe_mul_add(t, k, lo, hi, top);
}

/* Begins as serial_absorb does. The inputs are a struct poly1305. */
static void bb_begin_of_message(const struct sample *sample)
{
    uint64_t r[2] = {sample->r[0], sample->r[1]}, s[2] = {1, 2}, first[3];
    uint64_t h[3] = {sample->h[0], sample->h[1], sample->h[2]};
    bb_begin("begin", 16);
    in_words("r", r);
    in_words("s", s);
    in_words("h", h);
    load_block(message, &first[0], &first[1]);
    first[2] = 1;
    add_words(first, h[0], h[1], h[2]);
    const scalar_fe t = scalar_fe_from_words(first);
    const scalar_r k = scalar_r_from_words(r);
    out_state(t, k);
    bb_end();
}

/* Begins as serial_mac does: the key is at the beginning of the message, and the first block behind it. */
static void bb_first(void)
{
    const COCONUT_BYTE *key = (const COCONUT_BYTE *)message;
    uint64_t r[2], s[2], first[3];
    bb_begin("first", 0);
    load_r(r, key);
    load_block(message + 32, &first[0], &first[1]);
    first[2] = 1;
    const scalar_fe t = scalar_fe_from_words(first);
    const scalar_r k = scalar_r_from_words(r);
    load_s(s, key);
    out_state(t, k);
    bb_out_numbers("s", s, 2);
    bb_end();
}

/* `top` is 0 for a padded block. */
static void bb_blocks(const char *name, size_t n, scalar_fe t, scalar_r k, unsigned top, bool small)
{
    bb_begin(name, small ? 0 : 16 * n);
    in_element(t, small ? SMALL_MAX : ANY_MAX);
    in_multiplier(k);
    for (size_t i = 0; i < n; i++)
        t = next(t, k, i, top, small);
    out_state(t, k);
    bb_end();
}

static void bb_end_of_message(const char *name, scalar_fe t, scalar_r k, unsigned long addend, bool small)
{
    uint64_t h[3];
    bb_begin(name, 0);
    in_element(t, small ? SMALL_MAX : ANY_MAX);
    in_multiplier(k);
    scalar_fe_to_words(h, small ? scalar_small_mul(t, k) : scalar_fe_mul(t, k), addend);
    bb_out_numbers(addend == 0 ? "h" : "x", h, 3);
    bb_end();
}

#ifdef SCALAR_LIMB2_MAX
/* Adds each block before a multiplication, not after it, so that none is left over. */
static void bb_stitched(const struct sample *sample, scalar_fe t, scalar_r k)
{
    uint64_t r[2] = {sample->r[0], sample->r[1]}, s[2] = {1, 2}, lo, hi;
    uint64_t h[3] = {sample->h[0], sample->h[1], sample->h[2]};
    bb_begin("start", 0);
    in_words("r", r);
    in_words("s", s);
    in_words("h", h);
    const scalar_fe first = scalar_fe_from_words(h);
    const scalar_r prepared = scalar_r_from_words(r);
    out_state(first, prepared);
    bb_end();

    bb_begin("four", 16 * 4);
    in_numbers(PLACE_REGISTER, "t", t);
    in_multiplier(k);
    for (size_t i = 0; i < 4; i++) {
        load_block(message + 16 * i, &lo, &hi);
        add_words(t.limb, lo, hi, 1);
        t = scalar_fe_mul(t, k);
    }
    out_state(t, k);
    bb_end();

    bb_begin("finish", 0);
    in_numbers(PLACE_REGISTER, "t", t);
    bb_in_max_of(2, 1, SCALAR_LIMB2_MAX); /* after a multiplication, as in "four" */
    in_multiplier(k);
    scalar_fe_to_words(h, t, 0);
    bb_out_numbers("h", h, 3);
    bb_end();
}
#endif

static void blocks_of_sample(const struct sample *sample)
{
    const uint64_t r[2] = {sample->r[0], sample->r[1]};
    const scalar_r k = scalar_r_from_words(r);
    const unsigned long low = sample->largest ? UINT64_MAX : 0, high = sample->largest ? SMALL_MAX : 0;
    const uint64_t words[3] = {sample->h[0] | low, sample->h[1] | low, sample->h[2] | high};
    const scalar_fe small = scalar_fe_from_words(words);
    scalar_fe t = small;
    if (sample->largest)
        t.limb[LIMBS - 1] = ANY_MAX;
    bb_begin_of_message(sample);
    bb_first();
    bb_blocks("block", 1, t, k, 1, false);
    bb_blocks("blocks 2", 2, t, k, 1, false);
    bb_blocks("blocks 4", 4, t, k, 1, false);
    bb_blocks("last", 1, t, k, 0, false);
    bb_end_of_message("end", t, k, 0, false);
    bb_end_of_message("end 5", t, k, 5, false);
#ifdef SCALAR_LIMB2_MAX
    bb_blocks("small block", 1, small, k, 1, true);
    bb_blocks("small last", 1, small, k, 0, true);
    bb_end_of_message("small end", small, k, 0, true);
    bb_end_of_message("small end 5", small, k, 5, true);
    t.limb[2] = sample->largest ? SCALAR_LIMB2_MAX : sample->h[2];
    bb_stitched(sample, t, k);
#endif
}

int main()
{
    write_blocks(HORNET_STRING(KERNEL), 1, blocks_of_sample);
    return 0;
}
