/* Hornet: the Poly1305 message authenticator (RFC 8439, section 2.5; Bernstein 2005, section 2), and
 * Poly1305-AES, which makes many messages under one key out of it.
 *
 * Poly1305: a 32-byte key and a message of any length give a 16-byte tag. The key is r (16 bytes, clamped
 * by the library as RFC 8439 section 2.5.1 says) followed by s (16 bytes).
 *
 * ONE KEY, ONE MESSAGE. Two tags under one key reveal r, and with it the power to forge. Derive a
 * fresh key for every message, as ChaCha20-Poly1305 does; or use Poly1305-AES, with a fresh nonce.
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

/* On functions whose result must be looked at. */
#if defined(__GNUC__)
#define HORNET_CHECKED __attribute__((warn_unused_result))
#else
#define HORNET_CHECKED
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

/* Poly1305-AES (Bernstein 2005, section 2): one key for up to 2^64 messages, each with a nonce of its own.
 *
 * The tag is Poly1305 under r and the pad AES_k(nonce). A key is k (16 bytes, an AES-128 key) followed by r
 * (16 bytes): the order of the paper, of libgcrypt and of Nettle. In hornet_poly1305's key, r comes first.
 *
 * ONE NONCE, ONE MESSAGE. Two messages under one key and nonce reveal r. A nonce is any 16 bytes, known to
 * everyone; count them up. Nothing is kept between calls, neither r's powers nor AES's round keys: a
 * thousand keys are as fast as one.
 *
 * r is PERMITTED if bytes 3, 7, 11 and 15 are below 16 and bytes 4, 8 and 12 are multiples of 4. The
 * functions of this part refuse any other, and write a tag of zeros. That the 22 forbidden bits are 0 is no
 * secret: the refusal may depend on them. */
#define HORNET_POLY1305_AES_KEY_BYTES   32
#define HORNET_POLY1305_AES_NONCE_BYTES 16

/* True if r is permitted. In a key of Poly1305-AES, r is at key + 16. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_permits(const uint8_t r[16]);

/* Clears the forbidden bits, so that r is permitted: for 16 random bytes that shall become an r. */
HORNET_API void hornet_poly1305_clamp(uint8_t r[16]);

/* Writes the tag of msg[0 .. len_bytes) under key and nonce. False, and 16 zero bytes, if r is not
 * permitted. Of an empty message, the tag is the pad, AES_k(nonce). */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes(uint8_t tag[16], const void *msg, size_t len_bytes,
                                                   const uint8_t nonce[16], const uint8_t key[32]);

/* True if tag is the tag of msg[0 .. len_bytes) under key and nonce, and r permitted. Compares in constant
 * time. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes_verify(const uint8_t tag[16], const void *msg,
                                                          size_t len_bytes, const uint8_t nonce[16],
                                                          const uint8_t key[32]);

/* Starts a message that continues by hornet_poly1305_update and ends by hornet_poly1305_final or
 * hornet_poly1305_final_verify. False, and an ended state, if r is not permitted. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes_init(hornet_poly1305_state *state,
                                                        const uint8_t nonce[16], const uint8_t key[32]);

/* tags[i] = the tag of msgs[i][0 .. lens_bytes[i]) under keys[i] and nonces[i], many at once as in
 * hornet_poly1305_batch, whose rules hold here too, for nonces as for keys. False if some r is not
 * permitted: its tag is zeros, all others are right. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes_batch(uint8_t (*tags)[16], const void *const *msgs,
                                                         const size_t *lens_bytes,
                                                         const uint8_t (*nonces)[16],
                                                         const uint8_t (*keys)[32], size_t count);

/* good[i] = whether tags[i] is the tag of msgs[i][0 .. lens_bytes[i]) under keys[i] and nonces[i], and r
 * permitted. True if all are. Each is compared in constant time. good overlaps nothing. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes_verify_batch(bool *good, const uint8_t (*tags)[16],
                                                                const void *const *msgs,
                                                                const size_t *lens_bytes,
                                                                const uint8_t (*nonces)[16],
                                                                const uint8_t (*keys)[32], size_t count);

/* The name of the AES in use: of the CPU's instructions, or of the portable one. Neither uses tables. */
HORNET_API const char *hornet_aes_name(void);

