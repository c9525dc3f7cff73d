/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lanes of 32-bit words: WORDS of them in a vector, 4, 8 or 16, with the operations that ChaCha20 needs
 * from an instruction set. Everything is written with GCC/Clang vector extensions, for either endianness;
 * HORNET_TARGET, which a kernel file defines, selects the instruction set.
 *
 * A kernel without lanes and rows, for targets without vectors, has WORDS 1: a vector is then a plain word.
 * It calls none of these operations. */
#ifndef HORNET_CHACHA20_LANES_WORDS_H
#define HORNET_CHACHA20_LANES_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "../../core/compiler.h"
#include "../../core/memory.h"

#ifndef WORDS /* parsed alone */
#define WORDS 4
#endif

/* Applies to the rest of the kernel, which closes the region. */
#include "../../core/target_begin.h"

/* The element numbers f(0), f(1), ... of a shuffle, for each word or byte of a vector. */
#define WORDS_FOUR(f, i) f(i), f(i + 1), f(i + 2), f(i + 3)
#if WORDS == 16
#define WORDS_EACH(f) WORDS_FOUR(f, 0), WORDS_FOUR(f, 4), WORDS_FOUR(f, 8), WORDS_FOUR(f, 12)
#elif WORDS == 8
#define WORDS_EACH(f) WORDS_FOUR(f, 0), WORDS_FOUR(f, 4)
#elif WORDS == 4
#define WORDS_EACH(f) WORDS_FOUR(f, 0)
#else
#define WORDS_EACH(f) f(0)
#endif

/* Shuffles move words within parts of four words, in the same way in each part, or move whole parts.
 *
 *     low, high       words 0, 1 (2, 3) of each part, alternately from a and b
 *     pairs           the lower (higher) two words of each part of a, followed by those of b
 *     parts           the even (odd) parts of a, and then those of b
 */
#define WORDS_LOW(i)        ((i) / 4 * 4 + (i) % 4 / 2 + (i) % 2 * WORDS)
#define WORDS_HIGH(i)       ((i) / 4 * 4 + (i) % 4 / 2 + (i) % 2 * WORDS + 2)
#define WORDS_LOW_PAIRS(i)  ((i) / 4 * 4 + (i) % 2 + (i) % 4 / 2 * WORDS)
#define WORDS_HIGH_PAIRS(i) ((i) / 4 * 4 + (i) % 2 + (i) % 4 / 2 * WORDS + 2)
#define WORDS_EVEN_PARTS(i) ((i) % (WORDS / 2) / 4 * 8 + (i) % 4 + (i) / (WORDS / 2) * WORDS)
#define WORDS_ODD_PARTS(i)  ((i) % (WORDS / 2) / 4 * 8 + (i) % 4 + (i) / (WORDS / 2) * WORDS + 4)
#define WORDS_FROM_1(i)     ((i) / 4 * 4 + ((i) + 1) % 4)
#define WORDS_FROM_2(i)     ((i) / 4 * 4 + ((i) + 2) % 4)
#define WORDS_FROM_3(i)     ((i) / 4 * 4 + ((i) + 3) % 4)
#define WORDS_FIRST_PART(i) ((i) % 4)
#define WORDS_NUMBER(i)     (i)
#define WORDS_IS_FIRST(i)   ((i) % 4 == 0)
#define WORDS_PART_FIRST(i) ((i) % 4 == 0 ? (i) / 4 : 0)

/* The hook replaces these lanes: nodes of a graph. */
#ifdef HORNET_WORDS_HOOK
#include HORNET_WORDS_HOOK
#else

#if WORDS == 1
typedef uint32_t word_vec;
#define WORDS_SHUFFLE(a, b, f) ((void)(b), (a))
#else
typedef uint32_t word_vec __attribute__((vector_size(4 * WORDS)));
typedef uint8_t words_bytes __attribute__((vector_size(4 * WORDS)));

