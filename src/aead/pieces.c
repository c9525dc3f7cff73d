/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The AEAD over a message in pieces. */
#include "aead.h"

#include "../core/constant_time.h"
#include "../core/wipe.h"

/* Block 0 of the keystream, which is Poly1305's key, is computed together with the first piece of the text,
 * as in one call; until then, associated data waits. Later, the keystream is computed four blocks at a
 * time, since one block takes as long as four; the unused part waits for the next piece. After a long piece
 * nothing waits: the block in which the piece ended is computed again if another piece follows, and often
 * none does. */
enum { WAITING_BLOCKS = 4, WAITING_BYTES = WAITING_BLOCKS * CHACHA20_BLOCK_BYTES };

enum direction { DIRECTION_NONE, DIRECTION_ENCRYPTS, DIRECTION_DECRYPTS };

/* Arbitrary value that is neither in a wiped state nor a small number. */
#define AEAD_LIVE UINT64_C(0x44414541524e4f48)

struct __attribute__((may_alias)) aead {
    uint64_t live;      /* AEAD_LIVE from init to final, else 0 */
    uint64_t direction; /* DIRECTION_NONE while only associated data has arrived */
    uint64_t aad_bytes, text_bytes;
    uint64_t begun;          /* whether block 0 has been computed, and nothing waits to be absorbed */
    uint64_t nwaiting;       /* unused bytes of the keystream, at the end of `waiting` */
    uint64_t nused;          /* if nwaiting is 0: used bytes of the next block to be computed */
    chacha20_state chacha20; /* its counter is that of the next block to be computed */
    uint8_t waiting[WAITING_BYTES]; /* before `begun`, the associated data */
    hornet_poly1305_state poly1305;
};

_Static_assert(sizeof(struct aead) <= sizeof(hornet_aead_state), "the state must fit");

static const uint8_t zeros[WAITING_BYTES];

HORNET_NOINLINE uintptr_t aead_xor_blocks(struct aead *a, uint8_t *out, const uint8_t *in, size_t len_bytes,
                                          uint32_t chacha20_in_use)
{
    return hornet_chacha20_xor(hornet_chacha20_kernel_for(len_bytes, chacha20_in_use), out, in, len_bytes,
                               &a->chacha20);
}

HORNET_INLINE void aead_begin(struct aead *a)
{
    a->nwaiting = a->nused = 0;
    a->direction = DIRECTION_NONE;
    a->begun = a->aad_bytes = a->text_bytes = 0;
    a->live = AEAD_LIVE;
}

/* Begins a piece, with the associated data that waits if it is the first. */
HORNET_NOINLINE void piece_begin(aead_text *t, struct aead *a, uint8_t *out, const uint8_t *in,
                                 size_t len_bytes, aead_kernels kernels)
{
    aead_text_begin(t, out, in, len_bytes, a->direction == DIRECTION_DECRYPTS, &a->chacha20, kernels);
    t->aad = a->waiting;
    t->aad_bytes = (size_t)a->aad_bytes;
}

/* Memory for the associated data that waits, padded, and for the ciphertext of a piece. */
enum { PIECE_MEMORY_BYTES = WAITING_BYTES + AEAD_COPIED_BYTES + 64 };

/* Encrypts or decrypts the first len_bytes bytes, at most AEAD_COPIED_BYTES, and absorbs the first
 * aad_bytes bytes of the associated data that waits, padded, and the ciphertext, which is copied to memory.
 */
