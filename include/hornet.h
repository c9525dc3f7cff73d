/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/** @file
 * Hornet: ChaCha20-Poly1305, Poly1305, ChaCha20, XChaCha20-Poly1305 and Poly1305-AES.
 *
 *     to do                                    functions                    specification
 *     encrypt and authenticate                 hornet_chacha20_poly1305_*   RFC 8439, section 2.8
 *       with random nonces of 24 bytes         hornet_xchacha20_poly1305_*  draft-irtf-cfrg-xchacha-03
 *       a message in pieces                    hornet_aead_*
 *     authenticate, one message for a key      hornet_poly1305*             RFC 8439, section 2.5
 *     authenticate, many messages for a key    hornet_poly1305_aes*         Bernstein 2005, section 2
 *     encrypt only                             hornet_chacha20              RFC 8439, section 2.4
 *
 * The following holds for all functions declared here:
 *   - Lengths are in bytes, from 0 to SIZE_MAX. A pointer to 0 bytes may be NULL; no other pointer may be
 *     NULL unless the function's description says so.
 *   - Arguments come in this order: the state; what is written; what is read, each pointer before its
 *     length; the nonce; the key; and in batches the number of messages. Messages are void pointers; keys,
 *     nonces and tags are arrays of uint8_t.
 *   - Pointers need no alignment, except pointers to the types declared here.
 *   - Inputs may overlap each other. A tag that is written may overlap any input, because all inputs are
 *     read before it is written; the batch functions and the AEAD are exceptions, as their descriptions
 *     state. A state must not overlap anything. What begins where another buffer ends does not overlap it:
 *     a tag may directly follow the text, at out + len_bytes.
 *   - Running time, branches and memory addresses depend on lengths and pointers, never on keys, message
 *     bytes or tags.
 *   - On x86-64, a call leaves nothing computed from keys, message bytes or expected tags on the stack or
 *     in vector and mask registers, except ciphertext, of which there may be copies on the stack.
 *     General-purpose registers are not cleared.
 *   - A call takes at most 9 KiB of the stack, hornet_chacha20_poly1305_seal_batch and _open_batch at most
 *     28 KiB. That is measured on x86-64, as gcc 12 and clang 19 compile the files of the library at -O2.
 *   - The library does not allocate memory, print, take locks or set errno, and every call returns. All
 *     functions may be called from any number of threads at once, but each state from one thread at a time.
 */
#ifndef HORNET_H
#define HORNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Marks functions of the library. A build may define it otherwise. */
#ifndef HORNET_API
#if defined(__GNUC__)
#define HORNET_API __attribute__((visibility("default")))
#else
#define HORNET_API
#endif
#endif

/** Marks functions whose result must not be ignored. */
#if defined(__GNUC__)
#define HORNET_CHECKED __attribute__((warn_unused_result))
#else
#define HORNET_CHECKED
#endif

/** Version of this header: major, minor and patch number. */
#define HORNET_VERSION "0.1.0"

/** Returns the version of the library in use as a constant string. A program that links the shared library
 * can compare it with HORNET_VERSION. */
HORNET_API const char *hornet_version(void);

/** One piece of a message. The pieces of an array may lie anywhere in memory and are processed in order. */
typedef struct hornet_piece {
    void *out;        /**< where the AEAD writes the result; unused where a message is only authenticated */
    const void *in;   /**< what is read */
    size_t len_bytes; /**< of in, and of out */
} hornet_piece;

/** @defgroup poly1305 Poly1305
 * @{
 *
 * Poly1305 (RFC 8439, section 2.5; Bernstein 2005, section 2) computes a 16-byte tag from a 32-byte key and
 * a message of any length. The key is r (16 bytes, which the library clamps as RFC 8439, section 2.5.1
 * specifies) followed by s (16 bytes).
 *
 * ONE KEY, ONE MESSAGE. Two tags under one key reveal r, which is enough to forge tags. Derive a fresh key
 * for every message, as ChaCha20-Poly1305 does, or use Poly1305-AES with a fresh nonce. */
