/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20-Poly1305 (RFC 8439, section 2.8) and XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): one
 * message in one call.
 *
 * Block 0 of the keystream, whose first half is Poly1305's key, is computed together with the first blocks
 * of the message. For a message that is not long, Poly1305's input is assembled in one buffer, padded:
 * associated data, ciphertext, lengths. So the kernels of Poly1305 get only whole blocks, all in one call:
 *
 *     aad 0 0 | ciphertext 0 0 0 | aad_bytes len_bytes
 */
#include "aead.h"

#include "../core/constant_time.h"

/* Number of bytes that fit into keystream blocks 1 to nblocks - 1. */
#define BYTES_BESIDE_KEY(nblocks) (CHACHA20_BLOCK_BYTES * ((size_t)(nblocks) - 1))

aead_kernels hornet_aead_kernels_in_use(void)
{
    return (aead_kernels){hornet_chacha20_kernel_in_use(), hornet_poly1305_rows_in_use()};
}

HORNET_INLINE void aead_call_begin(chacha20_state *state, const aead_call *c)
{
    if (c->extended)
        hornet_xchacha20_begin(state, c->key, 0, c->nonce);
    else
        hornet_chacha20_begin(state, c->key, 0, c->nonce);
}

/* Computes the tag over ciphertext that is in `input`, padded. */
HORNET_INLINE void mac_of_input(uint8_t tag[16], uint8_t *input, const aead_call *c, const uint8_t key[32])
{
    size_t input_bytes;
    const uint8_t *const first = aead_input(&input_bytes, input, c->len_bytes, c->aad, c->aad_bytes);
    hornet_poly1305_kernel_for(input_bytes, c->kernels.poly1305)->mac(tag, first, input_bytes, key);
}

/* Seals up to BYTES_BESIDE_KEY(n) bytes with a keystream of n blocks. */
HORNET_INLINE uintptr_t aead_seal_buffered(uint8_t *stream, uint8_t *input, uint8_t tag[16],
                                           const aead_call *c)
{
    const struct hornet_chacha20_kernel *kernel = c->kernels.chacha20;
    chacha20_state state;
    aead_call_begin(&state, c);
    uintptr_t end = kernel->stream(stream, aead_stream_blocks(c->len_bytes), &state);
    end = lower_end(end, kernel->apply_twice(c->out, input + AEAD_AAD_ROOM_BYTES, c->in,
                                             stream + CHACHA20_BLOCK_BYTES, c->len_bytes));
    mac_of_input(tag, input, c, stream);
    return end;
}

HORNET_INLINE uintptr_t aead_open_buffered(uint8_t *stream, uint8_t *input, bool *valid,
                                           const uint8_t tag[16], const aead_call *c)
{
    const struct hornet_chacha20_kernel *kernel = c->kernels.chacha20;
    chacha20_state state;
    uint8_t expected[16];
    aead_call_begin(&state, c);
    uintptr_t end = kernel->stream(stream, aead_stream_blocks(c->len_bytes), &state);
    memset(input + AEAD_AAD_ROOM_BYTES + c->len_bytes / 16 * 16, 0, 16);
    copy_some(input + AEAD_AAD_ROOM_BYTES, c->in, c->len_bytes);
    mac_of_input(expected, input, c, stream);
    *valid = declassify(tags_equal(expected, tag));
    if (*valid)
        end = lower_end(end, kernel->apply(c->out, c->in, stream + CHACHA20_BLOCK_BYTES, c->len_bytes));
    else
        zero_some(c->out, c->len_bytes);
    return end;
}

/* Frames of three sizes. In `input`, up to 64 bytes are written after the ciphertext, and the lengths. */
#define AEAD_BUFFERS(nblocks)                                                                              \
    uint8_t stream[CHACHA20_BLOCK_BYTES * (nblocks)] __attribute__((aligned(64)));                         \
    uint8_t input[AEAD_AAD_ROOM_BYTES + CHACHA20_BLOCK_BYTES * (nblocks) + 16] __attribute__((aligned(64)))

#define AEAD_BUFFERED(size, nblocks)                                                                       \
    HORNET_NOINLINE uintptr_t aead_seal_##size(uint8_t tag[16], const aead_call *c)                        \
    {                                                                                                      \
        AEAD_BUFFERS(nblocks);                                                                             \
        const uintptr_t end = aead_seal_buffered(stream, input, tag, c);                                   \
        return lower_end(end, stack_end(STACK_BELOW_BYTES));                                               \
    }                                                                                                      \
    HORNET_NOINLINE uintptr_t aead_open_##size(bool *valid, const uint8_t tag[16], const aead_call *c)     \
    {                                                                                                      \
        AEAD_BUFFERS(nblocks);                                                                             \
        const uintptr_t end = aead_open_buffered(stream, input, valid, tag, c);                            \
        return lower_end(end, stack_end(STACK_BELOW_BYTES));                                               \
    }
