/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20-Poly1305 (RFC 8439, section 2.8) and XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): one
 * message in one call.
 *
 * A message is a sequence of passes (chacha20/layouts/pass.h), which the kernel's pass table chooses by
 * the number of blocks that are left. The first pass also gives block 0 of the keystream, whose first half
 * is Poly1305's key. Later ones may continue Poly1305 over what is already known, in general-purpose
 * registers; a kernel of Poly1305 processes the rest.
 *
 * If a message is not long, Poly1305's input is assembled in one buffer, padded, so that its kernel gets
 * only whole blocks, all in one call:
 *
 *     aad 0 0 | ciphertext 0 0 0 | aad_bytes len_bytes
 */
#include "passes.h"

#include "../core/constant_time.h"

HORNET_NOINLINE size_t copy_last(uint8_t last[15], const uint8_t *bytes, size_t len_bytes)
{
    return last_copied(last, bytes, len_bytes);
}

/* The end of a message that is opened: compares its tag with the tag `given`, and clears the output if that
 * is another. */
HORNET_INLINE bool opened_end(const uint8_t *given, const uint8_t computed[16], const aead_call *c)
{
    const bool valid = declassify(tags_equal(computed, given));
    if (!valid)
        zero_some(c->out, c->len_bytes);
    return valid;
}

const uint8_t *hornet_aead_short_chunk(aead_chunk *t, uint8_t *ciphertext)
{
    const size_t len_bytes = t->work.len_bytes;
    const uint8_t *next = aead_input_begin(ciphertext, t->aad, t->aad_bytes);
    if (t->opens) {
        memset(ciphertext + len_bytes / 16 * 16, 0, 16);
        copy_some(ciphertext, t->work.in, len_bytes);
    } else {
        t->work.copy = ciphertext;
    }
    const uint8_t *const key = t->work.key;
    chunk_pass(t, chacha20_next_layout(t->kernel, &t->work));
    if (t->work.len_bytes != 0)
        set_value(t->poly, key);
    while (t->work.len_bytes != 0) {
        const chacha20_layout *const layout = chacha20_next_layout(t->kernel, &t->work);
        const size_t ready_bytes = t->opens ? len_bytes : len_bytes - t->work.len_bytes;
        next += 16 * stitch_blocks(t, layout, next, (size_t)(ciphertext + ready_bytes - next) / 16);
        chunk_pass(t, layout);
    }
    t->end = lower_end(t->end, stack_end(STACK_BELOW_BYTES));
    return next;
}

#define LONG_CHUNK   hornet_aead_long_chunk
#define COPY_LAST    copy_last
#define INPUT_BEFORE ((size_t)0)
#include "long_chunk.h"

/* Seals a message, and writes `tag`, or opens it, and compares `given`. What is written to `memory`,
 * AEAD_MEMORY_BYTES bytes, is no secret, so it may lie in a frame that is not cleared. */
HORNET_NOINLINE uintptr_t message_processed(bool *valid, bool opens, uint8_t *tag, const uint8_t *given,
                                            const aead_call *c, uint8_t *memory)
{
    uint8_t *const ciphertext = memory + AEAD_AAD_ROOM_BYTES, *lengths;
    const uint8_t *first = NULL, *next;
    uint8_t key[32], computed[16], last[32];
    uint8_t *const to = opens ? computed : tag; /* a copy would have to wait for the stores of its words */
    chacha20_state state;
    struct poly1305 poly;
    if (c->extended)
        hornet_xchacha20_begin(&state, c->key, 0, c->nonce);
    else
        hornet_chacha20_begin(&state, c->key, 0, c->nonce);
    aead_chunk t;
    aead_chunk_begin(&t, c->out, c->in, c->len_bytes, opens, c->kernels);
    t.work.state = &state;
    t.poly = &poly;
    t.work.key = key;
    t.aad = c->aad;
    t.aad_bytes = c->aad_bytes;
    if (c->len_bytes <= AEAD_COPIED_BYTES && c->aad_bytes <= AEAD_AAD_ROOM_BYTES) {
        first = ciphertext - padded_bytes(c->aad_bytes);
        next = hornet_aead_short_chunk(&t, ciphertext);
        lengths = ciphertext + padded_bytes(c->len_bytes);
    } else {
        memset(last, 0, 16);
        hornet_aead_long_chunk(&t, last, ciphertext);
        next = last;
        lengths = last + padded_bytes(c->len_bytes % 16);
    }
    store_lengths(lengths, c->aad_bytes, c->len_bytes);
    const size_t left_bytes = (size_t)(lengths + 16 - next);
    if (next == first) {
        hornet_poly1305_kernel_in_aead(left_bytes, c->kernels.poly1305)->mac(to, next, left_bytes, key);
    } else {
        hornet_poly1305_kernel_in_aead(left_bytes, c->kernels.poly1305)->absorb(&poly, next, left_bytes);
        mac_end(to, &poly);
    }
    wipe(memory, AEAD_AAD_ROOM_BYTES); /* associated data may be secret */
    *valid = !opens || opened_end(given, computed, c);
    return lower_end(t.end, stack_end(STACK_BELOW_BYTES));
}

