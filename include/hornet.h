/* SPDX-License-Identifier: Apache-2.0 OR MIT
 *
 * Hornet: the Poly1305 message authenticator (RFC 8439, section 2.5; Bernstein 2005, section 2), and
 * Poly1305-AES, which authenticates many messages under one key.
 *
 * Poly1305: a 32-byte key and a message of any length give a 16-byte tag. The key is r (16 bytes, clamped
 * by the library as RFC 8439 section 2.5.1 says) followed by s (16 bytes).
 *
 * ONE KEY, ONE MESSAGE. Two tags under one key reveal r, and with it the power to forge. Derive a
 * fresh key for every message, as ChaCha20-Poly1305 does; or use Poly1305-AES, with a fresh nonce.
 *
 * Common to all functions here:
 *   - Lengths are in bytes, 0 to SIZE_MAX. A pointer to 0 bytes may be NULL; no other may, unless a
 *     function says so.
 *   - Pointers need no alignment, except those to the types declared here. Inputs may overlap each other.
 *     A tag that is written may overlap any input, because inputs are read completely before it is
 *     written; functions on batches are the exception and say so. A state overlaps nothing.
 *   - Time, branches and memory addresses depend on lengths and pointers, never on keys, message
 *     bytes or tags.
 *   - On x86-64, nothing computed from keys, message bytes or expected tags is left by a call on the stack
 *     or in vector and mask registers. General registers are not cleared.
 *   - Nothing is allocated, printed or locked, errno is not set, and every call returns. All functions
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

#ifndef HORNET_API
#if defined(__GNUC__)
#define HORNET_API __attribute__((visibility("default")))
#else
#define HORNET_API
#endif
#endif

/* On functions whose result must not be ignored. */
#if defined(__GNUC__)
#define HORNET_CHECKED __attribute__((warn_unused_result))
#else
#define HORNET_CHECKED
#endif

/* The version of this header: major, minor and patch number. */
#define HORNET_VERSION "0.1.0"

/* The version of the library in use, which a program that links the shared library may want to compare
 * with HORNET_VERSION. A constant string. */
HORNET_API const char *hornet_version(void);

#define HORNET_POLY1305_KEY_BYTES 32
#define HORNET_POLY1305_TAG_BYTES 16

/* A message being authenticated in pieces. Caller-owned, opaque, copyable with memcpy (each copy ends
 * on its own and each holds the key). It becomes live by hornet_poly1305_init and ends by
 * hornet_poly1305_final or hornet_poly1305_final_verify, which wipe what they used of it to zeros. A
 * state of all zeros is an ended one; one that was never set is undefined. */
typedef struct hornet_poly1305_state {
    uint64_t opaque[112];
} hornet_poly1305_state;

/* Writes the tag of msg[0 .. len_bytes) under key. The caller's key is left as it is. */
HORNET_API void hornet_poly1305(uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32]);

/* True if tag is the tag of msg[0 .. len_bytes) under key. Compares in constant time: this function,
 * never memcmp, is how a received tag is checked. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_verify(const uint8_t tag[16], const void *msg,
                                                      size_t len_bytes, const uint8_t key[32]);

/* Starts a message under key: state is live afterwards, whatever it was before. A live one is lost, and
 * what it holds of its key stays until it is overwritten: end it first. */
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
HORNET_API HORNET_CHECKED bool hornet_poly1305_final_verify(hornet_poly1305_state *state,
                                                            const uint8_t tag[16]);

/* Many messages at once, one to each lane of a vector kernel: from a dozen messages of some 32 to 500 bytes
 * on about twice as fast as one after another. Lengths may differ in any way: messages of similar length
 * share a vector, and long ones have one to themselves, in whatever order is fastest. The arrays hold count
 * elements each, count 0 to SIZE_MAX, and may be NULL if count is 0. */

/* tags[i] = the tag of msgs[i][0 .. lens_bytes[i]) under keys[i]. tags may overlap neither the messages,
 * nor keys, nor lens_bytes, nor the array of pointers: some tags are written before other inputs are read.
 */
HORNET_API void hornet_poly1305_batch(uint8_t (*tags)[16], const void *const *msgs,
                                      const size_t *lens_bytes, const uint8_t (*keys)[32], size_t count);

