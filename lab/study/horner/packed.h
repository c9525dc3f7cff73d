/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Horner's rule decimated over lanes in Goll and Gueron's packing, with these variants for blocks that
 * do not fill a group:
 *
 *     REST_TAIL      Goll and Gueron, as the text defines it: last, in pieces of 32, 16 and fewer bytes,
 * each packed anew (Bhattacharyya 2018, section 3.3). A short block counts as a block (2018, section 4.2;
 * 2020, section 3: l = ceil(n / 16)), so that a group whose last block is short is a full group REST_WHOLE
 * Goll and Gueron, as the papers measured it: the same, but "the implementation considers n / 16 16-byte
 * blocks" (2018, section 4.2), so that 49 to 63 bytes after the full groups are 32, 16 and 1 to 15 bytes,
 * packed three times (section 3.3) REST_CHEAP     Bhattacharyya and Sarkar: first, with zero blocks in
 * front of them; if there are one or two, their multiplication is cheaper than a full one (2020,
 * section 4.1) REST_ZEROS     first, with zero blocks in front of them REST_SCALAR    first, by the scalar
 * code
 *
 * From 832 bytes on, up to three groups share a reduction (section 4.2). Powers are computed as in the
 * library, in all variants. */
#ifndef HORNET_STUDY_HORNER_PACKED_H
#define HORNET_STUDY_HORNER_PACKED_H

#include "../../../src/poly1305/horner/decimated.h"
#include "../field/packed26.h"
#include "../kernel.h"

enum packed_rest { REST_TAIL, REST_WHOLE, REST_CHEAP, REST_ZEROS, REST_SCALAR };

enum { PACKED_LAZY_BYTES = 832, PACKED_LAMBDA = 3 };

/* r^(L - i) for lane i; R to R^3; and, for few blocks, R, r and r^2. */
typedef struct {
    multiplier of_last;
    packed_multiplier steps[PACKED_LAMBDA];
    single_operands single_step;
    fe r, square;
} packed_powers;

KERNEL_INLINE void packed_begin(packed_powers *powers, size_t n, enum packed_rest rest, size_t odd,
                                const uint64_t r_words[2])
{
    const uint64_t r_three[3] = {r_words[0], r_words[1], 0};
    uint64_t square_words[3];
    fe step;
    scalar_fe_to_words(square_words,
                       scalar_small_mul(scalar_fe_from_words(r_three), scalar_r_from_words(r_words)), 0);
    const fe r = fe_from_three_words(r_three), square = fe_from_three_words(square_words);
    fe of_last = raise_over_lanes(LANES, r, square, &step);
    HORNET_UNROLL
    for (int i = 0; i < 5; i++)
        of_last.limb[i] = factor_from(vec_natural(vec_from(of_last.limb[i])));
    powers->of_last = multiplier_from(of_last);
    powers->steps[0] = packed_multiplier_from(step);
    if (rest == REST_CHEAP && (odd == 1 || odd == 2)) {
        const single_multiplier m = single_multiplier_from(step);
        powers->single_step = single_operands_of(&m);
    }
    powers->r = r;
    powers->square = square;
    if (n > 1) {
        const multiplier factors = multiplier_from(step);
        for (size_t i = 1; i < n; i++) {
            step = fe_mul(step, &factors);
            powers->steps[i] = packed_multiplier_from(step);
        }
    }
}

KERNEL_INLINE packed_fe packed_group(const uint8_t *blocks)
{
    vec lo, hi;
    vec_load_blocks(blocks, &lo, &hi);
    return packed_from_words(lo, hi, vec_splat(1));
}

/* Loads a group whose last block has last_bytes bytes, 1 to 16. */
KERNEL_INLINE packed_fe packed_last_group(const uint8_t *group, size_t last_bytes)
{
    uint64_t block[3];
    vec lo, hi, top;
    load_first_block(block, group + 16 * (LANES - 1), last_bytes);
    vec_load_last_blocks(group, block, &lo, &hi, &top);
    return packed_from_words(lo, hi, top);
}

/* Loads a group that may be the last. */
KERNEL_INLINE packed_fe packed_some_group(const uint8_t *group, size_t last_bytes, bool is_last)
{
    return is_last ? packed_last_group(group, last_bytes) : packed_group(group);
}

/* Returns the sum of the block at msg and h. */
KERNEL_INLINE single_fe single_block(const uint8_t *msg, size_t len_bytes, const uint64_t *h)
{
    uint64_t words[3];
    load_first_block(words, msg, len_bytes);
    if (h != NULL)
        add_words(words, h[0], h[1], h[2]);
    return single_from_words(words);
}

/* Returns T R^k + group_1 R^(k - 1) + ... + group_k for a constant k. */
KERNEL_INLINE packed_fe packed_step(packed_fe t, const packed_powers *powers, const uint8_t *groups,
                                    size_t k, packed_fe last)
{
    wide sum = packed_mult(NULL, t, &powers->steps[k - 1]);
    HORNET_UNROLL
    for (size_t i = k - 1; i != 0; i--, groups += GROUP_BYTES)
        sum = packed_mult(&sum, packed_group(groups), &powers->steps[i - 1]);
    return packed_add(packed_reduce(sum), last);
}

/* Processes the blocks that remain after the sum t over the lanes: ((t + c_1) r^2 + c_2 r + c_3) r, and so
 * on. */
