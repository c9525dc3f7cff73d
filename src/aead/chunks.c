/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The AEAD over a message in chunks: what arrives in one call. */
#include "aead.h"

#include "../core/constant_time.h"
#include "../core/wipe.h"

/* The states of a message:
 *
 *     not begun, no direction     associated data waits
 *     begun, no direction         associated data is absorbed: there is more than waits
 *     not begun, a direction      as the first, and no more associated data may arrive
 *     begun, a direction          the text is processed
 *
 * Block 0 of the keystream, which is Poly1305's key, is computed together with the first chunk of the text,
 * as in one call; until then, associated data waits. A chunk that is neither the first nor long takes the
 * keystream from `waiting`: four blocks at a time, since one takes as long. After a long chunk nothing
 * waits: the block in which it ended is computed again if another chunk follows, and often none does. */
enum { WAITING_BLOCKS = 4, WAITING_BYTES = WAITING_BLOCKS * CHACHA20_BLOCK_BYTES };

enum direction { DIRECTION_NONE, DIRECTION_ENCRYPTS, DIRECTION_DECRYPTS };

/* Arbitrary value that is neither in a wiped state nor a small number. */
#define AEAD_LIVE UINT64_C(0x44414541524e4f48)

struct __attribute__((may_alias)) aead {
    uint64_t live;      /* AEAD_LIVE from init to final, else 0 */
    uint64_t direction; /* DIRECTION_NONE while only associated data has arrived */
    uint64_t aad_bytes, text_bytes;
    uint64_t begun; /* whether block 0 has been computed, and no associated data waits */
    int64_t ahead;  /* bytes of the keystream computed before they are used, at the end of `waiting`;
                       if negative, used bytes of the next block to be computed */
    chacha20_state chacha20;        /* its counter is that of the next block to be computed */
    uint8_t waiting[WAITING_BYTES]; /* before `begun`, the associated data */
    hornet_poly1305_state poly1305;
};

_Static_assert(sizeof(struct aead) <= sizeof(hornet_aead_state), "the state must fit");

static const uint8_t zeros[WAITING_BYTES];

HORNET_INLINE void aead_init(struct aead *a)
{
    a->direction = DIRECTION_NONE;
    a->begun = a->aad_bytes = a->text_bytes = 0;
    a->ahead = 0;
    a->live = AEAD_LIVE;
}

/* Computes block 0, and absorbs the associated data that waits. */
HORNET_NOINLINE uintptr_t aead_begin(struct aead *a, aead_kernels kernels)
{
    uint8_t key[32];
    chacha20_work work = {.key = key, .state = &a->chacha20};
    const uintptr_t end = hornet_chacha20_passes(hornet_chacha20_kernel_for(0, kernels.chacha20), &work);
    hornet_poly1305_begin_using(&a->poly1305, key, a->waiting, (size_t)a->aad_bytes, kernels.poly1305);
    a->begun = 1;
    return lower_end(end, stack_end(STACK_BELOW_BYTES));
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED_VOID(hornet_chacha20_poly1305_init,
                    (hornet_aead_state *state, const uint8_t nonce[12], const uint8_t key[32]),
                    (state, nonce, key))
{
    struct aead *a = (struct aead *)state;
    hornet_chacha20_begin(&a->chacha20, key, 0, nonce);
    aead_init(a);
}

void hornet_xchacha20_poly1305_init(hornet_aead_state *state, const uint8_t nonce[24],
                                    const uint8_t key[32])
{
    struct aead *a = (struct aead *)state;
    hornet_xchacha20_begin(&a->chacha20, key, 0, nonce);
    aead_init(a);
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
        if (!a->begun)
            clear_stack_and_registers(aead_begin(a, kernels));
        hornet_poly1305_update_using(&a->poly1305, aad, aad_bytes, kernels.poly1305);
    }
    a->aad_bytes += aad_bytes;
    return true;
}

/* Returns whether len_bytes more bytes may be processed in this direction, and counts them. The first
 * chunk sets the direction. */
