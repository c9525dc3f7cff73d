/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Proves for all keys, messages and lengths that the floating-point arithmetic of a kernel of the study is
 * exact: its file is compiled with ranges instead of numbers, and runs until the accumulator reaches a
 * fixed point. X87, DOUBLE53 or RADIX22, the number of lanes, is defined; see test_study_bounds.py. The
 * files come from the tree named by -I.
 *
 * Not covered: that a fused multiply-add does what a product and a sum do, which follows from both being
 * exact. */
#ifdef X87
#define MANTISSA 64
#else
#define MANTISSA 53
#endif
#include "real.h"

#include <float.h>
#include <string.h>

#include "src/core/memory.h"

#undef HORNET_INLINE
#undef HORNET_UNROLL
#define HORNET_INLINE [[maybe_unused]] static
#define HORNET_UNROLL

/* Any bytes of a message. */
#define HORNET_STUDY_KERNEL_H
#define HORNET_H2_MAX 4
#define STUDY_KERNEL_RECORD(...)

struct poly1305 {
    word64 r[2], h[3];
};

[[maybe_unused]] static size_t first_block_bytes(size_t len_bytes)
{
    return len_bytes < 16 ? len_bytes : 16;
}

[[maybe_unused]] static void load_first_block(word64 words[3], const uint8_t *, size_t)
{
    words[0] = words[1] = word64();
    words[2] = word64(0, 1);
}

#define uint64_t word64
#define uint32_t word32
#define int64_t  signed_word

#include "lab/study/field/reduce.h"

#define double real
#ifdef X87
#define long
#include "lab/study/kernels/x87.c"

typedef extended_fe element;
typedef extended_r factors;
enum { ELEMENT_LIMBS = FLOATING_LIMBS };
#define element_from_words         extended_from_words
#define factors_from_words         extended_r_from_words
#define element_to_words(words, h) extended_to_words(words, extended_carry(h))
static element multiply(element h, const factors *r) { return extended_mul(extended_carry(h), r); }

/* They are doubles, not extended. */
static void check_factors(const factors *r)
{
    for (int i = 0; i < FLOATING_LIMBS; i++) {
        r->r[i].checked("a limb of r is no double", 53);
        r->s[i].checked("5 * 2^-130 times a limb of r is no double", 53);
    }
}
#elif defined(DOUBLE53)
#include "lab/study/kernels/double53.c"

typedef double_fe element;
typedef double_r factors;
enum { ELEMENT_LIMBS = FLOATING_LIMBS };
#define element_from_words double_from_words
#define factors_from_words double_r_from_words
#define element_to_words   double_to_words
static element multiply(element h, const factors *r) { return double_mul_carry(h, r); }
static void check_factors(const factors *) {}
#else
/* Lanes of ranges for all lanes. */
#define LANES RADIX22
#define HORNET_POLY1305_LANES_H
typedef word64 vec;
static vec vec_splat(word64 value) { return value; }
static vec vec_add(vec a, vec b) { return a + b; }
static vec vec_and(vec a, vec b) { return a & b; }
static vec vec_or(vec a, vec b) { return a | b; }
static vec vec_shl(vec a, int bits) { return a << bits; }
static vec vec_shr(vec a, int bits) { return a >> bits; }
#define vector_size(bytes)
#include "lab/study/field/radix22.h"

typedef doubles_fe element;
typedef doubles_multiplier factors;
enum { ELEMENT_LIMBS = RADIX22_LIMBS };
static element element_from_words(const word64 words[3])
{
    return doubles_from_words(words[0], words[1], words[2]);
}
/* A power of r, of which there is one in each lane, and so any value. */
static factors factors_from_words(const word64 *)
{
    return doubles_multiplier_from(doubles_carry(doubles_from_words(word64(), word64(), word64(0, 4))));
}
static void element_to_words(word64 words[3], element h)
{
    doubles_sum_to_words(words, h);
    reduce_words(words);
}
static element multiply(element h, const factors *r) { return doubles_carry(doubles_mul(h, r)); }
static void check_factors(const factors *) {}
#endif

int main()
{
    const word64 r_words[2] = {word64() & 0x0ffffffc0fffffff, word64() & 0x0ffffffc0ffffffc};
    const factors r = factors_from_words(r_words);
    check_factors(&r);

    /* The accumulator of a call, to which a block is added before each multiplication. */
    const word64 value[3] = {word64(), word64(), word64(0, HORNET_H2_MAX)};
    element h = element_from_words(value);
    bool more;
    int rounds = 0;
    do {
        word64 words[3];
        load_first_block(words, NULL, 0);
        const element c = element_from_words(words);
        element sum = h;
        for (int i = 0; i < ELEMENT_LIMBS; i++)
            sum.limb[i] += c.limb[i];
        const element product = multiply(sum, &r);
        more = false;
        for (int i = 0; i < ELEMENT_LIMBS; i++)
            more |= unite(&h.limb[i], product.limb[i]);
    } while (more && ++rounds < 100);
    bound(!more, "the accumulator reaches no fixed point", 0);

    word64 words[3];
    element_to_words(words, h);
    bound(words[2].max <= HORNET_H2_MAX, "a value has more than 4 above 2^128", words[2].max);

    printf("%d bits: fixed point after %d rounds, limbs up to 2^", MANTISSA, rounds);
    for (int i = 0; i < ELEMENT_LIMBS; i++)
        printf(" %.2f", (float)(log2f((float)h.limb[i].size()) + (float)h.limb[i].unit));
    printf("\n  %lu checked, %lu broken\n", bounds_checked, bounds_broken);
    return bounds_broken != 0;
}
