/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20-Poly1305 (RFC 8439, section 2.8) and XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): one
 * message in one call.
 *
 * A message is a sequence of passes (chacha20/shapes/pass.h), which the kernel's plan chooses by the number
 * of blocks that are left. The first pass also gives block 0 of the keystream, whose first half is
 * Poly1305's key. Later ones may continue Poly1305 over what is already known, in general-purpose
 * registers; a kernel of Poly1305 processes the rest.
 *
 * If a message is not long, Poly1305's input is assembled in one buffer, padded, so that its kernel gets
 * only whole blocks, all in one call:
 *
 *     aad 0 0 | ciphertext 0 0 0 | aad_bytes len_bytes
 */
#include "aead.h"

#include "../core/constant_time.h"
#include "../core/wipe.h"

HORNET_INLINE void aead_call_begin(chacha20_state *state, const aead_call *c)
{
    if (c->extended)
        hornet_xchacha20_begin(state, c->key, 0, c->nonce);
    else
        hornet_chacha20_begin(state, c->key, 0, c->nonce);
}

/* A message while it is processed. */
typedef struct {
    chacha20_state state;
    chacha20_work work; /* of the next pass */
    const struct hornet_chacha20_kernel *kernel;
    uintptr_t end; /* of the stack */
} aead_message;

/* Prepares the first pass, whose key goes to key. */
HORNET_INLINE void message_begin(aead_message *m, const aead_call *c, uint8_t key[32], uint8_t *copy)
{
    aead_call_begin(&m->state, c);
    m->kernel = hornet_chacha20_kernel_for(c->len_bytes, c->kernels.chacha20);
    m->work = (chacha20_work){.out = c->out,
                              .in = c->in,
                              .len_bytes = c->len_bytes,
                              .copy = copy,
                              .key = key,
                              .state = &m->state};
    m->end = UINTPTR_MAX;
}

HORNET_INLINE void message_pass(aead_message *m, const chacha20_shape *shape)
{
    m->end = lower_end(m->end, hornet_chacha20_pass(shape, &m->work));
}

/* Lets the next pass continue poly over as many of the nblocks blocks as it can, and returns how many. */
HORNET_INLINE size_t message_beside(aead_message *m, const chacha20_shape *shape, struct poly1305 *poly,
                                    const uint8_t *blocks, size_t nblocks)
{
    const size_t most = (size_t)shape->beside * CHACHA20_DOUBLE_ROUNDS;
    m->work.poly = poly;
    m->work.blocks = blocks;
    return m->work.nblocks = nblocks < most ? nblocks : most;
}

HORNET_INLINE struct poly1305 mac_begin(const uint8_t key[32])
{
    struct poly1305 poly = {.h = {0, 0, 0}};
    load_r(poly.r, key);
    load_s(poly.s, key);
    return poly;
}

HORNET_INLINE void mac_end(uint8_t tag[16], const struct poly1305 *poly)
{
    store_tag(tag, tag_of_value(poly->h, poly->s));
}

/* The end of a message: writes its tag or, if it is opened (tag is NULL), compares it with the tag `given`
 * and clears the output if that is another. */
HORNET_INLINE bool message_end(uint8_t *tag, const uint8_t *given, const uint8_t computed[16],
                               const aead_call *c)
{
    if (tag != NULL) {
        memcpy(tag, computed, 16);
        return true;
    }
    const bool valid = declassify(tags_equal(computed, given));
    if (!valid)
        zero_some(c->out, c->len_bytes);
    return valid;
}

/* Processes a message whose ciphertext fits in `memory`, AEAD_MEMORY_BYTES bytes. What is written there is
 * no secret, so it may lie in a frame that is not cleared. */
