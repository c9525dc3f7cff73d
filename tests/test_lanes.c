/* The operations of one lanes file against a scalar model of what src/lanes/portable.h defines.
 *
 * Compiled once for each kernel with KERNEL_FILE its source: the kernel's target region is opened
 * again here, so that its lanes can be called, and a new lanes file is tested without a line here. */
#include <string.h>

#include KERNEL_FILE
#include "check.h"

#ifndef LANES

int main(void)
{
    printf("test_lanes " KERNEL_FILE ": no lanes\n");
    return 0;
}

#else

#ifdef HORNET_TARGET
#include "../src/target_begin.h"
#endif

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

static void check_vec(vec v, model expected, const char *operation)
{
    model m;
    memcpy(&m, &v, sizeof m);
    for (int i = 0; i < LANES; i++)
        check(m.lane[i] == expected.lane[i], KERNEL_FILE ", %s: lane %d is %llx, not %llx", operation, i,
              (unsigned long long)m.lane[i], (unsigned long long)expected.lane[i]);
}

/* Different edges in every lane. */
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
                          KERNEL_FILE ", vec_load_blocks: lane %d mixes blocks", i);
                    break;
                }
            check(order[i] >= 0, KERNEL_FILE ", vec_load_blocks: lane %d is no block", i);
        }
    }
}

/* Blocks that lie apart, and back into one piece. */
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
              KERNEL_FILE ", vec_load_each at offset %zu", offset);
        vec_store_blocks(stored, lo, hi);
        check(memcmp(stored, packed, sizeof stored) == 0, KERNEL_FILE ", vec_store_blocks");
    }
}

#ifdef HORNET_FIELD_RADIX44_H
static void test_radix44_operations(model sum, model a, model b)
{
    const uint64_t mask = (UINT64_C(1) << 52) - 1;
    model lo, hi;
    for (int i = 0; i < LANES; i++) {
        /* The 104-bit product of 52-bit numbers, by schoolbook in 26-bit digits. */
        const uint64_t digit = (1 << 26) - 1;
        const uint64_t a0 = a.lane[i] & digit, a1 = a.lane[i] >> 26 & digit;
        const uint64_t b0 = b.lane[i] & digit, b1 = b.lane[i] >> 26 & digit;
        const uint64_t low = a0 * b0, middle = a0 * b1 + a1 * b0 + (low >> 26);
        lo.lane[i] = sum.lane[i] + (((middle << 26) | (low & digit)) & mask);
        hi.lane[i] = sum.lane[i] + a1 * b1 + (middle >> 26);
    }
    check_vec(vec_madd52lo(to_vec(sum), to_vec(a), to_vec(b)), lo, "vec_madd52lo");
    check_vec(vec_madd52hi(to_vec(sum), to_vec(a), to_vec(b)), hi, "vec_madd52hi");
    CHECK_MAP(vec_shr_pair(to_vec(a), to_vec(b), 44), a.lane[i] >> 44 | b.lane[i] << 20);
    CHECK_MAP(vec_shr_pair(to_vec(a), to_vec(b), 1), a.lane[i] >> 1 | b.lane[i] << 63);
}
#endif

static void test_operations(int start_a, int start_b)
{
    const model a = pattern(start_a), b = pattern(start_b);

    CHECK_MAP(vec_splat(edges[start_a]), edges[start_a]);
    CHECK_MAP(vec_add(to_vec(a), to_vec(b)), a.lane[i] + b.lane[i]);
    CHECK_MAP(vec_sub(to_vec(a), to_vec(b)), a.lane[i] - b.lane[i]);
    CHECK_MAP(vec_and(to_vec(a), to_vec(b)), a.lane[i] & b.lane[i]);
    CHECK_MAP(vec_or(to_vec(a), to_vec(b)), a.lane[i] | b.lane[i]);
    CHECK_MAP(vec_mul32(to_vec(a), to_vec(b)), (a.lane[i] & UINT32_MAX) * (b.lane[i] & UINT32_MAX));
    CHECK_MAP(vec_opaque(to_vec(a)), a.lane[i]);
    CHECK_SHIFTS(1);
    CHECK_SHIFTS(2);
    CHECK_SHIFTS(12);
    CHECK_SHIFTS(14);
    CHECK_SHIFTS(24);
    CHECK_SHIFTS(26);
    CHECK_SHIFTS(40);
    CHECK_SHIFTS(52);
    CHECK_SHIFTS(63);

    uint64_t first = 0, sum = 0;
    for (int i = 0; i < LANES; i++) {
        sum += a.lane[i];
        if (order[i] == 0)
            first = a.lane[i];
    }
    CHECK_MAP(vec_first(to_vec(a)), first);
    CHECK_MAP(vec_only_first(edges[start_b]), order[i] == 0 ? edges[start_b] : 0);
    for (int block = 0; block < LANES; block++) {
        const vec in_memory = to_vec(a);
        uint64_t value = 0;
        for (int i = 0; i < LANES; i++)
            if (order[i] == block)
                value = a.lane[i];
        CHECK_MAP(vec_block(&in_memory, (size_t)block), value);
    }
#ifdef HORNET_FIELD_RADIX44_H
    test_radix44_operations(pattern(start_a + start_b), a, b);
#endif
    check(vec_sum(to_vec(a)) == sum, KERNEL_FILE ", vec_sum");
    CHECK_MAP(vec_blend(0, to_vec(a), to_vec(b)), (order[i] >> 0 & 1) == 0 ? a.lane[i] : b.lane[i]);
#if LANES > 2
    CHECK_MAP(vec_blend(1, to_vec(a), to_vec(b)), (order[i] >> 1 & 1) == 0 ? a.lane[i] : b.lane[i]);
#endif
#if LANES > 4
    CHECK_MAP(vec_blend(2, to_vec(a), to_vec(b)), (order[i] >> 2 & 1) == 0 ? a.lane[i] : b.lane[i]);
#endif
#if LANES > 8
    CHECK_MAP(vec_blend(3, to_vec(a), to_vec(b)), (order[i] >> 3 & 1) == 0 ? a.lane[i] : b.lane[i]);
#endif
}

static void test_all(void)
{
    _Static_assert(sizeof(vec) == sizeof(model), "a vec is its lanes and nothing else");
    test_load_blocks();
    test_load_each();
    for (int a = 0; a < EDGE_COUNT; a++)
        for (int b = 0; b < EDGE_COUNT; b++)
            test_operations(a, b);
}

#ifdef HORNET_TARGET
#include "../src/target_end.h"
#endif

int main(void)
{
    if ((TESTED_KERNEL.needs & ~hornet_cpu_features()) != 0) {
        printf("test_lanes " KERNEL_FILE ": not on this CPU\n");
        return 0;
    }
    test_all();
    return check_report("test_lanes " KERNEL_FILE);
}

#endif
