/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The functions of a kernel that spreads all blocks of one message over its lanes. */
#ifndef HORNET_POLY1305_HORNER_DECIMATED_KERNEL_H
#define HORNET_POLY1305_HORNER_DECIMATED_KERNEL_H

#include "../../core/stack_wipe.h"
#include "../kernel.h"
#include "../padding.h"
#include "../tag.h"
#include "decimated.h"
#include "streaming.h"

/* An evaluation computes the tag of a message under a key, or continues a state. */
enum evaluation_kind { EVALUATES_MESSAGE, CONTINUES_STATE };

/* What it reads r from, and where its result goes. Two words, which are passed in registers: in memory,
 * they would cost 4 % at 208 bytes. */
typedef struct {
    union {
        const uint8_t *key;
        const struct poly1305 *state;
    } from;
    union {
        uint8_t *tag;
        struct poly1305 *state;
    } to;
} evaluation_ends;

/* The position of the groups. */
typedef struct {
    const uint8_t *middle, *last; /* the second group, and the last */
    size_t nmiddle;               /* number of groups from the second up to the last */
    size_t last_bytes;            /* bytes in the last block: 1 to 16 */
} message_groups;

/* Raises r for n groups per reduction. */
HORNET_INLINE void open_powers(evaluation_powers *powers, size_t n, enum evaluation_kind kind,
                               evaluation_ends ends)
{
    uint64_t r[2];
    /* Each word is loaded separately, into a general-purpose register: a single load of both would wait
     * until the two stores before it have reached the cache, and its halves would be available late. */
    if (kind == EVALUATES_MESSAGE) {
        load_r(r, ends.from.key);
        HORNET_VALUE_BARRIER("r", r[0]);
        HORNET_VALUE_BARRIER("r", r[1]);
    } else {
        r[0] = ends.from.state->r[0];
        r[1] = ends.from.state->r[1];
        HORNET_VALUE_BARRIER("r", r[0]);
        HORNET_VALUE_BARRIER("r", r[1]);
    }
    raise_r(powers, n, r);
}

/* Returns T for the first group. */
HORNET_INLINE fe open_message(message_groups *groups, enum evaluation_kind kind, evaluation_ends ends,
                              const uint8_t *msg, size_t len_bytes, size_t ngroups)
{
    const size_t nblocks = blocks_in(len_bytes), absent = ngroups * LANES - nblocks;
    groups->nmiddle = ngroups - 2;
    groups->middle = msg + 16 * (LANES - absent);
    groups->last = groups->middle + groups->nmiddle * GROUP_BYTES;
    groups->last_bytes = len_bytes - 16 * (nblocks - 1);
    const fe t = evaluation_first(msg, absent);
    return kind == EVALUATES_MESSAGE ? t : evaluation_continue(t, absent, ends.from.state->h);
}

HORNET_INLINE fe load_last_group(const message_groups *groups)
{
    const uint8_t *end = groups->last + 16 * (LANES - 1);
    uint64_t block[3];
    block[2] = groups->last_bytes / 16;
    if (block[2] != 0) {
        block[0] = load_le64(end);
        block[1] = load_le64(end + 8);
    } else {
        load_partial_block_after(&block[0], &block[1], end, groups->last_bytes);
    }
    return evaluation_last(groups->last, block);
}

/* Absorbs the groups n per reduction. Whether n <= STEPS_MAX is known at compile time; if it holds, n is a
 * constant. The number of groups is computed again: passing it costs 4 % at 272 to 320 bytes (gcc 12, Zen
 * 5). */
