/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The operations of one lanes file against a scalar model of the contract in src/poly1305/lanes.h.
 *
 * Included into the middle of each kernel's own file (HORNET_KERNEL_HOOK), where its lanes can be
 * called, so that a new lanes file is tested without any change here. Reports what it did not test: a
 * kernel without lanes, or one that this CPU cannot run. */
#include <string.h>

#include "../../src/core/bytes.h"
#include "../support/check.h"

#define TESTED HORNET_STRING(KERNEL)

#ifndef LANES

int main(void)
{
    printf("test_lanes " TESTED ": no lanes\n");
    return 0;
}

#else

#include "../../src/core/target_begin.h"

static const uint64_t edges[] = {
    0,
    1,
    (1 << 26) - 1,
    1 << 26,
    UINT32_MAX,
    UINT64_C(1) << 32,
    UINT64_C(0xffffffff00000000),
    UINT64_C(1) << 63,
    UINT64_MAX,
    UINT64_C(0x0123456789abcdef),
    UINT64_C(0xfedcba9876543210),
};

enum { EDGE_COUNT = sizeof edges / sizeof edges[0] };

typedef struct {
    uint64_t lane[LANES];
} model;

static int order[LANES]; /* the block that lane i holds */

static vec to_vec(model m)
{
    vec v;
    memcpy(&v, &m, sizeof v);
    return v;
}

static factor to_factor(model m) { return factor_from(to_vec(m)); }

static void check_vec(vec v, model expected, const char *operation)
{
    model m;
    memcpy(&m, &v, sizeof m);
    for (int i = 0; i < LANES; i++)
        check(m.lane[i] == expected.lane[i], TESTED ", %s: lane %d is %llx, not %llx", operation, i,
              (unsigned long long)m.lane[i], (unsigned long long)expected.lane[i]);
}

/* Different edge values in every lane. */
static model pattern(int start)
{
    model m;
    for (int i = 0; i < LANES; i++)
        m.lane[i] = edges[(start + 3 * i) % EDGE_COUNT];
    return m;
}

#define CHECK_MAP(call, expression)                                                                        \
    do {                                                                                                   \
        model expected;                                                                                    \
        for (int i = 0; i < LANES; i++)                                                                    \
            expected.lane[i] = (expression);                                                               \
        check_vec(call, expected, #call);                                                                  \
    } while (0)

#define CHECK_SHIFTS(bits)                                                                                 \
    CHECK_MAP(vec_shl(to_vec(a), bits), a.lane[i] << (bits));                                              \
    CHECK_MAP(vec_shr(to_vec(a), bits), a.lane[i] >> (bits))

static void test_load_blocks(void)
{
    for (size_t offset = 0; offset < 16; offset++) {
        uint8_t bytes[16 * LANES + 16];
        bool seen[LANES] = {false};
        vec lo, hi;
        model lo_model, hi_model;
        for (size_t i = 0; i < sizeof bytes; i++)
            bytes[i] = (uint8_t)(i * 37 + 11);
        vec_load_blocks(bytes + offset, &lo, &hi);
        memcpy(&lo_model, &lo, sizeof lo);
        memcpy(&hi_model, &hi, sizeof hi);
        for (int i = 0; i < LANES; i++) {
            order[i] = -1;
            for (int block = 0; block < LANES; block++)
                if (load_le64(bytes + offset + 16 * block) == lo_model.lane[i] && !seen[block]) {
                    order[i] = block;
                    seen[block] = true;
                    check(load_le64(bytes + offset + 16 * block + 8) == hi_model.lane[i],
                          TESTED ", vec_load_blocks: lane %d mixes blocks", i);
                    break;
                }
            check(order[i] >= 0, TESTED ", vec_load_blocks: lane %d is no block", i);
        }
    }
}

#ifdef LANES_CUT_26
/* Blocks with different edge values, at any address. */
static void test_cut_26(void)
{
    for (size_t offset = 0; offset < 16; offset++)
        for (int start = 0; start < EDGE_COUNT; start++) {
            uint8_t bytes[16 * LANES + 16];
            factor limb[5];
            for (int i = 0; i < 2 * LANES; i++)
                store_le64(bytes + offset + 8 * i, edges[(start + 3 * i) % EDGE_COUNT]);
            factor_load_26(bytes + offset, limb);
            for (int k = 0; k < 5; k++) {
                model expected;
                for (int i = 0; i < LANES; i++) {
                    const uint8_t *block = bytes + offset + 16 * order[i];
                    const uint64_t lo = load_le64(block), hi = load_le64(block + 8);
                    const int bit = 26 * k;
                    uint64_t bits = bit < 64 ? lo >> bit : hi >> (bit - 64);
                    if (bit > 64 - 26 && bit < 64)
                        bits |= hi << (64 - bit);
                    expected.lane[i] = bits & ((1 << 26) - 1);
                }
                check_vec(vec_from(limb[k]), expected, "factor_load_26");
            }
        }
}
#endif

/* A group that begins with missing blocks, and one whose last block is given as words. test_poly1305
 * checks with guard pages that nothing else is read. */
static void test_load_ragged(void)
{
    uint8_t bytes[16 * LANES];
    vec lo, hi, top;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37 + 11);
    for (int absent = 0; absent < LANES; absent++) {
        const uint8_t *first = bytes + 16 * absent;
        vec_load_first_blocks(first, (size_t)absent, &lo, &hi, &top);
        CHECK_MAP(lo, order[i] >= absent ? load_le64(bytes + 16 * order[i]) : 0);
        CHECK_MAP(hi, order[i] >= absent ? load_le64(bytes + 16 * order[i] + 8) : 0);
        CHECK_MAP(top, order[i] >= absent);
    }
    for (uint64_t full = 0; full < 2; full++) {
        const uint64_t last[3] = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210), full};
        vec_load_last_blocks(bytes, last, &lo, &hi, &top);
        CHECK_MAP(lo, order[i] == LANES - 1 ? last[0] : load_le64(bytes + 16 * order[i]));
        CHECK_MAP(hi, order[i] == LANES - 1 ? last[1] : load_le64(bytes + 16 * order[i] + 8));
        CHECK_MAP(top, order[i] == LANES - 1 ? full : 1);
    }
}