static bool aead_begin_chunks(struct aead *a, enum direction direction, uint64_t len_bytes,
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

/* Sets out to in xor the keystream. */
HORNET_NOINLINE uintptr_t aead_xor(struct aead *a, uint8_t *out, const uint8_t *in, size_t len_bytes,
                                   uint32_t chacha20_in_use)
{
    uintptr_t end = stack_end(STACK_BELOW_BYTES);
    while (len_bytes != 0) {
        if (a->ahead <= 0) {
            const bool waits = a->ahead != 0 || len_bytes < WAITING_BYTES;
            const size_t n = waits ? WAITING_BYTES : len_bytes;
            const struct hornet_chacha20_kernel *const kernel =
                hornet_chacha20_kernel_for(n, chacha20_in_use);
            end = lower_end(end, hornet_chacha20_xor(kernel, waits ? a->waiting : out, waits ? zeros : in,
                                                     n, &a->chacha20));
            if (!waits) {
                a->ahead = -(int64_t)(n % CHACHA20_BLOCK_BYTES);
                break;
            }
            a->ahead += WAITING_BYTES;
        }
        const size_t n = len_bytes < (size_t)a->ahead ? len_bytes : (size_t)a->ahead;
        xor_bytes(out, in, a->waiting + (WAITING_BYTES - a->ahead), n);
        a->ahead -= (int64_t)n;
        out += n;
        in += n;
        len_bytes -= n;
    }
    return end;
}

/* Encrypts or decrypts a chunk without passes of its own, and absorbs it. Clears registers, of which
 * update_using leaves words that clang would push with the next chunk's frame. */
HORNET_CLEARS_REGISTERS
HORNET_NOINLINE void aead_xor_chunk(struct aead *a, uint8_t *out, const uint8_t *in, size_t len_bytes,
                                    aead_kernels kernels)
{
    if (a->direction == DIRECTION_DECRYPTS)
        hornet_poly1305_update_using(&a->poly1305, in, len_bytes, kernels.poly1305);
    clear_stack_and_registers(aead_xor(a, out, in, len_bytes, kernels.chacha20));
    if (a->direction == DIRECTION_ENCRYPTS)
        hornet_poly1305_update_using(&a->poly1305, out, len_bytes, kernels.poly1305);
    __asm__ volatile(""); /* after the call, which a jump would not return from */
}

/* Memory for the associated data that waits, padded, and for the ciphertext of a chunk. */
enum { CHUNK_MEMORY_BYTES = WAITING_BYTES + AEAD_COPIED_BYTES + 64 };

/* Encrypts or decrypts a chunk that is the first of the text or a long one, in passes, and absorbs it. It
 * begins with a whole block of the keystream, of which nothing waits. */
HORNET_NOINLINE uintptr_t aead_pass_chunk(struct aead *a, uint8_t *out, const uint8_t *in, size_t len_bytes,
                                          uint8_t *memory, aead_kernels kernels)
{
    uint8_t *const ciphertext = memory + WAITING_BYTES;
    uint8_t key[32], last[16];
    aead_chunk t;
    aead_chunk_begin(&t, out, in, len_bytes, a->direction == DIRECTION_DECRYPTS, kernels);
    t.work.state = &a->chacha20;
    t.aad = a->waiting;
    t.aad_bytes = (size_t)a->aad_bytes;
    if (a->begun) {
        t.poly = hornet_poly1305_value(&a->poly1305, kernels.poly1305);
    } else {
        t.poly = hornet_poly1305_begin_value(&a->poly1305);
        t.work.key = key;
    }
    if (!a->begun && len_bytes <= AEAD_COPIED_BYTES) {
        uint8_t *const first = ciphertext - padded_bytes((size_t)a->aad_bytes);
        const uint8_t *const next = hornet_aead_short_chunk(&t, ciphertext);
        const size_t left_bytes = (size_t)(ciphertext + len_bytes - next), whole = left_bytes / 16 * 16;
        if (next == first) {
            hornet_poly1305_begin_using(&a->poly1305, key, next, left_bytes, kernels.poly1305);
        } else { /* update_using would begin streaming lanes */
            hornet_poly1305_absorb(t.poly, next, whole, kernels.poly1305);
            hornet_poly1305_update_using(&a->poly1305, next + whole, left_bytes - whole, kernels.poly1305);
        }
        wipe(first, (size_t)(ciphertext - first));
    } else {
        hornet_aead_long_chunk(&t, last, ciphertext);
        hornet_poly1305_update_using(&a->poly1305, last, len_bytes % 16, kernels.poly1305);
    }
    a->ahead = -(int64_t)(len_bytes % CHACHA20_BLOCK_BYTES);
    a->begun = 1;
    return lower_end(t.end, stack_end(STACK_BELOW_BYTES));
}

/* Returns how many of len_bytes bytes come before the next chunk in passes: up to a block of the keystream
 * of which nothing waits if there are many bytes, else all of them, except of the first. */
static size_t aead_bytes_before(const struct aead *a, size_t len_bytes)
{
    if (!a->begun)
        return 0;
    if (len_bytes <= AEAD_COPIED_BYTES)
        return len_bytes;
    return (size_t)(a->ahead < 0 ? a->ahead + WAITING_BYTES : a->ahead);
}

static void aead_process_chunk(struct aead *a, uint8_t *out, const uint8_t *in, size_t len_bytes,
                               aead_kernels kernels)
{
    uint8_t memory[CHUNK_MEMORY_BYTES] __attribute__((aligned(64)));
    check_overlap(out, in, len_bytes);
    const size_t before = aead_bytes_before(a, len_bytes);
    if (before != 0)
        aead_xor_chunk(a, out, in, before, kernels);
    if (before != len_bytes)
        clear_stack_and_registers(
            aead_pass_chunk(a, out + before, in + before, len_bytes - before, memory, kernels));
}

static bool aead_process_chunks(hornet_aead_state *state, enum direction direction, const hornet_piece *all,
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
    if (!aead_begin_chunks(a, direction, len_bytes, kernels.poly1305))
        return false;
    for (size_t i = 0; len_bytes != 0; len_bytes -= all[i++].len_bytes)
        aead_process_chunk(a, all[i].out, all[i].in, all[i].len_bytes, kernels);
    return true;
}

bool hornet_aead_encrypt(hornet_aead_state *state, void *ciphertext, const void *msg, size_t len_bytes)
{
    return aead_process_chunks(state, DIRECTION_ENCRYPTS, &(hornet_piece){ciphertext, msg, len_bytes}, 1);
}

bool hornet_aead_decrypt(hornet_aead_state *state, void *msg, const void *ciphertext, size_t len_bytes)
{
    return aead_process_chunks(state, DIRECTION_DECRYPTS, &(hornet_piece){msg, ciphertext, len_bytes}, 1);
}

bool hornet_aead_encryptv(hornet_aead_state *state, const hornet_piece *all, size_t count)
{
    return aead_process_chunks(state, DIRECTION_ENCRYPTS, all, count);
}

bool hornet_aead_decryptv(hornet_aead_state *state, const hornet_piece *all, size_t count)
{
    return aead_process_chunks(state, DIRECTION_DECRYPTS, all, count);
}

bool hornet_aead_compute_tag(hornet_aead_state *state, uint8_t tag[16])
{
    struct aead *a = (struct aead *)state;
    const bool live = a->live == AEAD_LIVE;
    if (live) {
        const aead_kernels kernels = hornet_aead_kernels_in_use();
        const uint32_t in_use = kernels.poly1305;
        uint8_t last[32] = {0}; /* zeros up to a whole block, then the lengths */
        const bool padded = a->begun && a->direction != DIRECTION_NONE; /* the associated data */
        if (!a->begun)
            clear_stack_and_registers(aead_begin(a, kernels));
        const uint64_t unpadded = padded ? a->text_bytes : a->aad_bytes;
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