#define WORDS_SHUFFLE(a, b, f) HORNET_SHUFFLE(word_vec, a, b, WORDS_EACH(f))
#endif

HORNET_INLINE word_vec words_splat(uint32_t value) { return (word_vec){0} + value; }

/* One word of memory in all lanes. */
HORNET_INLINE word_vec words_broadcast(const uint32_t *word) { return words_splat(*word); }

/* Word i of four in memory in all lanes. A kernel may define an instruction that takes it from a vector. */
HORNET_INLINE word_vec words_broadcast_of(const uint32_t four[4], int i)
{
#ifdef WORDS_ELEMENT
    word_vec all;
    memcpy(&all, four, 16);
    switch (i) {
    case 0:
        return (word_vec)WORDS_ELEMENT(all, 0);
    case 1:
        return (word_vec)WORDS_ELEMENT(all, 1);
    case 2:
        return (word_vec)WORDS_ELEMENT(all, 2);
    default:
        return (word_vec)WORDS_ELEMENT(all, 3);
    }
#else
    return words_broadcast(&four[i]);
#endif
}

/* words_numbers: first, first + 1, ... in consecutive words. words_part_numbers: the same in the first
 * words of the parts, and zeros elsewhere. */
HORNET_INLINE word_vec words_numbers(uint32_t first)
{
    return (word_vec){WORDS_EACH(WORDS_NUMBER)} + first;
}
HORNET_INLINE word_vec words_part_numbers(uint32_t first)
{
    return (word_vec){WORDS_EACH(WORDS_PART_FIRST)} + (word_vec){WORDS_EACH(WORDS_IS_FIRST)} * first;
}

HORNET_INLINE word_vec words_add(word_vec a, word_vec b) { return a + b; }
HORNET_INLINE word_vec words_xor(word_vec a, word_vec b) { return a ^ b; }

/* WORDS_REGISTER is the letter that assembly has for registers of these vectors. */
#ifdef WORDS_REGISTER
#define WORDS_BARRIER(a) HORNET_VALUE_BARRIER(WORDS_REGISTER, a)
#else
#define WORDS_BARRIER(a) ((void)0)
#endif

/* A kernel may define instructions that rotate by an immediate. */
#ifdef WORDS_ROTL
HORNET_INLINE word_vec words_rotl(word_vec a, int bits)
{
    switch (bits) {
    case 7:
        return (word_vec)WORDS_ROTL(a, 7);
    case 8:
        return (word_vec)WORDS_ROTL(a, 8);
    case 12:
        return (word_vec)WORDS_ROTL(a, 12);
    default:
        return (word_vec)WORDS_ROTL(a, 16);
    }
}
#else
HORNET_INLINE word_vec words_rotl(word_vec a, int bits) { return a << bits | a >> (32 - bits); }
#endif

/* Rotations by 16 and 8 bits can move bytes, or halves of words, if that is one instruction. The byte
 * numbers are hidden from clang 19, which would use two other instructions instead. */
#ifdef WORDS_ROTATE_BYTES
#define WORDS_BYTES_OF(word, by)                                                                           \
    4 * (word) + (4 - (by)) % 4, 4 * (word) + (5 - (by)) % 4, 4 * (word) + (6 - (by)) % 4,                 \
        4 * (word) + (7 - (by)) % 4
#define WORDS_BY_1(i) WORDS_BYTES_OF(i, 1)
#define WORDS_BY_2(i) WORDS_BYTES_OF(i, 2)
#define WORDS_ROTATE(a, by_bytes)                                                                          \
    words_bytes from = {WORDS_EACH(by_bytes)};                                                             \
    WORDS_BARRIER(from);                                                                                   \
    return (word_vec)WORDS_ROTATE_BYTES(a, from)
