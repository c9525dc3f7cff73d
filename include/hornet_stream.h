/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/** @file
 * Long texts in chunks, each of which is released only after its own tag was verified: the payload of age
 * v1 files (c2sp.org/age, "Payload"), which is STREAM (Hoang, Reyhanitabar, Rogaway and Vizár 2015) with
 * ChaCha20-Poly1305.
 *
 * What hornet.h says of all functions holds for these. */
#ifndef HORNET_STREAM_H
#define HORNET_STREAM_H

#include "hornet.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup stream Long texts in chunks
 * @{
 *
 * A text is cut into chunks of 65536 bytes, of which the last may be shorter; an empty text is one chunk of
 * 0 bytes. Each is sealed by ChaCha20-Poly1305 without associated data, and followed by its tag. The nonce
 * is the number of the chunk, from 0 on, in 11 bytes, big-endian, and a byte that is 1 for the last chunk,
 * else 0. So chunks that are changed, moved, repeated or left out are not authentic, nor is a text that
 * ends early, nor one that goes on.
 *
 * ONE KEY, ONE TEXT: never seal two under one key, nor a chunk of a text again after it changed. age
 * derives the key of a file from a random key and a random nonce of 16 bytes.
 *
 * Nothing is kept between calls: chunks may be sealed and opened in any order, by any number of threads. A
 * caller who opens only some chunks knows of each that it belongs to the text, and where; HOW LONG THE TEXT
 * IS, ONLY THE LAST CHUNK SHOWS. */

#define HORNET_STREAM_KEY_BYTES          32    /**< of a key */
#define HORNET_STREAM_CHUNK_BYTES        65536 /**< of each chunk but the last, which may have fewer */
#define HORNET_STREAM_SEALED_CHUNK_BYTES 65552 /**< of such a chunk and its tag */

/** Sets *sealed_bytes to the length of a sealed text of text_bytes bytes. Returns false and sets it to 0 if
 * that is above 2^64 - 1. */
HORNET_CHECKED bool hornet_stream_sealed_bytes(uint64_t *sealed_bytes, uint64_t text_bytes);

/** Sets *text_bytes to the length of the text that is sealed in sealed_bytes bytes. Returns false and sets
 * it to 0 if no text is: if the last chunk would have no tag, or be empty though it is not the only one. */
HORNET_CHECKED bool hornet_stream_text_bytes(uint64_t *text_bytes, uint64_t sealed_bytes);

/** Seals consecutive chunks, the first of which has the number `first`: writes each chunk of
 * text[0 .. len_bytes) and its tag. If `last`, the text ends with them; otherwise len_bytes must be a
 * multiple of 65536. Returns false and writes nothing if it is not, if there is no chunk (of 0 bytes, only
 * the last one with the number 0 is one), or if a number would exceed 2^64 - 1. A single chunk may be
 * sealed where it is, with sealed == text; otherwise the two must not overlap. */
HORNET_CHECKED bool hornet_stream_seal(void *sealed, const void *text, size_t len_bytes, uint64_t first,
                                       bool last, const uint8_t key[32]);

/** Opens consecutive chunks, the first of which has the number `first`, with their tags:
 * sealed[0 .. sealed_bytes). If `last`, the last of them must be the end of the text. If all are authentic,
 * writes the text, 16 bytes less for each chunk, and returns true. Otherwise writes as many zero bytes, and
 * if no chunks can have this length and number, nothing; sets *failed to the number of the first chunk that
 * is not authentic, which in the latter case is `first`; and returns false. failed may be NULL. A single
 * chunk may be opened where it is, with text == sealed; otherwise the two must not overlap. */
HORNET_CHECKED bool hornet_stream_open(void *text, uint64_t *failed, const void *sealed,
                                       size_t sealed_bytes, uint64_t first, bool last,
                                       const uint8_t key[32]);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
