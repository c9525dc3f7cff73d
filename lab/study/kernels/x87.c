/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Bernstein 2005, section 4, as described there: four limbs in floating-point registers with 64-bit
 * mantissas, which are those of the x87 unit, in 32-bit and 64-bit programs.
 *
 * The paper's reduction is complete: its output conversion ends with the subtraction of p, which is left
 * to tag.h here. A system on which programs start with 53-bit mantissas (FreeBSD, according to the
 * paper) must not run this. */
#include <float.h>

#include "../field/floating.h"
#include "../kernel.h"

#if HORNET_X86 && LDBL_MANT_DIG == 64

/* h_0 + h_1 + h_2 + h_3, where h_i is a multiple of 2^(32 i). */
typedef struct {
    long double limb[FLOATING_LIMBS];
} extended_fe;

/* r_0 to r_3, and 5 * 2^-130 r_1 to r_3, "in 8-byte floating-point format". */
typedef struct {
    double r[FLOATING_LIMBS], s[FLOATING_LIMBS];
} extended_r;

HORNET_INLINE extended_fe extended_from_words(const uint64_t words[3])
{
    uint64_t quarters[FLOATING_LIMBS];
    extended_fe a;
    quarters_of_words(quarters, words);
    HORNET_UNROLL
    for (int i = 0; i < FLOATING_LIMBS; i++)
        a.limb[i] = (long double)biased_double(quarters[i], i) - (long double)FLOATING_BIAS(i);
    return a;
}

HORNET_INLINE extended_r extended_r_from_words(const uint64_t r_words[2])
{
    const uint64_t words[3] = {r_words[0], r_words[1], 0};
    const extended_fe a = extended_from_words(words);
    extended_r r;
    HORNET_UNROLL
    for (int i = 0; i < FLOATING_LIMBS; i++) {
        r.r[i] = (double)a.limb[i];
        r.s[i] = r.r[i] * (5 * 0x1p-130);
    }
    return r;
}

/* The four parallel carries: |h_i / 2^(32 i)| <= 127/256 2^64 before; after, h_0 to h_2 are at most
 * 1147/1024, 255/256 and 255/256 times 2^32, and h_3 at most 639/256 2^32. */
HORNET_INLINE extended_fe extended_carry(extended_fe h)
{
    static const long double alpha[FLOATING_LIMBS] = {0x1.8p95L, 0x1.8p127L, 0x1.8p159L, 0x1.8p193L};
    long double y[FLOATING_LIMBS];
    HORNET_UNROLL
    for (int i = 0; i < FLOATING_LIMBS; i++) {
        y[i] = h.limb[i] + alpha[i] - alpha[i];
        h.limb[i] -= y[i];
    }
    h.limb[0] += (5 * 0x1p-130L) * y[3];
    h.limb[1] += y[0];
    h.limb[2] += y[1];
    h.limb[3] += y[2];
    return h;
}

/* The product of carried limbs; its limbs are at most 63/128 2^64. */
HORNET_INLINE extended_fe extended_mul(extended_fe h, const extended_r *r)
{
    const long double h0 = h.limb[0], h1 = h.limb[1], h2 = h.limb[2], h3 = h.limb[3];
    return (extended_fe){{
        (long double)r->r[0] * h0 + (long double)r->s[1] * h3 + (long double)r->s[2] * h2 +
            (long double)r->s[3] * h1,
        (long double)r->r[0] * h1 + (long double)r->r[1] * h0 + (long double)r->s[2] * h3 +
            (long double)r->s[3] * h2,
        (long double)r->r[0] * h2 + (long double)r->r[1] * h1 + (long double)r->r[2] * h0 +
            (long double)r->s[3] * h3,
        (long double)r->r[0] * h3 + (long double)r->r[1] * h2 + (long double)r->r[2] * h1 +
            (long double)r->r[3] * h0,
    }};
}

/* Converts carried limbs. p is added to make each positive. */
HORNET_INLINE void extended_to_words(uint64_t words[3], extended_fe h)
{
    static const long double p[FLOATING_LIMBS] = {0x1p33L - 5, 0x1p65L - 0x1p33L, 0x1p97L - 0x1p65L,
                                                  0x1p130L - 0x1p97L};
    static const long double scale[FLOATING_LIMBS] = {1, 0x1p-32L, 0x1p-64L, 0x1p-96L};
    uint64_t quarters[FLOATING_LIMBS];
    for (int i = 0; i < FLOATING_LIMBS; i++)
        quarters[i] = (uint64_t)(int64_t)((h.limb[i] + p[i]) * scale[i]);
    words_of_quarters(words, quarters);
    reduce_words(words);
}

HORNET_INLINE void extended_evaluate(struct poly1305 *state, const uint8_t *msg, size_t len_bytes,
                                     bool fresh)
{
    const extended_r r = extended_r_from_words(state->r);
    extended_fe h = extended_from_words(state->h);
    (void)fresh; /* "The carries can be omitted on the first loop", which are not on the critical path */
    while (len_bytes != 0) {
        const size_t n = first_block_bytes(len_bytes);
        uint64_t words[3];
        load_first_block(words, msg, len_bytes);
        const extended_fe c = extended_from_words(words);
        HORNET_UNROLL
        for (int i = 0; i < FLOATING_LIMBS; i++)
            h.limb[i] += c.limb[i];
        h = extended_mul(extended_carry(h), &r);
        msg += n;
        len_bytes -= n;
    }
    extended_to_words(state->h, extended_carry(h));
}

STUDY_KERNEL_RECORD(x87, CPU_ANY, 1, extended_evaluate);

#endif