HORNET_NOINLINE uintptr_t aead_first_piece(struct aead *a, uint8_t *out, const uint8_t *in,
                                           size_t len_bytes, uint64_t aad_bytes, uint8_t *memory,
                                           aead_kernels kernels)
{
    uint8_t *const ciphertext = memory + WAITING_BYTES;
    uint8_t *const first = ciphertext - padded_bytes((size_t)aad_bytes);
    uint8_t key[32];
    struct poly1305 poly;
    aead_text t;
    piece_begin(&t, a, out, in, len_bytes, kernels);
    t.poly = &poly;
    t.work.key = key;
    t.aad_bytes = (size_t)aad_bytes;
    const uint8_t *const next = hornet_aead_short_text(&t, ciphertext);
    const size_t left_bytes = (size_t)(ciphertext + len_bytes - next), whole = left_bytes / 16 * 16;
    if (next == first) {
        hornet_poly1305_begin_using(&a->poly1305, key, next, left_bytes, kernels.poly1305);
    } else {
        hornet_poly1305_absorb(&poly, next, whole, kernels.poly1305);
        *hornet_poly1305_begin_value(&a->poly1305) = poly;
        hornet_poly1305_update_using(&a->poly1305, next + whole, left_bytes - whole, kernels.poly1305);
    }
    wipe(first, (size_t)(ciphertext - first));
    a->nused = len_bytes % CHACHA20_BLOCK_BYTES;
    a->begun = 1;
    return lower_end(t.end, stack_end(STACK_BELOW_BYTES));
}

