/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/** @file
 * Hornet: ChaCha20-Poly1305, XChaCha20-Poly1305, ChaCha20 and Poly1305.
 *
 *     to do                                    functions                    specification
 *     encrypt and authenticate                 hornet_chacha20_poly1305_*   RFC 8439, section 2.8
 *       with random nonces of 24 bytes         hornet_xchacha20_poly1305_*  draft-irtf-cfrg-xchacha-03
 *       a message in pieces                    hornet_aead_*
 *       a long text in chunks                  hornet_stream.h              c2sp.org/age, "Payload"
 *     authenticate, one message for a key      hornet_poly1305*             RFC 8439, section 2.5
 *     encrypt only                             hornet_chacha20              RFC 8439, section 2.4
 *     protect headers of QUIC's packets        hornet_chacha20_header_masks RFC 9001, section 5.4.4
 *     authenticate, many messages for a key    hornet_poly1305_aes.h        Bernstein 2005, section 2
 *     encrypt packets of SSH                   hornet_ssh.h                 chacha20-poly1305@openssh.com
 *     list kernels, for reports and tests      hornet_kernels.h
 *
 * The following holds for all functions of these headers:
 *   - Lengths are in bytes, from 0 to SIZE_MAX. A pointer to 0 bytes, or to an array of `count` elements if
 *     count is 0, may be NULL; no other pointer may be NULL unless the function's description says so.
 *   - Arguments come in this order: the state; what is written; what is read, each pointer before its
 *     length; the nonce; the key; and in batches the number of messages. Messages are void pointers; keys,
 *     nonces and tags are arrays of uint8_t.
 *   - Pointers need no alignment, except pointers to the types declared here.
 *   - Inputs may overlap each other. A tag that is written may overlap any input, because all inputs are
 *     read before it is written; the batch functions and the AEAD are exceptions, as their descriptions
 *     state. A state must not overlap anything. What begins where another buffer ends does not overlap it:
 *     a tag may directly follow the text, at out + len_bytes.
 *   - Tags are compared in constant time: check received ones with these functions, never with memcmp.
 *   - A state is opaque and owned by the caller. An init function makes it live, whatever it was before; if
 *     it was live, parts of its key material stay in memory: end it first. A final function ends it and
 *     sets all that was used of it to zeros, even if it returns false. It may be copied with memcpy; every
 *     copy holds the key and must be ended separately. A state of all zeros counts as ended. Using one that
 *     was never set is undefined behaviour.
 *   - Running time, branches and memory addresses depend on lengths and pointers, never on keys, message
 *     bytes or tags.
 *   - On x86-64, a call leaves nothing computed from keys, message bytes or expected tags on the stack,
 *     but perhaps ciphertext, nor in vector and mask registers; the others are not cleared.
 *   - A call takes at most 9 KiB of the stack, batches of packets at most 28 KiB. That is measured on
 *     x86-64, as gcc 12 and clang 19 compile the files of the library at -O2.
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

/** Version of this header: major, minor and patch number. */
#define HORNET_VERSION "0.1.0"

/** Marks functions of the library. A build may define it otherwise. */
#if !defined(HORNET_API) && defined(__GNUC__)
#define HORNET_API __attribute__((visibility("default")))
#elif !defined(HORNET_API)
#define HORNET_API
#endif

/** Marks those whose result must not be ignored. */
#if defined(__GNUC__)
#define HORNET_CHECKED HORNET_API __attribute__((warn_unused_result))
#else
#define HORNET_CHECKED HORNET_API
#endif

/** Returns the version of the library in use, a constant string, to compare with HORNET_VERSION. */
HORNET_API const char *hornet_version(void);

/** One piece of a message. The pieces of an array may lie anywhere in memory and are processed in order. */
typedef struct hornet_piece {
    void *out;        /**< where the AEAD writes the result; unused where a message is only authenticated */
    const void *in;   /**< what is read */
    size_t len_bytes; /**< of in, and of out */
} hornet_piece;

