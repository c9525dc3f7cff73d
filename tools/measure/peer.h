/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A peer is a shared object that exports some of these functions; measure.c loads and measures it. What it
 * lacks is not measured. A build of Hornet is a peer as it is: measure.c knows hornet.h's names, and the
 * types are the same.
 *
 * A wrapper defines what its library offers, and keeps its state in static variables:
 *
 *     PEER const char *peer_version(void) { return "1.0"; }
 *     PEER_MAC { write the tag of msg[0 .. len_bytes) under key }
 */
#ifndef HORNET_MEASURE_PEER_H
#define HORNET_MEASURE_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
#define PEER extern "C" __attribute__((visibility("default")))
#else
#define PEER __attribute__((visibility("default")))
#endif

/* A message; for the AEAD a packet, the same struct as hornet_packet. */
struct message {
    uint8_t *out;
    const uint8_t *in;
    size_t len_bytes;
    const uint8_t *aad;
    size_t aad_bytes;
    uint8_t *nonce; /* 12 bytes; of Poly1305-AES 16 */
    uint8_t *key;
    uint8_t *tag;
};

/* Functions for a message in pieces. They are called directly, because a wrapper would take much of the
 * time of a short piece. `state` has 4096 bytes and is aligned to 64. */
struct peer_pieces {
    void (*init)(void *state, const uint8_t *key);
    void (*update)(void *state, const void *piece, size_t len_bytes);
    void (*final)(void *state, uint8_t *tag);
};

/* Called first, untimed: returns NULL, or why the peer cannot run on this CPU. */
PEER const char *peer_init(void);
PEER const char *peer_version(void);

/* Poly1305; and Poly1305-AES, whose key is k and r. */
#define PEER_MAC PEER void peer_mac(uint8_t *tag, const void *msg, size_t len_bytes, const uint8_t *key)
#define PEER_AES                                                                                           \
    PEER bool peer_aes(uint8_t *tag, const void *msg, size_t len_bytes, const uint8_t *nonce,              \
                       const uint8_t *key)
#ifndef __cplusplus
extern PEER const struct peer_pieces peer_pieces;
#endif

/* ChaCha20-Poly1305. peer_key is called with each new key, untimed, as once for a connection; a peer that
 * keeps the key ignores the argument of the others. PEER_OPEN returns whether the tag is right. */
PEER void peer_key(const uint8_t *key);
#define PEER_SEAL                                                                                          \
    PEER bool peer_seal(void *out, uint8_t *tag, const void *in, size_t len_bytes, const void *aad,        \
                        size_t aad_bytes, const uint8_t *nonce,                                            \
                        __attribute__((unused)) const uint8_t *key)
#define PEER_OPEN                                                                                          \
    PEER bool peer_open(void *out, const void *in, size_t len_bytes, const uint8_t *tag, const void *aad,  \
                        size_t aad_bytes, const uint8_t *nonce,                                            \
                        __attribute__((unused)) const uint8_t *key)

PEER_SEAL;
PEER_OPEN;

/* For a peer that cannot be called quickly from C: the whole loop over messages[i & mask], for i from 0 to
 * count - 1, of Poly1305. If `chained`, the first half of the key becomes the tag after each call. */
PEER void peer_mac_loop(const struct message *messages, size_t mask, size_t count, bool chained);

/* Anything else that is measured, called with the number of a case. */
PEER void peer_run(size_t which, size_t count);

#endif
