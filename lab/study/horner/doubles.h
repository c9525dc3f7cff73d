/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Horner's rule decimated over lanes in floating point (radix22.h). Blocks that do not fill a group go
 * to the scalar code first, as in Polyakov's code; one reduction per group. */
#ifndef HORNET_STUDY_HORNER_DOUBLES_H
#define HORNET_STUDY_HORNER_DOUBLES_H

#include "../../../src/poly1305/scalar_field.h"
#include "../field/radix22.h"
#include "../kernel.h"

/* Each lane contains one of LANES numbers of three words, in the order of the lanes. */
HORNET_INLINE doubles_fe doubles_of_each(uint64_t numbers[LANES][3])
{
    uint8_t blocks[16 * LANES];
    vec lo, hi, top = vec_splat(0);
    for (size_t i = 0; i < LANES; i++) {
        store_le64(blocks + 16 * i, numbers[i][0]);
        store_le64(blocks + 16 * i + 8, numbers[i][1]);
        top = vec_add(top, vec_only_block(i, numbers[i][2]));
    }
    vec_load_blocks(blocks, &lo, &hi);
    return doubles_from_words(lo, hi, top);
}

HORNET_INLINE void doubles_evaluate(struct poly1305 *state, const uint8_t *msg, size_t len_bytes,
                                    bool fresh)
{
    const size_t odd = blocks_in(len_bytes) % LANES;
    (void)fresh;
    if (blocks_in(len_bytes) < LANES) {
        hornet_poly1305_fallback->absorb(state, msg, len_bytes);
        return;
    }
    if (odd != 0) {
        hornet_poly1305_fallback->absorb(state, msg, 16 * odd);
        msg += 16 * odd;
        len_bytes -= 16 * odd;
    }
    /* r^(L - i) for block i, and r^L. */
    const scalar_r r = scalar_r_from_words(state->r);
    uint64_t powers[LANES][3] = {[LANES - 1] = {state->r[0], state->r[1], 0}}, steps[LANES][3];
    for (size_t i = LANES - 1; i != 0; i--)
        scalar_fe_to_words(powers[i - 1], scalar_small_mul(scalar_fe_from_words(powers[i]), r), 0);
    for (size_t i = 0; i < LANES; i++)
        memcpy(steps[i], powers[0], sizeof steps[i]);
    const doubles_multiplier of_last = doubles_multiplier_from(doubles_carry(doubles_of_each(powers)));
    const doubles_multiplier step = doubles_multiplier_from(doubles_carry(doubles_of_each(steps)));

    doubles_fe t = doubles_from_words(vec_only_block(0, state->h[0]), vec_only_block(0, state->h[1]),
                                      vec_only_block(0, state->h[2]));
    vec lo, hi, top;
    for (; len_bytes > 16 * LANES; msg += 16 * LANES, len_bytes -= 16 * LANES) {
        vec_load_blocks(msg, &lo, &hi);
        t = doubles_add(t, doubles_from_words(lo, hi, vec_splat(1)));
        t = doubles_carry(doubles_mul(t, &step));
    }
    uint64_t block[3];
    load_first_block(block, msg + 16 * (LANES - 1), len_bytes - 16 * (LANES - 1));
    vec_load_last_blocks(msg, block, &lo, &hi, &top);
    t = doubles_add(t, doubles_from_words(lo, hi, top));
    doubles_sum_to_words(state->h, doubles_carry(doubles_mul(t, &of_last)));
    reduce_words(state->h);
}

#endif
