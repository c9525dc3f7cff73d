/* Bytes and 64-bit words: what the scalar code, the lanes and the public functions share. */
#ifndef HORNET_WORDS_H
#define HORNET_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Intrinsics. Each carries the instruction set it needs, so that no flag is needed to name one. */
#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

/* Assembly, where what the compilers make of C is slow. HORNET_NO_ASM does without, for tools that cannot
 * see what assembly computes. */
#if defined(__x86_64__) && !defined(HORNET_NO_ASM)
#define HORNET_X86_64_ASM
#endif

/* word, of which the compiler may assume nothing. */
#ifdef HORNET_NO_ASM
#define HORNET_OPAQUE(constraint, word) ((void)0)
#else
#define HORNET_OPAQUE(constraint, word) __asm__("" : "+" constraint(word))
#endif

#define HORNET_INLINE static inline __attribute__((always_inline))

/* Before a short loop of constant length: unroll it. */
#define HORNET_UNROLL _Pragma("GCC unroll 16")

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

/* The number a[0] + a[1] * 2^64 + a[2] * 2^128 becomes itself plus b0 + b1 * 2^64 + b2 * 2^128; the sum
 * must stay below 2^192. In assembly where it can be: gcc 12 makes an addition with carry of nothing in C
 * but two words, and its intrinsic goes through memory. */
HORNET_INLINE void add_words(uint64_t a[3], uint64_t b0, uint64_t b1, uint64_t b2)
{
#ifdef HORNET_X86_64_ASM
    __asm__("addq %3, %0\n\tadcq %4, %1\n\tadcq %5, %2"
            : "+r"(a[0]), "+r"(a[1]), "+r"(a[2])
            : "re"(b0), "re"(b1), "re"(b2)
            : "cc");
#else
    const uint64_t carry0 = (uint64_t)__builtin_add_overflow(a[0], b0, &a[0]);
    const uint64_t carry1 = (uint64_t)__builtin_add_overflow(a[1], b1, &a[1]);
    const uint64_t carry2 = (uint64_t)__builtin_add_overflow(a[1], carry0, &a[1]);
    a[2] += b2 + carry1 + carry2;
#endif
}

/* The same for two words; what the sum has above 2^128 is lost. */
HORNET_INLINE void add_word_pair(uint64_t *a0, uint64_t *a1, uint64_t b0, uint64_t b1)
{
#ifdef HORNET_X86_64_ASM
    __asm__("addq %2, %0\n\tadcq %3, %1" : "+r"(*a0), "+r"(*a1) : "re"(b0), "re"(b1) : "cc");
#else
    *a1 += b1 + (uint64_t)__builtin_add_overflow(*a0, b0, a0);
#endif
}

/* The difference is looked at as a whole; the asm keeps the compiler from looking at its parts. */
HORNET_INLINE bool tags_equal(const uint8_t a[16], const uint8_t b[16])
{
    uint64_t difference = (load_le64(a) ^ load_le64(b)) | (load_le64(a + 8) ^ load_le64(b + 8));
    HORNET_OPAQUE("r", difference);
    return difference == 0;
}

/* The last block of a message, where it has 1 to 15 bytes: they, a 1, and zeros. The 1 stands in for the
 * bit 2^128 of a full block. Reads those bytes only, some of them twice. */
HORNET_INLINE void load_last_block(uint64_t *lo, uint64_t *hi, const uint8_t *bytes, size_t len_bytes)
{
    const unsigned bits = 8 * (unsigned)len_bytes;
    if (len_bytes >= 8) {
        *lo = load_le64(bytes);
        /* In two steps: where there are 8 bytes, all 64 bits go. */
        *hi = load_le64(bytes + len_bytes - 8) >> 8 >> (120 - bits) | UINT64_C(1) << (bits - 64);
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

/* The same where at least 16 bytes of the message stand before these: without branches, for a number of
 * bytes that nobody can predict. */
HORNET_INLINE void load_last_block_behind(uint64_t *lo, uint64_t *hi, const uint8_t *bytes,
                                          size_t len_bytes)
{
    const unsigned bits = 8 * (unsigned)len_bytes, above = bits & 63;
    const uint64_t low = load_le64(bytes + len_bytes - 16), high = load_le64(bytes + len_bytes - 8);
    /* Words of high:low shifted right by 128 - bits, of which 64 where there are fewer than 8 bytes. */
    const uint64_t few = 0 - (uint64_t)(len_bytes < 8);
    const uint64_t upper = high >> 1 >> (63 - above), one = UINT64_C(1) << above;
    const uint64_t lower = low >> 1 >> (63 - above) | high << above;
    *lo = (lower & ~few) | ((upper | one) & few);
    *hi = (upper | one) & ~few;
}

#endif
