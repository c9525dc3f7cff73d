/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* QUIC's header masks (RFC 9001, section 5.4.4): one block per lane, all under one key, each with a sample
 * for counter and nonce. Of a block, only the first two words are used. */
#ifndef HORNET_CHACHA20_LAYOUTS_MASKS_H
#define HORNET_CHACHA20_LAYOUTS_MASKS_H

#include "../../core/stack_wipe.h"
#include "lanes.h"

/* Sets of lanes at once. Two of 512 bits would take 0.93 of the time, for 2.6 KiB of code (Golden Cove,
 * 2026-11-29). */
#define MASKS_SETS (WORDS == 16 ? 1 : LANES_SETS)

/* Sets x to the blocks of the samples before the rounds. Lanes left over take sample 0. */
HORNET_INLINE void masks_start(size_t sets, word_vec (*x)[16], const uint8_t *const *samples, size_t count,
                               const chacha20_state *state)
{
    HORNET_KEEP_LOOP
    for (size_t s = 0; s < sets; s++) {
        HORNET_UNROLL
        for (int i = 0; i < 12; i++)
            x[s][i] = words_broadcast_of(state->word + i / 4 * 4, i % 4);
        HORNET_UNROLL
        for (size_t i = 0; i < 4; i++) {
            const uint8_t *parts[WORDS / 4];
            HORNET_UNROLL
            for (size_t part = 0; part < WORDS / 4; part++) {
                const size_t lane = WORDS * s + 4 * part + i;
                parts[part] = samples[lane < count ? lane : 0];
            }
            x[s][12 + i] = words_little_endian(words_load_parts(parts));
        }
        words_transpose_parts(x[s] + 12);
    }
}

/* Writes the masks of count samples, which fit into `sets` sets. sets is a constant. */
HORNET_INLINE void masks_of(size_t sets, uint8_t (*masks)[CHACHA20_MASK_BYTES],
                            const uint8_t *const *samples, size_t count, const chacha20_state *state)
{
    word_vec x[MASKS_SETS][16];
    uint32_t words[2][MASKS_SETS * WORDS] __attribute__((aligned(64)));
    masks_start(sets, x, samples, count, state);
    lanes_rounds(x, sets);
    HORNET_UNROLL
    for (size_t s = 0; s < sets; s++) {
        HORNET_UNROLL
        for (int i = 0; i < 2; i++)
            words_store((uint8_t *)(words[i] + WORDS * s),
                        words_add(x[s][i], words_broadcast(&chacha20_constants[i])));
    }
    HORNET_KEEP_LOOP
    for (size_t lane = 0; lane < count; lane++) {
        store_le32(masks[lane], words[0][lane]);
        masks[lane][4] = (uint8_t)words[1][lane];
    }
}

#define kernel_masks HORNET_KERNEL_NAME(chacha20, kernel_masks)
HORNET_NOINLINE uintptr_t kernel_masks(uint8_t (*masks)[CHACHA20_MASK_BYTES], const uint8_t *const *samples,
                                       size_t count, const chacha20_state *state)
{
    for (size_t n; count != 0; masks += n, samples += n, count -= n) {
        n = count < MASKS_SETS * WORDS ? count : MASKS_SETS * WORDS;
        if (MASKS_SETS == 1 || n <= WORDS)
            masks_of(1, masks, samples, n, state);
        else
            masks_of(MASKS_SETS, masks, samples, n, state);
    }
    return stack_end(STACK_BELOW_BYTES);
}

#endif