/* valid[i] = whether tags[i] is the tag of msgs[i][0 .. lens_bytes[i]) under keys[i]. True if all are. Each
 * is compared in constant time. valid overlaps nothing. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_verify_batch(bool *valid, const uint8_t (*tags)[16],
                                                            const void *const *msgs,
                                                            const size_t *lens_bytes,
                                                            const uint8_t (*keys)[32], size_t count);

/* Poly1305-AES (Bernstein 2005, section 2): one key for up to 2^64 messages, each with a nonce of its own.
 *
 * The tag is Poly1305 under r and the pad AES_k(nonce). A key is k (16 bytes, an AES-128 key) followed by r
 * (16 bytes): the order of the paper, of libgcrypt and of Nettle. In hornet_poly1305's key, r comes first.
 *
 * ONE NONCE, ONE MESSAGE. Two messages under one key and nonce reveal r. A nonce is any 16 bytes, known to
 * everyone; count them up. Nothing is kept between calls, neither powers of r nor AES round keys: a
 * thousand keys are as fast as one.
 *
 * r is CLAMPED if bytes 3, 7, 11 and 15 are below 16 and bytes 4, 8 and 12 are multiples of 4. The
 * functions of this section refuse any other r, and write a tag of zeros. That the 22 bits are 0 is no
 * secret: the refusal may depend on them. */
#define HORNET_POLY1305_AES_KEY_BYTES   32
#define HORNET_POLY1305_AES_NONCE_BYTES 16

/* True if r is clamped. In a key of Poly1305-AES, r is at key + 16. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_r_is_clamped(const uint8_t r[16]);

/* Clamps r: clears the 22 bits. Makes an r of 16 random bytes. */
HORNET_API void hornet_poly1305_clamp(uint8_t r[16]);

/* Writes the tag of msg[0 .. len_bytes) under key and nonce. False, and 16 zero bytes, if r is not
 * clamped. Of an empty message, the tag is the pad, AES_k(nonce). */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes(uint8_t tag[16], const void *msg, size_t len_bytes,
                                                   const uint8_t nonce[16], const uint8_t key[32]);

/* True if tag is the tag of msg[0 .. len_bytes) under key and nonce, and r is clamped. Compares in constant
 * time. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes_verify(const uint8_t tag[16], const void *msg,
                                                          size_t len_bytes, const uint8_t nonce[16],
                                                          const uint8_t key[32]);

/* Starts a message that continues by hornet_poly1305_update and ends by hornet_poly1305_final or
 * hornet_poly1305_final_verify. False, and an ended state, if r is not clamped. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes_init(hornet_poly1305_state *state,
                                                        const uint8_t nonce[16], const uint8_t key[32]);

/* tags[i] = the tag of msgs[i][0 .. lens_bytes[i]) under keys[i] and nonces[i], many at once as in
 * hornet_poly1305_batch, whose rules hold here too, for nonces as for keys. False if some r is not
 * clamped: its tag is zeros, and all others are as they should be. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes_batch(uint8_t (*tags)[16], const void *const *msgs,
                                                         const size_t *lens_bytes,
                                                         const uint8_t (*nonces)[16],
                                                         const uint8_t (*keys)[32], size_t count);

/* valid[i] = whether tags[i] is the tag of msgs[i][0 .. lens_bytes[i]) under keys[i] and nonces[i], and r
 * is clamped. True if all are. Each is compared in constant time. valid overlaps nothing. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes_verify_batch(bool *valid, const uint8_t (*tags)[16],
                                                                const void *const *msgs,
                                                                const size_t *lens_bytes,
                                                                const uint8_t (*nonces)[16],
                                                                const uint8_t (*keys)[32], size_t count);

/* The name of the AES implementation in use: the CPU's instructions, or portable code. Neither uses tables.
 */
HORNET_API const char *hornet_aes_name(void);

/* "There is nothing special about AES" (section 3): the same with a pad from any other cipher or function,
 * which must give an unpredictable one for every message. */

