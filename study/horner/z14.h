/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The z14 paper's evaluation, figure 3, over lanes whose products are summed: the library's own
 * (src/poly1305/horner/summed_kernel.h) with a reduction after each group of four blocks, as the paper has
 * it. The field comes before: with the parallel reduction of its appendix 2, or with the serial one. Off
 * z14, the lanes are a model of VMSL in plain C, two multiplications of 64 x 64 -> 128 bits each. */
#ifndef HORNET_STUDY_HORNER_Z14_H
#define HORNET_STUDY_HORNER_Z14_H

#include "../kernel.h"

#include "../../src/poly1305/horner/summed_kernel.h"

/* Blocks that fill no group go to the scalar code, in front; a short block, last. */
HORNET_INLINE void z14_evaluate(struct poly1305 *state, const uint8_t *msg, size_t len_bytes, bool fresh)
{
    const size_t ngroups = len_bytes / SUMMED_GROUP_BYTES;
    const size_t short_bytes = len_bytes % 16, front_bytes = len_bytes % SUMMED_GROUP_BYTES - short_bytes;
    (void)fresh, (void)kernel_mac; /* which is the library's */
    if (front_bytes != 0)
        hornet_poly1305_baseline->absorb(state, msg, front_bytes);
    msg += front_bytes;
    if (ngroups != 0) {
        summed_powers powers;
        raise_summed_powers(&powers, state->r, 1);
        fe t = fe_from_words(vec_pair(state->h[0], 0), vec_pair(state->h[1], 0), vec_pair(state->h[2], 0));
        for (size_t i = 1; i < ngroups; i++, msg += SUMMED_GROUP_BYTES)
            t = summed_step(t, msg, powers.even, 1, &powers.even[0]);
        summed_end(state->h, summed_step(t, msg, powers.even, 1, &powers.odd));
        msg += SUMMED_GROUP_BYTES;
    }
    if (short_bytes != 0)
        hornet_poly1305_baseline->absorb(state, msg, short_bytes);
}

#endif