AEAD_BUFFERED(small, AEAD_SMALL_BLOCKS)
AEAD_BUFFERED(medium, AEAD_MEDIUM_BLOCKS)
AEAD_BUFFERED(large, AEAD_LARGE_BLOCKS)

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

/* Starts Poly1305 under the key at the beginning of the keystream and absorbs the associated data. */
HORNET_INLINE struct poly1305 mac_begin(const uint8_t *stream, const aead_call *c)
{
    struct poly1305 poly = {.h = {0, 0, 0}};
    load_r(poly.r, stream);
    load_s(poly.s, stream);
    absorb_padded(c, &poly, c->aad, c->aad_bytes);
    return poly;
}

HORNET_INLINE void mac_end(uint8_t tag[16], struct poly1305 *poly, const aead_call *c)
{
    uint8_t lengths[16];
    store_lengths(lengths, c->aad_bytes, c->len_bytes);
    hornet_poly1305_absorb(poly, lengths, sizeof lengths, c->kernels.poly1305);
    store_tag(tag, tag_of_value(poly->h, poly->s));
}

/* Processes more than BYTES_BESIDE_KEY(lanes) bytes with a kernel that interleaves encryption with
 * authentication. When sealing, a pass absorbs what the previous pass has encrypted; when opening, what the
 * pass itself decrypts. */
HORNET_INLINE uintptr_t message_stitched(bool opens, uint8_t tag[16], const aead_call *c)
{
    const struct hornet_chacha20_kernel *kernel = c->kernels.chacha20;
    const size_t pass_bytes = (size_t)kernel->lanes * CHACHA20_BLOCK_BYTES;
    const uint8_t *const ciphertext = opens ? c->in : c->out;
    uint8_t stream[CHACHA20_STITCHED_LANES_MAX * CHACHA20_BLOCK_BYTES] __attribute__((aligned(64)));
    chacha20_state state;
    aead_call_begin(&state, c);
    uintptr_t end = kernel->stream(stream, kernel->lanes, &state);
    struct poly1305 poly = mac_begin(stream, c);

    size_t done = pass_bytes - CHACHA20_BLOCK_BYTES, absorbed = 0, until;
    if (opens) {
        hornet_poly1305_absorb(&poly, ciphertext, done, c->kernels.poly1305);
        absorbed = done;
    }
    end = lower_end(end, kernel->apply(c->out, c->in, stream + CHACHA20_BLOCK_BYTES, done));
    for (; c->len_bytes - done >= pass_bytes; done += pass_bytes, absorbed = until) {
        until = opens ? done + pass_bytes : done;
        state.word[12] += kernel->lanes;
        end = lower_end(end, kernel->stitched(c->out + done, c->in + done, &state, &poly,
                                              ciphertext + absorbed, (until - absorbed) / 16));
    }
    const size_t rest = c->len_bytes - done;
    if (rest != 0) {
        until = opens ? done + rest / 64 * 64 : done;
        state.word[12] += kernel->lanes;
        end = lower_end(end, until == absorbed
                                 ? kernel->stream(stream, 1, &state)
                                 : kernel->stitched(stream, NULL, &state, &poly, ciphertext + absorbed,
                                                    (until - absorbed) / 16));
        absorbed = until;
    }
    if (opens)
        absorb_padded(c, &poly, ciphertext + absorbed, c->len_bytes - absorbed);
    end = lower_end(end, kernel->apply(c->out + done, c->in + done, stream, rest));
    if (!opens)
        absorb_padded(c, &poly, ciphertext + absorbed, c->len_bytes - absorbed);
    mac_end(tag, &poly, c);
    return end;
}

/* Processes a message of any length piece by piece: each piece is encrypted and then absorbed, or absorbed
 * and then decrypted. */
HORNET_INLINE uintptr_t long_message(bool opens, uint8_t tag[16], const aead_call *c)
{
    const struct hornet_chacha20_kernel *kernel = c->kernels.chacha20;
    uint8_t stream[CHACHA20_STREAM_BYTES] __attribute__((aligned(64)));
    const size_t first_bytes = BYTES_BESIDE_KEY(CHACHA20_STREAM_BLOCKS);
    chacha20_state state;
    aead_call_begin(&state, c);
    size_t piece = c->len_bytes < first_bytes ? c->len_bytes : first_bytes;
    uintptr_t end = kernel->stream(stream, aead_stream_blocks(piece), &state);
    struct poly1305 poly = mac_begin(stream, c);

    const uint8_t *in = c->in;
    uint8_t *out = c->out;
    size_t left = c->len_bytes;
    for (bool first = true;; first = false) {
        const uint8_t *const ciphertext = opens ? in : out;
        if (!first)
            piece = left < AEAD_PIECE_BYTES ? left : AEAD_PIECE_BYTES;
        if (opens)
            absorb_padded(c, &poly, ciphertext, piece);
        if (first) {
            end = lower_end(end, kernel->apply(out, in, stream + CHACHA20_BLOCK_BYTES, piece));
            state.word[12] = CHACHA20_STREAM_BLOCKS;
        } else {
            end = lower_end(end, kernel->xor_stream(out, in, piece, &state));
            state.word[12] += (uint32_t)(AEAD_PIECE_BYTES / CHACHA20_BLOCK_BYTES);
        }
        if (!opens)
            absorb_padded(c, &poly, ciphertext, piece);
        left -= piece;
        if (left == 0)
            break;
        out += piece;
        in += piece;
    }

    mac_end(tag, &poly, c);
    return end;
}