/* Writes the tag of msg[0 .. len_bytes) under r and pad. False, and 16 zero bytes, if r is not clamped. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_pad(uint8_t tag[16], const void *msg, size_t len_bytes,
                                                   const uint8_t r[16], const uint8_t pad[16]);

/* True if tag is the tag of msg[0 .. len_bytes) under r and pad, and r is clamped. Compares in constant
 * time. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_pad_verify(const uint8_t tag[16], const void *msg,
                                                          size_t len_bytes, const uint8_t r[16],
                                                          const uint8_t pad[16]);

/* Starts a message, as hornet_poly1305_aes_init does. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_pad_init(hornet_poly1305_state *state, const uint8_t r[16],
                                                        const uint8_t pad[16]);

/* Partial evaluations: the value of the polynomial over a segment of a message, without a pad. Those of
 * neighbouring segments combine into that of both, so that many threads can work on segments in any order,
 * and a segment that changed can be replaced without reading the others (section 1: "parallelizable,
 * incremental").
 *
 * Only the last segment of a message may end within a block of 16 bytes. A PARTIAL EVALUATION IS A SECRET:
 * together with its segment it reveals r. Caller-owned, copyable; all zeros is that of no bytes. */
typedef struct hornet_poly1305_partial {
    uint64_t opaque[4];
} hornet_poly1305_partial;

/* *partial = the value over msg[0 .. len_bytes). False, and the value over no bytes, if r is not clamped.
 */
HORNET_API HORNET_CHECKED bool hornet_poly1305_partial_compute(hornet_poly1305_partial *partial,
                                                               const void *msg, size_t len_bytes,
                                                               const uint8_t r[16]);

/* *left = the value over left's segment followed by right's. Takes at most 2 log2(n) + 2 multiplications if
 * right has n blocks. False, and nothing changed, if r is not clamped, if left ends within a block and
 * right is not empty, or if both together have more than 2^64 - 1 bytes. The two may be the same. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_partial_append(hornet_poly1305_partial *left,
                                                              const hornet_poly1305_partial *right,
                                                              const uint8_t r[16]);

/* *whole = the value over the same message with one segment replaced: the one whose value was `replaced`,
 * with bytes_after bytes of the message after it, by one of the same length whose value is `replacement`.
 * Takes at most 2 log2(n) + 3 multiplications if n blocks follow. False, and nothing changed, if r is not
 * clamped, if the lengths of replaced and replacement differ, if the segment begins within a block, or ends
 * within one and is not the last, or if the whole has fewer bytes. That `replaced` was there is not
 * checked. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_partial_replace(hornet_poly1305_partial *whole,
                                                               const hornet_poly1305_partial *replaced,
                                                               const hornet_poly1305_partial *replacement,
                                                               uint64_t bytes_after, const uint8_t r[16]);

/* The number of bytes of the segment. */
HORNET_API uint64_t hornet_poly1305_partial_len_bytes(const hornet_poly1305_partial *partial);

/* Writes the tag of the message whose value this is. ONE PAD, ONE MESSAGE: after a change, take a new one.
 * With Poly1305-AES, the pad is the tag of an empty message: hornet_poly1305_aes(pad, NULL, 0, nonce, key).
 */
HORNET_API void hornet_poly1305_partial_tag(uint8_t tag[16], const hornet_poly1305_partial *partial,
                                            const uint8_t pad[16]);

/* True if tag is the tag of the message whose value this is. Compares in constant time. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_partial_verify(const uint8_t tag[16],
                                                              const hornet_poly1305_partial *partial,
                                                              const uint8_t pad[16]);

/* ChaCha20-Poly1305 (RFC 8439, section 2.8): encrypts a message and authenticates it together with other
 * data. ONE NONCE, ONE MESSAGE: two messages under one key and nonce give away both, and the power to
 * forge. Count the nonces, or draw those of XChaCha20-Poly1305, whose 24 bytes are long enough, at random.
 *
 * Output may be the input, or overlap no input; a tag that is written overlaps nothing else. A library that
 * is compiled with -DHORNET_DEBUG traps where output and input overlap otherwise. */

#define HORNET_CHACHA20_POLY1305_KEY_BYTES    32
#define HORNET_CHACHA20_POLY1305_TAG_BYTES    16
#define HORNET_CHACHA20_POLY1305_NONCE_BYTES  12
#define HORNET_XCHACHA20_POLY1305_NONCE_BYTES 24

/* A message has 2^38 - 64 bytes at most. */
#define HORNET_CHACHA20_POLY1305_MAX_BYTES UINT64_C(0x3fffffffc0)

/* Writes the ciphertext, of len_bytes bytes too, and the tag. False, and nothing written, if the message is
 * too long. */
