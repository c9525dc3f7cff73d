/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Words that hold nodes of a data-flow graph instead of numbers, and core/words.h and core/bytes.h over
 * them: the scalar fields' counterpart of graph.h. This is C++, where a word can be any type; see
 * tests/proofs/scalar.cc.
 *
 * A carry is a value like any other. Carries follow the additions that they come from, so that a CPU's flag
 * can hold them. */
#ifndef COCONUT_GRAPH_SCALAR_H
#define COCONUT_GRAPH_SCALAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "recorder.h"

/* A constant of words: of lanes, if there is but one. */
#define WORD_CONSTANT (COCONUT_LANES == 1 ? "splat" : "constant")

/* A word of 64 or 32 bits. The operations of nodes have 64: what may exceed 32 is cut. */
template <int BITS> struct word {
    uint32_t node;

    word() : word(0) {}
    word(unsigned long value) : node(record0(WORD_CONSTANT, value)) {}

    template <int OTHER> word(word<OTHER> a) : node(OTHER > BITS ? record1("low32", a.node) : a.node) {}

    static word made(uint32_t node)
    {
        word result(node, 0);
        return result;
    }

    explicit operator unsigned long() const;

    static word cut(uint32_t node) { return made(BITS < 64 ? record1("low32", node) : node); }

  private:
    word(uint32_t node, int) : node(node) {}
};

/* Named otherwise, because the library has variables that are called word. */
typedef word<64> word64;
typedef word<32> word32;

static inline void require(bool holds, const char *otherwise)
{
    if (!holds) {
        fprintf(stderr, "%s: %s\n", bb_name, otherwise);
        exit(1);
    }
}

/* Branches are on constants only, which lengths are; and so are shifts and masks of them. */
static inline bool is_constant(word64 a) { return strcmp(nodes[a.node].operation, WORD_CONSTANT) == 0; }

static inline uint64_t constant_of(word64 a)
{
    require(is_constant(a), "a branch on a value");
    return nodes[a.node].imm[0];
}

/* The usual arithmetic conversions. */
template <int A, int B> using both = word<(A > B ? A : B)>;

#define OPERATOR(symbol, operation)                                                                        \
    template <int A, int B> both<A, B> operator symbol(word<A> a, word<B> b)                               \
    {                                                                                                      \
        return both<A, B>::cut(record2(operation, a.node, b.node));                                        \
    }                                                                                                      \
    template <int A> word<A> operator symbol(word<A> a, unsigned long b) { return a symbol word<A>(b); }   \
    template <int A> word<A> operator symbol(unsigned long a, word<A> b) { return word<A>(a) symbol b; }

OPERATOR(+, "add")
OPERATOR(-, "sub")
OPERATOR(*, "mul_lo")
OPERATOR(|, "or")
OPERATOR(^, "xor")
#undef OPERATOR

template <int A, int B> both<A, B> operator&(word<A> a, word<B> b)
{
    if (is_constant(a) && is_constant(b))
        return constant_of(a) & constant_of(b);
    return both<A, B>::made(record2("and", a.node, b.node));
}
template <int A> word<A> operator&(word<A> a, unsigned long b) { return a & word<A>(b); }

template <int A> word<A> operator>>(word<A> a, unsigned long n)
{
    return is_constant(a) ? word<A>(constant_of(a) >> n) : word<A>::made(record1_imm("shr", a.node, n));
}

template <int A> word<A> operator<<(word<A> a, unsigned long n)
{
    return word<A>::cut(record1_imm("shl", a.node, n));
}

template <int A, int B> word<A> &operator+=(word<A> &a, word<B> b) { return a = a + b; }

template <> word64::operator unsigned long() const { return constant_of(*this); }

static inline bool operator==(word64 a, unsigned long b) { return constant_of(a) == b; }
static inline bool operator!=(word64 a, unsigned long b) { return constant_of(a) != b; }
static inline bool operator<=(word64 a, unsigned long b) { return constant_of(a) <= b; }
static inline bool operator>(word64 a, unsigned long b) { return constant_of(a) > b; }

static inline word64 load_number(const void *bytes, uint64_t nbytes)
{
    const uint64_t imm[2] = {(uint64_t)((const uint8_t *)bytes - message), nbytes};
    return word64::made(record("load_number", 0, NULL, 2, imm));
}

/* A byte of the message, at its own address. */
struct byte {
    operator word64() const { return load_number(this, 1); }
};

static inline word64 operator|(const byte &a, word64 b) { return (word64)a | b; }

#define HORNET_CORE_BYTES_H

static inline word64 load_le64(const void *bytes) { return load_number(bytes, 8); }
static inline word32 load_le32(const void *bytes) { return word32::made(load_number(bytes, 4).node); }

/* Stores in memory leave marks, from which lanes can load; those in the message are not recorded. */
static inline bool in_message(const void *bytes)
{
    return (const uint8_t *)bytes >= message && (const uint8_t *)bytes < message + sizeof message;
}

static inline void store_le64(void *bytes, word64 word)
{
    const uint64_t mark = WORD_MARK | word.node;
    memcpy(bytes, &mark, sizeof mark);
}

static inline word64 stored_word(const void *bytes)
{
    uint64_t mark;
    memcpy(&mark, bytes, sizeof mark);
    require(is_mark(mark), "memory that holds no words");
    return word64::made((uint32_t)mark);
}

#define HORNET_CORE_WORDS_H

/* Returns a + b + *carry, and replaces *carry, a node, by the carry out. */
static inline word64 add_with_carry(word64 a, word64 b, word64 *carry)
{
    const uint32_t in = carry->node;
    const word64 sum = word64::made(record3("add_carry", a.node, b.node, in));
    *carry = word64::made(record3("carry_of", a.node, b.node, in));
    return sum;
}

static inline word64 add_first(word64 a, word64 b, word64 *carry)
{
    *carry = word64::made(record2("carry", a.node, b.node));
    return a + b;
}

static inline void add_words(word64 a[3], word64 b0, word64 b1, word64 b2)
{
    word64 carry;
    a[0] = add_first(a[0], b0, &carry);
    a[1] = add_with_carry(a[1], b1, &carry);
    a[2] = add_with_carry(a[2], b2, &carry);
}

static inline void add_block(word64 a[3], const uint8_t *block)
{
    add_words(a, load_le64(block), load_le64(block + 8), 1);
}

static inline void add_word_pair(word64 *a0, word64 *a1, word64 b0, word64 b1)
{
    word64 carry;
    *a0 = add_first(*a0, b0, &carry);
    *a1 = add_with_carry(*a1, b1, &carry);
}

static inline void multiply_words(word64 *lo, word64 *hi, word64 a, word64 b)
{
    *lo = word64::made(record2("mul_lo", a.node, b.node));
    *hi = word64::made(record2("mul_hi", a.node, b.node));
}

static inline void load_block(const uint8_t *block, word64 *lo, word64 *hi)
{
    *lo = word64::made(record_load("load_lo", block, 16));
    *hi = word64::made(record_load("load_hi", block, 16));
}

template <int A> void bb_in_numbers(enum place place, const char *name, word<A> *numbers, size_t count)
{
    bb_in(place, name, numbers, count * sizeof *numbers);
}

template <int A> void bb_out_numbers(const char *name, const word<A> *numbers, size_t count)
{
    bb_out(name, numbers, count * sizeof *numbers);
}

#define COCONUT_WORD   word64
#define COCONUT_WORD32 word32
#define COCONUT_BYTE   byte

#endif