#define HORNET_POLY1305_KEY_BYTES 32 /**< r and s */
#define HORNET_POLY1305_TAG_BYTES 16 /**< of a tag */

/** State of a message that is authenticated in pieces. It is opaque, owned by the caller, and may be copied
 * with memcpy; every copy holds the key and must be ended separately. hornet_poly1305_init makes a state
 * live. hornet_poly1305_final and hornet_poly1305_final_verify end it and set everything that they used of
 * it to zeros. A state of all zeros counts as ended. Using a state that was never set is undefined
 * behaviour. */
typedef struct hornet_poly1305_state {
    uint64_t opaque[112]; /**< for the library only */
} hornet_poly1305_state;

/** Writes the tag of msg[0 .. len_bytes) under key. The caller's copy of the key is not changed. */
HORNET_API void hornet_poly1305(uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32]);

/** Returns true if tag is the tag of msg[0 .. len_bytes) under key. Compares in constant time: check
 * received tags with this function, never with memcmp. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_verify(const uint8_t tag[16], const void *msg,
                                                      size_t len_bytes, const uint8_t key[32]);

/** Starts a message under key and makes state live, whatever it was before. If state was live, its message
 * is lost, and the parts of its key material that are not overwritten stay in memory: end a live state
 * first. */
HORNET_API void hornet_poly1305_init(hornet_poly1305_state *state, const uint8_t key[32]);

/** Appends msg[0 .. len_bytes) to the message. The tag depends only on the bytes, not on how they were
 * divided among calls. Does nothing if the state has ended. */
HORNET_API void hornet_poly1305_update(hornet_poly1305_state *state, const void *msg, size_t len_bytes);

/** Appends the `in` of each of count pieces, like one call of hornet_poly1305_update per piece. pieces may
 * be NULL if count is 0. Does nothing if the state has ended. */
HORNET_API void hornet_poly1305_updatev(hornet_poly1305_state *state, const hornet_piece *pieces,
                                        size_t count);

/** Writes the tag of all bytes appended so far, then ends and wipes the state. If the state had already
 * ended, writes 16 zero bytes, which authenticate nothing, and leaves it ended. */
HORNET_API void hornet_poly1305_final(hornet_poly1305_state *state, uint8_t tag[16]);

/** Returns true if tag is the tag of all bytes appended so far, then ends and wipes the state. Compares in
 * constant time. If the state had already ended, returns false whatever the tag. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_final_verify(hornet_poly1305_state *state,
                                                            const uint8_t tag[16]);

/** @} */

/** @defgroup poly1305_batch Batches of Poly1305
 * @{
 *
 * Batches: many messages at once, each in its own lane of a vector kernel. From about a dozen messages of
 * 32 to 500 bytes on, this is about twice as fast as processing them one after another. Lengths may differ
 * arbitrarily: messages of similar length share a vector, long ones get one to themselves, and the library
 * chooses the fastest order. Each array holds count elements and may be NULL if count is 0; count is 0 to
 * SIZE_MAX. */

/** Sets tags[i] to the tag of msgs[i][0 .. lens_bytes[i]) under keys[i]. tags must not overlap the
 * messages, keys, lens_bytes or the array of pointers, because some tags are written before other inputs
 * are read. */
HORNET_API void hornet_poly1305_batch(uint8_t (*tags)[16], const void *const *msgs,
                                      const size_t *lens_bytes, const uint8_t (*keys)[32], size_t count);

/** Sets valid[i] to whether tags[i] is the tag of msgs[i][0 .. lens_bytes[i]) under keys[i], and returns
 * true if all are valid. Compares each tag in constant time. valid must not overlap anything. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_verify_batch(bool *valid, const uint8_t (*tags)[16],
                                                            const void *const *msgs,
                                                            const size_t *lens_bytes,
                                                            const uint8_t (*keys)[32], size_t count);

/** @} */