HORNET_API HORNET_CHECKED bool hornet_chacha20_poly1305_seal(uint8_t *ciphertext, uint8_t tag[16],
                                                             const void *msg, size_t len_bytes,
                                                             const void *aad, size_t aad_bytes,
                                                             const uint8_t nonce[12],
                                                             const uint8_t key[32]);

/* Writes the message, and true, if the tag is that of ciphertext, aad, nonce and key. Otherwise false, and
 * len_bytes zeros. False, and nothing written, if it is too long. Compares in constant time. */
HORNET_API HORNET_CHECKED bool hornet_chacha20_poly1305_open(uint8_t *msg, const void *ciphertext,
                                                             size_t len_bytes, const uint8_t tag[16],
                                                             const void *aad, size_t aad_bytes,
                                                             const uint8_t nonce[12],
                                                             const uint8_t key[32]);

/* The same with a nonce of 24 bytes (draft-irtf-cfrg-xchacha-03). */
HORNET_API HORNET_CHECKED bool hornet_xchacha20_poly1305_seal(uint8_t *ciphertext, uint8_t tag[16],
                                                              const void *msg, size_t len_bytes,
                                                              const void *aad, size_t aad_bytes,
                                                              const uint8_t nonce[24],
                                                              const uint8_t key[32]);
HORNET_API HORNET_CHECKED bool hornet_xchacha20_poly1305_open(uint8_t *msg, const void *ciphertext,
                                                              size_t len_bytes, const uint8_t tag[16],
                                                              const void *aad, size_t aad_bytes,
                                                              const uint8_t nonce[24],
                                                              const uint8_t key[32]);

/* A message in pieces. Caller-owned, opaque, copyable with memcpy. It becomes live by an init function,
 * takes associated data, then pieces of the message, and ends by a final function, which wipes it to zeros.
 * A state of all zeros is an ended one; one that was never set is undefined. On an ended state, and out of
 * order, the functions do nothing and return false. */
typedef struct hornet_aead_state {
    uint64_t opaque[176];
} hornet_aead_state;

HORNET_API void hornet_chacha20_poly1305_init(hornet_aead_state *state, const uint8_t nonce[12],
                                              const uint8_t key[32]);
HORNET_API void hornet_xchacha20_poly1305_init(hornet_aead_state *state, const uint8_t nonce[24],
                                               const uint8_t key[32]);

/* Appends associated data, before the message begins. */
HORNET_API HORNET_CHECKED bool hornet_aead_aad(hornet_aead_state *state, const void *aad, size_t aad_bytes);

/* Encrypts, or decrypts, the next piece; a state does the one or the other. False, and nothing written, if
 * the message would become too long. WHAT IS DECRYPTED IS NOT AUTHENTIC before hornet_aead_final_verify
 * says so: use none of it before, and destroy it if that says no. */
HORNET_API HORNET_CHECKED bool hornet_aead_encrypt(hornet_aead_state *state, uint8_t *ciphertext,
                                                   const void *msg, size_t len_bytes);
HORNET_API HORNET_CHECKED bool hornet_aead_decrypt(hornet_aead_state *state, uint8_t *msg,
                                                   const void *ciphertext, size_t len_bytes);

/* Pieces that lie apart, one after the other. */
typedef struct hornet_aead_piece {
    uint8_t *out;
    const void *in;
    size_t len_bytes;
} hornet_aead_piece;

/* The same for count pieces. False, and nothing written, if all together would be too long. */
HORNET_API HORNET_CHECKED bool hornet_aead_encryptv(hornet_aead_state *state,
                                                    const hornet_aead_piece *pieces, size_t count);
HORNET_API HORNET_CHECKED bool hornet_aead_decryptv(hornet_aead_state *state,
                                                    const hornet_aead_piece *pieces, size_t count);

/* Ends a message that was encrypted: writes its tag. False, and zeros, if the state is not live, or has
 * decrypted. */
HORNET_API HORNET_CHECKED bool hornet_aead_final(hornet_aead_state *state, uint8_t tag[16]);

/* Ends a message that was decrypted: true if this is its tag. Compares in constant time. */
HORNET_API HORNET_CHECKED bool hornet_aead_final_verify(hornet_aead_state *state, const uint8_t tag[16]);

