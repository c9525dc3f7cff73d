/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Ends what kernel_begin.h began: defines the record of a kernel and undefines per-kernel macros.
 *
 * KERNEL_NEEDS is the set of CPU features that the kernel requires; if it is not defined, there is no
 * record. Which functions the record has depends on the files of horner/ that were included.
 * HORNET_KERNEL_HOOK is a file to include while the kernel's names are still defined, for tests and
 * proofs. */
/* Close the target region that lanes.h opened. */
#if defined(HORNET_POLY1305_LANES_H) || defined(HORNET_SUMMED_LANES)
#include "../core/target_end.h"
#endif

#ifdef HORNET_KERNEL_HOOK
#include HORNET_KERNEL_HOOK
#endif

#ifdef KERNEL_NEEDS
const struct hornet_poly1305_kernel HORNET_PASTE(hornet_poly1305_kernel, _, KERNEL, ) = {
    .implementation = {.name = HORNET_STRING(KERNEL), .needs = KERNEL_NEEDS},
#ifdef LANES
    .lanes = LANES,
#elif defined(HORNET_SUMMED_LANES)
    .lanes = 2 * HORNET_SUMMED_LANES,
#else
    .lanes = 1,
#endif
    .mac = kernel_mac,
    .absorb = kernel_absorb,
#if KERNEL_KEEPS_LANES
    .lanes_begin = kernel_lanes_begin,
    .lanes_absorb = kernel_lanes_absorb,
    .lanes_end = kernel_lanes_end,
#endif
#ifdef HORNET_POLY1305_HORNER_BATCH_H
    .batch = kernel_batch,
#endif
};

#ifdef KERNEL_TUNING /* the same with other numbers of groups to a reduction */
const struct hornet_poly1305_kernel HORNET_PASTE(hornet_poly1305_kernel_, KERNEL, _, KERNEL_TUNING) = {
    .implementation = {.name = HORNET_STRING(KERNEL), .needs = KERNEL_NEEDS},
    .lanes = LANES,
    .mac = tuned_mac,
    .absorb = tuned_absorb,
    .lanes_begin = kernel_lanes_begin,
    .lanes_absorb = kernel_lanes_absorb,
    .lanes_end = kernel_lanes_end,
    .batch = kernel_batch,
};
#endif
#endif

#undef KERNEL
#undef KERNEL_NEEDS
#undef KERNEL_INLINE
#undef KERNEL_CALLEES_BYTES

#undef HORNET_TARGET
#undef LANES
#undef PORTABLE_LANES
#undef HORNET_SUMMED_LANES
#undef SUM_CHECK_MAX
#undef OPERAND_MAX
#undef VEC_OF
#undef PAIRS_EVEN_ODD
#undef PAIRS_OWN_CONVERSIONS
#undef PAIRS_REGISTER
#undef PAIRS_WORDS
#undef PAIR_OF
#undef QUAD_OF
#undef HORNET_POLY1305_LANES_PAIRS_H
#undef RVV_BITS
#undef RVV_BLOCK
#undef RVV_LANE
#undef RVV_EACH_LANE
#undef RVV_WORD
#undef RVV_BLEND
#undef LANES_FACTOR
#undef LANES_MULTIPLY_32
#undef LANES_MULTIPLY_52
#undef LANES_MULTIPLY_ADD_32
#undef LANES_MULTIPLIERS_IN_MEMORY
#undef LANES_OPERATION
#undef LANES_CLEAR_STACK
#undef LANES_KEEP_SHIFT
#undef VEC_CHECK_MAX

#undef LIMBS
#undef MULTIPLIER_WORDS
#undef FACTOR_BITS
#undef FE_LIMB_MAX
#undef MULTIPLIER_MAX
#undef WIDE_LIMB_MAX
#undef LONG_SUM_MAX
#undef MASK26
#undef MASK42
#undef MASK44
#undef FIELD_OPERATION
#undef SCALAR_OPERATION
#undef SCALAR_MANY_WORDS
#undef SERIAL_FUNCTION
#undef SERIAL_CLEAR_STACK
#undef SERIAL_STACK_END

#undef POWERS_IN_VECTOR
#undef TABLE_VECTORS
#undef GROUP_BYTES
#undef GROUPS_TO_A_REDUCTION
#undef TUNED_GROUPS
#undef KERNEL_TUNING
#undef STEPS_MAX
#undef KEPT_STEPS
#undef FE_WORDS
#undef KEPT_WORDS
#undef KEPT_T
#undef KEPT_LAST
#undef KEPT_STEP
#undef KERNEL_KEEPS_LANES
#undef BATCH_VECTORS
#undef BATCH_MESSAGES
#undef BATCH_LAZY

#undef HORNET_POLY1305_LANES_H
#undef HORNET_POLY1305_FIELD_H
#undef HORNET_POLY1305_FIELD_IMPLEMENTATION
#undef HORNET_POLY1305_SCALAR_FIELD_H
#undef HORNET_POLY1305_SCALAR_IMPLEMENTATION
#undef HORNET_POLY1305_HORNER_POWERS_H
#undef HORNET_POLY1305_HORNER_SERIAL_KERNEL_H
#undef HORNET_POLY1305_HORNER_DECIMATED_H
#undef HORNET_POLY1305_HORNER_DECIMATED_KERNEL_H
#undef HORNET_POLY1305_HORNER_KEPT_LANES_H
#undef HORNET_POLY1305_HORNER_BATCH_H
#undef HORNET_POLY1305_HORNER_SUMMED_KERNEL_H
#undef HORNET_POLY1305_FIELD_RADIX44_SUMS_H
#undef HORNET_POLY1305_HORNER_COMBINE_H