HORNET_NOINLINE uintptr_t message_copied(bool *valid, uint8_t *tag, const uint8_t *given,
                                         const aead_call *c, uint8_t *memory)
{
    const bool opens = tag == NULL;
    uint8_t *const ciphertext = memory + AEAD_AAD_ROOM_BYTES;
    uint8_t key[32], computed[16];
    aead_message m;
    struct poly1305 poly;
    if (opens) {
        memset(ciphertext + c->len_bytes / 16 * 16, 0, 16);
        copy_some(ciphertext, c->in, c->len_bytes);
    }
    const uint8_t *const input = aead_input_begin(ciphertext, c->aad, c->aad_bytes);
    message_begin(&m, c, key, opens ? NULL : ciphertext);
    message_pass(&m, chacha20_next_shape(m.kernel, &m.work));

    const uint8_t *next = input;
    if (m.work.len_bytes != 0)
        poly = mac_begin(key);
    while (m.work.len_bytes != 0) {
        const chacha20_shape *const shape = chacha20_next_shape(m.kernel, &m.work);
        const size_t ready_bytes = opens ? padded_bytes(c->len_bytes) : c->len_bytes - m.work.len_bytes;
        next += 16 * message_beside(&m, shape, &poly, next, (size_t)(ciphertext + ready_bytes - next) / 16);
        message_pass(&m, shape);
    }

    const size_t left_bytes = (size_t)(aead_input_end(ciphertext, c->len_bytes, c->aad_bytes) - next);
    if (next == input) {
        hornet_poly1305_kernel_for(left_bytes, c->kernels.poly1305)->mac(computed, next, left_bytes, key);
    } else {
        hornet_poly1305_absorb(&poly, next, left_bytes, c->kernels.poly1305);
        mac_end(computed, &poly);
    }
    wipe(memory, AEAD_AAD_ROOM_BYTES); /* associated data may be secret */
    *valid = message_end(tag, given, computed, c);
    return lower_end(m.end, stack_end(STACK_BELOW_BYTES));
}

/* Absorbs whole blocks; zeros after the last byte complete the last block. */
HORNET_INLINE void absorb_padded(const aead_call *c, struct poly1305 *poly, const uint8_t *bytes,
                                 size_t len_bytes)
{
    const size_t rest = len_bytes % 16;
    uint8_t last[16] = {0};
    hornet_poly1305_absorb(poly, bytes, len_bytes - rest, c->kernels.poly1305);
    if (rest == 0)
        return;
    copy_bytes(last, bytes + len_bytes - rest, rest);
    hornet_poly1305_absorb(poly, last, sizeof last, c->kernels.poly1305);
}

/* Returns how many blocks of Poly1305 the passes over len_bytes bytes can take. */
HORNET_INLINE size_t beside_capacity(const aead_message *m, size_t len_bytes)
{
    const chacha20_shape *const shape = chacha20_main_shape(m->kernel);
    return len_bytes / ((size_t)shape->nblocks * CHACHA20_BLOCK_BYTES) * shape->beside *
           CHACHA20_DOUBLE_ROUNDS;
}

/* Processes a message of any length, piece by piece. Sealing absorbs what earlier passes have encrypted,
 * and after a piece what is left of it if that is long. Opening absorbs a block at the latest beside the
 * pass that decrypts it, because `out` may be `in`; what the passes of a piece cannot take comes first. */
HORNET_NOINLINE uintptr_t message_long(bool *valid, uint8_t *tag, const uint8_t *given, const aead_call *c,
                                       uint8_t *memory)
{
    const bool opens = tag == NULL;
    const uint8_t *const ciphertext = opens ? c->in : c->out;
    const size_t rest = c->len_bytes % 16;
    uint8_t key[32], computed[16], last[32] = {0};
    aead_message m;
    message_begin(&m, c, key, NULL);
    const chacha20_shape *shape = chacha20_next_shape(m.kernel, &m.work);
    size_t done = chacha20_pass_bytes(shape, &m.work), absorbed = 0;
    uint8_t *const first = memory + AEAD_AAD_ROOM_BYTES;
    if (opens)
        copy_some(first, ciphertext, done);
    message_pass(&m, shape);
    struct poly1305 poly = mac_begin(key);
    absorb_padded(c, &poly, c->aad, c->aad_bytes);
    if (opens) {
        hornet_poly1305_absorb(&poly, first, done / 16 * 16, c->kernels.poly1305);
        copy_bytes(last, first + done / 16 * 16, done % 16);
        absorbed = done / 16 * 16;
    }

    for (size_t piece_end = done; done != c->len_bytes;) {
        if (done >= piece_end) { /* a pass of 5 blocks may end beyond it */
            const size_t left = c->len_bytes - done;
            piece_end = done + (left < AEAD_PIECE_BYTES ? left : AEAD_PIECE_BYTES);
            const size_t now = opens ? (piece_end - absorbed) / 16 : (done - absorbed) / 16;
            const size_t beside = opens ? beside_capacity(&m, piece_end - done) : AEAD_PENDING_BYTES / 16;
            if (now > beside) {
                const size_t n = 16 * (opens ? now - beside : now);
                hornet_poly1305_absorb(&poly, ciphertext + absorbed, n, c->kernels.poly1305);
                absorbed += n;
            }
        }
        shape = chacha20_next_shape(m.kernel, &m.work);
        const size_t pass_end = done + chacha20_pass_bytes(shape, &m.work);
        const size_t ready = ((opens ? piece_end : done) - absorbed) / 16;
        size_t beside = message_beside(&m, shape, &poly, ciphertext + absorbed, ready);
        if (opens && absorbed + 16 * beside < pass_end / 16 * 16) {
            const size_t n = pass_end / 16 * 16 - absorbed - 16 * beside;
            hornet_poly1305_absorb(&poly, ciphertext + absorbed, n, c->kernels.poly1305);
            absorbed += n;
            m.work.blocks += n;
        }
        if (opens && pass_end == c->len_bytes)
            copy_bytes(last, ciphertext + c->len_bytes - rest, rest);
        message_pass(&m, shape);
        absorbed += 16 * beside;
        done = pass_end;
    }
    if (!opens && c->len_bytes != 0) {
        hornet_poly1305_absorb(&poly, ciphertext + absorbed, (c->len_bytes - absorbed) / 16 * 16,
                               c->kernels.poly1305);
        copy_bytes(last, ciphertext + c->len_bytes - rest, rest);
    }
    uint8_t *const lengths = last + padded_bytes(rest);
    store_lengths(lengths, c->aad_bytes, c->len_bytes);
    hornet_poly1305_absorb(&poly, last, (size_t)(lengths + 16 - last), c->kernels.poly1305);
    mac_end(computed, &poly);
    *valid = message_end(tag, given, computed, c);
    return lower_end(m.end, stack_end(STACK_BELOW_BYTES));
}

