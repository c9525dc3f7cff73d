/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lanes that hold nodes of a data-flow graph instead of values.
 *
 * Over these lanes, the library's field code and evaluation record what they compute: there is no second
 * description of the algorithm. src/poly1305/lanes.h specifies the operations. COCONUT_LANES is the number
 * of lanes. */
#ifndef LANES

#include <stddef.h>
#include <stdint.h>

#include "recorder.h"

/* Faster to compile. */
#undef KERNEL_INLINE
#define KERNEL_INLINE HORNET_NOINLINE

#define LANES COCONUT_LANES
#define LANES_FACTOR
#define LANES_MULTIPLY_32
#define LANES_MULTIPLY_52

typedef struct {
    uint32_t node;
} vec;

typedef struct {
    uint32_t node;
} factor;

#define VEC_CHECK_MAX(v, limit) record_max((v).node, (limit))

static inline vec vec_splat(uint64_t value)
{
    return (vec){is_mark(value) ? record1("word_splat", (uint32_t)value) : record0("splat", value)};
}

static inline vec vec_add(vec a, vec b) { return (vec){record2("add", a.node, b.node)}; }
static inline vec vec_sub(vec a, vec b) { return (vec){record2("sub", a.node, b.node)}; }
static inline vec vec_and(vec a, vec b) { return (vec){record2("and", a.node, b.node)}; }
static inline vec vec_or(vec a, vec b) { return (vec){record2("or", a.node, b.node)}; }
static inline vec vec_shl(vec a, int bits) { return (vec){record1_imm("shl", a.node, (uint64_t)bits)}; }
static inline vec vec_shr(vec a, int bits) { return (vec){record1_imm("shr", a.node, (uint64_t)bits)}; }
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
    if (is_mark(value))
        return (vec){record1_imm("word_only_block", (uint32_t)value, block)};
    return (vec){record("only_block", 0, NULL, 2, (const uint64_t[]){block, value})};
}

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

static inline factor factor_blend(int bit, factor even, factor odd)
{
    return (factor){
        record("blend", 2, (const uint32_t[]){even.node, odd.node}, 1, &(uint64_t){(uint64_t)bit})};
}

/* A word that leaves the lanes is an output; what scalar code computes from it is not part of the graph. */
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

static inline void vec_load_blocks(const uint8_t *blocks, vec *lo, vec *hi)
{
    *lo = (vec){record_load("load_lo", blocks, 16)};
    *hi = (vec){record_load("load_hi", blocks, 16)};
}

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

static inline void vec_load_rows(const uint8_t *rows, vec words[4])
{
    (void)rows;
    vec_load_blocks(message, &words[0], &words[1]);
    vec_load_blocks(message, &words[2], &words[3]);
}

static inline void vec_store_blocks(uint8_t *blocks, vec lo, vec hi) { (void)blocks, (void)lo, (void)hi; }

#endif
