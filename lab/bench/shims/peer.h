/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The bench loads each file here as a separate shared library, so that symbols of different libraries
 * cannot clash, and a library that is not installed can be left out. A file defines the version of its
 * library,
 *
 *     PEER_VERSION { return "1.0"; }
 *
 * and for each peer a function that runs once, and one that is timed, which gets the first one's result:
 *
 *     PEER_OPEN(name) { return a context, or NULL if this CPU cannot run it; }
 *     PEER_MAC(name) { write the tag of msg[0 .. len_bytes) under key[0 .. 32) to tag[0 .. 16); }
 *
 * and, if it is measured with messages in pieces, a function that returns its functions for them. These are
 * called directly, with the same context, because a wrapper would take much of the time of a short piece:
 *
 *     PEER_PIECES(name) { return the address of a constant struct peer_pieces; }
 *
 * For ChaCha20-Poly1305, it defines four others. The first runs once. A key is used for all packets that
 * follow, until the next key, as on a connection; setting it is not timed:
 *
 *     PEER_AEAD(name) { return a context, or NULL if this CPU cannot run it; }
 *     PEER_AEAD_KEY(name) { keep key[0 .. 32) in the context; }
 *     PEER_AEAD_SEAL(name) { seal *packet; true }
 *     PEER_AEAD_OPEN(name) { open *packet; true if its tag is right }
 *
 * For Poly1305-AES, the key is k and r, followed by the nonce, and the function ends with PEER_NEXT_NONCE.
 */
#ifndef HORNET_BENCH_PEER_H
#define HORNET_BENCH_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PEER_VERSION    __attribute__((visibility("default"))) const char *peer_version(void)
#define PEER_OPEN(name) __attribute__((visibility("default"))) void *name##_open(void)
#define PEER_MAC(name)                                                                                     \
    __attribute__((visibility("default"))) void name##_mac(                                                \
        uint8_t *tag, const void *msg, size_t len_bytes, const uint8_t *key, void *context)
#define PEER_PIECES(name)                                                                                  \
    __attribute__((visibility("default"))) const struct peer_pieces *name##_pieces(void)

#define PEER_AEAD(name) __attribute__((visibility("default"))) void *name##_aead(void)
#define PEER_AEAD_KEY(name)                                                                                \
    __attribute__((visibility("default"))) void name##_aead_key(void *context, const uint8_t *key)
#define PEER_AEAD_SEAL(name)                                                                               \
    __attribute__((visibility("default"))) bool name##_aead_seal(const struct peer_packet *packet,         \
                                                                 void *context)
#define PEER_AEAD_OPEN(name)                                                                               \
    __attribute__((visibility("default"))) bool name##_aead_open(const struct peer_packet *packet,         \
                                                                 void *context)

/* The same struct as Packet in src/packets.rs and hornet_packet. */
struct peer_packet {
    uint8_t *out;
    const uint8_t *in;
    size_t len_bytes;
    const uint8_t *aad;
    size_t aad_bytes;
    const uint8_t *nonce;
    const uint8_t *key;
    uint8_t *tag;
};

/* The same struct as PieceFunctions in src/call.rs. */
struct peer_pieces {
    void (*init)(void *context, const uint8_t *key);
    void (*update)(void *context, const uint8_t *piece, size_t len_bytes);
    void (*finish)(void *context, uint8_t *tag);
};

/* Increments the nonce for the next call under this key. It is read and written as a whole, so that
 * store forwarding works for every peer. */
typedef uint64_t peer_nonce __attribute__((vector_size(16)));

#define PEER_NEXT_NONCE(key)                                                                               \
    do {                                                                                                   \
        peer_nonce nonce;                                                                                  \
        memcpy(&nonce, (key) + 32, sizeof nonce);                                                          \
        nonce += (peer_nonce){1, 0};                                                                       \
        memcpy((uint8_t *)(key) + 32, &nonce, sizeof nonce);                                               \
    } while (0)

#endif
