/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The last block of a message, if it has 1 to 15 bytes: these bytes, a 1 and zeros. The 1 takes the place
 * of the bit 2^128 of a full block. */
#ifndef HORNET_POLY1305_PADDING_H
#define HORNET_POLY1305_PADDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../core/bytes.h"
#include "../core/compiler.h"

/* Number of blocks in a message of up to SIZE_MAX - 15 bytes. */
HORNET_INLINE size_t blocks_in(size_t len_bytes) { return (len_bytes + 15) / 16; }

/* *lo + *hi 2^64 = the padded block of len_bytes bytes, 1 to 15. Reads only those bytes, some of them
 * twice. */
HORNET_INLINE void load_partial_block(uint64_t *lo, uint64_t *hi, const uint8_t *bytes, size_t len_bytes)
{
    const unsigned bits = 8 * (unsigned)len_bytes;
    if (len_bytes >= 8) {
        *lo = load_le64(bytes);
        *hi = (load_le64(bytes + len_bytes - 8) >> 8 | UINT64_C(1) << 56) >> (120 - bits);
        return;
    }
    uint64_t word;
    if (len_bytes >= 4)
        word = load_le32(bytes) | (uint64_t)load_le32(bytes + len_bytes - 4) << (bits - 32);
    else
        word = bytes[0] | (uint64_t)bytes[len_bytes / 2] << (8 * (len_bytes / 2)) |
               (uint64_t)bytes[len_bytes - 1] << (bits - 8);
    *lo = word | UINT64_C(1) << bits;
    *hi = 0;
}

/* Does the same if at least 16 bytes of the message precede these. It has no branches, because lengths are
 * unpredictable. */
HORNET_INLINE void load_partial_block_after(uint64_t *lo, uint64_t *hi, const uint8_t *bytes,
                                            size_t len_bytes)
{
    const uint64_t many =
        0 - (uint64_t)(len_bytes >> 3); /* all ones if len_bytes >= 8; else the upper word is 0 */
    const uint64_t end = load_le64(bytes + len_bytes - 8) >> 8 | UINT64_C(1) << 56;
    const uint64_t word = end >> (56 - 8 * (len_bytes & 7));
    const uint64_t first = load_le64(bytes - 8 + (len_bytes & 8));
    *lo = word ^ ((word ^ first) & many);
    *hi = word & many;
}

/* Loads the first block of msg[0 .. len_bytes), len_bytes >= 1, with its 1 appended, as three words. */
HORNET_INLINE void load_first_block(uint64_t words[3], const uint8_t *msg, size_t len_bytes)
{
    words[2] = len_bytes >= 16;
    if (words[2] == 0) {
        load_partial_block(&words[0], &words[1], msg, len_bytes);
    } else {
        words[0] = load_le64(msg);
        words[1] = load_le64(msg + 8);
    }
}

#endif
