/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Numbers of two and three 64-bit words. Uses assembly where possible: gcc 12 compiles C to an addition
 * with carry only for two words, and its intrinsic goes through memory; and it keeps the two words of a
 * product together and spills them. */
#ifndef HORNET_CORE_WORDS_H
#define HORNET_CORE_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "compiler.h"

/* Adds b to *a and returns the carry. Where words of 64 bits are two, and for SPARC64, gcc 12 compiles an
 * overflow to a branch (i686, MIPS) or to a conditional store (Arm), which tests/unit/test_traces.c
 * notices; everywhere else it takes one or two instructions, instead of six. */
HORNET_INLINE uint64_t add_with_carry(uint64_t *a, uint64_t b)
{
#if defined(__sparc__) || (__SIZEOF_POINTER__ < 8 && !defined(__wasm__))
    const uint64_t sum = *a + b, carry = ((*a & b) | ((*a | b) & ~sum)) >> 63;
    *a = sum;
    return carry;
#else
    return (uint64_t)__builtin_add_overflow(*a, b, a);
#endif
}

/* On 64-bit Arm, both compilers make ADDS and ADCS of an addition of 128 bits, and copy the carry to a
 * register between two additions of words: by llvm-mca, Poly1305 of 512 bytes in scalar code takes 0.76
 * (gcc 12) and 0.92 (clang 19) of the time on Neoverse V2. */
#ifdef __aarch64__
__extension__ typedef unsigned __int128 word_pair;
HORNET_INLINE word_pair word_pair_of(uint64_t lo, uint64_t hi) { return (word_pair)hi << 64 | lo; }
#endif

/* a[0] + a[1] 2^64 + a[2] 2^128 += b0 + b1 2^64 + b2 2^128. The sum must be below 2^192. */
HORNET_INLINE void add_words(uint64_t a[3], uint64_t b0, uint64_t b1, uint64_t b2)
{
#if HORNET_X86_64_ASM
    __asm__("addq %3, %0\n\tadcq %4, %1\n\tadcq %5, %2"
            : "+&r"(a[0]), "+&r"(a[1]), "+r"(a[2])
            : "e" HORNET_ASM_OPERAND(b0), "e" HORNET_ASM_OPERAND(b1), "e" HORNET_ASM_OPERAND(b2)
            : "cc");
#elif defined(__aarch64__)
    word_pair sum = word_pair_of(a[0], a[1]);
    const uint64_t carry = (uint64_t)__builtin_add_overflow(sum, word_pair_of(b0, b1), &sum);
    a[0] = (uint64_t)sum;
    a[1] = (uint64_t)(sum >> 64);
    a[2] += b2 + carry;
#else
    const uint64_t carry0 = add_with_carry(&a[0], b0);
    const uint64_t carry1 = add_with_carry(&a[1], b1);
    const uint64_t carry2 = add_with_carry(&a[1], carry0);
    a[2] += b2 + carry1 + carry2;
#endif
}

/* The same with the 16 bytes at `block` and 2^128. clang 19 would load an operand that may be in a register
 * by an instruction of its own. */
HORNET_INLINE void add_block(uint64_t a[3], const uint8_t *block)
{
#if HORNET_X86_64_ASM
    typedef uint64_t word __attribute__((may_alias, aligned(1)));
    __asm__("addq %3, %0\n\tadcq %4, %1\n\tadcq $1, %2"
            : "+&r"(a[0]), "+&r"(a[1]), "+r"(a[2])
            : "m"(*(const word *)block), "m"(*(const word *)(block + 8))
            : "cc");
#else
    add_words(a, load_le64(block), load_le64(block + 8), 1);
#endif
}

/* *a0 + *a1 2^64 += b0 + b1 2^64, modulo 2^128. */
HORNET_INLINE void add_word_pair(uint64_t *a0, uint64_t *a1, uint64_t b0, uint64_t b1)
{
#if HORNET_X86_64_ASM
    __asm__("addq %2, %0\n\tadcq %3, %1"
            : "+&r"(*a0), "+r"(*a1)
            : "e" HORNET_ASM_OPERAND(b0), "e" HORNET_ASM_OPERAND(b1)
            : "cc");
#elif defined(__aarch64__)
    const word_pair sum = word_pair_of(*a0, *a1) + word_pair_of(b0, b1);
    *a0 = (uint64_t)sum;
    *a1 = (uint64_t)(sum >> 64);
#else
    *a1 += b1 + add_with_carry(a0, b0);
#endif
}

/* Copies words that were stored one by one just before: a wider load would have to wait until the stores
 * have left the store buffer. */
HORNET_INLINE void copy_stored_words(uint64_t *to, const uint64_t *from, size_t n)
{
    HORNET_UNROLL
    for (size_t i = 0; i < n; i++) {
        uint64_t word = from[i];
        HORNET_VALUE_BARRIER("r", word);
        to[i] = word;
    }
}

#if HORNET_INT128
/* *lo + *hi 2^64 = a b. */
HORNET_INLINE void multiply_words(uint64_t *lo, uint64_t *hi, uint64_t a, uint64_t b)
{
#if HORNET_X86_64_ASM && defined(KERNEL_HAS_MULX)
    __asm__("mulxq %3, %0, %1" : "=r"(*lo), "=r"(*hi) : "d"(a), HORNET_ASM_OPERAND(b));
#elif HORNET_X86_64_ASM
    __asm__("mulq %3" : "=a"(*lo), "=d"(*hi) : "a"(a), HORNET_ASM_OPERAND(b) : "cc");
#else
    __extension__ typedef unsigned __int128 uint128;
    const uint128 product = (uint128)a * b;
    *lo = (uint64_t)product;
    *hi = (uint64_t)(product >> 64);
#endif
}
#endif

#endif