/* Loads blocks that are not adjacent, and combines them again. */
static void test_load_each(void)
{
    uint8_t bytes[40 * LANES], packed[16 * LANES], stored[16 * LANES];
    const uint8_t *blocks[LANES];
    vec lo, hi, packed_lo, packed_hi;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37 + 11);
    for (size_t offset = 0; offset < 8; offset++) {
        for (size_t i = 0; i < LANES; i++) {
            blocks[i] = bytes + 40 * ((i * 5 + 3) % LANES) + i % 16;
            memcpy(packed + 16 * i, blocks[i] + offset, 16);
        }
        vec_load_each(blocks, offset, &lo, &hi);
        vec_load_blocks(packed, &packed_lo, &packed_hi);
        check(memcmp(&lo, &packed_lo, sizeof lo) == 0 && memcmp(&hi, &packed_hi, sizeof hi) == 0,
              TESTED ", vec_load_each at offset %zu", offset);
        vec words[4];
        vec_load_rows(bytes + offset, words);
        for (int j = 0; j < 4; j++)
            CHECK_MAP(words[j], load_le64(bytes + offset + 32 * order[i] + 8 * j));
        vec_store_blocks(stored, lo, hi);
        check(memcmp(stored, packed, sizeof stored) == 0, TESTED ", vec_store_blocks");
    }
}

#ifdef LANES_MULTIPLY_52
static void test_multiply_52(model sum, model a, model b)
{
    const uint64_t mask = (UINT64_C(1) << 52) - 1;
    model lo, hi;
    for (int i = 0; i < LANES; i++) {
        /* The 104-bit product of 52-bit numbers, by schoolbook multiplication in 26-bit digits. */
        const uint64_t digit = (1 << 26) - 1;
        const uint64_t a0 = a.lane[i] & digit, a1 = a.lane[i] >> 26 & digit;
        const uint64_t b0 = b.lane[i] & digit, b1 = b.lane[i] >> 26 & digit;
        const uint64_t low = a0 * b0, middle = a0 * b1 + a1 * b0 + (low >> 26);
        lo.lane[i] = sum.lane[i] + (((middle << 26) | (low & digit)) & mask);
        hi.lane[i] = sum.lane[i] + a1 * b1 + (middle >> 26);
    }
    check_vec(vec_madd52lo(to_vec(sum), to_factor(a), to_factor(b)), lo, "vec_madd52lo");
    check_vec(vec_madd52hi(to_vec(sum), to_factor(a), to_factor(b)), hi, "vec_madd52hi");
    CHECK_MAP(vec_shr44_pair(to_vec(a), to_vec(b)), a.lane[i] >> 44 | b.lane[i] << 20);
}
#endif

/* Numbers that fit in a factor of every lanes file: below 2^32 if it holds no more. */
static model small(model m)
{
#if FACTOR_BITS == 32
    for (int i = 0; i < LANES; i++)
        m.lane[i] = (uint32_t)m.lane[i];
#endif
    return m;
}

