/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Proves the bounds of lab/study/field/packed26.h and lab/study/horner/packed.h for all keys, messages and
 * lengths: runs them over ranges, in the plain C of their lanes, and iterates T to a fixed point. A word of
 * a packed element is two limbs: a sum of the lower ones may not carry into the upper ones. PORTABLE_LANES
 * is 4 or 8; see test_study_bounds.py. The files come from the tree named by -I.
 *
 * Not covered: that the operations of the real lanes do what those in plain C do (tested, not proved), and
 * r^2, which comes from scalar code (proved by scalar.cc). */
#define WORDS_ARE_PAIRS true
#include "../../../tests/proofs/word.h"

#include <string.h>

#include "src/core/memory.h"

/* Faster to compile. */
#undef HORNET_INLINE
#undef HORNET_UNROLL
#define HORNET_INLINE [[maybe_unused]] static
#define HORNET_UNROLL

/* Any word of a message. */
#define HORNET_CORE_BYTES_H
static word64 load_le64(const uint8_t *) { return word64(); }
static void store_le64(uint8_t *, word64) {}

/* An operation's type is checked where C compiles it. */
#define _Static_assert(...)

#define uint64_t word64
#define uint32_t word32
#define VEC_CHECK_MAX(v, limit)                                                                            \
    for (word64 checked : (v).lane)                                                                        \
    bound(checked.max <= (limit), #v " <= " #limit, checked.max)

#include "src/poly1305/field/radix26.h"

#pragma clang diagnostic ignored "-Woverloaded-shift-op-parentheses"
#include "src/poly1305/horner/powers.h"

/* The parts of the library that packed.h uses besides. */
#define HORNET_POLY1305_HORNER_DECIMATED_H
#define HORNET_STUDY_KERNEL_H
#define GROUP_BYTES   (16 * (size_t)LANES)
#define HORNET_H2_MAX 4

struct poly1305 {
    word64 r[2], h[3];
};

static size_t blocks_in(size_t len_bytes) { return (len_bytes + 15) / 16; }

static void load_first_block(word64 words[3], const uint8_t *, size_t)
{
    words[0] = words[1] = word64();
    words[2] = word64(0, 1);
}

typedef word64 scalar_fe, scalar_r;
static scalar_fe scalar_fe_from_words(const word64 *) { return word64(); }
static scalar_r scalar_r_from_words(const word64 *) { return word64(); }
static scalar_fe scalar_small_mul(scalar_fe, scalar_r) { return word64(); }

static void any_value(word64 words[3])
{
    words[0] = words[1] = word64();
    words[2] = word64(0, HORNET_H2_MAX);
}

static void scalar_fe_to_words(word64 *words, scalar_fe, int) { any_value(words); }

static void absorb_any(poly1305 *state, const uint8_t *, size_t) { any_value(state->h); }
static const struct {
    void (*absorb)(poly1305 *state, const uint8_t *msg, size_t len_bytes);
} fallback = {absorb_any}, *const hornet_poly1305_fallback = &fallback;

#include "lab/study/horner/packed.h"

static bool unite(packed_fe *a, packed_fe b)
{
    bool more = false;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < LANES; j++)
            more |= unite(&a->t[i].lane[j], b.t[i].lane[j]);
    return more;
}

static bool unite(single_fe *a, single_fe b)
{
    bool more = false;
    for (int j = 0; j < 4; j++) {
        more |= unite(&a->limbs.lane[j], b.limbs.lane[j]);
        more |= unite(&a->top.lane[j], b.top.lane[j]);
    }
    return more;
}

/* Limb 4, and every limb of a single element, have a word of their own, of which 32 bits are multiplied. */
static void check_alone(word64 limb)
{
    bound(limb.max <= UINT32_MAX, "a limb has more than 32 bits", limb.max);
}

static single_fe checked(single_fe a)
{
    for (int j = 0; j < 4; j++) {
        check_alone(a.limbs.lane[j]);
        check_alone(a.top.lane[j]);
    }
    return a;
}

int main()
{
    poly1305 state = {{word64() & 0x0ffffffc0fffffff, word64() & 0x0ffffffc0ffffffc}, {}};
    const size_t longest = PACKED_LAZY_BYTES + 8 * GROUP_BYTES;
    for (int rest = REST_TAIL; rest <= REST_SCALAR; rest++)
        for (size_t len_bytes = 16; len_bytes <= longest; len_bytes += 8)
            for (int fresh = 0; fresh < 2; fresh++) {
                any_value(state.h);
                packed_evaluate(&state, NULL, len_bytes, fresh != 0, (packed_rest)rest);
                bound(state.h[2].max <= HORNET_H2_MAX, "a value has more than 4 above 2^128",
                      state.h[2].max);
            }

    /* T, from every first group, with any number of groups after it. */
    packed_powers powers;
    packed_begin(&powers, PACKED_LAMBDA, REST_CHEAP, 1, state.r);
    const word64 any[3] = {word64(), word64(), word64(0, HORNET_H2_MAX)};
    const single_fe first = checked(single_block(NULL, 16, any));
    packed_fe t = packed_add(packed_group(NULL),
                             packed_from_words(vec_splat(any[0]), vec_splat(any[1]), vec_splat(any[2])));
    unite(&t, packed_add(packed_reduce(packed_of_single(single_mul(first, &powers.single_step))),
                         packed_group(NULL)));
    unite(&t,
          packed_add(packed_reduce(packed_of_pair(first, first, &powers.single_step)), packed_group(NULL)));
    bool more;
    int rounds = 0;
    do {
        more = false;
        for (size_t k = 1; k <= PACKED_LAMBDA; k++)
            more |= unite(&t, packed_step(t, &powers, NULL, k, packed_group(NULL)));
    } while (more && ++rounds < 100);
    bound(!more, "the accumulator reaches no fixed point", t.t[0].lane[0].max);
    for (word64 limb : t.t[2].lane)
        check_alone(limb);

    /* The end, and pieces after it, of which there may be any number. */
    const wide sum = wide_mul_add(wide_zero(), packed_unpack(t), &powers.of_last);
    single_fe piece = single_reduce(single_of_sums(sum));
    unite(&piece, single_from_words(any));
    const single_multiplier square = single_multiplier_from(powers.square),
                            r = single_multiplier_from(powers.r);
    const single_operands of_square = single_operands_of(&square), of_r = single_operands_of(&r);
    int rounds_of_pieces = 0;
    do {
        const single_fe block = checked(single_block(NULL, 16, NULL)),
                        sum_of_both = checked(single_add(piece, block));
        const single_wide two =
            single_wide_add(single_mul(sum_of_both, &of_square), single_mul(block, &of_r));
        const single_wide one = single_mul(sum_of_both, &of_r);
        more = unite(&piece, single_reduce(two));
        more |= unite(&piece, single_reduce(one));
        wide_sum_to_words(state.h, wide_of_single(two), 0);
        wide_sum_to_words(state.h, wide_of_single(one), 0);
    } while (more && ++rounds_of_pieces < 100);
    bound(!more, "the pieces reach no fixed point", piece.top.lane[0].max);
    wide_sum_to_words(state.h, sum, 0);

    printf(
        "bounds of the packed field (%d lanes): fixed points after %d and %d rounds, limbs 0 and 2 up to "
        "0x%llx\n",
        LANES, rounds, rounds_of_pieces, (unsigned long long)t.t[0].lane[0].max);
    printf("  %lu checked, %lu broken\n", bounds_checked, bounds_broken);
    return bounds_broken != 0;
}