/* Does the same, and returns whether it was processed and is authentic. */
static bool aead_call_run(bool opens, uint8_t *tag, const uint8_t *given, const aead_call *c)
{
    uint8_t memory[AEAD_MEMORY_BYTES] __attribute__((aligned(64)));
    bool valid;
    if (too_long(c->len_bytes))
        return false;
    check_overlap(c->out, c->in, c->len_bytes);
    clear_stack_and_registers(message_processed(&valid, opens, tag, given, c, memory));
    return valid;
}

bool hornet_aead_seal_call(uint8_t tag[16], const aead_call *c)
{
    return aead_call_run(false, tag, NULL, c);
}

bool hornet_aead_open_call(const uint8_t tag[16], const aead_call *c)
{
    return aead_call_run(true, NULL, tag, c);
}

/* Not inline: each of the four public functions would hold a copy. */
__attribute__((noinline)) aead_kernels hornet_aead_kernels_in_use(void)
{
    return (aead_kernels){hornet_chacha20_entries_in_use(), hornet_poly1305_entries_in_use()};
}

/* Where nonce and key are on the stack, clang 19 would load them as a vector, which would have to wait for
 * the caller's stores of the two. */
#define LOAD_ONE_BY_ONE(nonce, key)                                                                        \
    HORNET_VALUE_BARRIER("r", nonce);                                                                      \
    HORNET_VALUE_BARRIER("r", key)

bool hornet_chacha20_poly1305_seal(void *ciphertext, uint8_t tag[16], const void *msg, size_t len_bytes,
                                   const void *aad, size_t aad_bytes, const uint8_t nonce[12],
                                   const uint8_t key[32])
{
    LOAD_ONE_BY_ONE(nonce, key);
    return hornet_aead_seal_call(tag, &(aead_call){ciphertext, msg, len_bytes, aad, aad_bytes, nonce, key,
                                                   false, hornet_aead_kernels_in_use()});
}

bool hornet_chacha20_poly1305_open(void *msg, const void *ciphertext, size_t len_bytes,
                                   const uint8_t tag[16], const void *aad, size_t aad_bytes,
                                   const uint8_t nonce[12], const uint8_t key[32])
{
    LOAD_ONE_BY_ONE(nonce, key);
    return hornet_aead_open_call(tag, &(aead_call){msg, ciphertext, len_bytes, aad, aad_bytes, nonce, key,
                                                   false, hornet_aead_kernels_in_use()});
}

bool hornet_xchacha20_poly1305_seal(void *ciphertext, uint8_t tag[16], const void *msg, size_t len_bytes,
                                    const void *aad, size_t aad_bytes, const uint8_t nonce[24],
                                    const uint8_t key[32])
{
    LOAD_ONE_BY_ONE(nonce, key);
    return hornet_aead_seal_call(tag, &(aead_call){ciphertext, msg, len_bytes, aad, aad_bytes, nonce, key,
                                                   true, hornet_aead_kernels_in_use()});
}

bool hornet_xchacha20_poly1305_open(void *msg, const void *ciphertext, size_t len_bytes,
                                    const uint8_t tag[16], const void *aad, size_t aad_bytes,
                                    const uint8_t nonce[24], const uint8_t key[32])
{
    LOAD_ONE_BY_ONE(nonce, key);
    return hornet_aead_open_call(tag, &(aead_call){msg, ciphertext, len_bytes, aad, aad_bytes, nonce, key,
                                                   true, hornet_aead_kernels_in_use()});
}
