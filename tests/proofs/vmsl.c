/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Proves the bounds of radix44_sums.h and of its evaluation for all keys, messages and lengths: runs both
 * over ranges (interval.h), until the accumulator reaches a fixed point. Most importantly, no operand of a
 * multiplication reaches 2^56, and the limits that the reduction states suffice by themselves.
 *
 * The include path selects the src to prove. */
#include <stdio.h>
#include <string.h>

#define KERNEL         summed
#define INTERVAL_LANES 2
#include "core/compiler.h"

#include "interval.h"

/* These operations replace lanes/vmsl.h. A sum is a range too, below 2^127. */
#define HORNET_VMSL_LANES       2
#define SUM_CHECK_MAX(v, limit) (latest_limits[limits_stated++ % 3] = (limit), VEC_CHECK_MAX(v, limit))

typedef vec sum;

/* The last three that the field has stated. */
static uint64_t latest_limits[3];
static unsigned limits_stated;

static inline vec vec_pair(uint64_t first, uint64_t second)
{
    return vec_any(0, first > second ? first : second); /* any value up to the larger */
}

static inline vec vec_alone(vec a, int lane)
{
    (void)lane;
    return vec_union(a, vec_splat(0));
}

static inline vec vec_of_lane(vec a, vec b, int lane)
{
    (void)lane;
    return vec_union(a, b);
}

static inline uint64_t vec_element(vec a, int i)
{
    (void)i;
    bound(a.max < (integer)1 << 62, "the sum of two elements wraps", a);
    return (uint64_t)a.max;
}

static inline sum sum_zero(void) { return (sum){0, 0}; }

static inline sum sum_mul_add(sum total, vec a, vec b)
{
    bound(a.max < (integer)1 << 60 && b.max < (integer)1 << 60, "a product that is out of range", a);
    return (sum){total.min + 2 * a.min * b.min, total.max + 2 * a.max * b.max};
}

static inline vec sums_low(sum a, sum b)
{
    (void)a, (void)b;
    return vec_any(0, UINT64_MAX);
}

static inline vec sums_high(sum a, sum b) { return (vec){0, (a.max > b.max ? a.max : b.max) >> 64}; }

/* May be set to another field over the same lanes. */
#ifndef SUMMED_FIELD
#define SUMMED_FIELD "poly1305/field/radix44_sums.h"
#endif
#include SUMMED_FIELD

#include "poly1305/horner/vmsl_kernel.h"

static fe fe_union(fe a, fe b)
{
    for (int i = 0; i < 3; i++)
        a.limb[i] = vec_union(a.limb[i], b.limb[i]);
    return a;
}

/* The limits that fe_carry states, of the high words of d_0 to d_2, must be enough for what it does: it is
 * run on sums that reach them all, above any that the evaluation does. */
static void carry_at_stated_limits(void)
{
    summed at_limits = vmsl_zero();
    limits_stated = 0;
    fe_carry(at_limits, at_limits);
    bound(limits_stated == 3, "fe_carry does not state a limit for each sum", vec_splat(limits_stated));
    for (int i = 0; i < 3; i++)
        at_limits.d[i].max = ((integer)latest_limits[i] << 64) + UINT64_MAX;
    const fe carried = fe_carry(at_limits, at_limits);
    for (int i = 0; i < 3; i++)
        VEC_CHECK_MAX(carried.limb[i], OPERAND_MAX);
}

int main(void)
{
    (void)kernel_mac, (void)kernel_absorb; /* their parts are run below */
    const uint64_t any[3] = {UINT64_MAX, UINT64_MAX, HORNET_H2_MAX};
    multiplier powers[SUMMED_STEPS_MAX];
    uint64_t h[3];
    int rounds = 0;
    /* Each power is a product of two others, or r or r^2. */
    fe before, power = fe_of_words(any, any);
    do {
        before = power;
        powers[0] = multiplier_from(power);
        power = fe_union(power, fe_mul_both(power, &powers[0]));
    } while (memcmp(&before, &power, sizeof power) != 0 && ++rounds < 100);
    bound(rounds < 100, "the powers reach no fixed point", power.limb[0]);
    for (int i = 1; i < SUMMED_STEPS_MAX; i++)
        powers[i] = powers[0];
    fe t = fe_from_words(vec_pair(any[0], 0), vec_pair(any[1], 0), vec_pair(any[2], 0));
    rounds = 0;
    do {
        before = t;
        for (size_t n = 1; n <= SUMMED_STEPS_MAX; n++)
            t = fe_union(t, vmsl_step(t, NULL, powers, n));
    } while (memcmp(&before, &t, sizeof t) != 0 && ++rounds < 100);
    bound(rounds < 100, "the accumulator reaches no fixed point", t.limb[0]);
    vmsl_end(h, vmsl_last(t, NULL, &powers[0], &powers[0]));
    carry_at_stated_limits();
    printf("bounds of " SUMMED_FIELD ": fixed point after %d rounds, limbs up to 0x%llx 0x%llx 0x%llx\n",
           rounds, (unsigned long long)t.limb[0].max, (unsigned long long)t.limb[1].max,
           (unsigned long long)t.limb[2].max);
    printf("  %lu checked, %lu broken\n", bounds_checked, bounds_broken);
    return bounds_broken != 0;
}