/** @defgroup poly1305_aes Poly1305-AES
 * @{
 *
 * Poly1305-AES (Bernstein 2005, section 2): one key for up to 2^64 messages, each with its own nonce.
 *
 * The tag is Poly1305 under r with the pad AES_k(nonce). A key is k (16 bytes, an AES-128 key) followed by
 * r (16 bytes), the order used by the paper, libgcrypt and Nettle. In a key of hornet_poly1305, r comes
 * first.
 *
 * ONE NONCE, ONE MESSAGE. Two messages under one key and nonce reveal r. A nonce is any 16 bytes and need
 * not be secret; a counter is a good choice. Nothing is kept between calls, neither powers of r nor AES
 * round keys, so a thousand keys are as fast as one.
 *
 * r is CLAMPED if bytes 3, 7, 11 and 15 are below 16 and bytes 4, 8 and 12 are multiples of 4. The
 * functions of this section reject any other r, and those that write a tag then write zeros. That these 22
 * bits are 0 is not secret, so the time may depend on whether r is rejected. */
#define HORNET_POLY1305_AES_KEY_BYTES   32 /**< k and r */
#define HORNET_POLY1305_AES_NONCE_BYTES 16 /**< of a nonce */

/** Returns true if r is clamped. In a key of Poly1305-AES, r is at key + 16. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_r_is_clamped(const uint8_t r[16]);

/** Clamps r by clearing the 22 bits. Use it to make r from 16 random bytes. */
HORNET_API void hornet_poly1305_clamp(uint8_t r[16]);

/** Writes the tag of msg[0 .. len_bytes) under key and nonce. If r is not clamped, writes 16 zero bytes and
 * returns false. The tag of an empty message is the pad, AES_k(nonce). */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes(uint8_t tag[16], const void *msg, size_t len_bytes,
                                                   const uint8_t nonce[16], const uint8_t key[32]);

/** Returns true if r is clamped and tag is the tag of msg[0 .. len_bytes) under key and nonce. Compares in
 * constant time. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes_verify(const uint8_t tag[16], const void *msg,
                                                          size_t len_bytes, const uint8_t nonce[16],
                                                          const uint8_t key[32]);

/** Starts a message, to be continued with hornet_poly1305_update and ended with hornet_poly1305_final or
 * hornet_poly1305_final_verify. If r is not clamped, returns false and leaves an ended state. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes_init(hornet_poly1305_state *state,
                                                        const uint8_t nonce[16], const uint8_t key[32]);

/** Sets tags[i] to the tag of msgs[i][0 .. lens_bytes[i]) under keys[i] and nonces[i]. The rules of
 * hornet_poly1305_batch hold here too, and those for keys also hold for nonces. If some r is not clamped,
 * sets its tag to zeros, computes all other tags as usual, and returns false. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes_batch(uint8_t (*tags)[16], const void *const *msgs,
                                                         const size_t *lens_bytes,
                                                         const uint8_t (*nonces)[16],
                                                         const uint8_t (*keys)[32], size_t count);

/** Sets valid[i] to whether r is clamped and tags[i] is the tag of msgs[i][0 .. lens_bytes[i]) under
 * keys[i] and nonces[i]. Returns true if all are valid. Compares each tag in constant time. valid must not
 * overlap anything. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_aes_verify_batch(bool *valid, const uint8_t (*tags)[16],
                                                                const void *const *msgs,
                                                                const size_t *lens_bytes,
                                                                const uint8_t (*nonces)[16],
                                                                const uint8_t (*keys)[32], size_t count);

/** @} */

/** @defgroup poly1305_pad Poly1305 with other pads
 * @{
 *
 * "There is nothing special about AES" (section 3): the following functions take the pad from the caller,
 * who may compute it with any other cipher or function. The pad of every message must be unpredictable. */

