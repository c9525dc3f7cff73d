/* Bytes and 64-bit words: what the scalar code, the lanes and the public functions share. */
#ifndef HORNET_WORDS_H
#define HORNET_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Intrinsics. Each carries the instruction set it needs, so that no flag is needed to name one. */
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

#define HORNET_INLINE static inline __attribute__((always_inline))

HORNET_INLINE uint64_t load_le64(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
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

/* Sets memory to zeros, and the compiler may not leave it out. In large pieces, which become as many stores
 * as the target's vectors need: gcc 12 makes a slow rep stos of a memset of a few hundred bytes. */
HORNET_INLINE void clear_bytes(void *memory, size_t len_bytes)
{
    typedef uint64_t piece __attribute__((vector_size(64), may_alias, aligned(1)));
    typedef uint64_t word __attribute__((may_alias, aligned(1)));
    uint8_t *bytes = memory;
    for (; len_bytes >= sizeof(piece); bytes += sizeof(piece), len_bytes -= sizeof(piece)) {
        *(piece *)bytes = (piece){0};
        __asm__ volatile("" : : : "memory"); /* keeps the loop from becoming a memset */
    }
    for (; len_bytes >= sizeof(word); bytes += sizeof(word), len_bytes -= sizeof(word))
        *(word *)bytes = 0;
    for (; len_bytes != 0; len_bytes--)
        *bytes++ = 0;
    __asm__ volatile("" : : "r"(memory) : "memory");
}

/* a + b + *carry modulo 2^64; *carry, 0 or 1 on entry, becomes the carry out. */
HORNET_INLINE uint64_t add_carry(uint64_t a, uint64_t b, unsigned char *carry)
{
#if defined(__x86_64__)
    /* gcc 12 makes an adc of nothing else. */
    unsigned long long sum;
    *carry = _addcarry_u64(*carry, a, b, &sum);
    return sum;
#else
    uint64_t sum;
    const unsigned char first = __builtin_add_overflow(a, b, &sum);
    const unsigned char second = __builtin_add_overflow(sum, (uint64_t)*carry, &sum);
    *carry = first | second;
    return sum;
#endif
}

/* The last block of a message, where it has 1 to 15 bytes: they, a 1, and zeros. The 1 stands in for the
 * bit 2^128 of a full block. */
HORNET_INLINE void pad_block(uint8_t block[16], const uint8_t *bytes, size_t len_bytes)
{
    memset(block, 0, 16);
    memcpy(block, bytes, len_bytes);
    block[len_bytes] = 1;
}

#endif