static void test_factors(model a, model b, uint64_t value)
{
    uint64_t first = 0;
    for (int i = 0; i < LANES; i++)
        if (order[i] == 0)
            first = a.lane[i];
    CHECK_MAP(vec_from(to_factor(a)), a.lane[i]);
    CHECK_MAP(vec_from(factor_splat(value)), value);
    CHECK_MAP(vec_from(factor_barrier(to_factor(a))), a.lane[i]);
    CHECK_MAP(vec_from(factor_in_order(to_factor(a))), a.lane[i]);
    CHECK_MAP(vec_from(factor_first(to_factor(a))), first);
    check(factor_word(to_factor(a)) == first, TESTED ", factor_word");
    const model quarter_a = {{0}};
    model x = quarter_a, y = quarter_a; /* their sum and quadruple still fit */
    for (int i = 0; i < LANES; i++) {
        x.lane[i] = a.lane[i] >> 2;
        y.lane[i] = b.lane[i] >> 2;
    }
    CHECK_MAP(vec_from(factor_add(to_factor(x), to_factor(y))), x.lane[i] + y.lane[i]);
    CHECK_MAP(vec_from(factor_shl(to_factor(x), 2)), x.lane[i] << 2);
    for (int block = 0; block < LANES; block++) {
        const factor in_memory = to_factor(a);
        uint64_t expected_value = 0;
        for (int i = 0; i < LANES; i++)
            if (order[i] == block)
                expected_value = a.lane[i];
        CHECK_MAP(vec_from(factor_block(&in_memory, (size_t)block)), expected_value);
    }
#define CHECK_BLEND(bit)                                                                                   \
    CHECK_MAP(vec_from(factor_blend(bit, to_factor(a), to_factor(b))),                                     \
              (order[i] >> (bit) & 1) == 0 ? a.lane[i] : b.lane[i])
#if LANES > 1
    CHECK_BLEND(0);
#endif
#if LANES > 2
    CHECK_BLEND(1);
#endif
#if LANES > 4
    CHECK_BLEND(2);
#endif
#if LANES > 8
    CHECK_BLEND(3);
#endif
}

static void test_operations(int start_a, int start_b)
{
    const model a = pattern(start_a), b = pattern(start_b);

    CHECK_MAP(vec_splat(edges[start_a]), edges[start_a]);
    CHECK_MAP(vec_add(to_vec(a), to_vec(b)), a.lane[i] + b.lane[i]);
    CHECK_MAP(vec_sub(to_vec(a), to_vec(b)), a.lane[i] - b.lane[i]);
    CHECK_MAP(vec_and(to_vec(a), to_vec(b)), a.lane[i] & b.lane[i]);
    CHECK_MAP(vec_or(to_vec(a), to_vec(b)), a.lane[i] | b.lane[i]);
    CHECK_MAP(vec_barrier(to_vec(a)), a.lane[i]);
    for (int block = 0; block < LANES; block++)
        CHECK_MAP(vec_only_block((size_t)block, edges[start_b]), order[i] == block ? edges[start_b] : 0);
    CHECK_SHIFTS(1);
    CHECK_SHIFTS(2);
    CHECK_SHIFTS(12);
    CHECK_SHIFTS(14);
    CHECK_SHIFTS(24);
    CHECK_SHIFTS(26);
    CHECK_SHIFTS(40);
    CHECK_SHIFTS(44);
    CHECK_SHIFTS(52);
    CHECK_SHIFTS(63);

    uint64_t sum = 0;
    for (int i = 0; i < LANES; i++)
        sum += a.lane[i];
    check(vec_sum(to_vec(a)) == sum, TESTED ", vec_sum");

    test_factors(small(a), small(b), small((model){{edges[start_a]}}).lane[0]);
#ifdef LANES_MULTIPLY_32
    const model x = small(a), y = small(b);
    const model c = pattern(start_a + start_b);
    CHECK_MAP(vec_mul_add32(to_vec(c), to_factor(x), to_factor(y)),
              c.lane[i] + (x.lane[i] & UINT32_MAX) * (y.lane[i] & UINT32_MAX));
    CHECK_MAP(vec_mul_add32(to_vec(c), factor_from_low32(to_vec(a)), to_factor(y)),
              c.lane[i] + (a.lane[i] & UINT32_MAX) * (y.lane[i] & UINT32_MAX));
    CHECK_MAP(vec_mul_add32(to_vec(c), factor_from_high32(to_vec(a)), to_factor(y)),
              c.lane[i] + (a.lane[i] >> 32) * (y.lane[i] & UINT32_MAX));
#endif
#ifdef LANES_MULTIPLY_BLOCK
    for (int block = 0; block < LANES; block++) {
        uint64_t number = 0;
        for (int i = 0; i < LANES; i++)
            if (order[i] == block)
                number = y.lane[i] & UINT32_MAX;
        CHECK_MAP(vec_mul_add32_block(to_vec(c), to_factor(x), to_factor(y), block),
                  c.lane[i] + (x.lane[i] & UINT32_MAX) * number);
    }
#endif
#ifdef LANES_MULTIPLY_52
    test_multiply_52(pattern(start_a + start_b), a, b);
#endif
}

static void test_all(void)
{
    _Static_assert(sizeof(vec) == sizeof(model), "a vec is its lanes and nothing else");
    test_load_blocks();
#ifdef LANES_CUT_26
    test_cut_26();
#endif
    test_load_ragged();
    test_load_each();
    for (int a = 0; a < EDGE_COUNT; a++)
        for (int b = 0; b < EDGE_COUNT; b++)
            test_operations(a, b);
}

#include "../../src/core/target_end.h"

int main(void)
{
    if ((KERNEL_REQUIRED & ~hornet_cpu()) != 0) {
        printf("test_lanes " TESTED ": not on this CPU\n");
        return 0;
    }
    test_all();
    return check_report("test_lanes " TESTED);
}

#endif