/** @defgroup aead ChaCha20-Poly1305 and ChaCha20
 * @{
 * ChaCha20-Poly1305 (RFC 8439, section 2.8): encrypts a message and authenticates it together with
 * associated data. ONE NONCE, ONE MESSAGE: two messages under one key and nonce reveal both and allow
 * forgeries. Count the nonces up, or use XChaCha20-Poly1305, whose 24-byte nonces are long enough to be
 * drawn at random.
 *
 * The output must be exactly the input or overlap no input; a library that is compiled with -DHORNET_DEBUG
 * traps otherwise. A tag that is written must not overlap anything else. If a message is too long, or would
 * become so with the next pieces, the functions write nothing and return false. */

#define HORNET_CHACHA20_POLY1305_KEY_BYTES    32 /**< of a key, of XChaCha20-Poly1305 too */
#define HORNET_CHACHA20_POLY1305_TAG_BYTES    16 /**< of a tag, of XChaCha20-Poly1305 too */
#define HORNET_CHACHA20_POLY1305_NONCE_BYTES  12 /**< of a nonce that is counted up */
#define HORNET_XCHACHA20_POLY1305_NONCE_BYTES 24 /**< of a nonce that may be drawn at random */
#define HORNET_CHACHA20_POLY1305_MAX_BYTES    UINT64_C(0x3fffffffc0) /**< of a message: 2^38 - 64 */

/** Writes len_bytes bytes of ciphertext and the tag. */
HORNET_CHECKED bool hornet_chacha20_poly1305_seal(void *ciphertext, uint8_t tag[16], const void *msg,
                                                  size_t len_bytes, const void *aad, size_t aad_bytes,
                                                  const uint8_t nonce[12], const uint8_t key[32]);
/** If tag is the tag of ciphertext, aad, nonce and key, writes the message and returns true. Otherwise
 * writes len_bytes zero bytes and returns false. */
HORNET_CHECKED bool hornet_chacha20_poly1305_open(void *msg, const void *ciphertext, size_t len_bytes,
                                                  const uint8_t tag[16], const void *aad, size_t aad_bytes,
                                                  const uint8_t nonce[12], const uint8_t key[32]);
/** Like hornet_chacha20_poly1305_seal, but with a nonce of 24 bytes (draft-irtf-cfrg-xchacha-03). */
HORNET_CHECKED bool hornet_xchacha20_poly1305_seal(void *ciphertext, uint8_t tag[16], const void *msg,
                                                   size_t len_bytes, const void *aad, size_t aad_bytes,
                                                   const uint8_t nonce[24], const uint8_t key[32]);
/** Like hornet_chacha20_poly1305_open, but with such a nonce. */
HORNET_CHECKED bool hornet_xchacha20_poly1305_open(void *msg, const void *ciphertext, size_t len_bytes,
                                                   const uint8_t tag[16], const void *aad, size_t aad_bytes,
                                                   const uint8_t nonce[24], const uint8_t key[32]);

/** State of a message in pieces: first associated data, then the pieces of the message, all of which are
 * either encrypted or decrypted. A call that is out of order, or has a state that has ended, returns false,
 * and does nothing but end the state if it is a final one. */
typedef struct hornet_aead_state {
    uint64_t opaque[176]; /**< for the library only */
} hornet_aead_state;

/** Starts a message. */
HORNET_API void hornet_chacha20_poly1305_init(hornet_aead_state *state, const uint8_t nonce[12],
                                              const uint8_t key[32]);
/** Starts a message with a nonce of 24 bytes. */
HORNET_API void hornet_xchacha20_poly1305_init(hornet_aead_state *state, const uint8_t nonce[24],
                                               const uint8_t key[32]);
/** Appends associated data, before the first piece of the message. */
HORNET_CHECKED bool hornet_aead_aad(hornet_aead_state *state, const void *aad, size_t aad_bytes);
/** Encrypts the next piece. */
HORNET_CHECKED bool hornet_aead_encrypt(hornet_aead_state *state, void *ciphertext, const void *msg,
                                        size_t len_bytes);
/** Decrypts the next piece, as hornet_aead_encrypt encrypts it. DECRYPTED BYTES ARE NOT AUTHENTIC until
 * hornet_aead_final_verify has returned true: use none before, and destroy them if it returns false. */
