/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The functions of a kernel whose lanes sum their products: four blocks at a time.
 *
 * The z14 paper, figure 3. Two evaluations run in parallel, one over the blocks 0 and 2 of each group, the
 * other over 1 and 3. Both use the powers r^4 and r^2, except that the second uses r^3 and r in the last
 * group:
 *
 *     U = (c_0 + U) r^4 + c_2 r^2            in the end    h = U + (c_1 + L) r^3 + c_3 r
 *     L = (c_1 + L) r^4 + c_3 r^2
 *
 * The paper reduces after each group. Here several groups of a longer message share a reduction; the
 * groups before the last of them use the powers r^8 and r^6, and so on. What does not fill a group goes to
 * the fallback in the end. */
#ifndef HORNET_POLY1305_HORNER_VMSL_KERNEL_H
#define HORNET_POLY1305_HORNER_VMSL_KERNEL_H

#include "../../core/stack_wipe.h"
#include "../../core/tuning.h"
#include "../field/radix44_sums.h"
#include "../kernel.h"
#include "../scalar_field.h"
#include "../state.h"
#include "../tag.h"

enum { SUMMED_GROUP_BYTES = 64, SUMMED_STEPS_MAX = 8, SUMMED_FEW = 2 };

/* The powers of r for the largest number of groups to a reduction: r^(4 i + 4) and r^(4 i + 2) in even[i],
 * which come first for coconut, and r^3 and r in odd. */
typedef struct {
    multiplier even[SUMMED_STEPS_MAX], odd;
} vmsl_powers;

/* As in decimated.h. */
#ifndef GROUPS_TO_A_REDUCTION
#define GROUPS_TO_A_REDUCTION(X) GROUPS_VMSL(X)
#endif

#define CHECK_STEPS(n, min_groups)                                                                         \
    _Static_assert((n) <= SUMMED_STEPS_MAX && ((n) & ((n) - 1)) == 0,                                      \
                   "n powers must fit, n be a power of 2");
GROUPS_TO_A_REDUCTION(CHECK_STEPS)
#undef CHECK_STEPS

/* Returns how many of ngroups groups share a reduction. */
HORNET_INLINE size_t vmsl_steps(size_t ngroups)
{
    size_t steps = 0;
#define STEPS_FROM(n, min_groups)                                                                          \
    if (ngroups >= (min_groups))                                                                           \
        steps = n;
    GROUPS_TO_A_REDUCTION(STEPS_FROM)
#undef STEPS_FROM
    return steps;
}

HORNET_INLINE fe fe_of_words(const uint64_t first[3], const uint64_t second[3])
{
    return fe_from_words(vec_pair(first[0], second[0]), vec_pair(first[1], second[1]),
                         vec_pair(first[2], second[2]));
}

/* The elements of both lanes of a, times that of lane 0 of b. */
HORNET_INLINE fe fe_mul_both(fe a, const multiplier *b)
{
    return fe_carry(vmsl_mul_add(vmsl_zero(), fe_alone(a, 0), b),
                    vmsl_mul_add(vmsl_zero(), fe_alone(a, 1), b));
}

HORNET_INLINE fe fe_of_multiplier(const multiplier *b)
{
    return (fe){{b->limb[0], b->limb[1], b->limb[2]}};
}

/* The elements in a lane of a and of b. */
HORNET_INLINE fe fe_of_lane(fe a, fe b, int lane)
{
    return (fe){{vec_of_lane(a.limb[0], b.limb[0], lane), vec_of_lane(a.limb[1], b.limb[1], lane),
                 vec_of_lane(a.limb[2], b.limb[2], lane)}};
}

/* Only r^2 comes from scalar code. Each later power is the product of two that have about half its
 * exponent, so that few products wait for others. */
HORNET_INLINE void raise_vmsl_powers(multiplier *odd, multiplier *even, const uint64_t r_words[2], size_t n)
{
    const uint64_t r[3] = {r_words[0], r_words[1], 0};
    uint64_t square[3];
    scalar_fe_to_words(square, scalar_small_mul(scalar_fe_from_words(r), scalar_r_from_words(r_words)), 0);
    const fe low = fe_of_words(square, r);
    const multiplier by_square = multiplier_from(low);
    const fe high = fe_mul_both(low, &by_square); /* r^4 and r^3 */
    *odd = multiplier_from(fe_of_lane(high, low, 1));
    even[0] = multiplier_from(fe_of_lane(high, low, 0));
    for (size_t have = 1; have < n; have *= 2) /* up to r^(4 have) */
        for (size_t i = 0; i < have; i++)
            even[have + i] = multiplier_from(fe_mul_both(fe_of_multiplier(&even[i]), &even[have - 1]));
}

