/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Shared parts of the AEAD: for one call, for a message in chunks and for many packets. */
#ifndef HORNET_AEAD_AEAD_H
#define HORNET_AEAD_AEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../chacha20/chacha20.h"
#include "../core/bytes.h"
#include "../core/overlap.h"
#include "../core/public.h"
#include "../core/stack_wipe.h"
#include "../core/tuning.h"
#include "../poly1305/kernel.h"
#include "../poly1305/poly1305.h"
#include "../poly1305/tag.h"

/* Length with padding to a whole block of Poly1305. */
HORNET_INLINE size_t padded_bytes(size_t len_bytes) { return (len_bytes + 15) & ~(size_t)15; }

HORNET_INLINE bool too_long(uint64_t len_bytes) { return len_bytes > HORNET_CHACHA20_POLY1305_MAX_BYTES; }

/* memcpy and memset that also accept 0 bytes at NULL. */
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
    uint32_t chacha20, poly1305; /* entries in use */
} aead_kernels;

/* A message to seal or to open in one call: addresses, lengths, and the kernels to use. Holds no secrets
 * itself. */
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

/* A chunk, all or some of a message's text, while it is processed pass by pass. It begins with a whole
 * block of the keystream and of Poly1305. */
typedef struct {
    chacha20_work work; /* of the next pass */
    const struct hornet_chacha20_kernel *kernel;
    uintptr_t end; /* of the stack */
    struct poly1305 *poly;
    uint32_t poly1305_in_use;
    bool opens;

    /* If the chunk is the first of its message, work.key is not NULL and gets the key of poly, which
     * absorbs this, padded, before the chunk. */
    const uint8_t *aad;
    size_t aad_bytes;
} aead_chunk;

/* Packets are sorted within windows of this many. */
enum { AEAD_WINDOW = HORNET_BATCH_WINDOW };

/* How packets are encrypted and authenticated: as RFC 8439 does; the same with nonces of 24 bytes; or as
 * OpenSSH does. */
enum aead_cipher { AEAD_RFC8439, AEAD_XCHACHA20, AEAD_OPENSSH };

struct aead_window;

/* Seals or opens packet i alone, and returns whether it was. */
typedef bool aead_alone(const struct aead_window *window, size_t i);

/* A window of a batch of packets; valid[i] is set to whether packet i was opened or sealed. */
typedef struct aead_window {
    const void *packets; /* hornet_packet; of OpenSSH, hornet_ssh_packet */
    bool *valid;
    bool opens;
    enum aead_cipher cipher;
    aead_kernels kernels;
    aead_alone *alone;
} aead_window;

#pragma GCC visibility push(hidden)

aead_kernels hornet_aead_kernels_in_use(void);

/* Implement the public functions for one message. */
bool hornet_aead_seal_call(uint8_t tag[16], const aead_call *c);
bool hornet_aead_open_call(const uint8_t tag[16], const aead_call *c);

/* Processes count packets, and returns whether all were opened or sealed. If they are sealed, valid may be
 * NULL. */
bool hornet_aead_batch(const void *packets, size_t count, bool opens, bool *valid, enum aead_cipher cipher,
                       aead_alone *alone);

/* Encrypts or decrypts the first chunk of a message, and copies the ciphertext to `ciphertext`, after the
 * associated data, padded. Passes absorb whole blocks from there on; returns the first block that is left.
 * poly has no key if that is the first of all. At least 63 bytes after the ciphertext may be overwritten.
 * What is written there is not secret. */
const uint8_t *hornet_aead_short_chunk(aead_chunk *t, uint8_t *ciphertext);

/* Encrypts or decrypts a chunk, and absorbs its whole blocks. The bytes of the ciphertext after them, at
 * most 15, go to `last`. `memory` has AEAD_COPIED_BYTES bytes; what is written there is wiped. */
void hornet_aead_long_chunk(aead_chunk *t, uint8_t *last, uint8_t *memory);

/* Ends a state, whether it has encrypted or decrypted, and writes its tag. If the state is not live, writes
 * zeros and returns false. */
bool hornet_aead_compute_tag(hornet_aead_state *state, uint8_t tag[16]);

#pragma GCC visibility pop

/* Begins a chunk. Its `poly` and work.state have yet to be set, and if it is the first, work.key and the
 * associated data. */
HORNET_INLINE void aead_chunk_begin(aead_chunk *t, uint8_t *out, const uint8_t *in, size_t len_bytes,
                                    bool opens, aead_kernels kernels)
{
    /* gcc 12 would copy the whole struct as vectors, which would have to wait for its words. */
    t->work = (chacha20_work){.out = out, .in = in, .len_bytes = len_bytes};
    t->kernel = hornet_chacha20_kernel_for(len_bytes, kernels.chacha20);
    t->end = UINTPTR_MAX;
    t->poly1305_in_use = kernels.poly1305;
    t->opens = opens;
}

/* Stores the last block of Poly1305's input. */
HORNET_INLINE void store_lengths(uint8_t lengths[16], uint64_t aad_bytes, uint64_t len_bytes)
{
    store_le64(lengths, aad_bytes);
    store_le64(lengths + 8, len_bytes);
}

/* Sets words 12 to 15 of a state for an SSH packet. OpenSSH's counter and nonce have 64 bits each. */
HORNET_INLINE void ssh_last_row(uint32_t row[4], uint32_t sequence)
{
    chacha20_store_row(row, 0, (uint64_t)__builtin_bswap32(sequence) << 32);
}

HORNET_INLINE const hornet_ssh_packet *ssh_packet_at(const aead_window *window, size_t i)
{
    return (const hornet_ssh_packet *)window->packets + i;
}

/* Room before the ciphertext for associated data. */
enum { AEAD_AAD_ROOM_BYTES = 64 };

/* Memory for the input of Poly1305: associated data, ciphertext and lengths. The ciphertext is at memory +
 * AEAD_AAD_ROOM_BYTES, and may be written up to a multiple of 64 bytes. */
enum { AEAD_MEMORY_BYTES = AEAD_AAD_ROOM_BYTES + AEAD_COPIED_BYTES + 64 };

/* Writes the associated data, padded, before the ciphertext, and returns where it begins. At least 16 bytes
 * there may be overwritten. */
HORNET_INLINE uint8_t *aead_input_begin(uint8_t *ciphertext, const uint8_t *aad, size_t aad_bytes)
{
    uint8_t *const first = ciphertext - padded_bytes(aad_bytes);
    memset(ciphertext - 16, 0, 16);
    copy_bytes(first, aad, aad_bytes);
    return first;
}

/* Writes the lengths after the ciphertext, which must be padded, and returns their end. */
HORNET_INLINE uint8_t *aead_input_end(uint8_t *ciphertext, size_t len_bytes, size_t aad_bytes)
{
    uint8_t *const lengths = ciphertext + padded_bytes(len_bytes);
    store_lengths(lengths, aad_bytes, len_bytes);
    return lengths + 16;
}

#endif