HORNET_CHECKED bool hornet_aead_decrypt(hornet_aead_state *state, void *msg, const void *ciphertext,
                                        size_t len_bytes);
/** Encrypts count pieces, each from `in` to `out`. */
HORNET_CHECKED bool hornet_aead_encryptv(hornet_aead_state *state, const hornet_piece *pieces,
                                         size_t count);
/** Decrypts count pieces in the same way. What hornet_aead_decrypt says of decrypted bytes holds. */
HORNET_CHECKED bool hornet_aead_decryptv(hornet_aead_state *state, const hornet_piece *pieces,
                                         size_t count);
/** Ends a message that was encrypted and writes its tag; where it returns false, zeros. */
HORNET_CHECKED bool hornet_aead_final(hornet_aead_state *state, uint8_t tag[16]);
/** Ends a message that was decrypted. Returns true if tag is its tag. */
HORNET_CHECKED bool hornet_aead_final_verify(hornet_aead_state *state, const uint8_t tag[16]);
/** Like hornet_aead_final_verify, for a protocol that truncates tags: compares only the first tag_bytes
 * bytes, 1 to 16, and returns false for any other number. A forgery succeeds with probability 2^(-8
 * tag_bytes) or more. */
HORNET_CHECKED bool hornet_aead_final_verify_truncated(hornet_aead_state *state, const uint8_t *tag,
                                                       size_t tag_bytes);

/** One of many packets: the arguments of hornet_chacha20_poly1305_seal or _open. */
typedef struct hornet_packet {
    void *out;            /**< the ciphertext, or the message that is opened */
    const void *in;       /**< the message, or the ciphertext that is opened */
    size_t len_bytes;     /**< of in, and of out */
    const void *aad;      /**< associated data */
    size_t aad_bytes;     /**< of aad */
    const uint8_t *nonce; /**< 12 bytes; 24 for the batches of XChaCha20-Poly1305 */
    const uint8_t *key;   /**< 32 bytes */
    uint8_t *tag;         /**< 16 bytes: written by _seal_batch, read by _open_batch */
} hornet_packet;

/** Seals count packets, several at once. What is written for one packet must not overlap anything of
 * another. If a packet is too long, writes nothing for it, seals all others and returns false. */
HORNET_CHECKED bool hornet_chacha20_poly1305_seal_batch(const hornet_packet *packets, size_t count);
/** Opens count packets, by the same rule, and sets valid[i], which must not overlap anything, to what
 * hornet_chacha20_poly1305_open would return for packets[i]. Returns true if all are valid. */
HORNET_CHECKED bool hornet_chacha20_poly1305_open_batch(bool *valid, const hornet_packet *packets,
                                                        size_t count);
/** Seals count packets like hornet_chacha20_poly1305_seal_batch, but with nonces of 24 bytes. */
HORNET_CHECKED bool hornet_xchacha20_poly1305_seal_batch(const hornet_packet *packets, size_t count);
/** Opens count packets like hornet_chacha20_poly1305_open_batch, but with such nonces. */
HORNET_CHECKED bool hornet_xchacha20_poly1305_open_batch(bool *valid, const hornet_packet *packets,
                                                         size_t count);

/** ChaCha20 alone (RFC 8439, section 2.4): sets out to in xor the keystream from block `counter` on. IT
 * DOES NOT AUTHENTICATE. If the counter would exceed 2^32 - 1, writes nothing and returns false. */
HORNET_CHECKED bool hornet_chacha20(void *out, const void *in, size_t len_bytes, uint32_t counter,
                                    const uint8_t nonce[12], const uint8_t key[32]);
/** HChaCha20 (draft-irtf-cfrg-xchacha-03, section 2.2). ChaCha20 with the subkey of the first 16 bytes of a
 * nonce of 24, and with 4 zero bytes before the last 8, is XChaCha20. subkey may overlap the inputs. */
HORNET_API void hornet_hchacha20(uint8_t subkey[32], const uint8_t nonce[16], const uint8_t key[32]);
/** QUIC's header protection: sets masks[i] to the mask of samples[i], of 16 bytes, for count samples under
 * one key, several at once. masks must not overlap anything else. */
