/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 (RFC 8439, section 2.3), and the definition of a kernel for it. */
#ifndef HORNET_CHACHA20_CHACHA20_H
#define HORNET_CHACHA20_CHACHA20_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../core/bytes.h"
#include "../core/cpu.h"
#include "../core/dispatch.h"
#include "../core/tuning.h"

#pragma GCC visibility push(hidden)

enum { CHACHA20_DOUBLE_ROUNDS = 10, CHACHA20_BLOCK_BYTES = 64, CHACHA20_KEY_BYTES = 32 };

/* QUIC's header mask (RFC 9001, section 5.4.1): one byte for the flags, four for the packet number. */
enum { CHACHA20_MASK_BYTES = 5 };

/* The sixteen words of the state: constants, key, counter (word 12), nonce. */
typedef struct {
    uint32_t word[16];
} chacha20_state;

/* Maximum number of packets that are encrypted in parallel, each under its own key and nonce. */
enum { CHACHA20_PACKETS_MAX = 32 };

/* Packets, the longest first. */
typedef struct {
    const uint8_t *key[CHACHA20_PACKETS_MAX];
    /* Words 12 to 15 of the state, with the counter 0. */
    uint32_t last_row[CHACHA20_PACKETS_MAX][4] __attribute__((aligned(16)));
    uint8_t block0[CHACHA20_PACKETS_MAX][32]; /* output: the first half of block 0 of each keystream */
    uint8_t *out[CHACHA20_PACKETS_MAX];       /* len_bytes each: in xor the keystream from block 1 on */
    uint8_t *copy[CHACHA20_PACKETS_MAX]; /* a second copy of the ciphertext, written as by apply_twice */
    const uint8_t *in[CHACHA20_PACKETS_MAX];
    size_t len_bytes[CHACHA20_PACKETS_MAX];
    size_t count;
    bool opens; /* the ciphertext is in, not out */
} chacha20_packets;

/* What the companion of a pass does meanwhile, in general-purpose registers: it processes nblocks blocks,
 * if that is not 0, with its state. The kernel file chooses what it is (layouts/companion.h). */
typedef struct {
    void *state;
    const uint8_t *blocks;
    size_t nblocks;
} chacha20_companion;

/* What a pass does: sets out to in xor the keystream from the state's counter on, for as many of the
 * len_bytes bytes as it computes blocks. out must equal `in` or overlap nothing. */
typedef struct {
    uint8_t *out;
    const uint8_t *in;
    size_t len_bytes;

    /* If not NULL, a second place for out, followed by zeros up to a multiple of 16 bytes. May be written
     * up to the next multiple of 64 bytes. */
    uint8_t *copy;

    /* If not NULL, the first block, of which this gets the first half, belongs to no byte of the message.
     */
    uint8_t *key;

    chacha20_state *state; /* not changed by a pass */

    /* At most CHACHA20_DOUBLE_ROUNDS blocks for each of the layout's `stitched`. They may be part of `in`;
     * if they are part of `out`, they are read before out is written. */
    chacha20_companion companion;
} chacha20_work;

/* The layout of a pass: which blocks it computes, how their words lie in registers, and its function. */
typedef struct {
    /* Returns where its stack has ended, so that the caller of its caller can clear it
     * (core/stack_wipe.h); the function itself clears nothing. Branches and addresses depend only on
     * lengths. */
    uintptr_t (*run)(const chacha20_work *work);
    uint16_t nblocks; /* of the keystream */
    bool keyed;       /* one of them is for the key: work->key must not be NULL */
    uint8_t stitched; /* blocks of the companion per double round; 0 if it has none */
} chacha20_layout;

/* The layouts for a number of blocks of the message that are left, not counting that of the key: `first`
 * for the pass that also gives the key, `next` for all others. They are numbers of layouts, for 1 to count
 * blocks; entry 0 is for none. For more blocks, the last `period` entries repeat. */
typedef struct {
    uint8_t period, count; /* period is a power of two, and divides count */
    const uint8_t *first, *next;
} chacha20_pass_table;

