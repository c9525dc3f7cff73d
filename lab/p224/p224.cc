/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Multiplication modulo p = 2^224 - 2^96 + 1 by VMSL, which multiplies two pairs of numbers of 56 bits and
 * adds both products to 128 bits.
 *
 * An element is four limbs of 56 bits in two vectors, below 2^224, and may exceed p. So four limbs have no
 * bit to spare, and all carries are propagated. All shifts are by bytes, because 56, 96 and 112 are
 * multiples of 8; C = 2^112 below. */
#include "coconut.h"

#define LIMB_MAX ((UINT64_C(1) << 56) - 1)

enum { SAMPLES = 64 };

typedef struct {
    vec low, high; /* limbs 0 and 1, 2 and 3 */
} element;

/* x modulo 2^56 and above, as multiples of 2^56 and of 2^112. */
static sum low_part(sum x) { return sum_bytes(x, 0, 7, 7); }
static sum high_part(sum x) { return sum_bytes(x, 7, 9, 0); }

static sum mod_c(sum x) { return sum_bytes(x, 0, 14, 0); }
static sum above_c(sum x) { return sum_bytes(x, 14, 2, 0); }

/* What the part of x above 2^112 is modulo p if x has the weight 2^112: 2^224 = 2^96 - 1. */
static sum folded(sum x) { return sum_sub(sum_bytes(x, 14, 2, 12), above_c(x)); }

static element multiply(element a, element b)
{
    const vec zero = vec_splat(0);
    const vec b10 = vec_lanes(b.low, 1, b.low, 0), b32 = vec_lanes(b.high, 1, b.high, 0);
    const vec b21 = vec_lanes(b.high, 0, b.low, 1);
    const vec b0 = vec_lanes(b.low, 0, zero, 1), b3 = vec_lanes(zero, 0, b.high, 1);

    /* 2 p = (5 C - 2^97 + 2) + (2 C - 5) C, from which what is subtracted below can be subtracted. */
    const sum bias_low = sum_of((UINT64_C(5) << 48) - (UINT64_C(1) << 33), 2);
    const sum bias_high = sum_of((UINT64_C(2) << 48) - 1, UINT64_MAX - 4);

    /* The coefficient of 2^(56 i), of up to four products. */
    const sum c0 = sum_mul_add(bias_low, a.low, b0);
    const sum c1 = sum_mul_add(sum_zero(), a.low, b10);
    const sum c2 = sum_mul_add(sum_mul_add(bias_high, a.low, b21), a.high, b0);
    const sum c3 = sum_mul_add(sum_mul_add(sum_zero(), a.low, b32), a.high, b10);
    const sum c4 = sum_mul_add(sum_mul_add(sum_zero(), a.low, b3), a.high, b21);
    const sum c5 = sum_mul_add(sum_zero(), a.high, b32);
    const sum c6 = sum_mul_add(sum_zero(), a.high, b3);

    /* The coefficient of C^i: q0 < 7 C, q1 < 6 C, q2 < 5 C, q3 < C + 2. */
    const sum q0 = sum_add(c0, low_part(c1));
    const sum q1 = sum_add(sum_add(c2, high_part(c1)), low_part(c3));
    const sum q3 = sum_add(c6, high_part(c5));
    /* C^3 = (2^96 - 1) C, and 2^96 = C / 2^16. */
    const sum q2 = sum_add(sum_add(sum_add(c4, low_part(c5)), high_part(c3)), sum_bytes(q3, 2, 14, 0));
    const sum r0 = sum_below(sum_add(sum_sub(q0, q2), sum_bytes(q2, 0, 2, 12)), 115);
    const sum q1_less = sum_add(sum_sub(q1, q3), sum_bytes(q3, 0, 2, 12));
    const sum carried = sum_add(sum_bytes(q2, 2, 14, 0), above_c(r0));
    const sum r1 = sum_below(sum_add(q1_less, carried), 115);

    /* Both are below 8 C. After the first carry from 224 to 0 there is a second one only if the first left
     * less than 2^100 in s0: so there is no third. */
    const sum s0 = sum_add(mod_c(r0), folded(r1));
    const sum s1 = sum_add(mod_c(r1), above_c(s0));
    const sum t0 = sum_below(sum_add(mod_c(s0), folded(s1)), 112);
    return (element){sum_limbs(t0, 7), sum_limbs(s1, 7)};
}

static void blocks(void)
{
    element a, b, c, d;
    bb_begin("multiply", LOOP);
    INPUT(PLACE_REGISTER, "a", a, LIMB_MAX);
    INPUT(PLACE_MEMORY, "b", b, LIMB_MAX);
    a = multiply(a, b);
    OUTPUT("a", a);
    bb_end();

    bb_begin("multiply 2", LOOP);
    INPUT(PLACE_REGISTER, "a", a, LIMB_MAX);
    INPUT(PLACE_REGISTER, "c", c, LIMB_MAX);
    INPUT(PLACE_MEMORY, "b", b, LIMB_MAX);
    INPUT(PLACE_MEMORY, "d", d, LIMB_MAX);
    a = multiply(a, b);
    c = multiply(c, d);
    OUTPUT("a", a);
    OUTPUT("c", c);
    bb_end();
}

COCONUT_BLOCKS(blocks, SAMPLES)