HORNET_API void hornet_chacha20_header_masks(uint8_t (*masks)[5], const uint8_t *const *samples,
                                             const uint8_t key[32], size_t count);

/** @} */

/** @defgroup poly1305 Poly1305
 * @{
 * Poly1305 (RFC 8439, section 2.5; Bernstein 2005, section 2) computes a 16-byte tag from a 32-byte key and
 * a message of any length. The key is r (16 bytes, which the library clamps as RFC 8439, section 2.5.1
 * specifies) followed by s (16 bytes).
 *
 * ONE KEY, ONE MESSAGE. Two tags under one key reveal r, which is enough to forge tags. Derive a fresh key
 * for every message, as ChaCha20-Poly1305 does, or use Poly1305-AES with a fresh nonce. */

#define HORNET_POLY1305_KEY_BYTES 32 /**< r and s */
#define HORNET_POLY1305_TAG_BYTES 16 /**< of a tag */

/** State of a message that is authenticated in pieces. */
typedef struct hornet_poly1305_state {
    uint64_t opaque[112]; /**< for the library only */
} hornet_poly1305_state;

/** Writes the tag of msg[0 .. len_bytes) under key. The caller's copy of the key is not changed. */
HORNET_API void hornet_poly1305(uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32]);
/** Returns true if tag is the tag of msg[0 .. len_bytes) under key. */
HORNET_CHECKED bool hornet_poly1305_verify(const uint8_t tag[16], const void *msg, size_t len_bytes,
                                           const uint8_t key[32]);
/** Starts a message under key. */
HORNET_API void hornet_poly1305_init(hornet_poly1305_state *state, const uint8_t key[32]);
/** Appends msg[0 .. len_bytes); how it is divided does not matter. Does nothing if the state has ended. */
HORNET_API void hornet_poly1305_update(hornet_poly1305_state *state, const void *msg, size_t len_bytes);
/** Appends the `in` of each of count pieces, like one call of hornet_poly1305_update per piece. */
HORNET_API void hornet_poly1305_updatev(hornet_poly1305_state *state, const hornet_piece *pieces,
                                        size_t count);
/** Writes the tag of all bytes appended so far, and ends the state. If it had ended, writes 16 zeros. */
HORNET_API void hornet_poly1305_final(hornet_poly1305_state *state, uint8_t tag[16]);
/** Returns true if tag is that of all bytes appended so far, and ends the state; false if it had ended. */
HORNET_CHECKED bool hornet_poly1305_final_verify(hornet_poly1305_state *state, const uint8_t tag[16]);

/** Sets tags[i] to the tag of msgs[i][0 .. lens_bytes[i]) under keys[i], for count messages, 0 to SIZE_MAX,
 * each in its own lane of a vector kernel: from about a dozen messages of 32 to 500 bytes on, this is about
 * twice as fast as one after another. Lengths may differ arbitrarily. tags must not overlap any input or
 * its addresses, because some tags are written before other inputs are read. */
HORNET_API void hornet_poly1305_batch(uint8_t (*tags)[16], const void *const *msgs,
                                      const size_t *lens_bytes, const uint8_t (*keys)[32], size_t count);
/** Sets valid[i] to whether tags[i] is the tag of msgs[i][0 .. lens_bytes[i]) under keys[i], and returns
 * true if all are valid. valid must not overlap anything. */
HORNET_CHECKED bool hornet_poly1305_verify_batch(bool *valid, const uint8_t (*tags)[16],
                                                 const void *const *msgs, const size_t *lens_bytes,
                                                 const uint8_t (*keys)[32], size_t count);

/** @} */

/** Returns true if len_bytes bytes at a and b are equal, in a time that depends only on len_bytes. */
HORNET_CHECKED bool hornet_equal(const void *a, const void *b, size_t len_bytes);
/** Zeroes len_bytes bytes in a way that no compiler removes: keys, pads, partial evaluations, states. */
HORNET_API void hornet_wipe(void *memory, size_t len_bytes);

#ifdef __cplusplus
}
#endif

#endif
