/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 (RFC 8439, section 2.3), and what a kernel for it is. */
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

/* No kernel writes more of the stream at once. */
enum { CHACHA20_STREAM_BLOCKS = 32, CHACHA20_STREAM_BYTES = CHACHA20_STREAM_BLOCKS * CHACHA20_BLOCK_BYTES };

/* Nor has one that works beside Poly1305 more lanes. */
enum { CHACHA20_BESIDE_LANES_MAX = 8 };

/* The sixteen words of the state: constants, key, counter (word 12), nonce. */
typedef struct {
    uint32_t word[16];
} chacha20_state;

/* Packets that are encrypted in step, each under a key and nonce of its own; at most so many. */
enum { CHACHA20_PACKETS_MAX = 16 };

typedef struct {
    uint32_t word[16][CHACHA20_PACKETS_MAX] __attribute__((aligned(64))); /* word[i][j]: state j, word i */
    uint8_t block0[CHACHA20_PACKETS_MAX][32]; /* written: the first half of block 0 of each stream */
    uint8_t *out[CHACHA20_PACKETS_MAX];       /* len_bytes each: in xor the stream from block 1 on */
    uint8_t *copy[CHACHA20_PACKETS_MAX];      /* the ciphertext once more, as `apply` writes it */
    const uint8_t *in[CHACHA20_PACKETS_MAX];
    size_t len_bytes[CHACHA20_PACKETS_MAX];
    size_t count;
    bool opens; /* the ciphertext is in, not out */
} chacha20_packets;

/* Each function returns where its stack has ended, for its caller's caller to clear (core/residue.h): it
 * clears nothing. Counters wrap at 2^32. No branch or address depends on anything but lengths. */
struct hornet_chacha20_kernel {
    struct hornet_implementation implementation;
    uint32_t lanes; /* blocks worked on at once */

    /* stream = the blocks from the state's counter on, nblocks of them, 1 to CHACHA20_STREAM_BLOCKS, and
     * perhaps more after them: 64 bytes for each of nblocks rounded up to a power of two, or 4. Quicker if
     * it is aligned to 64 bytes. */
    uintptr_t (*stream)(uint8_t *stream, size_t nblocks, const chacha20_state *state);

    /* out = in xor stream, len_bytes of each; and copy, unless it is NULL, the same, with zeros up to a
     * multiple of 16 bytes. stream may be read, and copy written, up to the next multiple of 64. out may be
     * in, or overlap nothing. */
    uintptr_t (*apply)(uint8_t *out, uint8_t *copy, const uint8_t *in, const uint8_t *stream,
                       size_t len_bytes);

    /* What chacha20_packets says, for count packets, up to `lanes_of_packets`. */
    uintptr_t (*packets)(chacha20_packets *packets);
    uint32_t lanes_of_packets, blocks_of_packets; /* of each in a pass */

    /* out = in xor the blocks from the state's counter on. out may be in, or overlap nothing. */
    uintptr_t (*xor)(uint8_t *out, const uint8_t *in, size_t len_bytes, const chacha20_state *state);

    /* The blocks from the state's counter on, `lanes` of them: out = in xor these or, if in is NULL,
     * these. Meanwhile poly is continued over nblocks full blocks of 16 bytes at msg: a multiple of 4, from
     * 4 to 40. They may lie in `in`, and where they do in `out`, they are read first. NULL: the kernel has
     * no such function. */
    uintptr_t (*beside)(uint8_t *out, const uint8_t *in, const chacha20_state *state, struct poly1305 *poly,
                        const uint8_t *msg, size_t nblocks);
};

/* The kernels themselves, one file each in kernels/. */
#define HORNET_ROW(name, ...) extern const struct hornet_chacha20_kernel hornet_chacha20_kernel_##name;
#include "kernels.def"

/* The list of kernels.def. */
extern const struct hornet_list hornet_chacha20_list;

/* The kernel in use. Another thread may force another one at any time, so a public function reads this once
 * and passes it to everything that it calls. */
const struct hornet_chacha20_kernel *hornet_chacha20_kernel_in_use(void);

/* Four words, in one store: kernels load them in one, and would wait for several. */
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

/* The state for a key of 32 bytes, a counter, and a nonce of 12. */
HORNET_INLINE void hornet_chacha20_begin(chacha20_state *state, const uint8_t key[32], uint32_t counter,
                                         const uint8_t nonce[12])
{
    static const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    memcpy(state->word, constants, sizeof constants); /* "expand 32-byte k" */
    for (int i = 0; i < 8; i += 4)
        chacha20_store_row(state->word + 4 + i, load_le64(key + 4 * i), load_le64(key + 4 * i + 8));
    chacha20_store_row(state->word + 12, counter | (uint64_t)load_le32(nonce) << 32, load_le64(nonce + 4));
}

/* The state for a nonce of 24 bytes: its first 16 and the key give another key (draft-irtf-cfrg-xchacha-03,
 * section 2.3). Clears what it leaves on the stack. */
void hornet_xchacha20_begin(chacha20_state *state, const uint8_t key[32], uint32_t counter,
                            const uint8_t nonce[24]);

#pragma GCC visibility pop

#endif
