/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in vector lanes, interleaved with Poly1305 in general-purpose registers: each leaves free the
 * execution units that the other uses, so that both together cost little more than the cipher alone. One
 * block of Poly1305 follows each quarter of a double round, and is finished before the next quarter is. */
#ifndef HORNET_CHACHA20_SHAPES_STITCHED_H
#define HORNET_CHACHA20_SHAPES_STITCHED_H

#include "../../core/words.h"
#include "../../poly1305/scalar_field.h"
#include "../../poly1305/state.h"

#include "lanes.h"

_Static_assert(WORDS <= CHACHA20_STITCHED_LANES_MAX, "room for a pass");

/* Blocks of Poly1305 per double round. */
#define STITCHED_BLOCKS 4

/* `last` points to the block after the STITCHED_BLOCKS - 1 blocks at `blocks`; `top` is the 1 appended to
 * it, or 0. */
HORNET_INLINE void stitched_double_round(word_vec (*x)[16], scalar_fe *h, scalar_r r, const uint8_t *blocks,
                                         const uint8_t *last, uint64_t top)
{
    HORNET_UNROLL
    for (int i = 0; i < STITCHED_BLOCKS; i++) {
        const bool is_last = i == STITCHED_BLOCKS - 1;
        const uint8_t *const block = is_last ? last : blocks + 16 * i;
        lanes_quarter_rounds(x, 1, i / 2, i % 2 * 2, i % 2 * 2 + 2);
        *h = scalar_fe_mul_add(*h, r, load_le64(block), load_le64(block + 8), is_last ? top : 1);
    }
}

/* Does what lanes_xor does for one set, and continues poly over nblocks blocks as specified for
 * kernel->stitched. */
HORNET_INLINE void lanes_xor_stitched(uint8_t *out, const uint8_t *in, const uint32_t state[16],
                                      struct poly1305 *poly, const uint8_t *blocks, size_t nblocks)
{
    static const uint8_t nothing[16];
    const size_t beside = nblocks / STITCHED_BLOCKS;
    word_vec x[1][16];
    lanes_start(1, x, state, 0);
    uint64_t first[3] = {poly->h[0], poly->h[1], poly->h[2]};
    add_words(first, load_le64(blocks), load_le64(blocks + 8), 1);
    scalar_fe h = scalar_fe_from_words(first);
    const scalar_r r = scalar_r_from_words(poly->r);
    HORNET_KEEP_LOOP
    for (size_t i = 0; i < beside; i++) {
        const bool more = i + 1 < beside;
        blocks += 16 * STITCHED_BLOCKS;
        stitched_double_round(x, &h, r, blocks - 16 * (STITCHED_BLOCKS - 1), more ? blocks : nothing, more);
    }
    scalar_fe_to_words(poly->h, h, 0);
    HORNET_KEEP_LOOP
    for (size_t i = beside; i < CHACHA20_DOUBLE_ROUNDS; i++)
        lanes_double_round(x, 1);
    HORNET_VALUE_BARRIER("r", state);
    lanes_finish(1, out, in, x, state, 0);
}

#endif