#define AEAD_UNBUFFERED(name, message)                                                                     \
    HORNET_NOINLINE uintptr_t aead_seal_##name(uint8_t tag[16], const aead_call *c)                        \
    {                                                                                                      \
        const uintptr_t end = message(false, tag, c);                                                      \
        return lower_end(end, stack_end(STACK_BELOW_BYTES));                                               \
    }                                                                                                      \
    HORNET_NOINLINE uintptr_t aead_open_##name(bool *valid, const uint8_t tag[16], const aead_call *c)     \
    {                                                                                                      \
        uint8_t expected[16];                                                                              \
        const uintptr_t end = message(true, expected, c);                                                  \
        *valid = declassify(tags_equal(expected, tag));                                                    \
        if (!*valid)                                                                                       \
            zero_some(c->out, c->len_bytes);                                                               \
        return lower_end(end, stack_end(STACK_BELOW_BYTES));                                               \
    }
AEAD_UNBUFFERED(stitched, message_stitched)
AEAD_UNBUFFERED(long, long_message)

/* Returns whether a message is long enough to interleave the cipher with authentication. */
HORNET_INLINE bool is_stitched(bool opens, const aead_call *c)
{
    const struct hornet_chacha20_kernel *kernel = c->kernels.chacha20;
    const size_t halves = opens ? AEAD_OPEN_STITCHED_HALVES : AEAD_SEAL_STITCHED_HALVES;
    return kernel->stitched != NULL && c->len_bytes > BYTES_BESIDE_KEY(kernel->lanes / 2 * halves);
}

enum aead_way { WAY_SMALL, WAY_MEDIUM, WAY_LARGE, WAY_STITCHED, WAY_LONG };

HORNET_INLINE enum aead_way way_of(bool opens, const aead_call *c)
{
    const bool has_room = c->aad_bytes <= AEAD_AAD_ROOM_BYTES;
    if (has_room && c->len_bytes <= BYTES_BESIDE_KEY(AEAD_SMALL_BLOCKS))
        return WAY_SMALL;
    if (is_stitched(opens, c))
        return WAY_STITCHED;
    if (has_room && c->len_bytes <= BYTES_BESIDE_KEY(AEAD_MEDIUM_BLOCKS))
        return WAY_MEDIUM;
    return has_room && c->len_bytes <= BYTES_BESIDE_KEY(AEAD_LARGE_BLOCKS) ? WAY_LARGE : WAY_LONG;
}

bool hornet_aead_seal_call(uint8_t tag[16], const aead_call *c)
{
    if (too_long(c->len_bytes))
        return false;
    check_overlap(c->out, c->in, c->len_bytes);
    switch (way_of(false, c)) {
    case WAY_SMALL:
        clear_stack_and_registers(aead_seal_small(tag, c));
        break;
    case WAY_MEDIUM:
        clear_stack_and_registers(aead_seal_medium(tag, c));
        break;
    case WAY_LARGE:
        clear_stack_and_registers(aead_seal_large(tag, c));
        break;
    case WAY_STITCHED:
        clear_stack_and_registers(aead_seal_stitched(tag, c));
        break;
    case WAY_LONG:
        clear_stack_and_registers(aead_seal_long(tag, c));
        break;
    }
    return true;
}

bool hornet_aead_open_call(const uint8_t tag[16], const aead_call *c)
{
    bool valid = false;
    if (too_long(c->len_bytes))
        return false;
    check_overlap(c->out, c->in, c->len_bytes);
    switch (way_of(true, c)) {
    case WAY_SMALL:
        clear_stack_and_registers(aead_open_small(&valid, tag, c));
        break;
    case WAY_MEDIUM:
        clear_stack_and_registers(aead_open_medium(&valid, tag, c));
        break;
    case WAY_LARGE:
        clear_stack_and_registers(aead_open_large(&valid, tag, c));
        break;
    case WAY_STITCHED:
        clear_stack_and_registers(aead_open_stitched(&valid, tag, c));
        break;
    case WAY_LONG:
        clear_stack_and_registers(aead_open_long(&valid, tag, c));
        break;
    }
    return valid;
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
