/* The bench loads each file here as a shared library of its own: two libraries that use one name for two
 * things do not meet, and one that is not installed is left out. A file gives its library's version,
 *
 *     PEER_VERSION { return "1.0"; }
 *
 * and for each peer in it what a program does once, and what is timed, which gets what the first returned:
 *
 *     PEER_OPEN(name) { return a context, or NULL if this CPU cannot run it; }
 *     PEER_MAC(name) { write the tag of msg[0 .. len_bytes) under key[0 .. 32) to tag[0 .. 16); }
 *
 * For Poly1305-AES the key is k and r, behind it lies the nonce, and PEER_NEXT_NONCE ends the function.
 */
#ifndef HORNET_BENCH_PEER_H
#define HORNET_BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define PEER_VERSION    __attribute__((visibility("default"))) const char *peer_version(void)
#define PEER_OPEN(name) __attribute__((visibility("default"))) void *name##_open(void)
#define PEER_MAC(name)                                                                                     \
    __attribute__((visibility("default"))) void name##_mac(                                                \
        uint8_t *tag, const void *msg, size_t len_bytes, const uint8_t *key, void *context)

/* Counts the nonce up, for the next call under this key. All of it is read and written at once, so that no
 * peer waits for a store of a part. */
typedef uint64_t peer_nonce __attribute__((vector_size(16)));

#define PEER_NEXT_NONCE(key)                                                                               \
    do {                                                                                                   \
        peer_nonce nonce;                                                                                  \
        memcpy(&nonce, (key) + 32, sizeof nonce);                                                          \
        nonce += (peer_nonce){1, 0};                                                                       \
        memcpy((uint8_t *)(key) + 32, &nonce, sizeof nonce);                                               \
    } while (0)

#endif
