/* Horner's rule decimated over the lanes of one message.
 *
 * Bhattacharyya and Sarkar 2020, sections 3.2, 4 and 4.2, after Goll and Gueron 2015. With L lanes,
 * R = r^L and the blocks cut into groups of L, lane i runs Horner's rule with R over the blocks
 * i, L + i, 2 L + i, ... and the lanes are multiplied by r^L, r^(L-1), ..., r and summed at the end:
 *
 *     scalar    group 0              group 1                scalar
 *     c_1 c_2 | c_3  c_4  c_5  c_6 | c_7  c_8  c_9  c_10 |  c_11          (L = 4; c_11 is short)
 *     T = group 0 + h;    T = T * R + group 1;    h = sum(T * [r^4 r^3 r^2 r])
 *
 * The blocks that fill no group stand in front, and the scalar code absorbs them while r is raised to the
 * powers: the two wait for different units. It also absorbs a partial block at the end. The lanes
 * see full groups only. */
#ifndef HORNET_HORNER_DECIMATED_H
#define HORNET_HORNER_DECIMATED_H

#include "../field/scalar.h"
#include "../kernel.h"
#include "../words.h"
#include "powers.h"
#include "serial.h"

#define GROUP_BYTES (16 * (size_t)LANES)

/* How many groups share one reduction, lambda in section 4.2: n from LAZY_MIN_n groups on, else one. A
 * kernel file may set them; docs/performance.md has the measurements. */
#ifndef LAZY_MIN_2
#define LAZY_MIN_2  6
#define LAZY_MIN_8  30
#define LAZY_MIN_16 128
#endif
_Static_assert(LAZY_MAX >= 16, "the field takes a sum of so many products");

/* Powers of a in the time of log2(n) multiplications, n <= L a power of 2: a^2, then a^3 and a^4, and so
 * on. Block i gets a^(n - i mod n); *highest is a^n in every lane. */
HORNET_INLINE fe powers_up_to(size_t n, fe a, fe *highest)
{
    fe powers = a;
    *highest = a;
    HORNET_UNROLL
    for (int bit = 0; (size_t)1 << bit < n; bit++) {
        /* Blocks with the bit clear have 2^bit more blocks behind them than those with it set. */
        const power factor = power_from(*highest);
        powers = fe_blend(bit, fe_mul(powers, &factor), powers);
        *highest = fe_first(powers);
    }
    return powers;
}

/* The powers of R that n groups take, in the lanes of few vectors: R^(k + 1) stands in the lanes of block
 * m - 1 - k mod m of vectors k / m, where m = min(n, L). */
#define POWERS_IN_VECTOR(n) ((n) < LANES ? (size_t)(n) : (size_t)LANES)

#define TABLE_VECTORS(n) ((size_t)(n) / POWERS_IN_VECTOR(n))

HORNET_INLINE void powers_for_groups(lazy_power *table, size_t n, fe step)
{
    const size_t m = POWERS_IN_VECTOR(n);
    fe highest, powers = powers_up_to(m, step, &highest);
    const power factor = power_from(highest);
    table[0] = lazy_power_from(powers);
    HORNET_UNROLL
    for (size_t i = 1; i < n / m; i++) {
        powers = fe_mul(powers, &factor);
        table[i] = lazy_power_from(powers);
    }
}

/* R^(k + 1) in every lane. */
HORNET_INLINE lazy_power power_for_group(const lazy_power *table, size_t n, size_t k)
{
    const size_t m = POWERS_IN_VECTOR(n);
    lazy_power result;
    HORNET_UNROLL
    for (size_t i = 0; i < sizeof result.v / sizeof result.v[0]; i++)
        result.v[i] = vec_block(&table[k / m].v[i], m - 1 - k % m);
    return result;
}

/* LANES full blocks. */
HORNET_INLINE fe load_group(const uint8_t *blocks)
{
    vec lo, hi;
    vec_load_blocks(blocks, &lo, &hi);
    return fe_from_words(lo, hi, vec_splat(1));
}

/* The same with h added to the first block. */
HORNET_INLINE fe load_first_group(const uint8_t *blocks, scalar_fe h)
{
    uint64_t words[3];
    scalar_fe_to_words(words, h);
    return fe_add(load_group(blocks), fe_from_words(vec_only_first(words[0]), vec_only_first(words[1]),
                                                    vec_only_first(words[2])));
}

/* The sum over all lanes. */
HORNET_INLINE scalar_fe wide_sum(wide sum)
{
    uint64_t words[3];
    wide_sum_to_words(words, sum);
    return scalar_fe_from_words(words);
}