HORNET_INLINE word_vec words_rotl8(word_vec a) { WORDS_ROTATE(a, WORDS_BY_1); }
#else
HORNET_INLINE word_vec words_rotl8(word_vec a) { return words_rotl(a, 8); }
#endif
#ifdef WORDS_SWAP_HALVES
HORNET_INLINE word_vec words_rotl16(word_vec a) { return (word_vec)WORDS_SWAP_HALVES(a); }
#elif defined(WORDS_ROTATE_BYTES)
HORNET_INLINE word_vec words_rotl16(word_vec a) { WORDS_ROTATE(a, WORDS_BY_2); }
#else
HORNET_INLINE word_vec words_rotl16(word_vec a) { return words_rotl(a, 16); }
#endif

/* Rotates x xor y in a way that shortens the critical path from y by one XOR, where an instruction
 * combines three words: rotl(x ^ y, n) = rotl(x, n) ^ y << n ^ y >> (32 - n). WORDS_SEPARATE keeps
 * compilers from making a rotation of the two shifts. */
#ifndef WORDS_SEPARATE
#define WORDS_SEPARATE(a) ((void)0)
#endif
HORNET_INLINE word_vec words_quick_rotl_xor(word_vec x, word_vec y, int bits)
{
    word_vec left = y << bits, right = y >> (32 - bits);
    WORDS_SEPARATE(left);
    WORDS_SEPARATE(right);
    return words_rotl(x, bits) ^ left ^ right;
}

/* Loads bytes from any alignment, in order. */
HORNET_INLINE word_vec words_load(const uint8_t *bytes)
{
    word_vec a;
    memcpy(&a, bytes, sizeof a);
    return a;
}

HORNET_INLINE void words_store(uint8_t *bytes, word_vec a) { memcpy(bytes, &a, sizeof a); }

/* Converts words to their order in memory, least significant byte first. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && WORDS != 1
#define WORDS_SWAPPED(i) 4 * (i) + 3, 4 * (i) + 2, 4 * (i) + 1, 4 * (i)
HORNET_INLINE word_vec words_little_endian(word_vec a)
{
    return (word_vec)HORNET_SHUFFLE(words_bytes, (words_bytes)a, (words_bytes)a, WORDS_EACH(WORDS_SWAPPED));
}
#else
HORNET_INLINE word_vec words_little_endian(word_vec a) { return a; }
#endif

/* Four words, repeated in each part. A kernel may define an instruction that loads them this way; gcc 12
 * does not find one. */
#ifdef WORDS_BROADCAST
HORNET_INLINE word_vec words_each_part(const uint32_t four[4]) { return (word_vec)WORDS_BROADCAST(four); }
#else
HORNET_INLINE word_vec words_each_part(const uint32_t four[4])
{
    word_vec a = {0};
    memcpy(&a, four, WORDS == 1 ? 4 : 16);
    return WORDS_SHUFFLE(a, a, WORDS_FIRST_PART);
}
#endif

#if WORDS != 1
/* Loads 16 bytes from each of these addresses into the parts. A kernel may define instructions for it;
 * otherwise the parts are joined in memory. */
HORNET_INLINE word_vec words_load_parts(const uint8_t *const parts[WORDS / 4])
{
#ifdef WORDS_LOAD_PARTS
    return (word_vec)WORDS_LOAD_PARTS(parts);
#else
    uint8_t all[sizeof(word_vec)];
    HORNET_UNROLL
    for (size_t i = 0; i < WORDS / 4; i++)
        memcpy(all + 16 * i, parts[i], 16);
    return words_load(all);
#endif
}
#endif

/* 64 bytes of all ones, and then 64 zero bytes; a load that starts n bytes before the zeros is a mask of n
 * bytes. */
static const uint8_t words_ones_then_zeros[2 * 64] __attribute__((aligned(64))) = {
#define WORDS_ONES 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
    WORDS_ONES, WORDS_ONES, WORDS_ONES, WORDS_ONES};

/* The first n bytes of a, followed by zeros; n is at most the size of a vector. */
HORNET_INLINE word_vec words_first(word_vec a, size_t n)
{
    return a & words_load(words_ones_then_zeros + 64 - n);
}

/* Load n bytes, fewer than a vector holds, followed by zeros; and store them again. They access no other
 * memory. */