/** Writes the tag of msg[0 .. len_bytes) under r and pad. If r is not clamped, writes 16 zero bytes and
 * returns false. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_pad(uint8_t tag[16], const void *msg, size_t len_bytes,
                                                   const uint8_t r[16], const uint8_t pad[16]);

/** Returns true if r is clamped and tag is the tag of msg[0 .. len_bytes) under r and pad. Compares in
 * constant time. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_pad_verify(const uint8_t tag[16], const void *msg,
                                                          size_t len_bytes, const uint8_t r[16],
                                                          const uint8_t pad[16]);

/** Starts a message under r and pad. Otherwise like hornet_poly1305_aes_init. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_pad_init(hornet_poly1305_state *state, const uint8_t r[16],
                                                        const uint8_t pad[16]);

/** @} */

/** @defgroup poly1305_partial Partial evaluations
 * @{
 *
 * Partial evaluations: the value of the polynomial over a segment of a message, without a pad. The values
 * of two adjacent segments combine into the value of both. So several threads can process segments in any
 * order, and a segment that changed can be replaced without reading the others (section 1: "parallelizable,
 * incremental").
 */

/** The value of a segment. Only the last segment of a message may end within a block of 16 bytes. A PARTIAL
 * EVALUATION IS SECRET: together with its segment it reveals r. It is owned by the caller and may be
 * copied; all zeros is the partial evaluation of the empty segment. */
typedef struct hornet_poly1305_partial {
    uint64_t opaque[4]; /**< for the library only */
} hornet_poly1305_partial;

/** Sets *partial to the value over msg[0 .. len_bytes). If r is not clamped, sets it to the value of the
 * empty segment and returns false. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_partial_compute(hornet_poly1305_partial *partial,
                                                               const void *msg, size_t len_bytes,
                                                               const uint8_t r[16]);

/** Sets *left to the value over left's segment followed by right's. Takes at most 2 log2(n) + 2
 * multiplications if right has n blocks. Returns false and changes nothing if r is not clamped, if left
 * ends within a block and right is not empty, or if both together have more than 2^64 - 1 bytes. left and
 * right may be the same object. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_partial_append(hornet_poly1305_partial *left,
                                                              const hornet_poly1305_partial *right,
                                                              const uint8_t r[16]);

/** Sets *whole to the value over the same message with one segment replaced. `replaced` is the value of the
 * old segment, which is followed by bytes_after bytes of the message; `replacement` is the value of a new
 * segment of the same length. Takes at most 2 log2(n) + 3 multiplications if n blocks follow the segment.
 * Returns false and changes nothing if r is not clamped, if the lengths of replaced and replacement differ,
 * if the segment begins within a block, if it ends within a block and is not the last, or if the whole is
 * shorter than the segment and bytes_after together.
 *
 * `replaced` must be the value of that segment, which is not checked. KEEP IT, OR THE OLD SEGMENT, WHERE
 * NOBODY ELSE WRITES: an attacker who stores the number `old` + `new` - `other`, modulo 2^128, in place of
 * a block `old` that is read again to compute `replaced`, and is to become the block `new`, gets a valid
 * tag for a message with the block `other`, of his choice, there. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_partial_replace(hornet_poly1305_partial *whole,
                                                               const hornet_poly1305_partial *replaced,
                                                               const hornet_poly1305_partial *replacement,
                                                               uint64_t bytes_after, const uint8_t r[16]);

/** Returns the length of the segment in bytes. */
HORNET_API uint64_t hornet_poly1305_partial_len_bytes(const hornet_poly1305_partial *partial);

/** Writes the tag of the message that *partial is the value of. ONE PAD, ONE MESSAGE: use a new pad after
 * every change. With Poly1305-AES, the pad is the tag of an empty message: hornet_poly1305_aes(pad, NULL,
 * 0, nonce, key). */
HORNET_API void hornet_poly1305_partial_tag(uint8_t tag[16], const hornet_poly1305_partial *partial,
                                            const uint8_t pad[16]);

/** Returns true if tag is the tag of the message that *partial is the value of. Compares in constant
 * time. */
