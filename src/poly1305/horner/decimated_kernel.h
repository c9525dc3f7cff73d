/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The functions of a kernel that spreads one message over its lanes.
 *
 * Blocks that fill no group stand in front, and the scalar code absorbs them while r is raised to the
 * powers: the two wait for different units. It also absorbs a partial block at the end. The lanes see full
 * groups only. */
#ifndef HORNET_POLY1305_HORNER_DECIMATED_KERNEL_H
#define HORNET_POLY1305_HORNER_DECIMATED_KERNEL_H

#include "../../core/residue.h"
#include "../../core/wipe.h"
#include "../kernel.h"
#include "../padding.h"
#include "../tag.h"
#include "decimated.h"
#include "serial.h"

/* r is passed in registers, as two words: what waits for it waits less than for memory, and as a struct gcc
 * 12 would put it there. */
HORNET_INLINE scalar_r scalar_r_from(uint64_t r_lo, uint64_t r_hi)
{
    const uint64_t words[2] = {r_lo, r_hi};
    return scalar_r_from_words(words);
}

/* Beside the powers gcc 12 runs out of registers for the blocks in front, and keeps words in vector
 * registers, 8 cycles a block. There, a function of its own is faster, which touches no vector register. */
#if defined(__clang__) || LANES > 4
#define FRONT_APART 0
#else
#define FRONT_APART 1
#endif

HORNET_NOINLINE void absorb_front(uint64_t h[3], uint64_t r_lo, uint64_t r_hi, const uint8_t *msg,
                                  size_t nblocks)
{
    scalar_fe_to_words(h, serial_blocks(scalar_fe_from_words(h), scalar_r_from(r_lo, r_hi), msg, nblocks));
    clear_red_zone_by_words();
}

/* h after the nblocks blocks in front, fewer than LANES: their number's bits, one after the other, because
 * the end of a loop over so few is hard to predict. */
HORNET_INLINE scalar_fe front_blocks(bool straight, scalar_fe h, scalar_r r, const uint8_t *msg,
                                     size_t nblocks)
{
    if (!straight)
        return serial_blocks(h, r, msg, nblocks);
    HORNET_UNROLL
    for (size_t count = LANES / 2; count != 0; count /= 2) {
        if ((nblocks & count) != 0) {
            h = serial_blocks(h, r, msg, count);
            msg += 16 * count;
        }
    }
    return h;
}

/* The contract is that of a kernel's absorb, for len_bytes >= GROUP_BYTES. The groups are absorbed n to a
 * reduction; that n <= IN_REGISTERS_MAX, and then n, is a constant. `straight` is for short messages, and a
 * constant too.
 *
 * The order is that in which a CPU waits least. The powers come first: the scalar code's instructions run
 * while they wait for one another. A partial block, added at the very end, is loaded some work before it is
 * needed. */
HORNET_INLINE void absorb_groups(size_t n, bool straight, uint64_t h_words[3], uint64_t r_lo, uint64_t r_hi,
                                 const uint8_t *msg, size_t len_bytes)
{
    const scalar_r r = scalar_r_from(r_lo, r_hi);
    uint64_t last[2];
    if (straight && len_bytes % 16 != 0)
        load_partial_block_after(&last[0], &last[1], msg + len_bytes / 16 * 16, len_bytes % 16);
    const size_t front_bytes = len_bytes % GROUP_BYTES / 16 * 16;
    evaluation_powers powers;
    evaluation_begin(&powers, n, fe_from_words(vec_splat(r_lo), vec_splat(r_hi), vec_splat(0)));

#if FRONT_APART
    if (front_bytes != 0)
        absorb_front(h_words, r_lo, r_hi, msg, front_bytes / 16);
#endif
    scalar_fe h = scalar_fe_from_words(h_words);
#if !FRONT_APART
    h = front_blocks(straight, h, r, msg, front_bytes / 16);
#endif
    msg += front_bytes;

    fe t = evaluation_first(msg, h);
    msg += GROUP_BYTES;
    size_t ngroups = len_bytes / GROUP_BYTES - 1;
    if (n > IN_REGISTERS_MAX) {
        while (ngroups != 0) {
            const size_t count = ngroups < n ? ngroups : n;
            t = evaluation_long_step(t, &powers, msg, count);
            ngroups -= count;
            msg += count * GROUP_BYTES;
        }
    } else {
        if (ngroups % n != 0) { /* first, because it does not wait for R^2 */
            t = evaluation_step(t, &powers, msg, 1);
            msg += GROUP_BYTES;
            ngroups--;
        }
        for (; ngroups != 0; ngroups -= n, msg += n * GROUP_BYTES)
            t = evaluation_step(t, &powers, msg, n);
    }
    if (!straight && len_bytes % 16 != 0)
        load_partial_block_after(&last[0], &last[1], msg, len_bytes % 16);
    h = evaluation_end(t, &powers);
    if (len_bytes % 16 != 0)
        h = scalar_fe_mul(scalar_fe_add(h, last[0], last[1], 0), r);
    scalar_fe_to_words(h_words, h);
}

