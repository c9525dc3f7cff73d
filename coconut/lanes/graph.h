/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lanes that hold nodes of a data-flow graph instead of values.
 *
 * Over these lanes, the library's field code and evaluation record what they compute: there is no second
 * description of the algorithm. src/poly1305/lanes.h specifies the operations. COCONUT_LANES is the number
 * of lanes.
 *
 * In C, words that leave the lanes are outputs, and what scalar code computes from them is not part of the
 * graph; those that enter are marks (recorder.h). In C++, after graph_scalar.h, words are nodes too.
 *
 * COCONUT_CUT_26 and COCONUT_MULTIPLY_BLOCK: what the lanes offer beyond what they must. */
#ifndef LANES

#include <stddef.h>
#include <stdint.h>

#include "recorder.h"

#ifdef COCONUT_WORD
#define uint64_t COCONUT_WORD
#endif

/* Faster to compile. */
#undef KERNEL_INLINE
#define KERNEL_INLINE HORNET_NOINLINE

#define LANES COCONUT_LANES
#define LANES_FACTOR
#define LANES_MULTIPLY_32
#define LANES_MULTIPLY_52
#ifdef COCONUT_CUT_26
#define LANES_CUT_26
#endif
#ifdef COCONUT_MULTIPLY_BLOCK
#define LANES_MULTIPLY_BLOCK
#endif

typedef struct {
    uint32_t node;
} vec;

typedef struct {
    uint32_t node;
} factor;

#define VEC_CHECK_MAX(v, limit) record_max((v).node, (limit))

#ifdef COCONUT_WORD
static inline int is_node(uint64_t word) { return !is_constant(word); }
static inline uint32_t node_of(uint64_t word) { return word.node; }
#else
static inline int is_node(uint64_t word) { return is_mark(word); }
static inline uint32_t node_of(uint64_t word) { return (uint32_t)word; }
static inline uint64_t constant_of(uint64_t word) { return word; }
#endif

static inline vec vec_splat(uint64_t value)
{
    return (vec){is_node(value) ? record1("word_splat", node_of(value))
                                : record0("splat", constant_of(value))};
}

static inline vec vec_add(vec a, vec b) { return (vec){record2("add", a.node, b.node)}; }
static inline vec vec_sub(vec a, vec b) { return (vec){record2("sub", a.node, b.node)}; }
static inline vec vec_and(vec a, vec b) { return (vec){record2("and", a.node, b.node)}; }
static inline vec vec_or(vec a, vec b) { return (vec){record2("or", a.node, b.node)}; }
static inline vec vec_shl(vec a, int bits) { return (vec){record1_imm("shl", a.node, (immediate)bits)}; }
static inline vec vec_shr(vec a, int bits) { return (vec){record1_imm("shr", a.node, (immediate)bits)}; }
static inline vec vec_barrier(vec a) { return a; }

static inline vec vec_shr44_pair(vec lo, vec hi) { return (vec){record2("shr44_pair", lo.node, hi.node)}; }

static inline vec vec_mul32(factor a, factor b) { return (vec){record2("mul32", a.node, b.node)}; }

static inline vec vec_madd52lo(vec sum, factor a, factor b)
{
    return (vec){record3("madd52lo", sum.node, a.node, b.node)};
}

static inline vec vec_madd52hi(vec sum, factor a, factor b)
{
    return (vec){record3("madd52hi", sum.node, a.node, b.node)};
}

static inline vec vec_only_block(size_t block, uint64_t value)
{
    if (is_node(value))
        return (vec){record1_imm("word_only_block", node_of(value), block)};
    return (vec){record("only_block", 0, NULL, 2, (const immediate[]){block, constant_of(value)})};
}

#ifdef COCONUT_WORD
static inline vec vec_with_word(vec a, size_t block, uint64_t word)
{
    return (vec){
        record("with_word", 2, (const uint32_t[]){a.node, word.node}, 1, (const immediate[]){block})};
}
#endif

static inline factor factor_from(vec a) { return (factor){a.node}; }
static inline vec vec_from(factor a) { return (vec){a.node}; }
static inline factor factor_from_low32(vec a) { return (factor){record1("low32", a.node)}; }
static inline factor factor_from_high32(vec a) { return (factor){record1("high32", a.node)}; }
static inline factor factor_splat(uint64_t value) { return factor_from(vec_splat(value)); }
static inline factor factor_add(factor a, factor b)
{
    return factor_from(vec_add(vec_from(a), vec_from(b)));
}
static inline factor factor_shl(factor a, int bits) { return factor_from(vec_shl(vec_from(a), bits)); }
static inline factor factor_barrier(factor a) { return a; }
static inline factor factor_in_order(factor a) { return a; }
static inline factor factor_first(factor a) { return (factor){record1("first", a.node)}; }

static inline factor factor_block(const factor *a, size_t block)
{
    return (factor){record1_imm("block", a->node, block)};
}