/* "There is nothing special about AES" (section 3): the same with a pad from any other cipher or function,
 * which must give an unpredictable one for every message. */

/* Writes the tag of msg[0 .. len_bytes) under r and pad. False, and zeros, if r is not permitted. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_pad(uint8_t tag[16], const void *msg, size_t len_bytes,
                                                   const uint8_t r[16], const uint8_t pad[16]);

/* True if tag is the tag of msg[0 .. len_bytes) under r and pad, and r permitted. In constant time. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_pad_verify(const uint8_t tag[16], const void *msg,
                                                          size_t len_bytes, const uint8_t r[16],
                                                          const uint8_t pad[16]);

/* Starts a message, as hornet_poly1305_aes_init does. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_pad_init(hornet_poly1305_state *state, const uint8_t r[16],
                                                        const uint8_t pad[16]);

/* Parts: the value of the polynomial over a segment of a message, without a pad. Parts of neighbouring
 * segments join to the part of both, so that segments can be worked on by many threads, in any order, and a
 * segment that changed can be exchanged without reading the others (section 1: "parallelizable,
 * incremental").
 *
 * Only the last segment of a message may end within a block of 16 bytes. A PART IS A SECRET: part and
 * segment together reveal r. Caller-owned, copyable; all zeros is the part of nothing. */
typedef struct hornet_part {
    uint64_t opaque[4];
} hornet_part;

/* *part = the value over msg[0 .. len_bytes). False, and the part of nothing, if r is not permitted. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_part(hornet_part *part, const void *msg, size_t len_bytes,
                                                    const uint8_t r[16]);

/* *left = the value over left's segment followed by right's. Takes 2 log2(right's blocks) multiplications
 * at most, whatever the lengths. False, and nothing changed, if r is not permitted, if left ends within a
 * block and right is not empty, or if both together have more than 2^64 - 1 bytes. The two may be the same.
 */
HORNET_API HORNET_CHECKED bool hornet_poly1305_part_append(hornet_part *left, const hornet_part *right,
                                                           const uint8_t r[16]);

/* *whole = the value over the same message with one segment exchanged: the one whose part was `before`,
 * with bytes_behind bytes of the message behind it, for the one of the same length whose part is `after`.
 * Takes 2 log2(blocks behind) multiplications at most. False, and nothing changed, if r is not permitted,
 * if the lengths of before and after differ, if they end within a block and bytes_behind is not 0, or if
 * the whole has not so many bytes. That `before` was there is not checked. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_part_replace(hornet_part *whole, const hornet_part *before,
                                                            const hornet_part *after, uint64_t bytes_behind,
                                                            const uint8_t r[16]);

/* The number of bytes that a part stands for. */
HORNET_API uint64_t hornet_poly1305_part_bytes(const hornet_part *part);

/* Writes the tag of the message whose part this is. ONE PAD, ONE MESSAGE: after a change, take a new one.
 * With Poly1305-AES, the pad is the tag of an empty message: hornet_poly1305_aes(pad, NULL, 0, nonce, key).
 */
HORNET_API void hornet_poly1305_part_tag(uint8_t tag[16], const hornet_part *part, const uint8_t pad[16]);

/* True if tag is the tag of the message whose part this is. In constant time. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_part_verify(const uint8_t tag[16], const hornet_part *part,
                                                           const uint8_t pad[16]);

/* Sets len_bytes bytes to zero, and no compiler leaves it out: for keys, pads, parts and states. */
HORNET_API void hornet_wipe(void *memory, size_t len_bytes);

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