#ifdef WORDS_MASKED
HORNET_INLINE word_vec words_load_first(const uint8_t *bytes, size_t n)
{
    return (word_vec)WORDS_MASKED_LOAD(bytes, n);
}
HORNET_INLINE void words_store_first(uint8_t *bytes, word_vec a, size_t n)
{
    WORDS_MASKED_STORE(bytes, a, n);
}
#else
/* Copies n bytes, fewer than a vector holds, in two overlapping parts of a power of two, which the compiler
 * encodes for the kernel's instruction set: on Intel's CPUs, one SSE instruction among those of AVX waits
 * for all that came before it. */
HORNET_INLINE void words_copy_first(uint8_t *to, const uint8_t *from, size_t n)
{
    HORNET_UNROLL
    for (size_t part = sizeof(word_vec) / 2; part >= 4; part /= 2) {
        if (n >= part) {
            memcpy(to, from, part);
            memcpy(to + n - part, from + n - part, part);
            return;
        }
    }
    for (; n != 0; n--) {
        *to++ = *from++;
        HORNET_VALUE_BARRIER("r", to); /* keeps the loop from becoming a memcpy */
    }
}

HORNET_INLINE word_vec words_load_first(const uint8_t *bytes, size_t n)
{
#ifdef WORDS_LOAD_WORDS
    const size_t rest = n % 4, last = n - rest;
    const word_vec whole = words_load(words_ones_then_zeros + 64 - last);
    uint32_t word = 0;
    HORNET_KEEP_LOOP
    for (size_t i = 0; i < rest; i++)
        word |= (uint32_t)bytes[last + i] << 8 * i;
    return (word_vec)WORDS_LOAD_WORDS(bytes, whole) | words_first(words_splat(word) & ~whole, n);
#else
    uint8_t all[sizeof(word_vec)] = {0};
    words_copy_first(all, bytes, n);
    return words_load(all);
#endif
}

HORNET_INLINE void words_store_first(uint8_t *bytes, word_vec a, size_t n)
{
    uint8_t all[sizeof(word_vec)];
    words_store(all, a);
    words_copy_first(bytes, all, n);
}
#endif

#endif

/* Words 1, 2, 3, 0 of each part; the same starting from word 2, and from word 3. */
HORNET_INLINE word_vec words_from_1(word_vec a) { return WORDS_SHUFFLE(a, a, WORDS_FROM_1); }
HORNET_INLINE word_vec words_from_2(word_vec a) { return WORDS_SHUFFLE(a, a, WORDS_FROM_2); }
HORNET_INLINE word_vec words_from_3(word_vec a) { return WORDS_SHUFFLE(a, a, WORDS_FROM_3); }

/* Transposes, for each i, the 4 x 4 words in part i of the four vectors, in two steps. */
HORNET_INLINE void words_interleave(word_vec x[4])
{
    const word_vec t0 = WORDS_SHUFFLE(x[0], x[1], WORDS_LOW), t1 = WORDS_SHUFFLE(x[0], x[1], WORDS_HIGH);
    const word_vec t2 = WORDS_SHUFFLE(x[2], x[3], WORDS_LOW), t3 = WORDS_SHUFFLE(x[2], x[3], WORDS_HIGH);
    x[0] = t0, x[1] = t1, x[2] = t2, x[3] = t3;
}

/* A kernel may define instructions that join halves of vectors; gcc 12 does not find them for 32-bit Arm.
 */
#ifndef WORDS_LOW_HALVES
#define WORDS_LOW_HALVES(a, b)  WORDS_SHUFFLE(a, b, WORDS_LOW_PAIRS)
#define WORDS_HIGH_HALVES(a, b) WORDS_SHUFFLE(a, b, WORDS_HIGH_PAIRS)
#endif
#define WORDS_JOIN_PAIRS(x, low, high)                                                                     \
    do {                                                                                                   \
        const word_vec t0 = (x)[0], t1 = (x)[1], t2 = (x)[2], t3 = (x)[3];                                 \
        (x)[0] = (word_vec)low(t0, t2);                                                                    \
        (x)[1] = (word_vec)high(t0, t2);                                                                   \
        (x)[2] = (word_vec)low(t1, t3);                                                                    \
        (x)[3] = (word_vec)high(t1, t3);                                                                   \
    } while (0)