/* One of many packets: arguments of hornet_chacha20_poly1305_seal or _open. */
typedef struct hornet_packet {
    uint8_t *out;
    const void *in;
    size_t len_bytes;
    const void *aad;
    size_t aad_bytes;
    const uint8_t *nonce; /* 12 bytes */
    const uint8_t *key;   /* 32 bytes */
    uint8_t *tag;         /* 16 bytes: written by _seal_batch, read by _open_batch */
} hornet_packet;

/* Seals count packets, many at once. What is written overlaps nothing of another packet. False if one is
 * too long, of which nothing is written; all others are sealed. */
HORNET_API HORNET_CHECKED bool hornet_chacha20_poly1305_seal_batch(const hornet_packet *packets,
                                                                   size_t count);

/* Opens count packets, many at once: valid[i] = what hornet_chacha20_poly1305_open would return for it.
 * True if all are. valid overlaps nothing. */
HORNET_API HORNET_CHECKED bool
hornet_chacha20_poly1305_open_batch(bool *valid, const hornet_packet *packets, size_t count);

/* ChaCha20 alone (RFC 8439, section 2.4), as the protection of QUIC's headers needs it: out = in xor the
 * stream from block `counter` on. IT DOES NOT AUTHENTICATE. False, and nothing written, if the counter
 * would pass 2^32 - 1. */
HORNET_API HORNET_CHECKED bool hornet_chacha20(uint8_t *out, const void *in, size_t len_bytes,
                                               uint32_t counter, const uint8_t nonce[12],
                                               const uint8_t key[32]);

/* Sets len_bytes bytes to zero, and no compiler leaves it out: for keys, pads, partial evaluations and
 * states. */
HORNET_API void hornet_wipe(void *memory, size_t len_bytes);

/* Kernels: the implementations for the instruction sets this library was built with. At first use the
 * library finds out which of them this CPU and operating system can run well; each message then goes to the
 * best for its length. All give the same tags; a state may be continued by another kernel than the one that
 * began it. */

/* The number of kernels this CPU can run, at least 1. */
HORNET_API size_t hornet_kernel_count(void);

/* The name of one of them, best first; NULL unless index < hornet_kernel_count(). A constant string. */
HORNET_API const char *hornet_kernel_at(size_t index);

/* The name of the kernel in use, which serves long messages. */
HORNET_API const char *hornet_kernel_name(void);

/* Makes every call from now on, in all threads, use the kernel of that name, and for messages too short to
 * gain from it those after it in the list; NULL goes back to the automatic choice. False, and no change, if
 * the name is unknown or this CPU cannot run the kernel. */
HORNET_API HORNET_CHECKED bool hornet_kernel_force(const char *name);

/* ChaCha20 has kernels of its own. All give the same stream; one of them serves every length. */

/* The name of one that this CPU can run, best first; NULL when there are no more. A constant string. */
HORNET_API const char *hornet_chacha20_kernel_at(size_t index);

/* The name of the one in use. */
HORNET_API const char *hornet_chacha20_kernel_name(void);

/* hornet_kernel_force for ChaCha20. Neither changes what the other has chosen. */
HORNET_API HORNET_CHECKED bool hornet_chacha20_kernel_force(const char *name);

/* For diagnosis: what the choice rests on. */

typedef struct hornet_kernel_info {
    const char *name;
    char needs[64];         /* the CPU features it needs, separated by spaces; "" if none */
    size_t lanes;           /* blocks it works on at once */
    size_t min_bytes;       /* on this CPU, shorter messages go to a kernel further down the list */
    size_t min_batch_bytes; /* the same for messages in a batch; SIZE_MAX if it takes none */
    bool supported;         /* this CPU and operating system can run it */
} hornet_kernel_info;

/* Describes kernel `index` of this build, best first, supported or not. False, and info unchanged,
 * when there are no more. */
HORNET_API HORNET_CHECKED bool hornet_kernel_info_at(size_t index, hornet_kernel_info *info);

/* Names CPU feature `index` of those this build looks for, and says whether the CPU has it and the
 * operating system saves its registers. False, and nothing written, when there are no more. */
HORNET_API HORNET_CHECKED bool hornet_cpu_feature_at(size_t index, const char **name, bool *usable);

#ifdef __cplusplus
}
#endif

#endif