/* Times on the family of cores in which they were measured (passes.toml), for packets of up to
 * AEAD_SHARED_BYTES: of packets that share passes, for each call, for each of them, for a pass whether its
 * lanes are full or not, for each block of the longest, and for each block of all; of one packet alone, by
 * its blocks; and of a block that belongs to no text, alone. Fewer packets than `fewest` do not gain. */
typedef struct {
    uint16_t call, packet, pass, longest, block;
    uint16_t alone[1 + AEAD_SHARED_BYTES / CHACHA20_BLOCK_BYTES];
    uint16_t single_block;
    uint8_t fewest;
} chacha20_batch_costs;

/* Counters wrap at 2^32. */
struct hornet_chacha20_kernel {
    struct hornet_implementation implementation;
    uint32_t lanes; /* maximum number of blocks processed at once */
    const chacha20_layout *layouts;
    size_t nlayouts;
    chacha20_pass_table pass_table;

    /* Does what chacha20_packets describes. Returns where its stack has ended. NULL if lanes is 1. */
    uintptr_t (*packets)(chacha20_packets *packets);

    /* Sets subkeys[i] to the HChaCha20 of the key and the last row of each of up to `lanes` packets, whose
     * texts it neither reads nor writes. Returns the same, and may be NULL like it. */
    uintptr_t (*subkeys)(uint8_t (*subkeys)[CHACHA20_KEY_BYTES], const chacha20_packets *packets);

    /* Sets masks[i] to the beginning of the block whose last row is samples[i], 16 bytes, and whose other
     * words are the state's, for 1 to `lanes` samples. Returns the same, and may be NULL like them. */
    uintptr_t (*masks)(uint8_t (*masks)[CHACHA20_MASK_BYTES], const uint8_t *const *samples, size_t count,
                       const chacha20_state *state);

    const chacha20_batch_costs *batch_costs;
};

/* Returns the number of blocks that len_bytes bytes take. */
static inline size_t chacha20_blocks(size_t len_bytes)
{
    return len_bytes / CHACHA20_BLOCK_BYTES + (len_bytes % CHACHA20_BLOCK_BYTES != 0);
}

/* Returns the layout that the pass table has for nblocks blocks: a `first` one, or a next one. */
static inline const chacha20_layout *chacha20_layout_for(const struct hornet_chacha20_kernel *kernel,
                                                         bool first, size_t nblocks)
{
    const chacha20_pass_table *table = &kernel->pass_table;
    if (nblocks > table->count)
        nblocks = table->count - (-nblocks & (size_t)(table->period - 1));
    return &kernel->layouts[(first ? table->first : table->next)[nblocks]];
}

/* Returns the layout of the next pass over what is left of the work. */
static inline const chacha20_layout *chacha20_next_layout(const struct hornet_chacha20_kernel *kernel,
                                                          const chacha20_work *work)
{
    return chacha20_layout_for(kernel, work->key != NULL, chacha20_blocks(work->len_bytes));
}

/* Returns the layout of most passes of a long message. */
static inline const chacha20_layout *chacha20_main_layout(const struct hornet_chacha20_kernel *kernel)
{
    return chacha20_layout_for(kernel, false, kernel->pass_table.count);
}

/* Returns how many bytes of the message a pass processes. */
static inline size_t chacha20_pass_bytes(const chacha20_layout *layout, const chacha20_work *work)
{
    const size_t room = (layout->nblocks - (size_t)(work->key != NULL)) * CHACHA20_BLOCK_BYTES;
    return room < work->len_bytes ? room : work->len_bytes;
}

/* Runs a pass, and changes work and its state to what is left: the counter advances by the whole blocks,
 * and later passes give no key. Returns where the stack has ended. */
uintptr_t hornet_chacha20_pass(const chacha20_layout *layout, chacha20_work *work);

/* Runs passes until the work is complete, without a companion. Returns where the stack has ended. */
uintptr_t hornet_chacha20_passes(const struct hornet_chacha20_kernel *kernel, chacha20_work *work);

