/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Template: defines LONG_CHUNK, which encrypts or decrypts a chunk, and absorbs it. Poly1305's input begins
 * with the INPUT_BEFORE bytes before the ciphertext, a constant below 16. COPY_LAST is last_copied, or a
 * function that calls it.
 *
 * Sealing absorbs what earlier passes have encrypted, and after a part what is left of it if that is long.
 * Opening absorbs a block at the latest during the pass that decrypts it, because `out` may be `in`; what
 * the passes of a part cannot take comes first.
 *
 * If INPUT_BEFORE is 0, the bytes after the last whole block go to `last`. If it is not, blocks end within
 * those of the keystream, and all is absorbed, the last bytes too.
 *
 * As a function with INPUT_BEFORE for an argument, gcc 12 would compile the AEAD to other code. */

#ifndef LONG_CHUNK /* for an editor */
#include "passes.h"
#define LONG_CHUNK   hornet_aead_long_chunk
#define COPY_LAST    last_copied
#define INPUT_BEFORE ((size_t)0)
#endif

void LONG_CHUNK(aead_chunk *t, uint8_t *last, uint8_t *memory)
{
    const uint8_t *const input = (t->opens ? t->work.in : t->work.out) - INPUT_BEFORE;
    uint8_t *const out = t->work.out;
    const size_t len_bytes = t->work.len_bytes, input_bytes = INPUT_BEFORE + len_bytes;
    if (INPUT_BEFORE != 0 && t->opens)
        (void)COPY_LAST(last, input, input_bytes);
    const size_t in_memory = t->work.key != NULL ? first_pass(t, memory, COPY_LAST) : 0;
    size_t absorbed = 0, done = len_bytes - t->work.len_bytes;
    const bool absorbed_last = !t->opens || done == len_bytes;
    for (size_t part_end = done; done != len_bytes;) {
        if (done >= part_end) {
            part_end = done + (t->work.len_bytes < AEAD_PART_BYTES ? t->work.len_bytes : AEAD_PART_BYTES);
            const size_t now = (INPUT_BEFORE + (t->opens ? part_end : done) - absorbed) / 16;
            const size_t stitched =
                t->opens ? stitch_capacity(t, part_end - done) : AEAD_PENDING_BYTES / 16;
            if (now > stitched)
                absorb_more(t, input, &absorbed, 16 * (t->opens ? now - stitched : now));
        }
        const chacha20_layout *const layout = chacha20_next_layout(t->kernel, &t->work);
        const size_t pass_end = done + chacha20_pass_bytes(layout, &t->work);
        part_end = part_end < pass_end ? pass_end : part_end;
        const size_t ready = (INPUT_BEFORE + (t->opens ? part_end : done) - absorbed) / 16;
        const size_t stitched = stitch_blocks(t, layout, input + absorbed, ready);
        if (t->opens && absorbed + 16 * stitched < blocks_written(pass_end, input_bytes, INPUT_BEFORE)) {
            const size_t n = blocks_written(pass_end, input_bytes, INPUT_BEFORE) - absorbed - 16 * stitched;
            absorb_more(t, input, &absorbed, n);
            t->work.companion.blocks += n;
        }
        if (INPUT_BEFORE == 0 && t->opens && pass_end == len_bytes)
            (void)COPY_LAST(last, input, len_bytes);
        chunk_pass(t, layout);
        absorbed += 16 * stitched;
        done = pass_end;
    }
    if (INPUT_BEFORE != 0)
        absorb_rest(t, absorbed_last ? input + absorbed : last, input_bytes - absorbed);
    else if (absorbed_last && len_bytes != 0)
        absorb_more(t, input, &absorbed, COPY_LAST(last, input, len_bytes) - absorbed);
    copy_some(out, memory, in_memory);
    wipe(memory, in_memory);
    t->end = lower_end(t->end, stack_end(STACK_BELOW_BYTES));
}

#undef LONG_CHUNK
#undef COPY_LAST
#undef INPUT_BEFORE