/* Each returns where its stack ends. */

HORNET_ALIGNED HORNET_NOINLINE uintptr_t absorb_by_1(uint64_t h[3], uint64_t r_lo, uint64_t r_hi,
                                                     const uint8_t *msg, size_t len_bytes)
{
    absorb_groups(1, LANES <= 4, h, r_lo, r_hi, msg, len_bytes);
    return stack_end(KERNEL_CALLEES_BYTES);
}

HORNET_NOINLINE uintptr_t absorb_by_2(uint64_t h[3], uint64_t r_lo, uint64_t r_hi, const uint8_t *msg,
                                      size_t len_bytes)
{
    absorb_groups(2, false, h, r_lo, r_hi, msg, len_bytes);
    return stack_end(KERNEL_CALLEES_BYTES);
}

HORNET_NOINLINE uintptr_t absorb_by_table(uint64_t h[3], uint64_t r_lo, uint64_t r_hi, const uint8_t *msg,
                                          size_t len_bytes, size_t n)
{
    if (n > IN_REGISTERS_MAX)
        absorb_groups(n, false, h, r_lo, r_hi, msg, len_bytes);
    return stack_end(KERNEL_CALLEES_BYTES);
}

/* How many groups share a reduction in a message of so many. Asks about short messages first. */
HORNET_INLINE size_t groups_to_a_reduction(size_t ngroups)
{
    size_t groups = 0;
#define SHORTER_OR(n, min_groups)                                                                          \
    if (ngroups < (min_groups))                                                                            \
        return groups;                                                                                     \
    groups = n;
    GROUPS_TO_A_REDUCTION(SHORTER_OR)
#undef SHORTER_OR
    return groups;
}

/* A message that fills no group. */
HORNET_NOINLINE uintptr_t absorb_few(uint64_t h[3], uint64_t r_lo, uint64_t r_hi, const uint8_t *msg,
                                     size_t len_bytes)
{
    struct poly1305 state = {.r = {r_lo, r_hi}, .h = {h[0], h[1], h[2]}};
    hornet_poly1305_baseline->absorb(&state, msg, len_bytes);
    memcpy(h, state.h, sizeof state.h);
    return stack_end(KERNEL_CALLEES_BYTES);
}

HORNET_INLINE void absorb_any(uint64_t h[3], uint64_t r_lo, uint64_t r_hi, const uint8_t *msg,
                              size_t len_bytes)
{
    const size_t n = groups_to_a_reduction(len_bytes / GROUP_BYTES);
    if (n == 0)
        LANES_CLEAR_STACK(absorb_few(h, r_lo, r_hi, msg, len_bytes));
    else if (n == 1)
        LANES_CLEAR_STACK(absorb_by_1(h, r_lo, r_hi, msg, len_bytes));
    else if (n == 2)
        LANES_CLEAR_STACK(absorb_by_2(h, r_lo, r_hi, msg, len_bytes));
    else
        LANES_CLEAR_STACK(absorb_by_table(h, r_lo, r_hi, msg, len_bytes, n));
}

HORNET_SMALL uintptr_t absorb_and_continue(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    absorb_any(state->h, state->r[0], state->r[1], msg, len_bytes);
    return small_stack_end();
}

static void kernel_absorb(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    clear_small_stack(absorb_and_continue(state, msg, len_bytes));
}

HORNET_SMALL uintptr_t absorb_and_finish(uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                                         const uint8_t key[32])
{
    uint64_t r[2], s[2], h[3] = {0, 0, 0};
    load_r(r, key);
    if (len_bytes != 0)
        absorb_any(h, r[0], r[1], msg, len_bytes);
    load_s(s, key);
    store_tag(tag, tag_of_value(h, s));
    wipe(h, sizeof h);
    return small_stack_end();
}

static void kernel_mac(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])
{
    clear_small_stack(absorb_and_finish(tag, msg, len_bytes, key));
}

#endif
