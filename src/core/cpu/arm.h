/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What is concluded from the number of a 64-bit Arm core, separate from reading it, so that tests can cover
 * cores that are not there. */
#ifndef HORNET_CORE_CPU_ARM_H
#define HORNET_CORE_CPU_ARM_H

#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/* The bits of the word `properties`. */
enum {
    ARM_NEOVERSE_N1,
    ARM_NEOVERSE_V1,
    ARM_NEOVERSE_N2,
    ARM_CORTEX_A53,
    ARM_APPLE,
    ARM_AMPERE1,
    ARM_OTHER,
    ARM_OTHER_SVE
};

/* Returns the word for a core with this MIDR_EL1, or 0 if it is not known, and with SVE or without. */
uint32_t hornet_arm_properties(uint32_t midr, bool has_sve);

#pragma GCC visibility pop

#endif
