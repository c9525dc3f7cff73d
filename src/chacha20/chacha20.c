/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The list of ChaCha20's kernels, its state, and the public functions. */
#include "chacha20.h"

#include "../core/bytes.h"
#include "../core/overlap.h"
#include "../core/public.h"
#include "../core/stack_wipe.h"
#include "../core/tuning.h"
#include "block.h"

/* For measuring from which length each kernel gains. */
#ifdef HORNET_NO_CHACHA20_CROSSOVERS
#define CHACHA20_MIN(bytes) 0
#else
#define CHACHA20_MIN(bytes) (bytes)
#endif

#define HORNET_ENTRY(name, preferred_on, min_bytes)                                                        \
    {&hornet_chacha20_kernel_##name.implementation, preferred_on, CHACHA20_MIN(min_bytes),                 \
     CHACHA20_MIN(min_bytes), 0},
#define HORNET_FURTHER_ENTRY HORNET_ENTRY
#define HORNET_TUNED_ENTRY   HORNET_ENTRY
const struct hornet_entry hornet_chacha20_entries[] = {
#include "kernels.def"
};

enum { CHACHA20_ENTRIES = sizeof hornet_chacha20_entries / sizeof hornet_chacha20_entries[0] };

uint32_t hornet_chacha20_in_use;

const struct hornet_list hornet_chacha20_list = {hornet_chacha20_entries, CHACHA20_ENTRIES, NULL,
                                                 &hornet_chacha20_in_use};

/* HChaCha20: the rounds without the final addition; the first and the last row of the result are the
 * derived key. This is one block, for which vectors gain nothing. */
HORNET_NOINLINE uintptr_t hchacha20(chacha20_state *state, const uint8_t key[32], const uint8_t nonce[16])
{
    chacha20_word x[16];
    hornet_chacha20_begin(state, key, load_le32(nonce), nonce + 4);
    for (int i = 0; i < 16; i++)
        x[i] = chacha20_word_of(state->word[i]);
    for (int i = 0; i < CHACHA20_DOUBLE_ROUNDS; i++)
        chacha20_double_round(x);
    for (int i = 0; i < 4; i++) {
        state->word[4 + i] = (uint32_t)x[i];
        state->word[8 + i] = (uint32_t)x[12 + i];
    }
    return stack_end(STACK_BELOW_BYTES);
}

void hornet_xchacha20_begin(chacha20_state *state, const uint8_t key[32], uint32_t counter,
                            const uint8_t nonce[24])
{
    const uintptr_t end = hchacha20(state, key, nonce);
    /* The nonce may pass through vector registers. */
    xchacha20_last_row(state->word + 12, counter, nonce);
    clear_stack_and_registers(end);
}

uintptr_t hornet_chacha20_pass(const chacha20_layout *layout, chacha20_work *work)
{
    const size_t n = chacha20_pass_bytes(layout, work);
    const uintptr_t end = layout->run(work);
    work->state->word[12] += (uint32_t)(n / CHACHA20_BLOCK_BYTES) + (work->key != NULL);
    work->key = NULL;
    if (n != 0) { /* otherwise there may be no addresses */
        work->out += n;
        work->in += n;
        work->len_bytes -= n;
        if (work->copy != NULL)
            work->copy += n;
    }
    return end;
}

uintptr_t hornet_chacha20_passes(const struct hornet_chacha20_kernel *kernel, chacha20_work *work)
{
    uintptr_t end = stack_end(STACK_BELOW_BYTES);
    while (work->len_bytes != 0 || work->key != NULL)
        end = lower_end(end, hornet_chacha20_pass(chacha20_next_layout(kernel, work), work));
    return end;
}

uintptr_t hornet_chacha20_xor(const struct hornet_chacha20_kernel *kernel, uint8_t *out, const uint8_t *in,
                              size_t len_bytes, chacha20_state *state)
{
    chacha20_work work = {.out = out, .in = in, .len_bytes = len_bytes, .state = state};
    return hornet_chacha20_passes(kernel, &work);
}

HORNET_NOINLINE uintptr_t chacha20_call(uint8_t *out, const uint8_t *in, size_t len_bytes, uint32_t counter,
                                        const uint8_t nonce[12], const uint8_t key[32])
{
    chacha20_state state;
    hornet_chacha20_begin(&state, key, counter, nonce);
    const uintptr_t end =
        hornet_chacha20_xor(hornet_chacha20_kernel_for(len_bytes, hornet_chacha20_entries_in_use()), out,
                            in, len_bytes, &state);
    return lower_end(end, stack_end(STACK_BELOW_BYTES));
}

bool hornet_chacha20(void *out, const void *in, size_t len_bytes, uint32_t counter, const uint8_t nonce[12],
                     const uint8_t key[32])
{
    const uint64_t nblocks = chacha20_blocks(len_bytes);
    if (nblocks > (UINT64_C(1) << 32) - counter)
        return false;
    check_overlap(out, in, len_bytes);
    clear_stack_and_registers(chacha20_call(out, in, len_bytes, counter, nonce, key));
    return true;
}

HORNET_NOINLINE uintptr_t hchacha20_call(uint8_t subkey[32], const uint8_t nonce[16], const uint8_t key[32])
{
    chacha20_state state;
    const uintptr_t end = hchacha20(&state, key, nonce);
    for (size_t i = 0; i < 8; i++) {
        uint32_t word = state.word[4 + i];
        HORNET_VALUE_BARRIER("r", word); /* as a vector, words would have to wait for their stores */
        store_le32(subkey + 4 * i, word);
    }
    return lower_end(end, stack_end(STACK_BELOW_BYTES));
}

void hornet_hchacha20(uint8_t subkey[32], const uint8_t nonce[16], const uint8_t key[32])
{
    clear_stack_and_registers(hchacha20_call(subkey, nonce, key));
}

/* Writes the masks of count samples, the lanes of the kernel at a time, or one after another. Returns where
 * the stack has ended. */
HORNET_NOINLINE uintptr_t header_masks(uint8_t (*masks)[CHACHA20_MASK_BYTES], const uint8_t *const *samples,
                                       const uint8_t key[32], size_t count)
{
    static const uint8_t zeros[12];
    const uint32_t in_use = hornet_chacha20_entries_in_use();
    const struct hornet_chacha20_kernel *const alone =
        hornet_chacha20_kernel_for(CHACHA20_MASK_BYTES, in_use);
    /* The kernel of the longest messages has most lanes. */
    const struct hornet_chacha20_kernel *const together = hornet_chacha20_kernel_for(SIZE_MAX, in_use);
    chacha20_state state;
    uintptr_t end = stack_end(STACK_BELOW_BYTES);
    hornet_chacha20_begin(&state, key, 0, zeros);
    while (count != 0) {
        size_t n = 1;
        if (count < CHACHA20_SHARED_MASKS || together->masks == NULL) {
            hchacha20_last_row(state.word + 12, samples[0]);
            end = lower_end(end, hornet_chacha20_xor(alone, masks[0], zeros, CHACHA20_MASK_BYTES, &state));
        } else {
            n = count < together->lanes ? count : together->lanes;
            end = lower_end(end, together->masks(masks, samples, n, &state));
        }
        masks += n;
        samples += n;
        count -= n;
    }
    return end;
}

void hornet_chacha20_header_masks(uint8_t (*masks)[CHACHA20_MASK_BYTES], const uint8_t *const *samples,
                                  const uint8_t key[32], size_t count)
{
    if (count != 0)
        clear_stack_and_registers(header_masks(masks, samples, key, count));
}