#ifdef LANES_MULTIPLY_BLOCK
static inline vec vec_mul_add32_block(vec sum, factor a, factor b, int block)
{
    return vec_add(sum, vec_mul32(a, factor_block(&b, (size_t)block)));
}
#endif

static inline factor factor_blend(int bit, factor even, factor odd)
{
    return (factor){record("blend", 2, (const uint32_t[]){even.node, odd.node}, 1,
                           (const immediate[]){(immediate)bit})};
}

#ifdef COCONUT_WORD
static inline uint64_t vec_sum(vec a) { return uint64_t::made(record1("sum", a.node)); }
static inline uint64_t factor_word(factor a) { return uint64_t::made(record1("word", a.node)); }
#else
static inline uint64_t vec_sum(vec a)
{
    const vec sum_node = {record1("sum", a.node)};
    bb_out_from("sum", sum_count++, &sum_node, sizeof sum_node);
    return 0;
}

static inline uint64_t factor_word(factor a)
{
    const vec word_node = {record1("word", a.node)};
    bb_out_from("word", sum_count++, &word_node, sizeof word_node);
    return 0;
}
#endif

/* Loads blocks that are `stride` bytes apart. Words of which memory outside the message consists are
 * inserted one by one. */
static inline void load_apart(const uint8_t *blocks, size_t stride, vec *lo, vec *hi)
{
#ifdef COCONUT_WORD
    if (!in_message(blocks)) {
        *lo = *hi = vec_splat(0);
        for (size_t i = 0; i < LANES; i++) {
            *lo = vec_with_word(*lo, i, stored_word(blocks + stride * i));
            *hi = vec_with_word(*hi, i, stored_word(blocks + stride * i + 8));
        }
        return;
    }
#endif
    *lo = (vec){record_load("load_lo", blocks, stride)};
    *hi = (vec){record_load("load_hi", blocks, stride)};
}

static inline void vec_load_blocks(const uint8_t *blocks, vec *lo, vec *hi)
{
    load_apart(blocks, 16, lo, hi);
}

#ifdef LANES_CUT_26
static inline void factor_load_26(const uint8_t *blocks, factor limb[5])
{
    vec lo, hi;
    vec_load_blocks(blocks, &lo, &hi);
    for (int i = 0; i < 5; i++)
        limb[i] = (factor){
            record("cut26", 2, (const uint32_t[]){lo.node, hi.node}, 1, (const immediate[]){(immediate)i})};
}
#endif

static inline void vec_load_rows(const uint8_t *rows, vec words[4])
{
    load_apart(rows, 32, &words[0], &words[1]);
    load_apart(rows + 16, 32, &words[2], &words[3]);
}

#ifdef COCONUT_WORD
static inline vec without_first(vec a, size_t count)
{
    return count == 0 ? a : (vec){record1_imm("from_block", a.node, count)};
}

static inline void vec_load_first_blocks(const uint8_t *first, size_t absent, vec *lo, vec *hi, vec *top)
{
    vec_load_blocks(first - 16 * absent, lo, hi);
    *lo = without_first(*lo, absent);
    *hi = without_first(*hi, absent);
    *top = without_first(vec_splat(1), absent);
}

static inline void vec_load_last_blocks(const uint8_t *blocks, const uint64_t *last, vec *lo, vec *hi,
                                        vec *top)
{
    vec_load_blocks(blocks, lo, hi);
    *lo = vec_with_word(*lo, LANES - 1, last[0]);
    *hi = vec_with_word(*hi, LANES - 1, last[1]);
    *top = vec_with_word(vec_splat(1), LANES - 1, last[2]);
}

static inline void vec_load_each(const uint8_t *const *blocks, size_t offset, vec *lo, vec *hi)
{
    const size_t stride = LANES > 1 ? (size_t)(blocks[LANES > 1] - blocks[0]) : 0;
    for (size_t i = 0; i < LANES; i++)
        require(blocks[i] == blocks[0] + stride * i, "messages at other distances");
    load_apart(blocks[0] + offset, stride, lo, hi);
}
#else
/* The following operations read memory depending on lengths or pointers. They are not part of a basic block
 * here, and return full blocks. */
static inline void vec_load_first_blocks(const uint8_t *first, size_t absent, vec *lo, vec *hi, vec *top)
{
    (void)absent;
    vec_load_blocks(first, lo, hi);
    *top = vec_splat(1);
}

static inline void vec_load_last_blocks(const uint8_t *blocks, const uint64_t *last, vec *lo, vec *hi,
                                        vec *top)
{
    (void)last;
    vec_load_first_blocks(blocks, 0, lo, hi, top);
}

static inline void vec_load_each(const uint8_t *const *blocks, size_t offset, vec *lo, vec *hi)
{
    (void)blocks;
    vec_load_blocks(message + offset, lo, hi);
}
#endif

static inline void vec_store_blocks(uint8_t *blocks, vec lo, vec hi) { (void)blocks, (void)lo, (void)hi; }

#ifdef COCONUT_WORD
#undef uint64_t
#endif

#endif