HORNET_API HORNET_CHECKED bool hornet_poly1305_partial_verify(const uint8_t tag[16],
                                                              const hornet_poly1305_partial *partial,
                                                              const uint8_t pad[16]);

/** @} */

/** @defgroup aead ChaCha20-Poly1305
 * @{
 *
 * ChaCha20-Poly1305 (RFC 8439, section 2.8): encrypts a message and authenticates it together with
 * associated data. ONE NONCE, ONE MESSAGE: two messages under one key and nonce reveal both and allow
 * forgeries. Count the nonces up, or use XChaCha20-Poly1305, whose 24-byte nonces are long enough to be
 * drawn at random.
 *
 * The output must be exactly the input or overlap no input. A tag that is written must not overlap anything
 * else. If the library is compiled with -DHORNET_DEBUG, it traps when output and input overlap in another
 * way. */

#define HORNET_CHACHA20_POLY1305_KEY_BYTES    32 /**< of a key, of XChaCha20-Poly1305 too */
#define HORNET_CHACHA20_POLY1305_TAG_BYTES    16 /**< of a tag, of XChaCha20-Poly1305 too */
#define HORNET_CHACHA20_POLY1305_NONCE_BYTES  12 /**< of a nonce that is counted up */
#define HORNET_XCHACHA20_POLY1305_NONCE_BYTES 24 /**< of a nonce that may be drawn at random */

/** Maximum length of a message: 2^38 - 64 bytes. */
#define HORNET_CHACHA20_POLY1305_MAX_BYTES UINT64_C(0x3fffffffc0)

/** Writes len_bytes bytes of ciphertext and the tag. If the message is too long, writes nothing and returns
 * false. */
HORNET_API HORNET_CHECKED bool hornet_chacha20_poly1305_seal(void *ciphertext, uint8_t tag[16],
                                                             const void *msg, size_t len_bytes,
                                                             const void *aad, size_t aad_bytes,
                                                             const uint8_t nonce[12],
                                                             const uint8_t key[32]);

/** If tag is the tag of ciphertext, aad, nonce and key, writes the message and returns true. Otherwise
 * writes len_bytes zero bytes and returns false. If the ciphertext is too long, writes nothing and returns
 * false. Compares in constant time. */
HORNET_API HORNET_CHECKED bool hornet_chacha20_poly1305_open(void *msg, const void *ciphertext,
                                                             size_t len_bytes, const uint8_t tag[16],
                                                             const void *aad, size_t aad_bytes,
                                                             const uint8_t nonce[12],
                                                             const uint8_t key[32]);

/** Like hornet_chacha20_poly1305_seal, but with a nonce of 24 bytes (draft-irtf-cfrg-xchacha-03). */
HORNET_API HORNET_CHECKED bool hornet_xchacha20_poly1305_seal(void *ciphertext, uint8_t tag[16],
                                                              const void *msg, size_t len_bytes,
                                                              const void *aad, size_t aad_bytes,
                                                              const uint8_t nonce[24],
                                                              const uint8_t key[32]);
/** Like hornet_chacha20_poly1305_open, but with such a nonce. */
HORNET_API HORNET_CHECKED bool hornet_xchacha20_poly1305_open(void *msg, const void *ciphertext,
                                                              size_t len_bytes, const uint8_t tag[16],
                                                              const void *aad, size_t aad_bytes,
                                                              const uint8_t nonce[24],
                                                              const uint8_t key[32]);

/** State of a message in pieces. It is opaque, owned by the caller, and may be copied with memcpy. An init
 * function makes it live; it then takes associated data, followed by the pieces of the message. A final
 * function ends it and sets it to zeros, even if it returns false. A state of all zeros counts as ended.
 * Using a state that was never set is undefined behaviour. If the state has ended or a call is out of
 * order, the other functions do nothing and return false. */
typedef struct hornet_aead_state {
    uint64_t opaque[176]; /**< for the library only */
} hornet_aead_state;