/* t * R^n + group_1 * R^(n - 1) + ... + group_n with one reduction, steps[k] = R^(k + 1). The message is
 * multiplied first and t last: only t has to be waited for. */
HORNET_INLINE fe absorb_groups(fe t, const uint8_t *msg, size_t n, const power *steps)
{
    wide sum = wide_from(load_group(msg + (n - 1) * GROUP_BYTES));
    HORNET_UNROLL
    for (size_t k = n - 1; k != 0; k--, msg += GROUP_BYTES)
        sum = wide_mul_add(sum, load_group(msg), &steps[k - 1]);
    return fe_carry(wide_mul_add(sum, t, &steps[n - 1]));
}

/* The same for many groups, with sums of products as the field prefers them for many, and powers from the
 * table: count of them, count <= n. */
HORNET_INLINE fe absorb_lazily(fe t, const uint8_t *msg, size_t count, const lazy_power *table, size_t n)
{
    lazy sum = lazy_from(load_group(msg + (count - 1) * GROUP_BYTES));
    for (size_t k = count - 1; k != 0; k--, msg += GROUP_BYTES)
        sum = lazy_mul_add(sum, load_group(msg), power_for_group(table, n, k - 1));
    return lazy_carry(lazy_mul_add(sum, t, power_for_group(table, n, count - 1)));
}

/* The contract is that of hornet_kernel.absorb, for len_bytes >= GROUP_BYTES. The groups are absorbed n to
 * a reduction; n is a constant. The powers come first: the scalar code's instructions run while they wait
 * for one another. */
HORNET_INLINE void absorb_by(size_t n, struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    const scalar_r r = scalar_r_from_words(state->r);
    fe highest;
    const fe powers = powers_up_to(
        LANES, fe_from_words(vec_splat(state->r[0]), vec_splat(state->r[1]), vec_splat(0)), &highest);
    power steps[2];
    lazy_power table[TABLE_VECTORS(n)];
    if (n > 2) {
        powers_for_groups(table, n, highest);
    } else {
        steps[0] = power_from(highest);
        raise_powers(steps, n, highest);
    }

    scalar_fe h = scalar_fe_from_words(state->h);
    const size_t front_bytes = len_bytes % GROUP_BYTES / 16 * 16;
    if (front_bytes != 0)
        h = absorb_serially(h, r, msg, front_bytes);
    msg += front_bytes;

    fe t = load_first_group(msg, h);
    msg += GROUP_BYTES;
    size_t ngroups = len_bytes / GROUP_BYTES - 1;
    if (n > 2) {
        for (; ngroups >= n; ngroups -= n, msg += n * GROUP_BYTES)
            t = absorb_lazily(t, msg, n, table, n);
        if (ngroups != 0)
            t = absorb_lazily(t, msg, ngroups, table, n);
        msg += ngroups * GROUP_BYTES;
        clear_bytes(table, sizeof table);
    } else {
        if (ngroups % n != 0) { /* first, because it does not wait for R^2 */
            t = absorb_groups(t, msg, 1, steps);
            msg += GROUP_BYTES;
            ngroups--;
        }
        for (; ngroups != 0; ngroups -= n, msg += n * GROUP_BYTES)
            t = absorb_groups(t, msg, n, steps);
    }
    const power last = power_from(powers);
    h = wide_sum(wide_mul_add(wide_zero(), t, &last));

    if (len_bytes % 16 != 0)
        h = absorb_serially(h, r, msg, len_bytes % 16);
    scalar_fe_to_words(state->h, h);
}

#define ABSORB_BY(n)                                                                                       \
    static __attribute__((noinline)) void absorb_by_##n(struct poly1305 *state, const uint8_t *msg,        \
                                                        size_t len_bytes)                                  \
    {                                                                                                      \
        absorb_by(n, state, msg, len_bytes);                                                               \
    }
ABSORB_BY(1)
ABSORB_BY(2)
ABSORB_BY(8)
ABSORB_BY(16)
#undef ABSORB_BY

/* The contract is that of hornet_kernel.absorb. */
static void absorb(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    const size_t ngroups = len_bytes / GROUP_BYTES;
    if (ngroups == 0)
        absorb_state_serially(state, msg, len_bytes);
    else if (ngroups < LAZY_MIN_2)
        absorb_by_1(state, msg, len_bytes);
    else if (ngroups < LAZY_MIN_8)
        absorb_by_2(state, msg, len_bytes);
    else if (ngroups < LAZY_MIN_16)
        absorb_by_8(state, msg, len_bytes);
    else
        absorb_by_16(state, msg, len_bytes);
}

#endif