/* Seals a message or, if tag is NULL, opens it. Returns whether it was processed and is authentic. */
static bool aead_call_run(uint8_t *tag, const uint8_t *given, const aead_call *c)
{
    uint8_t memory[AEAD_MEMORY_BYTES] __attribute__((aligned(64)));
    bool valid;
    if (too_long(c->len_bytes))
        return false;
    check_overlap(c->out, c->in, c->len_bytes);
    const bool copied = c->len_bytes <= AEAD_COPIED_BYTES && c->aad_bytes <= AEAD_AAD_ROOM_BYTES;
    clear_stack_and_registers((copied ? message_copied : message_long)(&valid, tag, given, c, memory));
    return valid;
}

bool hornet_aead_seal_call(uint8_t tag[16], const aead_call *c) { return aead_call_run(tag, NULL, c); }

bool hornet_aead_open_call(const uint8_t tag[16], const aead_call *c)
{
    return aead_call_run(NULL, tag, c);
}

aead_kernels hornet_aead_kernels_in_use(void)
{
    return (aead_kernels){hornet_chacha20_rows_in_use(), hornet_poly1305_rows_in_use()};
}

bool hornet_chacha20_poly1305_seal(void *ciphertext, uint8_t tag[16], const void *msg, size_t len_bytes,
                                   const void *aad, size_t aad_bytes, const uint8_t nonce[12],
                                   const uint8_t key[32])
{
    return hornet_aead_seal_call(tag, &(aead_call){ciphertext, msg, len_bytes, aad, aad_bytes, nonce, key,
                                                   false, hornet_aead_kernels_in_use()});
}

bool hornet_chacha20_poly1305_open(void *msg, const void *ciphertext, size_t len_bytes,
                                   const uint8_t tag[16], const void *aad, size_t aad_bytes,
                                   const uint8_t nonce[12], const uint8_t key[32])
{
    return hornet_aead_open_call(tag, &(aead_call){msg, ciphertext, len_bytes, aad, aad_bytes, nonce, key,
                                                   false, hornet_aead_kernels_in_use()});
}

bool hornet_xchacha20_poly1305_seal(void *ciphertext, uint8_t tag[16], const void *msg, size_t len_bytes,
                                    const void *aad, size_t aad_bytes, const uint8_t nonce[24],
                                    const uint8_t key[32])
{
    return hornet_aead_seal_call(tag, &(aead_call){ciphertext, msg, len_bytes, aad, aad_bytes, nonce, key,
                                                   true, hornet_aead_kernels_in_use()});
}

bool hornet_xchacha20_poly1305_open(void *msg, const void *ciphertext, size_t len_bytes,
                                    const uint8_t tag[16], const void *aad, size_t aad_bytes,
                                    const uint8_t nonce[24], const uint8_t key[32])
{
    return hornet_aead_open_call(tag, &(aead_call){msg, ciphertext, len_bytes, aad, aad_bytes, nonce, key,
                                                   true, hornet_aead_kernels_in_use()});
}