/** Starts a message, whatever the state was before. */
HORNET_API void hornet_chacha20_poly1305_init(hornet_aead_state *state, const uint8_t nonce[12],
                                              const uint8_t key[32]);
/** Starts a message with a nonce of 24 bytes. */
HORNET_API void hornet_xchacha20_poly1305_init(hornet_aead_state *state, const uint8_t nonce[24],
                                               const uint8_t key[32]);

/** Appends associated data. Must be called before the first piece of the message. */
HORNET_API HORNET_CHECKED bool hornet_aead_aad(hornet_aead_state *state, const void *aad, size_t aad_bytes);

/** Encrypts the next piece. A state cannot both encrypt and decrypt. If the message would become too long,
 * writes nothing and returns false. */
HORNET_API HORNET_CHECKED bool hornet_aead_encrypt(hornet_aead_state *state, void *ciphertext,
                                                   const void *msg, size_t len_bytes);
/** Decrypts the next piece, as hornet_aead_encrypt encrypts it. DECRYPTED BYTES ARE NOT AUTHENTIC until
 * hornet_aead_final_verify has returned true: use none of them before that, and destroy them if it returns
 * false. */
HORNET_API HORNET_CHECKED bool hornet_aead_decrypt(hornet_aead_state *state, void *msg,
                                                   const void *ciphertext, size_t len_bytes);

/** Encrypts count pieces, each from `in` to `out`. pieces may be NULL if count is 0. If the message would
 * become too long with all of them, writes nothing and returns false. */
HORNET_API HORNET_CHECKED bool hornet_aead_encryptv(hornet_aead_state *state, const hornet_piece *pieces,
                                                    size_t count);
/** Decrypts count pieces in the same way. What hornet_aead_decrypt says of decrypted bytes holds. */
HORNET_API HORNET_CHECKED bool hornet_aead_decryptv(hornet_aead_state *state, const hornet_piece *pieces,
                                                    size_t count);

/** Ends a message that was encrypted and writes its tag. If the state is not live or has decrypted, writes
 * zeros and returns false. */
HORNET_API HORNET_CHECKED bool hornet_aead_final(hornet_aead_state *state, uint8_t tag[16]);

/** Ends a message that was decrypted. Returns true if tag is its tag; returns false if the state is not
 * live or has encrypted. Compares in constant time. */
HORNET_API HORNET_CHECKED bool hornet_aead_final_verify(hornet_aead_state *state, const uint8_t tag[16]);

/** Like hornet_aead_final_verify, for a protocol that truncates tags: compares only the first tag_bytes
 * bytes, 1 to 16, and returns false for any other number. A forgery succeeds with probability 2^(-8
 * tag_bytes) or more. */
HORNET_API HORNET_CHECKED bool hornet_aead_final_verify_truncated(hornet_aead_state *state,
                                                                  const uint8_t *tag, size_t tag_bytes);

/** One of many packets: the arguments of hornet_chacha20_poly1305_seal or _open. */
typedef struct hornet_packet {
    void *out;            /**< the ciphertext, or the message that is opened */
    const void *in;       /**< the message, or the ciphertext that is opened */
    size_t len_bytes;     /**< of in, and of out */
    const void *aad;      /**< associated data */
    size_t aad_bytes;     /**< of aad */
    const uint8_t *nonce; /**< 12 bytes */
    const uint8_t *key;   /**< 32 bytes */
    uint8_t *tag;         /**< 16 bytes: written by _seal_batch, read by _open_batch */
} hornet_packet;

/** Seals count packets, several at once. What is written for one packet must not overlap anything of
 * another. If a packet is too long, writes nothing for it, seals all others and returns false. */
HORNET_API HORNET_CHECKED bool hornet_chacha20_poly1305_seal_batch(const hornet_packet *packets,
                                                                   size_t count);

/** Opens count packets, several at once, and sets valid[i] to what hornet_chacha20_poly1305_open would
 * return for packets[i]. Returns true if all are valid. valid must not overlap anything. The overlap rule
 * of hornet_chacha20_poly1305_seal_batch holds. */