KERNEL_INLINE wide packed_tail(single_fe t, fe r, fe square, const uint8_t *msg, size_t len_bytes)
{
    const single_multiplier r_limbs = single_multiplier_from(r);
    const single_operands of_r = single_operands_of(&r_limbs);
    single_wide value;
    if (len_bytes >= 32) {
        const single_multiplier square_limbs = single_multiplier_from(square);
        const single_operands of_square = single_operands_of(&square_limbs);
        for (; len_bytes >= 32; msg += 32, len_bytes -= 32) {
            COUNT_OPERATION(PACKING);
            value = single_wide_add(single_mul(single_add(t, single_block(msg, 16, NULL)), &of_square),
                                    single_mul(single_block(msg + 16, 16, NULL), &of_r));
            if (len_bytes == 32)
                return wide_of_single(value);
            t = single_reduce(value);
        }
    }
    for (;;) { /* 17 to 31 bytes: "16 bytes are considered every time" */
        COUNT_OPERATION(PACKING);
        value = single_mul(single_add(t, single_block(msg, len_bytes, NULL)), &of_r);
        if (len_bytes <= 16)
            return wide_of_single(value);
        t = single_reduce(value);
        msg += 16;
        len_bytes -= 16;
    }
}

/* A message without a full group of whole blocks, in the pieces of packed_tail alone. */
KERNEL_INLINE void packed_only_tail(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    const uint64_t r_words[3] = {state->r[0], state->r[1], 0};
    uint64_t square_words[3];
    scalar_fe_to_words(square_words,
                       scalar_small_mul(scalar_fe_from_words(r_words), scalar_r_from_words(state->r)), 0);
    wide_sum_to_words(state->h,
                      packed_tail(single_from_words(state->h), fe_from_three_words(r_words),
                                  fe_from_three_words(square_words), msg, len_bytes),
                      0);
}

KERNEL_INLINE void packed_evaluate(struct poly1305 *state, const uint8_t *msg, size_t len_bytes, bool fresh,
                                   enum packed_rest rest)
{
    size_t nblocks = blocks_in(len_bytes), absent = 0, tail_bytes = 0;
    if (nblocks < LANES) {
        hornet_poly1305_fallback->absorb(state, msg, len_bytes);
        return;
    }
    if (rest == REST_WHOLE && len_bytes < GROUP_BYTES) {
        packed_only_tail(state, msg, len_bytes);
        return;
    }
    const size_t lambda = len_bytes >= PACKED_LAZY_BYTES ? PACKED_LAMBDA : 1;
    size_t odd = nblocks % LANES;
    if (rest == REST_WHOLE && len_bytes % GROUP_BYTES != 0)
        odd = odd == 0 ? LANES : odd;
    if (odd != 0 && (rest == REST_TAIL || rest == REST_WHOLE)) {
        nblocks -= odd;
        tail_bytes = len_bytes - 16 * nblocks;
        len_bytes -= tail_bytes;
    } else if (odd != 0 && rest == REST_SCALAR) {
        hornet_poly1305_fallback->absorb(state, msg, 16 * odd);
        msg += 16 * odd;
        len_bytes -= 16 * odd;
        nblocks -= odd;
    } else if (odd != 0) {
        absent = LANES - odd;
    }
    const uint64_t *h = fresh && rest != REST_SCALAR ? NULL : state->h;
    const size_t last_bytes = len_bytes - 16 * (nblocks - 1);
    size_t ngroups = (nblocks + absent) / LANES;
    packed_powers powers;
    packed_begin(&powers, lambda, rest, odd, state->r);

    packed_fe t;
    if (rest == REST_CHEAP && (odd == 1 || odd == 2)) {
        wide s;
        if (odd == 1)
            s = packed_of_single(single_mul(single_block(msg, 16, h), &powers.single_step));
        else
            s = packed_of_pair(single_block(msg, 16, h), single_block(msg + 16, 16, NULL),
                               &powers.single_step);
        msg += 16 * odd;
        ngroups -= 2;
        t = packed_add(packed_reduce(s), packed_some_group(msg, last_bytes, ngroups == 0));
        msg += GROUP_BYTES;
    } else {
        vec lo, hi, top;
        if (ngroups == 1) {
            t = packed_last_group(msg, last_bytes);
        } else {
            vec_load_first_blocks(msg, absent, &lo, &hi, &top);
            t = packed_from_words(lo, hi, top);
        }
        if (h != NULL)
            t = packed_add(t, packed_from_words(vec_only_block(absent, h[0]), vec_only_block(absent, h[1]),
                                                vec_only_block(absent, h[2])));
        msg += 16 * (LANES - absent);
        ngroups--;
    }
    if (lambda != 1) {
        for (; ngroups > 3; ngroups -= 3, msg += 3 * GROUP_BYTES)
            t = packed_step(t, &powers, msg, 3, packed_group(msg + 2 * GROUP_BYTES));
        if (ngroups > 2) {
            t = packed_step(t, &powers, msg, 2, packed_group(msg + GROUP_BYTES));
            msg += 2 * GROUP_BYTES;
            ngroups -= 2;
        }
        if (ngroups == 2) {
            t = packed_step(t, &powers, msg, 2, packed_last_group(msg + GROUP_BYTES, last_bytes));
            msg += 2 * GROUP_BYTES;
            ngroups = 0;
        }
    }
    for (; ngroups > 1; ngroups--, msg += GROUP_BYTES)
        t = packed_step(t, &powers, msg, 1, packed_group(msg));
    if (ngroups == 1) {
        t = packed_step(t, &powers, msg, 1, packed_last_group(msg, last_bytes));
        msg += GROUP_BYTES;
    }
    wide sum = wide_mul_add(wide_zero(), packed_unpack(t), &powers.of_last);
    if (tail_bytes != 0)
        sum = packed_tail(single_reduce(single_of_sums(sum)), powers.r, powers.square, msg, tail_bytes);
    wide_sum_to_words(state->h, sum, 0);
}

#endif