HORNET_INLINE void absorb_groups(size_t n, long_multiplier *table, enum evaluation_kind kind,
                                 evaluation_ends ends, const uint8_t *msg, size_t len_bytes)
{
    const size_t ngroups = groups_in(len_bytes);
    message_groups groups;
    evaluation_powers powers;
    powers.table = table;
    /* Two pointers: gcc 12 puts a pointer that is kept until the end into a vector register, and moving it
     * back must not delay r. */
    const uint8_t *s_key = ends.from.key;
    HORNET_VALUE_BARRIER("r", s_key);
    open_powers(&powers, n, kind, ends); /* first, because everything else waits for them */
    fe t = open_message(&groups, kind, ends, msg, len_bytes, ngroups);
    if (n > STEPS_MAX) {
        /* First the groups that do not fill a long step, then the long steps. */
        size_t count = groups.nmiddle % n;
        const uint8_t *end = groups.middle + count * GROUP_BYTES;
        for (int part = 0; part < 2; part++, count = n, end = groups.last) {
            if (groups.middle == end)
                continue;
            const fe tops = evaluation_tops(&powers, count);
            for (; groups.middle != end; groups.middle += count * GROUP_BYTES)
                t = evaluation_long_step(t, &powers, groups.middle, count, tops);
        }
    } else {
        if (groups.nmiddle % 2 != 0) { /* first, because it does not wait for R^2 */
            t = evaluation_step(t, &powers, groups.middle, 1);
            groups.middle += GROUP_BYTES;
        }
        HORNET_UNROLL
        for (size_t k = n; k > 1; k -= 2)
            for (; (size_t)(groups.last - groups.middle) >= k * GROUP_BYTES;
                 groups.middle += k * GROUP_BYTES)
                t = evaluation_step(t, &powers, groups.middle, k);
    }
    uint64_t x[3];
    evaluation_end(x, t, load_last_group(&groups), &powers, kind == EVALUATES_MESSAGE ? 5 : 0);
    if (kind == EVALUATES_MESSAGE) {
        uint64_t s[2];
        load_s(s, s_key);
        store_tag(ends.to.tag, tag_of_value_and_5(x, s));
    } else {
        copy_stored_words(ends.to.state->h, x, 3);
    }
}

/* Each of these functions returns where its stack ends. */

#define absorb_by_2 HORNET_KERNEL_NAME(poly1305, absorb_by_2)
HORNET_ALIGNED HORNET_NOINLINE uintptr_t absorb_by_2(enum evaluation_kind kind, evaluation_ends ends,
                                                     const uint8_t *msg, size_t len_bytes)
{
    absorb_groups(2, NULL, kind, ends, msg, len_bytes);
    return stack_end(KERNEL_CALLEES_BYTES);
}

#define absorb_by_4 HORNET_KERNEL_NAME(poly1305, absorb_by_4)
HORNET_NOINLINE uintptr_t absorb_by_4(enum evaluation_kind kind, evaluation_ends ends, const uint8_t *msg,
                                      size_t len_bytes)
{
    absorb_groups(4, NULL, kind, ends, msg, len_bytes);
    return stack_end(KERNEL_CALLEES_BYTES);
}

/* Two lengths of tables share the function; one has it inlined. */
#if LONG_SUM_MAX / 2 > STEPS_MAX
#define SHARED_FUNCTION HORNET_NOINLINE
#else
#define SHARED_FUNCTION HORNET_INLINE
#endif
#define absorb_by_table HORNET_KERNEL_NAME(poly1305, absorb_by_table)
SHARED_FUNCTION uintptr_t absorb_by_table(size_t n, long_multiplier *table, enum evaluation_kind kind,
                                          const evaluation_ends *ends, const uint8_t *msg, size_t len_bytes)
{
    if (n <= STEPS_MAX)
        __builtin_unreachable(); /* not a condition, or clang 19 ends the frame before stack_end */
    absorb_groups(n, table, kind, *ends, msg, len_bytes);
    return stack_end(KERNEL_CALLEES_BYTES);
}

#undef SHARED_FUNCTION

/* The table is in a frame of its own, since clearing more than is used takes 2 to 3 % at 64 groups (Zen
 * 4). */
#define absorb_by_half_table HORNET_KERNEL_NAME(poly1305, absorb_by_half_table)
HORNET_NOINLINE uintptr_t absorb_by_half_table(enum evaluation_kind kind, evaluation_ends ends,
                                               const uint8_t *msg, size_t len_bytes)
{
    long_multiplier table[(TABLE_VECTORS(LONG_SUM_MAX) + 1) / 2];
    size_t n = LONG_SUM_MAX / 2;
    HORNET_VALUE_BARRIER("r", n); /* clang 19 would forget that n > STEPS_MAX */
    return absorb_by_table(n, table, kind, &ends, msg, len_bytes);
}

#define absorb_by_whole_table HORNET_KERNEL_NAME(poly1305, absorb_by_whole_table)
HORNET_NOINLINE uintptr_t absorb_by_whole_table(enum evaluation_kind kind, evaluation_ends ends,
                                                const uint8_t *msg, size_t len_bytes)
{
    long_multiplier table[TABLE_VECTORS(LONG_SUM_MAX)];
    return absorb_by_table(LONG_SUM_MAX, table, kind, &ends, msg, len_bytes);
}

