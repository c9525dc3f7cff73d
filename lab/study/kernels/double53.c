/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Bernstein 2005, section 4, "Other modern CPUs": 53-bit mantissas, "to break a 32-bit number into two
 * 16-bit pieces before multiplying it by another 32-bit number". Here, the limbs of r are split, and
 * each limb of a product is two sums, low and high, which are carried separately. */
#include <float.h>

#include "../field/floating.h"
#include "../kernel.h"

#if FLT_EVAL_METHOD == 0 && DBL_MANT_DIG == 53 /* not where doubles are computed with more precision */

/* h_0 + h_1 + h_2 + h_3, where h_i is a multiple of 2^(32 i). With the next block added, limbs 0 to 2 are
 * at most 3.9 * 2^32, limb 3 at most 8.5 * 2^32; see double_mul_carry. */
typedef struct {
    double limb[FLOATING_LIMBS];
} double_fe;

/* The low 16 bits and the high 12 bits of r_0 to r_3, and 5 * 2^-130 times both. */
typedef struct {
    double low[FLOATING_LIMBS], high[FLOATING_LIMBS], low_s[FLOATING_LIMBS], high_s[FLOATING_LIMBS];
} double_r;

HORNET_INLINE double_fe double_from_quarters(const uint64_t quarters[FLOATING_LIMBS])
{
    double_fe a;
    HORNET_UNROLL
    for (int i = 0; i < FLOATING_LIMBS; i++)
        a.limb[i] = biased_double(quarters[i], i) - FLOATING_BIAS(i);
    return a;
}

HORNET_INLINE double_fe double_from_words(const uint64_t words[3])
{
    uint64_t quarters[FLOATING_LIMBS];
    quarters_of_words(quarters, words);
    return double_from_quarters(quarters);
}

HORNET_INLINE double_r double_r_from_words(const uint64_t r_words[2])
{
    const uint64_t words[3] = {r_words[0], r_words[1], 0};
    uint64_t quarters[FLOATING_LIMBS], low[FLOATING_LIMBS], high[FLOATING_LIMBS];
    quarters_of_words(quarters, words);
    for (int i = 0; i < FLOATING_LIMBS; i++) {
        low[i] = quarters[i] & 0xffff;
        high[i] = quarters[i] & ~UINT64_C(0xffff);
    }
    const double_fe of_low = double_from_quarters(low), of_high = double_from_quarters(high);
    double_r r;
    for (int i = 0; i < FLOATING_LIMBS; i++) {
        r.low[i] = of_low.limb[i];
        r.high[i] = of_high.limb[i];
        r.low_s[i] = r.low[i] * (5 * 0x1p-130);
        r.high_s[i] = r.high[i] * (5 * 0x1p-130);
    }
    return r;
}

/* Returns the part of `sum` that is a multiple of `unit`; a double can hold 2^52 units. The rest, at
 * most half a unit, remains. */
HORNET_INLINE double double_cut(double *sum, double unit)
{
    const double y = *sum + 0x1.8p52 * unit - 0x1.8p52 * unit;
    *sum -= y;
    return y;
}

/* h r, carried. With a = 3.9 and b = 8.5, the limbs of h in units of 2^32, a sum is at most
 *
 *     low      2^16 (a + 5/4 (2 a + b)) 2^32 = 24.3 * 2^48 < 2^52.7
 *     high     2^28 (a + 5/4 (2 a + b)) 2^32 = 24.3 * 2^60, a multiple of 2^16
 *
 * of which at most 1.52 * 2^32 are carried, and 5/4 of that into limb 0. At most half a unit of each sum
 * remains: limbs 0 to 2 are below (1/2 + 1/2 + 1.9) 2^32, limb 3 below (2 + 2 + 1.52) 2^32. A block adds at
 * most 2^32, and less than 2^33 to limb 3. */
HORNET_INLINE double_fe double_mul_carry(double_fe h, const double_r *r)
{
    static const double units[FLOATING_LIMBS] = {0x1p32, 0x1p64, 0x1p96, 0x1p130};
    double_fe product;
    double carries[FLOATING_LIMBS];
    HORNET_UNROLL
    for (int i = 0; i < FLOATING_LIMBS; i++) {
        double low = 0, high = 0;
        HORNET_UNROLL
        for (int j = 0; j < FLOATING_LIMBS; j++) {
            const int k = (i - j) & 3;
            low += h.limb[j] * (j <= i ? r->low[k] : r->low_s[k]);
            high += h.limb[j] * (j <= i ? r->high[k] : r->high_s[k]);
        }
        carries[i] = double_cut(&low, units[i]) + double_cut(&high, units[i]);
        product.limb[i] = low + high;
    }
    product.limb[0] += (5 * 0x1p-130) * carries[3];
    product.limb[1] += carries[0];
    product.limb[2] += carries[1];
    product.limb[3] += carries[2];
    return product;
}

/* Converts carried limbs. 2 p is added to make each positive. */
HORNET_INLINE void double_to_words(uint64_t words[3], double_fe h)
{
    static const double twice_p[FLOATING_LIMBS] = {0x1p35 - 10, 0x1p67 - 0x1p35, 0x1p99 - 0x1p67,
                                                   0x1p131 - 0x1p99};
    static const double scale[FLOATING_LIMBS] = {1, 0x1p-32, 0x1p-64, 0x1p-96};
    uint64_t quarters[FLOATING_LIMBS];
    for (int i = 0; i < FLOATING_LIMBS; i++)
        quarters[i] = (uint64_t)(int64_t)((h.limb[i] + twice_p[i]) * scale[i]);
    words_of_quarters(words, quarters);
    reduce_words(words);
}

HORNET_INLINE void double_evaluate(struct poly1305 *state, const uint8_t *msg, size_t len_bytes, bool fresh)
{
    const double_r r = double_r_from_words(state->r);
    double_fe h = double_from_words(state->h);
    (void)fresh;
    while (len_bytes != 0) {
        const size_t n = first_block_bytes(len_bytes);
        uint64_t words[3];
        load_first_block(words, msg, len_bytes);
        const double_fe c = double_from_words(words);
        HORNET_UNROLL
        for (int i = 0; i < FLOATING_LIMBS; i++)
            h.limb[i] += c.limb[i];
        h = double_mul_carry(h, &r);
        msg += n;
        len_bytes -= n;
    }
    double_to_words(state->h, h);
}

STUDY_KERNEL_RECORD(double53, CPU_ANY, 1, double_evaluate);

#endif