HORNET_INLINE void words_transpose_parts(word_vec x[4])
{
    words_interleave(x);
    WORDS_JOIN_PAIRS(x, WORDS_LOW_HALVES, WORDS_HIGH_HALVES);
}

/* The same, and words_little_endian in the second step. clang 19 would divide both steps between other
 * instructions, and take half as many again. */
HORNET_INLINE void words_transpose_to_memory(word_vec x[4])
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ && WORDS != 1
#define WORDS_SWAPPED_LOW_PAIRS(i)  WORDS_SWAPPED(WORDS_LOW_PAIRS(i))
#define WORDS_SWAPPED_HIGH_PAIRS(i) WORDS_SWAPPED(WORDS_HIGH_PAIRS(i))
#define WORDS_SHUFFLE_BYTES(a, b, f)                                                                       \
    HORNET_SHUFFLE(words_bytes, (words_bytes)(a), (words_bytes)(b), WORDS_EACH(f))
#define WORDS_SWAPPED_LOW_HALVES(a, b)  WORDS_SHUFFLE_BYTES(a, b, WORDS_SWAPPED_LOW_PAIRS)
#define WORDS_SWAPPED_HIGH_HALVES(a, b) WORDS_SHUFFLE_BYTES(a, b, WORDS_SWAPPED_HIGH_PAIRS)
    words_interleave(x);
    HORNET_UNROLL
    for (int i = 0; i < 4; i++)
        WORDS_BARRIER(x[i]);
    WORDS_JOIN_PAIRS(x, WORDS_SWAPPED_LOW_HALVES, WORDS_SWAPPED_HIGH_HALVES);
#else
    words_transpose_parts(x);
#endif
}

/* Gathers the four parts at the same position of a, b, c and d into one row, which may take several
 * vectors. The row for position i goes to rows[i * stride], for each of the WORDS / 4 positions. */
HORNET_INLINE void words_gather_parts(word_vec *rows, size_t stride, word_vec a, word_vec b, word_vec c,
                                      word_vec d)
{
#if WORDS == 16
    const word_vec ab_even = WORDS_SHUFFLE(a, b, WORDS_EVEN_PARTS),
                   ab_odd = WORDS_SHUFFLE(a, b, WORDS_ODD_PARTS);
    const word_vec cd_even = WORDS_SHUFFLE(c, d, WORDS_EVEN_PARTS),
                   cd_odd = WORDS_SHUFFLE(c, d, WORDS_ODD_PARTS);
    rows[0 * stride] = WORDS_SHUFFLE(ab_even, cd_even, WORDS_EVEN_PARTS);
    rows[1 * stride] = WORDS_SHUFFLE(ab_odd, cd_odd, WORDS_EVEN_PARTS);
    rows[2 * stride] = WORDS_SHUFFLE(ab_even, cd_even, WORDS_ODD_PARTS);
    rows[3 * stride] = WORDS_SHUFFLE(ab_odd, cd_odd, WORDS_ODD_PARTS);
#elif WORDS == 8
    rows[0] = WORDS_SHUFFLE(a, b, WORDS_EVEN_PARTS);
    rows[1] = WORDS_SHUFFLE(c, d, WORDS_EVEN_PARTS);
    rows[stride] = WORDS_SHUFFLE(a, b, WORDS_ODD_PARTS);
    rows[stride + 1] = WORDS_SHUFFLE(c, d, WORDS_ODD_PARTS);
#else
    (void)stride;
    rows[0] = a;
    rows[1] = b;
    rows[2] = c;
    rows[3] = d;
#endif
}

#endif
