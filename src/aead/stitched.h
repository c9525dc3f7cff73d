/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The companion of ChaCha20's passes (chacha20/layouts/companion.h): Poly1305 in general-purpose
 * registers. */
#ifndef HORNET_AEAD_STITCHED_H
#define HORNET_AEAD_STITCHED_H

#define HORNET_CHACHA20_COMPANION
/* Beside two sets of AVX2's lanes, gcc 12 then needs 543 instructions for two rounds and 7 blocks, else
 * 596. */
#define SCALAR_BY_LIMB true

#include "../chacha20/chacha20.h"
#include "../core/words.h"
#include "../poly1305/scalar_field.h"
#include "../poly1305/state.h"

/* Whether Poly1305 is reduced after each block when stitched with this number of sets of lanes: ten
 * multiplications instead of thirteen, but a longer chain. */
#ifndef COMPANION_REDUCES
#define COMPANION_REDUCES(lanes) ((void)(lanes), false)
#endif

typedef struct {
    scalar_fe h; /* with the block before `next` added, and yet to be multiplied */
    scalar_r r;
    const uint8_t *next, *end;
} companion_registers;

#define COMPANION_WORD(c) ((c)->h.limb[0])

HORNET_INLINE companion_registers companion_none(const chacha20_work *work)
{
    return (companion_registers){.next = work->companion.blocks, .end = work->companion.blocks};
}

HORNET_INLINE companion_registers companion_begin(const chacha20_work *work)
{
    const struct poly1305 *const poly = work->companion.state;
    const uint8_t *const blocks = work->companion.blocks;
    uint64_t first[3] = {poly->h[0], poly->h[1], poly->h[2]};
    add_words(first, load_le64(blocks), load_le64(blocks + 8), 1);
    return (companion_registers){scalar_fe_from_words(first), scalar_r_from_words(poly->r), blocks + 16,
                                 blocks + 16 * work->companion.nblocks};
}

HORNET_INLINE bool companion_is_done(const companion_registers *c) { return c->next == c->end; }

HORNET_INLINE size_t companion_rounds(const companion_registers *c, size_t stitched)
{
    return (size_t)(c->end - c->next) / (16 * stitched);
}

/* If it reduces, h is below 2^128 * 7 before and after: the product is at most 2^128 * 5 when it has been
 * reduced. */
HORNET_INLINE void companion_step(companion_registers *c, size_t lanes)
{
    if (COMPANION_REDUCES(lanes)) {
        uint64_t words[3];
        scalar_fe_to_words(words, scalar_small_mul(c->h, c->r), 0);
        add_block(words, c->next);
        c->h = scalar_fe_from_words(words);
    } else {
        c->h = scalar_fe_mul_add_block(c->h, c->r, c->next);
    }
    c->next += 16;
}

HORNET_INLINE void companion_end(const companion_registers *c, const chacha20_work *work)
{
    scalar_fe_to_words(((struct poly1305 *)work->companion.state)->h, scalar_fe_mul(c->h, c->r), 0);
}

#endif