/* Loads the blocks 0 and 2, or 1 and 3, of a group. */
HORNET_INLINE fe load_two(const uint8_t *blocks)
{
#ifdef LANES_CUT_44
    fe a;
    vec_load_44(blocks, a.limb);
    a.limb[2] = vec_or(a.limb[2], vec_splat(UINT64_C(1) << 40));
    return a;
#else
    vec lo, hi;
    vec_load_blocks(blocks, &lo, &hi);
    return fe_from_words(lo, hi, vec_splat(1));
#endif
}

/* Returns U and L after n groups, in the two lanes. */
HORNET_INLINE fe vmsl_step(fe t, const uint8_t *groups, const multiplier *powers, size_t n)
{
    fe upper = fe_add(load_two(groups), fe_alone(t, 0));
    fe lower = fe_add(load_two(groups + 16), fe_alone(t, 1));
    summed upper_sum = vmsl_zero(), lower_sum = vmsl_zero();
    for (; n > 1; n--) {
        upper_sum = vmsl_mul_add(upper_sum, upper, &powers[n - 1]);
        lower_sum = vmsl_mul_add(lower_sum, lower, &powers[n - 1]);
        groups += SUMMED_GROUP_BYTES;
        upper = load_two(groups);
        lower = load_two(groups + 16);
    }
    return fe_carry(vmsl_mul_add(upper_sum, upper, &powers[0]), vmsl_mul_add(lower_sum, lower, &powers[0]));
}

/* The same after the last group, where L has other powers. The limbs carry once more in vmsl_end. */
#define VMSL_LAST_MAX ((UINT64_C(1) << 54) - 1)
HORNET_INLINE fe vmsl_last(fe t, const uint8_t *group, const multiplier *even, const multiplier *odd)
{
    const fe upper = fe_add(load_two(group), fe_alone(t, 0));
    const fe lower = fe_add(load_two(group + 16), fe_alone(t, 1));
    t = fe_of_sums(vmsl_mul_add(vmsl_zero(), upper, even), vmsl_mul_add(vmsl_zero(), lower, odd));
    HORNET_UNROLL
    for (int i = 0; i < 3; i++)
        VEC_CHECK_MAX(t.limb[i], VMSL_LAST_MAX);
    return t;
}

/* Computes h = U + L. */
HORNET_INLINE void vmsl_end(uint64_t h[3], fe t)
{
    const uint64_t d0 = vec_element(t.limb[0], 0) + vec_element(t.limb[0], 1);
    const uint64_t d1 = vec_element(t.limb[1], 0) + vec_element(t.limb[1], 1) + (d0 >> 44);
    const uint64_t d2 = vec_element(t.limb[2], 0) + vec_element(t.limb[2], 1) + (d1 >> 44);
    h[0] = (d0 & MASK44) | d1 << 44;
    h[1] = (d1 & MASK44) >> 20 | d2 << 24;
    h[2] = (d2 & MASK42) >> 40;
    add_words(h, 5 * (d2 >> 42), 0, 0);
}

/* Returns U and L after all groups, n to a reduction, a power of 2. */
HORNET_INLINE fe evaluate_groups(fe t, const uint8_t *msg, size_t ngroups, size_t n, const multiplier *odd,
                                 const multiplier *even)
{
    /* The last group is separate, because it uses other powers for L. */
    for (size_t count = (ngroups - 1) & (n - 1); ngroups > 1; count = n) {
        if (count == 1) /* compiled separately: shorter messages have only this case */
            t = vmsl_step(t, msg, even, 1);
        else if (count != 0)
            t = vmsl_step(t, msg, even, count);
        msg += count * SUMMED_GROUP_BYTES;
        ngroups -= count;
    }
    return vmsl_last(t, msg, even, odd);
}