/* Sets out to in xor the keystream from the state's counter on, and advances the counter by the whole
 * blocks. out must equal `in` or overlap nothing. Returns where the stack has ended. */
uintptr_t hornet_chacha20_xor(const struct hornet_chacha20_kernel *kernel, uint8_t *out, const uint8_t *in,
                              size_t len_bytes, chacha20_state *state);

/* The kernels, one file each in kernels/. */
#define HORNET_ENTRY(name, ...) extern const struct hornet_chacha20_kernel hornet_chacha20_kernel_##name;
#define HORNET_TUNED_ENTRY      HORNET_ENTRY
#include "kernels.def"

/* The list in kernels.def. */
extern const struct hornet_list hornet_chacha20_list;

extern const struct hornet_entry hornet_chacha20_entries[];
extern uint32_t hornet_chacha20_in_use;

/* Returns the entries in use. Another thread may force another kernel at any time, so a public function
 * reads this once and passes it to everything that it calls. */
static inline uint32_t hornet_chacha20_entries_in_use(void)
{
    return hornet_dispatch_in_use(&hornet_chacha20_list);
}

/* Returns the kernel that serves messages of this length. */
static inline const struct hornet_chacha20_kernel *hornet_chacha20_kernel_for(size_t len_bytes,
                                                                              uint32_t in_use)
{
    return (const struct hornet_chacha20_kernel *)hornet_dispatch(hornet_chacha20_entries, in_use,
                                                                  len_bytes)
        ->implementation;
}

/* Stores four words with one store: kernels load them with one load, which would have to wait for several
 * stores. */
HORNET_INLINE void chacha20_store_row(uint32_t row[4], uint64_t lo, uint64_t hi)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    lo = lo << 32 | lo >> 32;
    hi = hi << 32 | hi >> 32;
#endif
    typedef uint64_t pair __attribute__((vector_size(16)));
    const pair both = {lo, hi};
    memcpy(row, &both, sizeof both);
}

/* "expand 32-byte k" */
static const uint32_t chacha20_constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};

/* Sets words 12 to 15 of a state to 16 bytes of a nonce, as HChaCha20 has them. */
HORNET_INLINE void hchacha20_last_row(uint32_t row[4], const uint8_t nonce[16])
{
    chacha20_store_row(row, load_le64(nonce), load_le64(nonce + 8));
}

/* Sets words 12 to 15 of a state to a counter and a nonce. */
HORNET_INLINE void chacha20_last_row(uint32_t row[4], uint32_t counter, const uint8_t nonce[12])
{
    chacha20_store_row(row, counter | (uint64_t)load_le32(nonce) << 32, load_le64(nonce + 4));
}

/* The same for the rest of a nonce of 24 bytes, of which HChaCha20 has taken the first 16. */
HORNET_INLINE void xchacha20_last_row(uint32_t row[4], uint32_t counter, const uint8_t nonce[24])
{
    chacha20_store_row(row, counter, load_le64(nonce + 16));
}

/* Sets up the state for a key of 32 bytes, a counter and a nonce of 12 bytes. */
HORNET_INLINE void hornet_chacha20_begin(chacha20_state *state, const uint8_t key[32], uint32_t counter,
                                         const uint8_t nonce[12])
{
    memcpy(state->word, chacha20_constants, sizeof chacha20_constants);
    for (int i = 0; i < 8; i += 4)
        chacha20_store_row(state->word + 4 + i, load_le64(key + 4 * i), load_le64(key + 4 * i + 8));
    chacha20_last_row(state->word + 12, counter, nonce);
}

/* Sets up the state for a nonce of 24 bytes: the key and the first 16 bytes give another key
 * (draft-irtf-cfrg-xchacha-03, section 2.3). Clears what it leaves on the stack. */
void hornet_xchacha20_begin(chacha20_state *state, const uint8_t key[32], uint32_t counter,
                            const uint8_t nonce[24]);

#pragma GCC visibility pop

#endif
