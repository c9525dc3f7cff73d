/* The bench loads each file here as a shared library of its own: two libraries that use one name for two
 * things do not meet, and one that is not installed is left out. A file gives its library's version,
 *
 *     PEER_VERSION { return "1.0"; }
 *
 * and for each peer in it what a program does once, and what is timed, which gets what the first returned:
 *
 *     PEER_OPEN(name) { return a context, or NULL if this CPU cannot run it; }
 *     PEER_MAC(name) { write the tag of msg[0 .. len_bytes) under key[0 .. 32) to tag[0 .. 16); }
 */
#ifndef HORNET_BENCH_PEER_H
#define HORNET_BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define PEER_VERSION    __attribute__((visibility("default"))) const char *peer_version(void)
#define PEER_OPEN(name) __attribute__((visibility("default"))) void *name##_open(void)
#define PEER_MAC(name)                                                                                     \
    __attribute__((visibility("default"))) void name##_mac(                                                \
        uint8_t *tag, const void *msg, size_t len_bytes, const uint8_t *key, void *context)

#endif
