/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#ifndef HORNET_MEASURE_H
#define HORNET_MEASURE_H

#include "peer.h"

/* What is measured and checked. */
enum operation { MAC, AES, PIECES, BATCH, SEAL, OPEN, SEAL_BATCH, OPEN_BATCH, RUN, OPERATIONS };
extern const char *const operation_names[OPERATIONS];

enum { STATE_BYTES = 4096, PRIMITIVES = 2, TAG_BYTES = 16, NONCE_BYTES = 12, KEY_BYTES = 32 };

/* A peer. Functions that it lacks are NULL. */
struct peer {
    const char *name;
    const char *kernels[PRIMITIVES]; /* of Poly1305 and ChaCha20 that are forced, or NULL */
    const char *version, *missing;   /* or NULL */
    bool wrong[OPERATIONS];          /* most results are wrong: it is not measured */
    void *state;                     /* of a message in pieces */
    struct peer_pieces pieces;

    const char *(*get_version)(void);
    const char *(*init)(void);
    bool (*force)(int primitive, const char *kernel);
    const char *(*in_use)(int primitive);
    void (*mac)(uint8_t *, const void *, size_t, const uint8_t *);
    bool (*aes)(uint8_t *, const void *, size_t, const uint8_t *, const uint8_t *);
    void (*batch)(uint8_t (*)[TAG_BYTES], const void *const *, const size_t *, const uint8_t (*)[KEY_BYTES],
                  size_t);
    void (*key)(const uint8_t *);
    bool (*seal)(void *, uint8_t *, const void *, size_t, const void *, size_t, const uint8_t *,
                 const uint8_t *);
    bool (*open)(void *, const void *, size_t, const uint8_t *, const void *, size_t, const uint8_t *,
                 const uint8_t *);
    bool (*seal_batch)(const struct message *, size_t);
    bool (*open_batch)(bool *, const struct message *, size_t);
    void (*mac_loop)(const struct message *, size_t, size_t, bool);
    void (*run)(size_t, size_t);
};

/* Returns whether the peer offers an operation. */
bool has(const struct peer *peer, enum operation operation);

/* Forces the kernels of the peer. Two peers may be the same library with different kernels. */
void prepare(const struct peer *peer);

/* The tag of a message in pieces: one of `first` bytes, then others of `then`. */
void in_pieces(const struct peer *peer, const struct message *message, size_t first, size_t then);

/* Compares the results of all peers with the reference. Prints a line for each peer and operation, and sets
 * `wrong`. Returns the number of peers and operations with wrong results. */
int check_all(struct peer *peers, size_t count);

/* SplitMix64. */
uint64_t random_number(uint64_t *state);
void random_fill(void *to, size_t len_bytes, uint64_t seed);

#endif
