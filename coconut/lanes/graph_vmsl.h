/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lanes whose products are summed, and words, as nodes of a data-flow graph. They replace
 * src/poly1305/lanes/vmsl.h, which defines nothing then. A sum is one 128-bit number. With COCONUT_CUT_44,
 * the lanes offer what vmsl.h does. */
#ifndef COCONUT_GRAPH_SUMMED_H
#define COCONUT_GRAPH_SUMMED_H

#include <stddef.h>
#include <stdint.h>

#include "../../src/core/compiler.h"
#include "graph_scalar.h"

#define HORNET_VMSL_LANES     2
#define SUM_CHECK_MAX(v, max) record_max((v).node, (max))
#define VEC_CHECK_MAX         SUM_CHECK_MAX

typedef struct {
    uint32_t node;
} vec;

typedef struct {
    uint32_t node;
} sum;

static inline vec vec_splat(uint64_t value) { return (vec){record0("splat", value)}; }
static inline vec vec_add(vec a, vec b) { return (vec){record2("add", a.node, b.node)}; }
static inline vec vec_and(vec a, vec b) { return (vec){record2("and", a.node, b.node)}; }
static inline vec vec_or(vec a, vec b) { return (vec){record2("or", a.node, b.node)}; }
static inline vec vec_shl(vec a, int bits) { return (vec){record1_imm("shl", a.node, (uint64_t)bits)}; }
static inline vec vec_shr(vec a, int bits) { return (vec){record1_imm("shr", a.node, (uint64_t)bits)}; }

static inline vec vec_pair(word64 first, word64 second)
{
    return (vec){record2("word_pair", first.node, second.node)};
}

static inline vec vec_alone(vec a, int lane) { return (vec){record1_imm("alone", a.node, (uint64_t)lane)}; }

static inline vec vec_of_lane(vec a, vec b, int lane)
{
    return (vec){
        record("of_lane", 2, (const uint32_t[]){a.node, b.node}, 1, (const immediate[]){(immediate)lane})};
}

static inline word64 vec_element(vec a, int i)
{
    return word64::made(record1_imm("element", a.node, (immediate)i));
}

static inline sum sum_zero(void) { return (sum){record0("sum_zero", 0)}; }

static inline sum sum_mul_add(sum total, vec a, vec b)
{
    return (sum){record3("sum_mul_add", total.node, a.node, b.node)};
}

static inline vec sums_low(sum a, sum b) { return (vec){record2("sums_low", a.node, b.node)}; }
static inline vec sums_high(sum a, sum b) { return (vec){record2("sums_high", a.node, b.node)}; }

/* What the library has no use for: blocks of one's own (coconut.h). vec_lanes returns lane i of a, then
 * lane j of b. */
static inline vec vec_lanes(vec a, int i, vec b, int j)
{
    const immediate imm[2] = {(immediate)i, (immediate)(HORNET_VMSL_LANES + j)};
    return (vec){record("shuffle", 2, (const uint32_t[]){a.node, b.node}, 2, imm)};
}

static inline sum sum_of(uint64_t high, uint64_t low)
{
    return (sum){record("sum_of", 0, NULL, 2, (const immediate[]){high, low})};
}

static inline sum sum_add(sum a, sum b) { return (sum){record2("sum_add", a.node, b.node)}; }
static inline sum sum_sub(sum a, sum b) { return (sum){record2("sum_sub", a.node, b.node)}; }

/* Returns `count` bytes of a, from byte `from` on, as bytes from `to` on, of which 0 is the lowest. */
static inline sum sum_bytes(sum a, int from, int count, int to)
{
    const immediate imm[3] = {(immediate)from, (immediate)count, (immediate)to};
    return (sum){record("sum_bytes", 1, &a.node, 3, imm)};
}

/* Returns the lowest `bytes` bytes of a, and as many above them. */
static inline vec sum_limbs(sum a, int bytes)
{
    return (vec){record1_imm("sum_limbs", a.node, (immediate)bytes)};
}

/* States that a sum is below 2^bits. */
static inline sum sum_below(sum a, int bits)
{
    nodes[a.node].max = ((bound)1 << bits) - 1;
    return a;
}

static inline void bb_in_sums(const char *name, sum *numbers, size_t count)
{
    bb_in(PLACE_REGISTER, name, numbers, count * sizeof *numbers);
}

/* The blocks are 32 bytes apart. */
static inline void vec_load_blocks(const uint8_t *first, vec *lo, vec *hi)
{
    *lo = (vec){record_load("load_lo", first, 32)};
    *hi = (vec){record_load("load_hi", first, 32)};
}

#ifdef COCONUT_CUT_44
#define LANES_CUT_44

static inline void vec_load_44(const uint8_t *first, vec limb[3])
{
    vec lo, hi;
    vec_load_blocks(first, &lo, &hi);
    for (int i = 0; i < 3; i++)
        limb[i] = (vec){
            record("cut44", 2, (const uint32_t[]){lo.node, hi.node}, 1, (const immediate[]){(immediate)i})};
}
#endif

#endif
