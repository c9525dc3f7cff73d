/* Horner's rule decimated over the lanes of one message.
 *
 * Bhattacharyya and Sarkar 2020, sections 3.2, 4 and 4.2, after Goll and Gueron 2015. With L lanes,
 * R = r^L and the blocks cut into groups of L, lane i runs Horner's rule with R over the blocks
 * i, L + i, 2 L + i, ... and the lanes are multiplied by r^L, r^(L-1), ..., r and summed at the end:
 *
 *     group 0              group 1              last group
 *     0    0    c_1  c_2 | c_3  c_4  c_5  c_6 | c_7  c_8  c_9  c_10         (L = 4, ten blocks)
 *     T = group 0;    T = T * R + group 1;    T = T * R + last group;    h = sum(T * [r^4 r^3 r^2 r])
 *
 * Zero blocks stand in front where the number of blocks is no multiple of L. They add nothing to the
 * polynomial, so that every length takes this one path, a partial last block included. */
#ifndef HORNET_HORNER_DECIMATED_H
#define HORNET_HORNER_DECIMATED_H

#include "../kernel.h"
#include "../words.h"

#define GROUP_BYTES (16 * (size_t)LANES)

/* How many groups share one reduction, lambda in section 4.2: LAZY_GROUPS in messages of LAZY_MIN_GROUPS
 * groups or more, LAZY_GROUPS_SHORT from LAZY_MIN_GROUPS_SHORT on, else one. n of them take n - 1 more
 * powers of R. A kernel file may set them; docs/performance.md has the measurements. */
#ifndef LAZY_GROUPS
#define LAZY_GROUPS     4
#define LAZY_MIN_GROUPS 32
#endif
#ifndef LAZY_GROUPS_SHORT
#define LAZY_GROUPS_SHORT     2
#define LAZY_MIN_GROUPS_SHORT 8
#endif
_Static_assert(LAZY_GROUPS_SHORT <= LAZY_GROUPS, "powers.step has room for LAZY_GROUPS");

/* The powers of r that an evaluation uses. */
struct powers {
    power last;              /* r^L for block 0, r^(L-1) for block 1, ..., r for block L - 1 */
    power step[LAZY_GROUPS]; /* step[k] = R^(k + 1) in every lane */
};

/* Fills last and step[0] in the time of log2(L) multiplications: r^2, then r^3 and r^4, then r^5 to r^8. */
HORNET_INLINE void powers_up_to_lanes(struct powers *powers, fe r)
{
    fe last = r; /* r^(n - i mod n) for block i, with n doubling from 1 to L; here n = 1 */
    fe step = r; /* r^n in every lane */
    for (int bit = 0; 1 << bit < LANES; bit++) {
        /* Blocks with the bit clear have n more blocks behind them than those with it set. */
        const power step_power = power_from(step);
        last = fe_blend(bit, fe_mul(last, &step_power), last);
        step = fe_first(last);
    }
    powers->last = power_from(last);
    powers->step[0] = power_from(step);
}

/* Fills step[1 .. n). */
HORNET_INLINE void powers_for_groups(struct powers *powers, size_t n)
{
    for (size_t k = 1; k < n; k++) {
        /* R^(k + 1) from two powers of about half that, so that few wait for one another. */
        const power *a = &powers->step[k - (k + 1) / 2];
        const power *b = &powers->step[(k + 1) / 2 - 1];
        const fe factor = {{a->limb[0], a->limb[1], a->limb[2], a->limb[3], a->limb[4]}};
        powers->step[k] = power_from(fe_mul(factor, b));
    }
}

/* LANES full blocks. */
HORNET_INLINE fe load_group(const uint8_t *blocks)
{
    vec lo, hi;
    vec_load_blocks(blocks, &lo, &hi);
    return fe_from_words(lo, hi, vec_splat(1));
}

/* A group at an end of the message: zero blocks in front if msg[0 .. len_bytes) is less than LANES blocks,
 * h added to the first block of msg, the last one padded if it is short. */