/* There must be room for n powers. */
HORNET_INLINE void absorb_groups(struct poly1305 *state, const uint8_t *msg, size_t ngroups, size_t n,
                                 multiplier *odd, multiplier *even)
{
    const fe t =
        fe_from_words(vec_pair(state->h[0], 0), vec_pair(state->h[1], 0), vec_pair(state->h[2], 0));
    raise_vmsl_powers(odd, even, state->r, n);
    vmsl_end(state->h, evaluate_groups(t, msg, ngroups, n, odd, even));
}

/* The functions return where their stacks end. For shorter messages, there is less to be cleared. */
#define absorb_few HORNET_KERNEL_NAME(poly1305, absorb_few)
HORNET_NOINLINE uintptr_t absorb_few(struct poly1305 *state, const uint8_t *msg, size_t ngroups, size_t n)
{
    multiplier odd, even[SUMMED_FEW];
    absorb_groups(state, msg, ngroups, n, &odd, even);
    return stack_end(STACK_BELOW_BYTES);
}

#define absorb_many HORNET_KERNEL_NAME(poly1305, absorb_many)
HORNET_NOINLINE uintptr_t absorb_many(struct poly1305 *state, const uint8_t *msg, size_t ngroups, size_t n)
{
    vmsl_powers powers;
    absorb_groups(state, msg, ngroups, n, &powers.odd, powers.even);
    return stack_end(STACK_BELOW_BYTES);
}

/* Absorbs the bytes after the last group. */
HORNET_INLINE void absorb_rest(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    const size_t rest_bytes = len_bytes % SUMMED_GROUP_BYTES;
    if (rest_bytes != 0)
        hornet_poly1305_fallback->absorb(state, msg + (len_bytes - rest_bytes), rest_bytes);
}

/* Returns where the stacks of what it calls end. */
HORNET_INLINE uintptr_t absorb_bytes(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    const size_t ngroups = len_bytes / SUMMED_GROUP_BYTES, n = vmsl_steps(ngroups);
    const uintptr_t end = (n <= SUMMED_FEW ? absorb_few : absorb_many)(state, msg, ngroups, n);
    absorb_rest(state, msg, len_bytes);
    return end;
}

#define kernel_absorb HORNET_KERNEL_NAME(poly1305, kernel_absorb)
static void kernel_absorb(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    if (len_bytes < SUMMED_GROUP_BYTES)
        hornet_poly1305_fallback->absorb(state, msg, len_bytes);
    else
        clear_stack_and_registers(absorb_bytes(state, msg, len_bytes));
}

/* For shorter messages, everything is in one function, which begins with no value. */
#define mac_few HORNET_KERNEL_NAME(poly1305, mac_few)
HORNET_NOINLINE uintptr_t mac_few(uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                                  const uint8_t key[32])
{
    multiplier odd, even[SUMMED_FEW];
    struct poly1305 state;
    uint64_t s[2];
    const size_t ngroups = len_bytes / SUMMED_GROUP_BYTES, n = vmsl_steps(ngroups);
    load_r(state.r, key);
    load_s(s, key);
    const fe zero = {{vec_splat(0), vec_splat(0), vec_splat(0)}};
    raise_vmsl_powers(&odd, even, state.r, n);
    vmsl_end(state.h, evaluate_groups(zero, msg, ngroups, n, &odd, even));
    absorb_rest(&state, msg, len_bytes);
    store_tag(tag, tag_of_value(state.h, s));
    return stack_end(STACK_BELOW_BYTES);
}

#define mac_many HORNET_KERNEL_NAME(poly1305, mac_many)
HORNET_NOINLINE uintptr_t mac_many(uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                                   const uint8_t key[32])
{
    struct poly1305 state = {.h = {0, 0, 0}};
    uint64_t s[2];
    load_r(state.r, key);
    load_s(s, key);
    const uintptr_t end = absorb_bytes(&state, msg, len_bytes);
    store_tag(tag, tag_of_value(state.h, s));
    return lower_end(end, stack_end(STACK_BELOW_BYTES));
}

#define kernel_mac HORNET_KERNEL_NAME(poly1305, kernel_mac)
static void kernel_mac(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])
{
    if (len_bytes < SUMMED_GROUP_BYTES)
        hornet_poly1305_fallback->mac(tag, msg, len_bytes, key);
    else
        clear_stack_and_registers((vmsl_steps(len_bytes / SUMMED_GROUP_BYTES) <= SUMMED_FEW
                                       ? mac_few
                                       : mac_many)(tag, msg, len_bytes, key));
}

#endif