/* Does the same where no text follows yet. */
HORNET_NOINLINE void aead_begin_aad(struct aead *a, uint64_t aad_bytes, aead_kernels kernels)
{
    uint8_t memory[WAITING_BYTES + 64];
    clear_stack_and_registers(aead_first_piece(a, NULL, NULL, 0, aad_bytes, memory, kernels));
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED_VOID(hornet_chacha20_poly1305_init,
                    (hornet_aead_state *state, const uint8_t nonce[12], const uint8_t key[32]),
                    (state, nonce, key))
{
    struct aead *a = (struct aead *)state;
    hornet_chacha20_begin(&a->chacha20, key, 0, nonce);
    aead_begin(a);
}

void hornet_xchacha20_poly1305_init(hornet_aead_state *state, const uint8_t nonce[24],
                                    const uint8_t key[32])
{
    struct aead *a = (struct aead *)state;
    hornet_xchacha20_begin(&a->chacha20, key, 0, nonce);
    aead_begin(a);
}

HORNET_CLEARED(bool, hornet_aead_aad, (hornet_aead_state *state, const void *aad, size_t aad_bytes),
               (state, aad, aad_bytes))
{
    struct aead *a = (struct aead *)state;
    if (a->live != AEAD_LIVE || a->direction != DIRECTION_NONE)
        return false;
    if (!a->begun && aad_bytes <= WAITING_BYTES - a->aad_bytes) {
        copy_bytes(a->waiting + a->aad_bytes, aad, aad_bytes);
    } else {
        const aead_kernels kernels = hornet_aead_kernels_in_use();
        if (!a->begun) {
            aead_begin_aad(a, 0, kernels);
            hornet_poly1305_update_using(&a->poly1305, a->waiting, (size_t)a->aad_bytes, kernels.poly1305);
        }
        hornet_poly1305_update_using(&a->poly1305, aad, aad_bytes, kernels.poly1305);
    }
    a->aad_bytes += aad_bytes;
    return true;
}

/* Sets out to in xor the keystream. */
HORNET_NOINLINE uintptr_t aead_xor_piece(struct aead *a, uint8_t *out, const uint8_t *in, size_t len_bytes,
                                         uint32_t chacha20_in_use)
{
    uintptr_t end = stack_end(STACK_BELOW_BYTES);
    while (len_bytes != 0) {
        if (a->nwaiting == 0 && a->nused == 0 && len_bytes >= WAITING_BYTES) {
            a->nused = len_bytes % CHACHA20_BLOCK_BYTES;
            return lower_end(end, aead_xor_blocks(a, out, in, len_bytes, chacha20_in_use));
        }
        if (a->nwaiting == 0) {
            end = lower_end(end, aead_xor_blocks(a, a->waiting, zeros, WAITING_BYTES, chacha20_in_use));
            a->nwaiting = WAITING_BYTES - a->nused;
            a->nused = 0;
        }
        const size_t n = len_bytes < a->nwaiting ? len_bytes : (size_t)a->nwaiting;
        xor_bytes(out, in, a->waiting + (WAITING_BYTES - a->nwaiting), n);
        a->nwaiting -= n;
        out += n;
        in += n;
        len_bytes -= n;
    }
    return end;
}

/* Returns whether len_bytes more bytes may be processed in this direction, and counts them. The first piece
 * sets the direction. */
static bool aead_begin_pieces(struct aead *a, enum direction direction, uint64_t len_bytes,
                              uint32_t poly1305_in_use)
{
    if (a->live != AEAD_LIVE || (a->direction != DIRECTION_NONE && a->direction != direction) ||
        len_bytes > HORNET_CHACHA20_POLY1305_MAX_BYTES - a->text_bytes)
        return false;
    if (a->direction == DIRECTION_NONE && a->begun) /* pads the associated data */
        hornet_poly1305_update_using(&a->poly1305, zeros, (size_t)(-a->aad_bytes & 15), poly1305_in_use);
    a->direction = direction;
    a->text_bytes += len_bytes;
    return true;
}

/* Returns how many bytes of the text come before the next block of the keystream of which nothing waits. */
static size_t aead_unaligned_bytes(const struct aead *a)
{
    if (a->nwaiting != 0)
        return (size_t)a->nwaiting;
    return a->nused == 0 ? 0 : WAITING_BYTES - (size_t)a->nused;
}

/* Encrypts or decrypts a long piece that begins with a whole block of the keystream, and absorbs it. */
HORNET_NOINLINE uintptr_t aead_long_piece(struct aead *a, uint8_t *out, const uint8_t *in, size_t len_bytes,
                                          uint8_t *memory, aead_kernels kernels)
{
    uint8_t key[32], last[16];
    aead_text t;
    piece_begin(&t, a, out, in, len_bytes, kernels);
    if (a->begun) {
        t.poly = hornet_poly1305_value(&a->poly1305, kernels.poly1305);
    } else {
        t.poly = hornet_poly1305_begin_value(&a->poly1305);
        t.work.key = key;
    }
    hornet_aead_long_text(&t, last, memory + WAITING_BYTES);
    hornet_poly1305_update_using(&a->poly1305, last, len_bytes % 16, kernels.poly1305);
    a->nused = len_bytes % CHACHA20_BLOCK_BYTES;
    a->begun = 1;
    return lower_end(t.end, stack_end(STACK_BELOW_BYTES));
}

/* Clears registers, of which update_using leaves words that clang would push with the next piece's frame.
 */
HORNET_CLEARS_REGISTERS
HORNET_NOINLINE void aead_short_piece(struct aead *a, uint8_t *out, const uint8_t *in, size_t len_bytes,
                                      aead_kernels kernels)
{
    if (len_bytes == 0)
        return;
    if (a->direction == DIRECTION_DECRYPTS)
        hornet_poly1305_update_using(&a->poly1305, in, len_bytes, kernels.poly1305);
    clear_stack_and_registers(aead_xor_piece(a, out, in, len_bytes, kernels.chacha20));
    if (a->direction == DIRECTION_ENCRYPTS)
        hornet_poly1305_update_using(&a->poly1305, out, len_bytes, kernels.poly1305);
    __asm__ volatile(""); /* after the call, which a jump would not return from */
}

static void aead_piece(struct aead *a, uint8_t *out, const uint8_t *in, size_t len_bytes,
                       aead_kernels kernels)
{
    uint8_t memory[PIECE_MEMORY_BYTES] __attribute__((aligned(64)));
    check_overlap(out, in, len_bytes);
    if (len_bytes > AEAD_COPIED_BYTES) {
        const size_t unaligned = aead_unaligned_bytes(a);
        aead_short_piece(a, out, in, unaligned, kernels);
        clear_stack_and_registers(
            aead_long_piece(a, out + unaligned, in + unaligned, len_bytes - unaligned, memory, kernels));
    } else if (!a->begun && len_bytes != 0) {
        clear_stack_and_registers(aead_first_piece(a, out, in, len_bytes, a->aad_bytes, memory, kernels));
    } else {
        aead_short_piece(a, out, in, len_bytes, kernels);
    }
}

static bool aead_pieces(hornet_aead_state *state, enum direction direction, const hornet_piece *all,
                        size_t count)
{
    struct aead *a = (struct aead *)state;
    uint64_t len_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        if (all[i].len_bytes > HORNET_CHACHA20_POLY1305_MAX_BYTES - len_bytes)
            return false;
        len_bytes += all[i].len_bytes;
    }
    const aead_kernels kernels = hornet_aead_kernels_in_use();
    if (!aead_begin_pieces(a, direction, len_bytes, kernels.poly1305))
        return false;
    for (size_t i = 0; len_bytes != 0; len_bytes -= all[i++].len_bytes)
        aead_piece(a, all[i].out, all[i].in, all[i].len_bytes, kernels);
    return true;
}