HORNET_INLINE fe load_end_group(const uint8_t *msg, size_t len_bytes, const uint64_t h[3])
{
    struct {
        uint8_t blocks[GROUP_BYTES];
        uint8_t tops[GROUP_BYTES]; /* the bits from 2^128 up, of block i in tops[16 i], loaded alike */
    } group;
    const size_t full_blocks = len_bytes / 16;
    const size_t last_bytes = len_bytes % 16;
    const size_t zero_blocks = LANES - full_blocks - (last_bytes != 0);

    clear_bytes(&group, sizeof group);
    memcpy(group.blocks + 16 * zero_blocks, msg, len_bytes);
    if (last_bytes != 0)
        group.blocks[GROUP_BYTES - 16 + last_bytes] = 1;
    for (size_t i = 0; i < LANES; i++)
        group.tops[16 * i] = i >= zero_blocks && i < zero_blocks + full_blocks;

    uint8_t *first = group.blocks + 16 * zero_blocks;
    unsigned char carry = 0;
    store_le64(first, add_carry(load_le64(first), h[0], &carry));
    store_le64(first + 8, add_carry(load_le64(first + 8), h[1], &carry));
    group.tops[16 * zero_blocks] += (uint8_t)(h[2] + carry); /* <= 6 */

    vec lo, hi, top, unused;
    vec_load_blocks(group.blocks, &lo, &hi);
    vec_load_blocks(group.tops, &top, &unused);
    clear_bytes(&group, sizeof group);
    return fe_from_words(lo, hi, top);
}

/* t * R + group */
HORNET_INLINE fe absorb_group(fe t, fe group, const struct powers *powers)
{
    return fe_carry(wide_mul_add(wide_from(group), t, &powers->step[0]));
}

/* t * R^n + group_1 * R^(n - 1) + ... + group_n with one reduction, for n groups in full. The message is
 * multiplied first and t last: only t has to be waited for. */
HORNET_INLINE fe absorb_groups(fe t, const uint8_t *msg, size_t n, const struct powers *powers)
{
    wide sum = wide_from(load_group(msg + (n - 1) * GROUP_BYTES));
    for (size_t k = n - 1; k != 0; k--, msg += GROUP_BYTES)
        sum = wide_mul_add(sum, load_group(msg), &powers->step[k - 1]);
    return fe_carry(wide_mul_add(sum, t, &powers->step[n - 1]));
}

/* The contract is that of hornet_kernel.absorb. */
static void absorb(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    static const uint64_t nothing[3];
    struct powers powers;
    powers_up_to_lanes(&powers,
                       fe_from_words(vec_splat(state->r[0]), vec_splat(state->r[1]), vec_splat(0)));

    const size_t nblocks = len_bytes / 16 + (len_bytes % 16 != 0);
    const size_t nfirst = (nblocks - 1) % LANES + 1;
    const size_t first_bytes = nfirst < nblocks ? 16 * nfirst : len_bytes;
    fe t = load_end_group(msg, first_bytes, state->h);
    msg += first_bytes;
    len_bytes -= first_bytes;

    size_t powers_bytes = offsetof(struct powers, step[1]);
    if (len_bytes >= LAZY_MIN_GROUPS_SHORT * GROUP_BYTES) {
        const size_t nsteps = len_bytes >= LAZY_MIN_GROUPS * GROUP_BYTES ? LAZY_GROUPS : LAZY_GROUPS_SHORT;
        powers_for_groups(&powers, nsteps);
        powers_bytes = offsetof(struct powers, step) + nsteps * sizeof powers.step[0];
        for (; len_bytes >= nsteps * GROUP_BYTES; len_bytes -= nsteps * GROUP_BYTES) {
            t = absorb_groups(t, msg, nsteps, &powers);
            msg += nsteps * GROUP_BYTES;
        }
    }
    for (; len_bytes >= GROUP_BYTES; msg += GROUP_BYTES, len_bytes -= GROUP_BYTES)
        t = absorb_group(t, load_group(msg), &powers);
    if (len_bytes != 0)
        t = absorb_group(t, load_end_group(msg, len_bytes, nothing), &powers);

    wide_sum_to_words(state->h, wide_mul_add(wide_zero(), t, &powers.last));
    clear_bytes(&powers, powers_bytes);
}

#endif
