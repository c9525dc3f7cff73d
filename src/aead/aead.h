/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the forms of the AEAD share: one call, a message in pieces, many packets. */
#ifndef HORNET_AEAD_AEAD_H
#define HORNET_AEAD_AEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../chacha20/chacha20.h"
#include "../core/bytes.h"
#include "../core/overlap.h"
#include "../core/public.h"
#include "../core/residue.h"
#include "../poly1305/kernel.h"
#include "../poly1305/poly1305.h"
#include "../poly1305/tag.h"

/* With zeros up to a whole block of Poly1305. */
HORNET_INLINE size_t padded_bytes(size_t len_bytes) { return (len_bytes + 15) & ~(size_t)15; }

/* How many blocks of the stream so many bytes take, block 0 included. */
HORNET_INLINE size_t aead_stream_blocks(size_t len_bytes)
{
    return 1 + (len_bytes + CHACHA20_BLOCK_BYTES - 1) / CHACHA20_BLOCK_BYTES;
}

HORNET_INLINE bool too_long(uint64_t len_bytes) { return len_bytes > HORNET_CHACHA20_POLY1305_MAX_BYTES; }

/* What is encrypted and authenticated so much at a time stays in the second cache meanwhile. */
#define AEAD_PIECE_BYTES ((size_t)65536)

/* memcpy and memset, also of no bytes at NULL. */
HORNET_INLINE void copy_some(uint8_t *to, const uint8_t *from, size_t len_bytes)
{
    if (len_bytes != 0)
        memcpy(to, from, len_bytes);
}

HORNET_INLINE void zero_some(uint8_t *bytes, size_t len_bytes)
{
    if (len_bytes != 0)
        memset(bytes, 0, len_bytes);
}

/* The kernels of a call. Another thread may force others at any time, so a public function reads them once
 * and passes them to everything that it calls. */
typedef struct {
    const struct hornet_chacha20_kernel *chacha20;
    uint32_t poly1305; /* rows in use */
} aead_kernels;

/* A message to seal or to open in one call: addresses and lengths only, and what works on it. */
typedef struct {
    uint8_t *out;
    const uint8_t *in;
    size_t len_bytes;
    const uint8_t *aad;
    size_t aad_bytes;
    const uint8_t *nonce, *key;
    bool extended; /* the nonce has 24 bytes */
    aead_kernels kernels;
} aead_call;

#pragma GCC visibility push(hidden)

aead_kernels hornet_aead_kernels_in_use(void);

/* What the public functions for one message do. */
bool hornet_aead_seal_call(uint8_t tag[16], const aead_call *c);
bool hornet_aead_open_call(const uint8_t tag[16], const aead_call *c);

/* Ends a state whichever way it goes, and writes its tag: for callers who compare it in their own way.
 * False, and zeros, if it is not live. */
bool hornet_aead_compute_tag(hornet_aead_state *state, uint8_t tag[16]);

#pragma GCC visibility pop

/* The last block of what Poly1305 reads. */
HORNET_INLINE void store_lengths(uint8_t lengths[16], uint64_t aad_bytes, uint64_t len_bytes)
{
    store_le64(lengths, aad_bytes);
    store_le64(lengths + 8, len_bytes);
}

/* So much room is left before ciphertext for associated data. */
enum { AEAD_AAD_ROOM_BYTES = 64 };

/* What Poly1305 reads, and its length: ciphertext that stands at memory + AEAD_AAD_ROOM_BYTES, padded, with
 * associated data, up to that much, before it, and lengths after it. */
HORNET_INLINE const uint8_t *aead_input(size_t *input_bytes, uint8_t *memory, size_t len_bytes,
                                        const uint8_t *aad, size_t aad_bytes)
{
    uint8_t *const first = memory + AEAD_AAD_ROOM_BYTES - padded_bytes(aad_bytes);
    uint8_t *const lengths = memory + AEAD_AAD_ROOM_BYTES + padded_bytes(len_bytes);
    memset(memory + AEAD_AAD_ROOM_BYTES - 16, 0, 16);
    copy_bytes(first, aad, aad_bytes);
    store_lengths(lengths, aad_bytes, len_bytes);
    *input_bytes = (size_t)(lengths + 16 - first);
    return first;
}

#endif
