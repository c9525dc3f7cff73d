/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Ends what kernel_begin.h began: defines the record of a kernel.
 *
 * KERNEL_REQUIRED is the set of CPU features that the kernel requires; if it is not defined, there is no
 * record. Which functions the record has depends on the files of horner/ that were included.
 * HORNET_KERNEL_HOOK is a file to include before the record, for tests and proofs. */
/* Close the target region that lanes.h opened. */
#if defined(HORNET_POLY1305_LANES_H) || defined(HORNET_VMSL_LANES)
#include "../core/target_end.h"
#endif

#ifdef HORNET_KERNEL_HOOK
#include HORNET_KERNEL_HOOK
#endif

#ifdef KERNEL_REQUIRED
const struct hornet_poly1305_kernel HORNET_PASTE(hornet_poly1305_kernel, _, KERNEL, ) = {
    .implementation = {.name = HORNET_STRING(KERNEL), .required = KERNEL_REQUIRED},
#ifdef LANES
    .lanes = LANES,
#elif defined(HORNET_VMSL_LANES)
    .lanes = 2 * HORNET_VMSL_LANES,
#else
    .lanes = 1,
#endif
    .mac = kernel_mac,
    .absorb = kernel_absorb,
#if KERNEL_STREAMS
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
    .implementation = {.name = HORNET_STRING(KERNEL), .required = KERNEL_REQUIRED},
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
