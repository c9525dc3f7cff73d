/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Little-endian words in memory of any alignment. */
#ifndef HORNET_CORE_BYTES_H
#define HORNET_CORE_BYTES_H

#include <stddef.h>
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

HORNET_INLINE uint32_t load_be32(const uint8_t *bytes) { return __builtin_bswap32(load_le32(bytes)); }

HORNET_INLINE void store_le32(uint8_t *bytes, uint32_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    memcpy(bytes, &word, sizeof word);
}

HORNET_INLINE void store_be32(uint8_t *bytes, uint32_t word) { store_le32(bytes, __builtin_bswap32(word)); }

HORNET_INLINE void store_le64(uint8_t *bytes, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(bytes, &word, sizeof word);
}

/* Copies up to a few hundred bytes, none of which stays in a vector register. */
HORNET_INLINE void copy_bytes(uint8_t *to, const uint8_t *from, size_t len_bytes)
{
#if HORNET_X86_64_ASM && HORNET_HAS_VECTORS
    if (len_bytes >= 16) {
        /* The last 16 bytes are loaded first, because they may overlap what the loop copies. */
        uint8_t *const end = to + len_bytes - 16;
        __asm__ volatile("movups (%[last]), %%xmm1\n"
                         "1:\n\t"
                         "movups (%[from]), %%xmm0\n\t"
                         "addq $16, %[from]\n\t"
                         "movups %%xmm0, (%[to])\n\t"
                         "addq $16, %[to]\n\t"
                         "cmpq %[end], %[to]\n\t"
                         "jb 1b\n\t"
                         "movups %%xmm1, (%[end])\n\t"
                         "pxor %%xmm0, %%xmm0\n\t"
                         "pxor %%xmm1, %%xmm1"
                         : [to] "+&r"(to), [from] "+&r"(from) /* `end` may have the value of `to` */
                         : [end] "r"(end), [last] "r"(from + len_bytes - 16)
                         : "cc", "memory", "xmm0", "xmm1");
        return;
    }
#endif
    if (len_bytes >= 8) {
        uint8_t *const end = to + len_bytes - 8;
        const uint64_t last = load_le64(from + len_bytes - 8);
        for (; to < end; to += 8, from += 8) {
            uint64_t word = load_le64(from);
            HORNET_VALUE_BARRIER("r", word); /* keeps the loop from becoming a memcpy */
            store_le64(to, word);
        }
        store_le64(end, last);
    } else {
        for (; len_bytes != 0; len_bytes--) {
            *to++ = *from++;
            HORNET_VALUE_BARRIER("r", to);
        }
    }
}

/* Sets out to a xor b. out may be a or b, or overlap neither. */
HORNET_INLINE void xor_bytes(uint8_t *out, const uint8_t *a, const uint8_t *b, size_t len_bytes)
{
    typedef uint64_t pair __attribute__((vector_size(16)));
    HORNET_KEEP_LOOP
    for (; len_bytes >= sizeof(pair); len_bytes -= sizeof(pair)) {
        pair x, y;
        memcpy(&x, a, sizeof x);
        memcpy(&y, b, sizeof y);
        x ^= y;
        memcpy(out, &x, sizeof x);
        out += sizeof x;
        a += sizeof x;
        b += sizeof x;
    }
    if (len_bytes >= 8) {
        store_le64(out, load_le64(a) ^ load_le64(b));
        out += 8;
        a += 8;
        b += 8;
        len_bytes -= 8;
    }
    HORNET_KEEP_LOOP
    for (; len_bytes != 0; len_bytes--)
        *out++ = (uint8_t)(*a++ ^ *b++);
}

#endif
