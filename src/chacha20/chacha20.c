/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The list of ChaCha20's kernels, its state, and the public function. */
#include "chacha20.h"

#include "../core/bytes.h"
#include "../core/overlap.h"
#include "../core/public.h"
#include "../core/stack_wipe.h"

static const struct hornet_row chacha20_rows[] = {
#define HORNET_ROW(name, preferred_on) {&hornet_chacha20_kernel_##name.implementation, preferred_on, 0, 0},
#include "kernels.def"
};

enum { CHACHA20_ROWS = sizeof chacha20_rows / sizeof chacha20_rows[0] };

static uint32_t chacha20_in_use;

const struct hornet_list hornet_chacha20_list = {chacha20_rows, CHACHA20_ROWS, NULL, &chacha20_in_use};

const struct hornet_chacha20_kernel *hornet_chacha20_kernel_in_use(void)
{
    const uint32_t in_use = hornet_dispatch_in_use(&hornet_chacha20_list);
    return (const struct hornet_chacha20_kernel *)hornet_dispatch(chacha20_rows, in_use, 0)->implementation;
}

HORNET_INLINE uint32_t chacha20_rotl(uint32_t a, int bits) { return a << bits | a >> (32 - bits); }

HORNET_INLINE void chacha20_quarter_round(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *d = chacha20_rotl(*d ^ (*a += *b), 16);
    *b = chacha20_rotl(*b ^ (*c += *d), 12);
    *d = chacha20_rotl(*d ^ (*a += *b), 8);
    *b = chacha20_rotl(*b ^ (*c += *d), 7);
}

/* HChaCha20: the rounds without the final addition; the first and the last row of the result are the
 * derived key. This is one block, for which vectors gain nothing. */
HORNET_NOINLINE uintptr_t hchacha20(chacha20_state *state, const uint8_t key[32], const uint8_t nonce[16])
{
    uint32_t x[16];
    hornet_chacha20_begin(state, key, load_le32(nonce), nonce + 4);
    for (int i = 0; i < 16; i++)
        x[i] = state->word[i];
    for (int i = 0; i < CHACHA20_DOUBLE_ROUNDS; i++) {
        chacha20_quarter_round(&x[0], &x[4], &x[8], &x[12]);
        chacha20_quarter_round(&x[1], &x[5], &x[9], &x[13]);
        chacha20_quarter_round(&x[2], &x[6], &x[10], &x[14]);
        chacha20_quarter_round(&x[3], &x[7], &x[11], &x[15]);
        chacha20_quarter_round(&x[0], &x[5], &x[10], &x[15]);
        chacha20_quarter_round(&x[1], &x[6], &x[11], &x[12]);
        chacha20_quarter_round(&x[2], &x[7], &x[8], &x[13]);
        chacha20_quarter_round(&x[3], &x[4], &x[9], &x[14]);
    }
    for (int i = 0; i < 4; i++) {
        state->word[4 + i] = x[i];
        state->word[8 + i] = x[12 + i];
    }
    return stack_end(STACK_BELOW_BYTES);
}

void hornet_xchacha20_begin(chacha20_state *state, const uint8_t key[32], uint32_t counter,
                            const uint8_t nonce[24])
{
    clear_stack_and_registers(hchacha20(state, key, nonce));
    state->word[12] = counter;
    state->word[13] = 0;
    state->word[14] = load_le32(nonce + 16);
    state->word[15] = load_le32(nonce + 20);
}

HORNET_NOINLINE uintptr_t chacha20_xor_stream(uint8_t *out, const uint8_t *in, size_t len_bytes,
                                              uint32_t counter, const uint8_t nonce[12],
                                              const uint8_t key[32])
{
    chacha20_state state;
    hornet_chacha20_begin(&state, key, counter, nonce);
    const uintptr_t end = hornet_chacha20_kernel_in_use()->xor_stream(out, in, len_bytes, &state);
    return lower_end(end, stack_end(STACK_BELOW_BYTES));
}

bool hornet_chacha20(void *out, const void *in, size_t len_bytes, uint32_t counter, const uint8_t nonce[12],
                     const uint8_t key[32])
{
    const uint64_t nblocks =
        (uint64_t)(len_bytes / CHACHA20_BLOCK_BYTES) + (len_bytes % CHACHA20_BLOCK_BYTES != 0);
    if (nblocks > (UINT64_C(1) << 32) - counter)
        return false;
    check_overlap(out, in, len_bytes);
    clear_stack_and_registers(chacha20_xor_stream(out, in, len_bytes, counter, nonce, key));
    return true;
}