/* n is the number of groups to a reduction. */
HORNET_INLINE void absorb_by(size_t n, enum evaluation_kind kind, evaluation_ends ends, const uint8_t *msg,
                             size_t len_bytes)
{
    if (n == 2)
        LANES_CLEAR_STACK(absorb_by_2(kind, ends, msg, len_bytes));
    else if (n == 4)
        LANES_CLEAR_STACK(absorb_by_4(kind, ends, msg, len_bytes));
    else if (n == LONG_SUM_MAX / 2)
        LANES_CLEAR_STACK(absorb_by_half_table(kind, ends, msg, len_bytes));
    else
        LANES_CLEAR_STACK(absorb_by_whole_table(kind, ends, msg, len_bytes));
}

/* Messages of fewer than two groups, for which n is 0, go to the fallback. */
HORNET_INLINE void absorb_bytes(size_t n, struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    if (n == 0)
        hornet_poly1305_fallback->absorb(state, msg, len_bytes);
    else
        absorb_by(n, CONTINUES_STATE, (evaluation_ends){{.state = state}, {.state = state}}, msg,
                  len_bytes);
}

HORNET_INLINE void mac_of_bytes(size_t n, uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                                const uint8_t key[32])
{
    if (n == 0)
        hornet_poly1305_fallback->mac(tag, msg, len_bytes, key);
    else
        absorb_by(n, EVALUATES_MESSAGE, (evaluation_ends){{.key = key}, {.tag = tag}}, msg, len_bytes);
}

#define kernel_absorb HORNET_KERNEL_NAME(poly1305, kernel_absorb)
static void kernel_absorb(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    absorb_bytes(groups_to_a_reduction(groups_in(len_bytes)), state, msg, len_bytes);
}

#define kernel_mac HORNET_KERNEL_NAME(poly1305, kernel_mac)
static void kernel_mac(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])
{
    mac_of_bytes(groups_to_a_reduction(groups_in(len_bytes)), tag, msg, len_bytes, key);
}

#ifdef KERNEL_TUNING /* the same with TUNED_GROUPS; inline, so that proofs need not refer to them */

#define tuned_absorb HORNET_KERNEL_NAME(poly1305, tuned_absorb)
static inline void tuned_absorb(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    absorb_bytes(tuned_groups_to_a_reduction(groups_in(len_bytes)), state, msg, len_bytes);
}

#define tuned_mac HORNET_KERNEL_NAME(poly1305, tuned_mac)
static inline void tuned_mac(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])
{
    mac_of_bytes(tuned_groups_to_a_reduction(groups_in(len_bytes)), tag, msg, len_bytes, key);
}
#endif

/* Whether the kernel keeps its lanes between the chunks of a message. A kernel file may define it as 0. */
#ifndef KERNEL_STREAMS
#define KERNEL_STREAMS (STREAMING_WORDS <= HORNET_STREAMING_LANES_WORDS)
#endif

#if KERNEL_STREAMS

_Static_assert(HORNET_STREAMING_BUFFER_BYTES % GROUP_BYTES == 0, "the buffer must hold whole groups");

#define kernel_lanes_begin HORNET_KERNEL_NAME(poly1305, kernel_lanes_begin)
static void kernel_lanes_begin(struct poly1305_streaming *streaming, const uint8_t *group)
{
    LANES_CLEAR_STACK(begin_lanes(streaming->lanes, streaming->value.r, streaming->value.h, group));
}

#define kernel_lanes_absorb HORNET_KERNEL_NAME(poly1305, kernel_lanes_absorb)
static void kernel_lanes_absorb(struct poly1305_streaming *streaming, const uint8_t *first, size_t nfirst,
                                const uint8_t *second, size_t nsecond)
{
    LANES_CLEAR_STACK(absorb_runs(streaming->lanes, first, nfirst, second, nsecond));
}

#define kernel_lanes_end HORNET_KERNEL_NAME(poly1305, kernel_lanes_end)
static void kernel_lanes_end(struct poly1305_streaming *streaming)
{
    LANES_CLEAR_STACK(sum_lanes(streaming->value.h, streaming->lanes));
}
#endif

#endif