HORNET_API HORNET_CHECKED bool
hornet_chacha20_poly1305_open_batch(bool *valid, const hornet_packet *packets, size_t count);

/** @} */

/** ChaCha20 alone (RFC 8439, section 2.4), for instance for QUIC header protection: sets out to in xor the
 * keystream from block `counter` on. IT DOES NOT AUTHENTICATE. If the counter would exceed 2^32 - 1, writes
 * nothing and returns false. */
HORNET_API HORNET_CHECKED bool hornet_chacha20(void *out, const void *in, size_t len_bytes,
                                               uint32_t counter, const uint8_t nonce[12],
                                               const uint8_t key[32]);

/** Returns true if the len_bytes bytes at a and b are equal. The time depends only on len_bytes. The verify
 * functions already compare so; this one is for other secrets, such as keys. */
HORNET_API HORNET_CHECKED bool hornet_equal(const void *a, const void *b, size_t len_bytes);

/** Sets len_bytes bytes to zero in a way that no compiler removes. Use it for keys, pads, partial
 * evaluations and states. */
HORNET_API void hornet_wipe(void *memory, size_t len_bytes);

/** @defgroup kernels Kernels
 * @{
 *
 * Kernels are the implementations of a primitive for the instruction sets that this library was built with.
 * At first use, the library detects which of them this CPU and operating system run well; after that, each
 * message goes to the best one for its length. All kernels of a primitive give the same results, and a
 * state begun by one may be continued by another. Programs need them only for reports and tests. */

/** What a kernel implements. */
typedef enum hornet_primitive {
    HORNET_POLY1305, /**< Poly1305 */
    HORNET_CHACHA20, /**< ChaCha20 */
    HORNET_AES128    /**< for Poly1305-AES; no kernel uses lookup tables */
} hornet_primitive;

/** A kernel, as hornet_kernel_at describes it. */
typedef struct hornet_kernel {
    const char *name;       /**< constant */
    char required[64];      /**< CPU features it requires, separated by spaces; "" if none */
    size_t lanes;           /**< blocks processed at once */
    size_t min_bytes;       /**< on this CPU, shorter messages go to a kernel further down the list */
    size_t min_batch_bytes; /**< the same for the messages of a batch; SIZE_MAX if it takes no batches */
    bool supported;         /**< this CPU and operating system can run it */
} hornet_kernel;

/** Describes kernel `index` of a primitive, best first, whether supported or not. If there are no more,
 * leaves *kernel unchanged and returns false. So this lists all kernels of this build:
 *
 *     hornet_kernel kernel;
 *     for (size_t i = 0; hornet_kernel_at(&kernel, HORNET_POLY1305, i); i++)
 *         puts(kernel.name); */
HORNET_API HORNET_CHECKED bool hornet_kernel_at(hornet_kernel *kernel, hornet_primitive primitive,
                                                size_t index);

/** Returns the name of the kernel in use for long messages, as a constant string; NULL if there is no such
 * primitive. */
HORNET_API const char *hornet_kernel_in_use(hornet_primitive primitive);

/** Makes all later calls, in all threads, use the kernel of this primitive with this name; messages too
 * short to gain from it use the kernels after it in the list. NULL restores the automatic choice. If the
 * name is unknown or this CPU cannot run the kernel, changes nothing and returns false. */
HORNET_API HORNET_CHECKED bool hornet_kernel_force(hornet_primitive primitive, const char *name);

/** A feature of a CPU, as hornet_cpu_feature_at describes it. */
typedef struct hornet_cpu_feature {
    const char *name; /**< constant */
    bool usable;      /**< the CPU has it, and the operating system saves its registers */
} hornet_cpu_feature;

/** Describes CPU feature `index` of those that this build looks for. If there are no more, leaves *feature
 * unchanged and returns false. */
HORNET_API HORNET_CHECKED bool hornet_cpu_feature_at(hornet_cpu_feature *feature, size_t index);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
