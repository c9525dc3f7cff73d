/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Words that hold nodes of a data-flow graph instead of numbers, and core/words.h over them: the scalar
 * fields' counterpart of graph.h. This is C++, where a word can be any type; see tests/proofs/scalar.cc.
 *
 * A carry is a value like any other. Carries follow the additions that they come from, so that a CPU's flag
 * can hold them. */
#ifndef COCONUT_GRAPH_SCALAR_H
#define COCONUT_GRAPH_SCALAR_H

#include <stdint.h>

#include "recorder.h"

struct word {
    uint32_t node;

    word() : word(0) {}
    word(unsigned long value) : node(record0("splat", value)) {}

    static word made(uint32_t node)
    {
        word result;
        result.node = node;
        return result;
    }
};

static inline word operator+(word a, word b) { return word::made(record2("add", a.node, b.node)); }
static inline word operator*(word a, word b) { return word::made(record2("mul_lo", a.node, b.node)); }
static inline word operator&(word a, word b) { return word::made(record2("and", a.node, b.node)); }
static inline word operator>>(word a, int n) { return word::made(record1_imm("shr", a.node, (uint64_t)n)); }
static inline word &operator+=(word &a, word b) { return a = a + b; }

#define HORNET_CORE_WORDS_H

/* Returns a + b + *carry, and replaces *carry, a node, by the carry out. */
static inline word add_with_carry(word a, word b, word *carry)
{
    const uint32_t in = carry->node;
    const word sum = word::made(record3("add_carry", a.node, b.node, in));
    *carry = word::made(record3("carry_of", a.node, b.node, in));
    return sum;
}

static inline word add_first(word a, word b, word *carry)
{
    *carry = word::made(record2("carry", a.node, b.node));
    return a + b;
}

static inline void add_words(word a[3], word b0, word b1, word b2)
{
    word carry;
    a[0] = add_first(a[0], b0, &carry);
    a[1] = add_with_carry(a[1], b1, &carry);
    a[2] = add_with_carry(a[2], b2, &carry);
}

static inline void add_word_pair(word *a0, word *a1, word b0, word b1)
{
    word carry;
    *a0 = add_first(*a0, b0, &carry);
    *a1 = add_with_carry(*a1, b1, &carry);
}

static inline void multiply_words(word *lo, word *hi, word a, word b)
{
    *lo = word::made(record2("mul_lo", a.node, b.node));
    *hi = word::made(record2("mul_hi", a.node, b.node));
}

static inline void load_block(const uint8_t *block, word *lo, word *hi)
{
    *lo = word::made(record_load("load_lo", block, 16));
    *hi = word::made(record_load("load_hi", block, 16));
}

#define COCONUT_WORD word

#endif
