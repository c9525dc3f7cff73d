/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The passes of a chunk: ChaCha20's, which may continue Poly1305 meanwhile. */
#ifndef HORNET_AEAD_PASSES_H
#define HORNET_AEAD_PASSES_H

#include "aead.h"

#include "../core/wipe.h"

HORNET_INLINE void chunk_pass(aead_chunk *t, const chacha20_layout *layout)
{
    t->end = lower_end(t->end, hornet_chacha20_pass(layout, &t->work));
}

/* Lets the next pass absorb as many of the nblocks blocks as it can, and returns how many. */
HORNET_INLINE size_t stitch_blocks(aead_chunk *t, const chacha20_layout *layout, const uint8_t *blocks,
                                   size_t nblocks)
{
    const size_t most = (size_t)layout->stitched * CHACHA20_DOUBLE_ROUNDS;
    t->work.companion.state = t->poly;
    t->work.companion.blocks = blocks;
    return t->work.companion.nblocks = nblocks < most ? nblocks : most;
}

HORNET_INLINE void mac_end(uint8_t tag[16], const struct poly1305 *poly)
{
    store_tag(tag, tag_of_value(poly->h, poly->s));
}

/* Returns how many blocks of Poly1305 the passes over len_bytes bytes can take. */
HORNET_INLINE size_t stitch_capacity(const aead_chunk *t, size_t len_bytes)
{
    const chacha20_layout *const layout = chacha20_main_layout(t->kernel);
    return len_bytes / ((size_t)layout->nblocks * CHACHA20_BLOCK_BYTES) * layout->stitched *
           CHACHA20_DOUBLE_ROUNDS;
}

/* Copies the bytes after the last whole block to `last`, and returns the number of bytes before them. */
HORNET_INLINE size_t last_copied(uint8_t last[15], const uint8_t *bytes, size_t len_bytes)
{
    const size_t rest = len_bytes % 16, whole = len_bytes - rest;
    if (rest != 0) /* otherwise there may be no address */
        copy_bytes(last, bytes + whole, rest);
    return whole;
}

/* The first pass of a message: its key sets poly, which absorbs the associated data. If the chunk is opened
 * in place, the pass writes to `memory`, because its ciphertext is yet to be absorbed, with what follows.
 * Returns how many bytes are there. `copy` is last_copied. */
HORNET_INLINE size_t first_pass(aead_chunk *t, uint8_t *memory,
                                size_t (*copy)(uint8_t *last, const uint8_t *bytes, size_t len_bytes))
{
    const chacha20_layout *const layout = chacha20_next_layout(t->kernel, &t->work);
    const size_t done = chacha20_pass_bytes(layout, &t->work);
    const uint8_t *const key = t->work.key;
    uint8_t *const out = t->work.out;
    const bool in_place = t->opens && done != 0 && out == t->work.in;
    uint8_t block[16] = {0};
    if (in_place)
        t->work.out = memory;
    chunk_pass(t, layout);
    if (in_place)
        t->work.out = out + done;
    set_value(t->poly, key);
    hornet_poly1305_absorb(t->poly, t->aad, copy(block, t->aad, t->aad_bytes), t->poly1305_in_use);
    hornet_poly1305_absorb(t->poly, block, padded_bytes(t->aad_bytes % 16), t->poly1305_in_use);
    return in_place ? done : 0;
}

/* Absorbs n bytes of the ciphertext after those that are absorbed. */
HORNET_INLINE void absorb_more(aead_chunk *t, const uint8_t *ciphertext, size_t *absorbed, size_t n)
{
    hornet_poly1305_absorb(t->poly, ciphertext + *absorbed, n, t->poly1305_in_use);
    *absorbed += n;
}

/* Returns where, in Poly1305's input, which begins `before` bytes before the ciphertext, the whole blocks
 * end that a pass up to pass_end writes to. */
HORNET_INLINE size_t blocks_written(size_t pass_end, size_t input_bytes, size_t before)
{
    const size_t end = before == 0 ? pass_end : pass_end + before + 15;
    return (end < input_bytes || before == 0 ? end : input_bytes) / 16 * 16;
}

/* Absorbs the last n bytes of a message. */
HORNET_INLINE void absorb_rest(aead_chunk *t, const uint8_t *bytes, size_t n)
{
    if (n != 0)
        hornet_poly1305_kernel_in_aead(n, t->poly1305_in_use)->absorb(t->poly, bytes, n);
}

#endif
