/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The functions of a kernel that spreads one message over its lanes.
 *
 * Blocks that fill no group stand in front, and the scalar code absorbs them while r is raised to the
 * powers: the two wait for different units. It also absorbs a partial block at the end. The lanes see full
 * groups only. */
#ifndef HORNET_POLY1305_HORNER_DECIMATED_KERNEL_H
#define HORNET_POLY1305_HORNER_DECIMATED_KERNEL_H

#include "../../core/wipe.h"
#include "../kernel.h"
#include "../padding.h"
#include "../tag.h"
#include "decimated.h"
#include "serial.h"

/* h after the nblocks blocks in front, fewer than LANES: their number's bits, one after the other, because
 * the end of a loop over so few is hard to predict. Beside the powers gcc 12 runs out of registers and
 * keeps words in vector registers, 8 cycles a block; there, a function of its own is faster. */
#if defined(__clang__) || LANES > 4
HORNET_INLINE scalar_fe front_blocks(bool straight, const struct poly1305 *state, scalar_r r,
                                     const uint8_t *msg, size_t nblocks)
{
    scalar_fe h = scalar_fe_from_words(state->h);
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
#else
HORNET_NOINLINE void absorb_front(struct poly1305 *state, const uint8_t *msg, size_t nblocks)
{
    scalar_fe_to_words(state->h, serial_blocks(scalar_fe_from_words(state->h),
                                               scalar_r_from_words(state->r), msg, nblocks));
}

HORNET_INLINE scalar_fe front_blocks(bool straight, struct poly1305 *state, scalar_r r, const uint8_t *msg,
                                     size_t nblocks)
{
    (void)straight, (void)r;
    if (nblocks != 0)
        absorb_front(state, msg, nblocks);
    return scalar_fe_from_words(state->h);
}
#endif

/* The contract is that of a kernel's absorb, for len_bytes >= GROUP_BYTES. The groups are absorbed n to a
 * reduction; that n <= IN_REGISTERS_MAX, and then n, is a constant. `straight` is for short messages, and a
 * constant too.
 *
 * The order is that in which a CPU waits least. The powers come first: the scalar code's instructions run
 * while they wait for one another. A partial block, added at the very end, is loaded some work before it is
 * needed. */
HORNET_INLINE void absorb_groups(size_t n, bool straight, struct poly1305 *state, const uint8_t *msg,
                                 size_t len_bytes)
{
    const scalar_r r = scalar_r_from_words(state->r);
    uint64_t last[2];
    if (straight && len_bytes % 16 != 0)
        load_partial_block_after(&last[0], &last[1], msg + len_bytes / 16 * 16, len_bytes % 16);
    evaluation_powers powers;
    evaluation_begin(&powers, n,
                     fe_from_words(vec_splat(state->r[0]), vec_splat(state->r[1]), vec_splat(0)));

    const size_t front_bytes = len_bytes % GROUP_BYTES / 16 * 16;
    scalar_fe h = front_blocks(straight, state, r, msg, front_bytes / 16);
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
        wipe(powers.table, table_bytes(n));
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
    scalar_fe_to_words(state->h, h);
}

HORNET_NOINLINE void absorb_by_1(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    absorb_groups(1, LANES <= 4, state, msg, len_bytes);
}

HORNET_NOINLINE void absorb_by_2(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    absorb_groups(2, false, state, msg, len_bytes);
}

HORNET_NOINLINE void absorb_by_table(struct poly1305 *state, const uint8_t *msg, size_t len_bytes, size_t n)
{
    if (n > IN_REGISTERS_MAX)
        absorb_groups(n, false, state, msg, len_bytes);
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

static void kernel_absorb(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    const size_t n = groups_to_a_reduction(len_bytes / GROUP_BYTES);
    if (n == 0)
        hornet_poly1305_baseline->absorb(state, msg, len_bytes);
    else if (n == 1)
        absorb_by_1(state, msg, len_bytes);
    else if (n == 2)
        absorb_by_2(state, msg, len_bytes);
    else
        absorb_by_table(state, msg, len_bytes, n);
}

static void kernel_mac(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])
{
    struct poly1305 state; /* of which a kernel uses r and h only */
    uint64_t s[2];
    load_r(state.r, key);
    state.h[0] = state.h[1] = state.h[2] = 0;
    if (len_bytes != 0)
        kernel_absorb(&state, msg, len_bytes);
    load_s(s, key);
    store_tag(tag, tag_of_value(state.h, s));
    wipe(state.r, sizeof state.r);
    wipe(state.h, sizeof state.h);
}

#endif
