/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Little-endian words in memory of any alignment. */
#ifndef HORNET_CORE_BYTES_H
#define HORNET_CORE_BYTES_H

#include <stdint.h>

#include "compiler.h"
#include "memory.h"

HORNET_INLINE uint64_t load_le64(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

HORNET_INLINE uint32_t load_le32(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

HORNET_INLINE void store_le64(uint8_t *bytes, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(bytes, &word, sizeof word);
}

#endif