bool hornet_aead_encrypt(hornet_aead_state *state, void *ciphertext, const void *msg, size_t len_bytes)
{
    return aead_pieces(state, DIRECTION_ENCRYPTS, &(hornet_piece){ciphertext, msg, len_bytes}, 1);
}

bool hornet_aead_decrypt(hornet_aead_state *state, void *msg, const void *ciphertext, size_t len_bytes)
{
    return aead_pieces(state, DIRECTION_DECRYPTS, &(hornet_piece){msg, ciphertext, len_bytes}, 1);
}

bool hornet_aead_encryptv(hornet_aead_state *state, const hornet_piece *all, size_t count)
{
    return aead_pieces(state, DIRECTION_ENCRYPTS, all, count);
}

bool hornet_aead_decryptv(hornet_aead_state *state, const hornet_piece *all, size_t count)
{
    return aead_pieces(state, DIRECTION_DECRYPTS, all, count);
}

bool hornet_aead_compute_tag(hornet_aead_state *state, uint8_t tag[16])
{
    struct aead *a = (struct aead *)state;
    const bool live = a->live == AEAD_LIVE;
    if (live) {
        const aead_kernels kernels = hornet_aead_kernels_in_use();
        const uint32_t in_use = kernels.poly1305;
        uint8_t last[32] = {0}; /* zeros up to a whole block, then the lengths */
        uint64_t unpadded = a->text_bytes;
        if (!a->begun)
            aead_begin_aad(a, a->aad_bytes, kernels);
        else if (a->direction == DIRECTION_NONE)
            unpadded = a->aad_bytes;
        const size_t padding = (size_t)(-unpadded & 15);
        store_lengths(last + padding, a->aad_bytes, a->text_bytes);
        hornet_poly1305_update_using(&a->poly1305, last, padding + 16, in_use);
        hornet_poly1305_final_using(&a->poly1305, tag, in_use);
    } else {
        memset(tag, 0, 16);
    }
    wipe(state, sizeof *state); /* all of it: an earlier message may have been abandoned in it */
    return live;
}

bool hornet_aead_final(hornet_aead_state *state, uint8_t tag[16])
{
    const bool encrypts = ((struct aead *)state)->direction != DIRECTION_DECRYPTS;
    const bool ends = hornet_aead_compute_tag(state, tag) && encrypts;
    if (!ends)
        memset(tag, 0, 16);
    return ends;
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED(bool, hornet_aead_final_verify_truncated,
               (hornet_aead_state *state, const uint8_t *tag, size_t tag_bytes), (state, tag, tag_bytes))
{
    const bool decrypts = ((struct aead *)state)->direction != DIRECTION_ENCRYPTS;
    const bool is_tag = tag_bytes >= 1 && tag_bytes <= 16;
    uint8_t expected[16];
    const bool live = hornet_aead_compute_tag(state, expected);
    const bool equal = declassify(bytes_equal(expected, tag, is_tag ? tag_bytes : 0));
    wipe(expected, sizeof expected);
    return live && decrypts && is_tag && equal;
}

bool hornet_aead_final_verify(hornet_aead_state *state, const uint8_t tag[16])
{
    return hornet_aead_final_verify_truncated(state, tag, 16);
}
