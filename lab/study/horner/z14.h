/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The z14 paper's evaluation, figure 3, over lanes whose products are summed: the library's own
 * (src/poly1305/horner/vmsl_kernel.h) with a reduction after each group of four blocks, as in the
 * paper. Include the field before this file, with the parallel reduction in the paper's appendix 2 or
 * with the serial one. On other CPUs than the z14, the lanes are a model of VMSL in plain C, with two 64
 * x 64 -> 128-bit multiplications each. */
#ifndef HORNET_STUDY_HORNER_Z14_H
#define HORNET_STUDY_HORNER_Z14_H

#include "../kernel.h"
#include "../list.h"

#include "../../../src/poly1305/horner/vmsl_kernel.h"

/* An assembly constraint for vec. */
#if HORNET_X86
#define Z14_REGISTER "x"
#elif HORNET_S390X
#define Z14_REGISTER "v"
#elif HORNET_ARM
#define Z14_REGISTER "w"
#else
#define Z14_REGISTER "m"
#endif

#if HORNET_VX
#define Z14_REQUIRED (CPU_vx | CPU_vxe)
#else
#define Z14_REQUIRED CPU_ANY
#endif

/* Blocks that do not fill a group go to the scalar code first; a short block goes last. */
HORNET_INLINE void z14_evaluate(struct poly1305 *state, const uint8_t *msg, size_t len_bytes, bool fresh)
{
    const size_t ngroups = len_bytes / SUMMED_GROUP_BYTES;
    const size_t short_bytes = len_bytes % 16, front_bytes = len_bytes % SUMMED_GROUP_BYTES - short_bytes;
    (void)fresh, (void)kernel_mac, (void)kernel_absorb; /* the library's */
    if (front_bytes != 0)
        hornet_poly1305_fallback->absorb(state, msg, front_bytes);
    msg += front_bytes;
    if (ngroups != 0) {
        vmsl_powers powers;
        raise_vmsl_powers(&powers.odd, powers.even, state->r, 1);
        fe t = fe_from_words(vec_pair(state->h[0], 0), vec_pair(state->h[1], 0), vec_pair(state->h[2], 0));
        for (size_t i = 1; i < ngroups; i++, msg += SUMMED_GROUP_BYTES)
            t = vmsl_step(t, msg, powers.even, 1);
        const fe upper = fe_add(load_two(msg), fe_alone(t, 0)),
                 lower = fe_add(load_two(msg + 16), fe_alone(t, 1));
        t = fe_carry(vmsl_mul_add(vmsl_zero(), upper, &powers.even[0]),
                     vmsl_mul_add(vmsl_zero(), lower, &powers.odd));
        vmsl_end(state->h, t);
        msg += SUMMED_GROUP_BYTES;
    }
    if (short_bytes != 0)
        hornet_poly1305_fallback->absorb(state, msg, short_bytes);
}

/* Runs a part of the evaluation for figure 5: expands the blocks of each group into limbs; also
 * multiplies; also reduces the sums. Everything computed contributes to the result, so that nothing is
 * optimized away. The groups of the first two phases are independent, those of the third are not. */
HORNET_INLINE uint64_t z14_phase(enum study_phase phase, const uint8_t *groups, size_t ngroups)
{
    static const uint64_t r[2] = {HORNET_CLAMP_LO, HORNET_CLAMP_HI};
    vmsl_powers powers;
    raise_vmsl_powers(&powers.odd, powers.even, r, 1);
    fe t = fe_from_words(vec_splat(0), vec_splat(0), vec_splat(0));
    sum total = sum_zero();
    for (size_t i = 0; i < ngroups; i++, groups += SUMMED_GROUP_BYTES) {
        fe upper = load_two(groups), lower = load_two(groups + 16);
        if (phase == PHASE_EXPAND) {
            t = fe_add(t, fe_add(upper, lower));
            HORNET_VALUE_BARRIER(Z14_REGISTER, t.limb[0]);
            HORNET_VALUE_BARRIER(Z14_REGISTER, t.limb[1]);
            HORNET_VALUE_BARRIER(Z14_REGISTER, t.limb[2]);
            continue;
        }
        if (phase == PHASE_REDUCE) {
            upper = fe_add(upper, fe_alone(t, 0));
            lower = fe_add(lower, fe_alone(t, 1));
        }
        const summed upper_sum = vmsl_mul_add(vmsl_zero(), upper, &powers.even[0]);
        const summed lower_sum = vmsl_mul_add(vmsl_zero(), lower, &powers.even[0]);
        if (phase == PHASE_REDUCE)
            t = fe_carry(upper_sum, lower_sum);
        else
            for (int j = 0; j < 3; j++)
                total += upper_sum.d[j] ^ lower_sum.d[j];
    }
    uint64_t h[3];
    vmsl_end(h, t);
    return h[0] ^ h[1] ^ h[2] ^ (uint64_t)total ^ (uint64_t)(total >> 64);
}

#define Z14_PHASES(name)                                                                                   \
    uint64_t name(enum study_phase phase, const uint8_t *groups, size_t ngroups)                           \
    {                                                                                                      \
        return phase == PHASE_EXPAND     ? z14_phase(PHASE_EXPAND, groups, ngroups)                        \
               : phase == PHASE_MULTIPLY ? z14_phase(PHASE_MULTIPLY, groups, ngroups)                      \
                                         : z14_phase(PHASE_REDUCE, groups, ngroups);                       \
    }

#endif
