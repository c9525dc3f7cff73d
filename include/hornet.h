/* Hornet: the Poly1305 message authenticator (RFC 8439, section 2.5; Bernstein 2005, section 2).
 *
 * A 32-byte key and a message of any length give a 16-byte tag. The key is r (16 bytes, clamped by
 * the library as RFC 8439 section 2.5.1 says) followed by s (16 bytes).
 *
 * ONE KEY, ONE MESSAGE. Two tags under one key reveal r, and with it the power to forge. Derive a
 * fresh key for every message, as ChaCha20-Poly1305 does.
 *
 * Common to all functions here:
 *   - Lengths are in bytes, 0 to SIZE_MAX. A pointer to 0 bytes may be NULL; no other may.
 *   - Pointers need no alignment. Inputs may overlap each other. A tag that is written may overlap
 *     any input: inputs are read completely before it is written. A state overlaps nothing.
 *   - Time, branches and memory addresses depend on lengths and pointers, never on keys, message
 *     bytes or tags.
 *   - Nothing is allocated, printed or locked, no errno is set, and every call returns. All functions
 *     may run in any number of threads at once, each state in one thread at a time.
 */
#ifndef HORNET_H
#define HORNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HORNET_API __attribute__((visibility("default")))
#else
#define HORNET_API
#endif

#define HORNET_POLY1305_KEY_BYTES 32
#define HORNET_POLY1305_TAG_BYTES 16

/* A message being authenticated in pieces. Caller-owned, opaque, copyable with memcpy (each copy ends
 * on its own and each holds the key). It becomes live by hornet_poly1305_init and ends by
 * hornet_poly1305_final or hornet_poly1305_final_verify, which wipe it to zeros. A state of all zeros
 * is an ended one; one that was never set is undefined. */
typedef struct hornet_poly1305_state {
    uint64_t opaque[16];
} hornet_poly1305_state;

/* Writes the tag of msg[0 .. len_bytes) under key. Whatever the call computed from the key is wiped;
 * the caller's key is left as it is. */
HORNET_API void hornet_poly1305(uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32]);

/* True if tag is the tag of msg[0 .. len_bytes) under key. Compares in constant time: this function,
 * never memcmp, is how a received tag is checked. */
HORNET_API bool hornet_poly1305_verify(const uint8_t tag[16], const void *msg, size_t len_bytes,
                                       const uint8_t key[32]);

/* Starts a message under key: state is live afterwards, whatever it was before (a live one is lost). */
HORNET_API void hornet_poly1305_init(hornet_poly1305_state *state, const uint8_t key[32]);

/* Appends msg[0 .. len_bytes). The tag depends on the bytes only, not on how they were cut into calls.
 * On an ended state: does nothing. */
HORNET_API void hornet_poly1305_update(hornet_poly1305_state *state, const void *msg, size_t len_bytes);

/* A piece of a message. */
typedef struct hornet_iovec {
    const void *base;
    size_t len_bytes;
} hornet_iovec;

/* Appends the pieces in turn, as so many calls of hornet_poly1305_update would. pieces may be NULL if
 * count is 0. On an ended state: does nothing. */
HORNET_API void hornet_poly1305_updatev(hornet_poly1305_state *state, const hornet_iovec *pieces,
                                        size_t count);

/* Writes the tag of all bytes so far, ends the state and wipes it. On an ended state: writes 16 zero
 * bytes, which are the tag of nothing, and leaves the state ended. */
HORNET_API void hornet_poly1305_final(hornet_poly1305_state *state, uint8_t tag[16]);

/* True if tag is the tag of all bytes so far. Compares in constant time, ends the state and wipes it.
 * On an ended state: false, whatever the tag. */
HORNET_API bool hornet_poly1305_final_verify(hornet_poly1305_state *state, const uint8_t tag[16]);

/* Many messages at once, one to each lane of a vector kernel: from a dozen messages of some 32 to 500 bytes
 * on about twice as fast as one after another. Lengths may differ in any way: messages of like length share
 * a vector, long ones have one to themselves, in the order that serves best. The arrays hold count
 * elements each, count 0 to SIZE_MAX, and may be NULL if count is 0. */

/* tags[i] = the tag of msgs[i][0 .. lens_bytes[i]) under keys[i]. tags may overlap neither msgs' bytes, nor
 * keys, nor lens_bytes, nor the array of pointers: tags of some are written before others are read. */
HORNET_API void hornet_poly1305_batch(uint8_t (*tags)[16], const void *const *msgs,
                                      const size_t *lens_bytes, const uint8_t (*keys)[32], size_t count);

/* good[i] = whether tags[i] is the tag of msgs[i][0 .. lens_bytes[i]) under keys[i]. True if all are. Each
 * is compared in constant time. good overlaps nothing. */
HORNET_API bool hornet_poly1305_verify_batch(bool *good, const uint8_t (*tags)[16], const void *const *msgs,
                                             const size_t *lens_bytes, const uint8_t (*keys)[32],
                                             size_t count);

/* Kernels: the implementations for the instruction sets this library was built with. The best one this
 * CPU and operating system can run is chosen at first use. All give the same tags; a state may be
 * continued by another kernel than the one that began it. */

/* The number of kernels this CPU can run, at least 1. */
HORNET_API size_t hornet_kernel_count(void);

/* The name of one of them, best first; NULL unless index < hornet_kernel_count(). */
HORNET_API const char *hornet_kernel_at(size_t index);

/* The name of the one in use. */
HORNET_API const char *hornet_kernel_name(void);

/* Makes every call from now on, in all threads, use the kernel of that name; NULL goes back to the
 * automatic choice. False, and no change, if the name is unknown or this CPU cannot run it. A kernel
 * hands messages too short to gain from its lanes to one of fewer lanes or to the scalar code. */
HORNET_API bool hornet_kernel_force(const char *name);

/* For diagnosis: what the choice rests on. */

typedef struct hornet_kernel_info {
    const char *name;
    char needs[64];          /* the CPU features it needs, separated by spaces; "" if none */
    size_t lanes;            /* blocks it works on at once; 0 if not built for this target */
    size_t min_vector_bytes; /* shorter messages go to a kernel of fewer lanes or to the scalar code */
    bool supported;          /* this CPU and operating system can run it */
} hornet_kernel_info;

/* Describes kernel `index` of this build, best first, supported or not. False, and info unchanged,
 * when there are no more. */
HORNET_API bool hornet_kernel_info_at(size_t index, hornet_kernel_info *info);

/* Names CPU feature `index` of those this build looks for, and says whether the CPU has it and the
 * operating system saves its registers. False, and nothing written, when there are no more. */
HORNET_API bool hornet_cpu_feature_at(size_t index, const char **name, bool *usable);

#ifdef __cplusplus
}
#endif

#endif
