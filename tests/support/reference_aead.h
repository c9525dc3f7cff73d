/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20, HChaCha20 and ChaCha20-Poly1305 as written in RFC 8439 and draft-irtf-cfrg-xchacha-03, and
 * SSH's packets as in draft-ietf-sshm-chacha20-poly1305-04, one block and one word at a time; Poly1305 by
 * its definition in GMP. Shares no code with the library. */
#ifndef HORNET_TESTS_REFERENCE_AEAD_H
#define HORNET_TESTS_REFERENCE_AEAD_H

#include <stdlib.h>
#include <string.h>

#include "reference.h"

static inline uint32_t reference_load32(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline void reference_store32(uint8_t *bytes, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
}

/* RFC 8439, section 2.1. */
static inline void reference_quarter_round(uint32_t x[16], int a, int b, int c, int d)
{
    x[a] += x[b], x[d] ^= x[a], x[d] = x[d] << 16 | x[d] >> 16;
    x[c] += x[d], x[b] ^= x[c], x[b] = x[b] << 12 | x[b] >> 20;
    x[a] += x[b], x[d] ^= x[a], x[d] = x[d] << 8 | x[d] >> 24;
    x[c] += x[d], x[b] ^= x[c], x[b] = x[b] << 7 | x[b] >> 25;
}

/* The state before and after the rounds: section 2.3. */
static inline void reference_rounds(uint32_t begin[16], uint32_t x[16], const uint8_t key[32],
                                    uint32_t word12, const uint8_t last[12])
{
    static const uint8_t constants[] = "expand 32-byte k";
    for (int i = 0; i < 4; i++)
        begin[i] = reference_load32(constants + 4 * i);
    for (int i = 0; i < 8; i++)
        begin[4 + i] = reference_load32(key + 4 * i);
    begin[12] = word12;
    for (int i = 0; i < 3; i++)
        begin[13 + i] = reference_load32(last + 4 * i);
    memcpy(x, begin, 64);
    for (int i = 0; i < 10; i++) {
        reference_quarter_round(x, 0, 4, 8, 12);
        reference_quarter_round(x, 1, 5, 9, 13);
        reference_quarter_round(x, 2, 6, 10, 14);
        reference_quarter_round(x, 3, 7, 11, 15);
        reference_quarter_round(x, 0, 5, 10, 15);
        reference_quarter_round(x, 1, 6, 11, 12);
        reference_quarter_round(x, 2, 7, 8, 13);
        reference_quarter_round(x, 3, 4, 9, 14);
    }
}

static inline void reference_chacha20_block(uint8_t block[64], const uint8_t key[32], uint32_t counter,
                                            const uint8_t nonce[12])
{
    uint32_t begin[16], x[16];
    reference_rounds(begin, x, key, counter, nonce);
    for (int i = 0; i < 16; i++)
        reference_store32(block + 4 * i, x[i] + begin[i]);
}

/* out = in XOR the keystream, whose counter wraps at 2^32. */
static inline void reference_chacha20(uint8_t *out, const uint8_t *in, size_t len_bytes,
                                      const uint8_t key[32], uint32_t counter, const uint8_t nonce[12])
{
    uint8_t block[64];
    for (size_t i = 0; i < len_bytes; i++) {
        if (i % 64 == 0)
            reference_chacha20_block(block, key, counter++, nonce);
        out[i] = in[i] ^ block[i % 64];
    }
}

/* Section 2.2 of the draft. */
static inline void reference_hchacha20(uint8_t subkey[32], const uint8_t key[32], const uint8_t nonce[16])
{
    uint32_t begin[16], x[16];
    reference_rounds(begin, x, key, reference_load32(nonce), nonce + 4);
    for (int i = 0; i < 4; i++) {
        reference_store32(subkey + 4 * i, x[i]);
        reference_store32(subkey + 16 + 4 * i, x[12 + i]);
    }
}

/* The tag of a ciphertext: section 2.8. */
static inline void reference_aead_tag(uint8_t tag[16], const uint8_t *ciphertext, size_t len_bytes,
                                      const uint8_t *aad, size_t aad_bytes, const uint8_t nonce[12],
                                      const uint8_t key[32])
{
    const size_t aad_padded = (aad_bytes + 15) / 16 * 16, padded = (len_bytes + 15) / 16 * 16;
    uint8_t *read = calloc(aad_padded + padded + 16, 1), one_time[64];
    if (read == NULL)
        abort();
    if (aad_bytes != 0)
        memcpy(read, aad, aad_bytes);
    if (len_bytes != 0)
        memcpy(read + aad_padded, ciphertext, len_bytes);
    for (int i = 0; i < 8; i++) {
        read[aad_padded + padded + (size_t)i] = (uint8_t)((uint64_t)aad_bytes >> 8 * i);
        read[aad_padded + padded + 8 + (size_t)i] = (uint8_t)((uint64_t)len_bytes >> 8 * i);
    }
    reference_chacha20_block(one_time, key, 0, nonce);
    reference_tag(tag, read, aad_padded + padded + 16, one_time);
    free(read);
}

/* Computes the key and the nonce that an XChaCha20 key and its nonce stand for: section 2.3 of the draft.
 */
static inline void reference_xchacha20_begin(uint8_t subkey[32], uint8_t short_nonce[12],
                                             const uint8_t key[32], const uint8_t nonce[24])
{
    reference_hchacha20(subkey, key, nonce);
    memset(short_nonce, 0, 4);
    memcpy(short_nonce + 4, nonce + 16, 8);
}

/* Computes ciphertext and tag. nonce_bytes is 12, or 24 for XChaCha20-Poly1305. */
static inline void reference_aead(uint8_t *ciphertext, uint8_t tag[16], const uint8_t *msg,
                                  size_t len_bytes, const uint8_t *aad, size_t aad_bytes,
                                  const uint8_t *nonce, size_t nonce_bytes, const uint8_t key[32])
{
    uint8_t subkey[32], short_nonce[12];
    if (nonce_bytes == 24) {
        reference_xchacha20_begin(subkey, short_nonce, key, nonce);
        key = subkey;
        nonce = short_nonce;
    }
    reference_chacha20(ciphertext, msg, len_bytes, key, 1, nonce);
    reference_aead_tag(tag, ciphertext, len_bytes, aad, aad_bytes, nonce, key);
}

/* Computes an SSH packet: sections 6 and 7. The nonce of 64 bits comes after the counter of 64 bits. */
static inline void reference_ssh(uint8_t *packet, const uint8_t *text, uint32_t len_bytes,
                                 uint32_t sequence, const uint8_t key[64])
{
    uint8_t nonce[12] = {0}, length[4], one_time[64];
    for (int i = 0; i < 4; i++) {
        nonce[8 + i] = (uint8_t)(sequence >> (24 - 8 * i));
        length[i] = (uint8_t)(len_bytes >> (24 - 8 * i));
    }
    reference_chacha20(packet, length, 4, key + 32, 0, nonce);
    reference_chacha20(packet + 4, text, len_bytes, key, 1, nonce);
    reference_chacha20_block(one_time, key, 0, nonce);
    reference_tag(packet + 4 + len_bytes, packet, 4 + (size_t)len_bytes, one_time);
}

#endif
