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
#include "../poly1305/state.h"

#pragma GCC visibility push(hidden)

enum { CHACHA20_DOUBLE_ROUNDS = 10, CHACHA20_BLOCK_BYTES = 64 };

/* Maximum number of keystream blocks that one call of a kernel's `stream` writes. */
enum { CHACHA20_STREAM_BLOCKS = 32, CHACHA20_STREAM_BYTES = CHACHA20_STREAM_BLOCKS * CHACHA20_BLOCK_BYTES };

/* Maximum number of lanes of a kernel that interleaves the cipher with Poly1305. */
enum { CHACHA20_STITCHED_LANES_MAX = 8 };

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

/* Each function returns where its stack has ended, so that the caller of its caller can clear it
 * (core/stack_wipe.h); the functions themselves clear nothing. Counters wrap at 2^32. Branches and
 * addresses depend only on lengths. */
struct hornet_chacha20_kernel {
    struct hornet_implementation implementation;
    uint32_t lanes; /* blocks processed at once */

    /* Sets stream to nblocks keystream blocks from the state's counter on; nblocks is 1 to
     * CHACHA20_STREAM_BLOCKS. More blocks may be written after them: stream must have room for 64 bytes per
     * block with nblocks rounded up to a power of two, and to at least 4. Faster if stream is aligned to 64
     * bytes. */
    uintptr_t (*stream)(uint8_t *stream, size_t nblocks, const chacha20_state *state);

    /* Sets out to in xor stream; each has len_bytes bytes. stream may be read up to the next multiple of 64
     * bytes. out must equal `in` or overlap nothing. */
    uintptr_t (*apply)(uint8_t *out, const uint8_t *in, const uint8_t *stream, size_t len_bytes);

    /* Does the same, and also writes the result to copy, followed by zeros up to a multiple of 16 bytes.
     * copy may be written up to the next multiple of 64 bytes. */
    uintptr_t (*apply_twice)(uint8_t *out, uint8_t *copy, const uint8_t *in, const uint8_t *stream,
                             size_t len_bytes);

    /* Does what chacha20_packets describes. */
    uintptr_t (*packets)(chacha20_packets *packets);

    /* Sets out to in xor the keystream from the state's counter on. out must equal `in` or overlap
     * nothing. */
    uintptr_t (*xor_stream)(uint8_t *out, const uint8_t *in, size_t len_bytes, const chacha20_state *state);

    /* Processes `lanes` keystream blocks from the state's counter on: sets out to in xor these blocks or,
     * if in is NULL, to the blocks themselves. Interleaved with that, continues poly over nblocks full
     * blocks of 16 bytes at msg; nblocks is a multiple of 4 from 4 to 40. msg may be part of `in`; if it is
     * part of `out`, it is read before out is written. NULL if the kernel has no such function. */
    uintptr_t (*stitched)(uint8_t *out, const uint8_t *in, const chacha20_state *state,
                          struct poly1305 *poly, const uint8_t *msg, size_t nblocks);
};

/* The kernels, one file each in kernels/. */
#define HORNET_ROW(name, ...) extern const struct hornet_chacha20_kernel hornet_chacha20_kernel_##name;
#include "kernels.def"

/* The list in kernels.def. */
extern const struct hornet_list hornet_chacha20_list;

/* Returns the kernel in use. Another thread may force another kernel at any time, so a public function
 * reads this once and passes it to everything that it calls. */
const struct hornet_chacha20_kernel *hornet_chacha20_kernel_in_use(void);

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

/* Sets words 12 to 15 of a state to a counter and a nonce. */
HORNET_INLINE void chacha20_last_row(uint32_t row[4], uint32_t counter, const uint8_t nonce[12])
{
    chacha20_store_row(row, counter | (uint64_t)load_le32(nonce) << 32, load_le64(nonce + 4));
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
