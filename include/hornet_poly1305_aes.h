/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/** @file
 * Poly1305 for many messages under one key: Poly1305-AES, Poly1305 with other pads, and partial
 * evaluations.
 *
 *     to do                                             functions
 *     authenticate messages, each with a nonce          hornet_poly1305_aes*
 *     the same with another cipher than AES             hornet_poly1305_pad*
 *     authenticate segments apart, or replace one       hornet_poly1305_partial_*
 *
 * What hornet.h says of all functions holds for these. */
#ifndef HORNET_POLY1305_AES_H
#define HORNET_POLY1305_AES_H

#include "hornet.h"

#ifdef __cplusplus
extern "C" {
#endif

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
HORNET_CHECKED bool hornet_poly1305_r_is_clamped(const uint8_t r[16]);

/** Clamps r by clearing the 22 bits. Use it to make r from 16 random bytes. */
HORNET_API void hornet_poly1305_clamp(uint8_t r[16]);

/** Writes the tag of msg[0 .. len_bytes) under key and nonce. If r is not clamped, writes 16 zero bytes and
 * returns false. The tag of an empty message is the pad, AES_k(nonce). */
HORNET_CHECKED bool hornet_poly1305_aes(uint8_t tag[16], const void *msg, size_t len_bytes,
                                        const uint8_t nonce[16], const uint8_t key[32]);

/** Returns true if r is clamped and tag is the tag of msg[0 .. len_bytes) under key and nonce. */
HORNET_CHECKED bool hornet_poly1305_aes_verify(const uint8_t tag[16], const void *msg, size_t len_bytes,
                                               const uint8_t nonce[16], const uint8_t key[32]);

/** Starts a message, to be continued with hornet_poly1305_update and ended with hornet_poly1305_final or
 * hornet_poly1305_final_verify. If r is not clamped, returns false and leaves an ended state. */
HORNET_CHECKED bool hornet_poly1305_aes_init(hornet_poly1305_state *state, const uint8_t nonce[16],
                                             const uint8_t key[32]);

/** Sets tags[i] to the tag of msgs[i][0 .. lens_bytes[i]) under keys[i] and nonces[i]. The rules of
 * hornet_poly1305_batch hold here too, and those for keys also hold for nonces. If some r is not clamped,
 * sets its tag to zeros, computes all other tags as usual, and returns false. */
HORNET_CHECKED bool hornet_poly1305_aes_batch(uint8_t (*tags)[16], const void *const *msgs,
                                              const size_t *lens_bytes, const uint8_t (*nonces)[16],
                                              const uint8_t (*keys)[32], size_t count);

/** Sets valid[i] to whether r is clamped and tags[i] is the tag of msgs[i][0 .. lens_bytes[i]) under
 * keys[i] and nonces[i]. Returns true if all are valid. valid must not overlap anything. */
HORNET_CHECKED bool hornet_poly1305_aes_verify_batch(bool *valid, const uint8_t (*tags)[16],
                                                     const void *const *msgs, const size_t *lens_bytes,
                                                     const uint8_t (*nonces)[16], const uint8_t (*keys)[32],
                                                     size_t count);

/** @} */

/** @defgroup poly1305_pad Poly1305 with other pads
 * @{
 *
 * "There is nothing special about AES" (section 3): the following functions take the pad from the caller,
 * who may compute it with any other cipher or function. The pad of every message must be unpredictable. */

/** Writes the tag of msg[0 .. len_bytes) under r and pad. If r is not clamped, writes 16 zero bytes and
 * returns false. */
HORNET_CHECKED bool hornet_poly1305_pad(uint8_t tag[16], const void *msg, size_t len_bytes,
                                        const uint8_t r[16], const uint8_t pad[16]);

/** Returns true if r is clamped and tag is the tag of msg[0 .. len_bytes) under r and pad. */
HORNET_CHECKED bool hornet_poly1305_pad_verify(const uint8_t tag[16], const void *msg, size_t len_bytes,
                                               const uint8_t r[16], const uint8_t pad[16]);

/** Starts a message under r and pad. Otherwise like hornet_poly1305_aes_init. */
HORNET_CHECKED bool hornet_poly1305_pad_init(hornet_poly1305_state *state, const uint8_t r[16],
                                             const uint8_t pad[16]);

/** @} */

/** @defgroup poly1305_partial Partial evaluations
 * @{
 *
 * Partial evaluations: the value of the polynomial over a segment of a message, without a pad. The values
 * of two adjacent segments combine into the value of both. So several threads can process segments in any
 * order, and a segment that changed can be replaced without reading the others (section 1: "parallelizable,
 * incremental"). Zeros, such as the holes of a file, need not be read at all.
 *
 *     to do                                  functions
 *     read a segment, or all at once         compute, segments
 *     read nothing, for zeros                zeros
 *     combine adjacent segments              append, join
 *     exchange a segment                     replace, which assumes where the old value comes from
 *     tag or verify the whole                tag, verify
 */

/** The value of a segment. Only the last segment of a message may end within a block of 16 bytes. A PARTIAL
 * EVALUATION IS SECRET: together with its segment it reveals r. It is owned by the caller and may be
 * copied; all zeros is the partial evaluation of the empty segment. */
typedef struct hornet_poly1305_partial {
    uint64_t opaque[4]; /**< for the library only */
} hornet_poly1305_partial;

/** Sets *partial to the value over msg[0 .. len_bytes). If r is not clamped, sets it to the value of the
 * empty segment and returns false. */
HORNET_CHECKED bool hornet_poly1305_partial_compute(hornet_poly1305_partial *partial, const void *msg,
                                                    size_t len_bytes, const uint8_t r[16]);

/** Sets *partial to the value over len_bytes zeros, of any length up to 2^64 - 1, without reading any:
 * takes at most 3 log2(n) + 5 multiplications for n blocks. If r is not clamped, sets it to the value of
 * the empty segment and returns false. */
HORNET_CHECKED bool hornet_poly1305_partial_zeros(hornet_poly1305_partial *partial, uint64_t len_bytes,
                                                  const uint8_t r[16]);

/** Cuts msg[0 .. len_bytes) into segments of segment_bytes, a positive multiple of 16, of which the last
 * may be shorter, and sets partials[i] to the value over segment i: ceil(len_bytes / segment_bytes) of
 * them. If r is not clamped, sets them to the value of the empty segment and returns false. If
 * segment_bytes is not a positive multiple of 16, writes nothing and returns false. partials must not
 * overlap msg. Each segment raises r to powers of its own, which takes less than a hundredth of the time
 * with segments of 1 MiB, and up to 0.8 times as long again with 4 KiB. */
HORNET_CHECKED bool hornet_poly1305_partial_segments(hornet_poly1305_partial *partials,
                                                     size_t segment_bytes, const void *msg,
                                                     size_t len_bytes, const uint8_t r[16]);

/** Sets *left to the value over left's segment followed by right's. Takes at most 2 log2(n) + 2
 * multiplications if right has n blocks. Returns false and changes nothing if r is not clamped, if left
 * ends within a block and right is not empty, or if both together have more than 2^64 - 1 bytes. left and
 * right may be the same object. */
HORNET_CHECKED bool hornet_poly1305_partial_append(hornet_poly1305_partial *left,
                                                   const hornet_poly1305_partial *right,
                                                   const uint8_t r[16]);

/** Sets *left to the value over left's segment followed by segments[0 .. count) in order, as if each were
 * appended: takes one multiplication a segment, and 2 log2(n) + 1 more for each that has another number n
 * of blocks than the one before it. Returns false and changes nothing if r is not clamped, if anything but
 * empty segments follows one that ends within a block, or if all together have more than 2^64 - 1 bytes.
 * left may be one of the segments. */
HORNET_CHECKED bool hornet_poly1305_partial_join(hornet_poly1305_partial *left,
                                                 const hornet_poly1305_partial *segments, size_t count,
                                                 const uint8_t r[16]);

/** Sets *whole to the value over the same message with one segment replaced. `replaced` is the value of the
 * old segment, which is followed by bytes_after bytes of the message; `replacement` is the value of a new
 * segment of the same length. Takes at most 2 log2(n) + 3 multiplications if n blocks follow the segment.
 * Returns false and changes nothing if r is not clamped, if the lengths of replaced and replacement differ,
 * if the segment begins within a block, if it ends within a block and is not the last, or if the whole is
 * shorter than the segment and bytes_after together. The arguments may be the same object.
 *
 * `replaced` must be the value of that segment when the message was tagged, which is not checked. KEEP IT,
 * OR THE OLD SEGMENT, WHERE NOBODY ELSE WRITES, or sealed (hornet_chacha20_poly1305_seal) and bound to the
 * message's last tag and the segment's place. NEVER COMPUTE IT FROM THE STORAGE THAT THE TAG PROTECTS: an
 * attacker who stores the number `old` + `new` - `other`, modulo 2^128, in place of a block `old` that is
 * read again to compute `replaced`, and is to become the block `new`, gets a valid tag for a message with
 * the block `other`, of his choice, there. The same holds for what *whole was before. */
HORNET_CHECKED bool hornet_poly1305_partial_replace(hornet_poly1305_partial *whole,
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

/** Returns true if tag is the tag of the message that *partial is the value of. */
HORNET_CHECKED bool hornet_poly1305_partial_verify(const uint8_t tag[16],
                                                   const hornet_poly1305_partial *partial,
                                                   const uint8_t pad[16]);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
