/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The family of a 64-bit Arm core. */
#include "arm.h"

#include <stddef.h>

#ifdef __aarch64__

/* The first entry that fits counts. Arm's technical reference manual of each core, MIDR_EL1; Linux,
 * arch/arm64/include/asm/cputype.h. */
static const struct {
    uint32_t implementer, first_part, last_part, core;
} cores[] = {
#define ARM    0x41
#define CAVIUM 0x43
#define HUAWEI 0x48
#define APPLE  0x61
#define AMPERE 0xc0
    {ARM, 0xd03, 0xd03, ARM_CORTEX_A53},     {ARM, 0xd05, 0xd05, ARM_CORTEX_A53}, /* Cortex-A55 */
    {ARM, 0xd07, 0xd0d, ARM_NEOVERSE_N1}, /* Cortex-A57, A72, A73, A75, A76, Neoverse N1, Cortex-A77 */
    {ARM, 0xd41, 0xd41, ARM_NEOVERSE_N1}, /* Cortex-A78 */
    {ARM, 0xd44, 0xd44, ARM_NEOVERSE_N1}, /* Cortex-X1 */
    {ARM, 0xd40, 0xd40, ARM_NEOVERSE_V1},    {ARM, 0xd48, 0xd48, ARM_NEOVERSE_V1}, /* Cortex-X2 */
    {ARM, 0xd4e, 0xd4f, ARM_NEOVERSE_V1},    /* Cortex-X3, Neoverse V2 */
    {ARM, 0xd47, 0xd47, ARM_NEOVERSE_N2},    /* Cortex-A710 */
    {ARM, 0xd49, 0xd49, ARM_NEOVERSE_N2},    /* Neoverse N2 */
    {CAVIUM, 0x0af, 0x0af, ARM_NEOVERSE_N2}, /* ThunderX2 */
    {HUAWEI, 0xd01, 0xd01, ARM_NEOVERSE_N2}, /* Kunpeng 920 */
    {APPLE, 0x000, 0xfff, ARM_APPLE},        {AMPERE, 0xac3, 0xac3, ARM_AMPERE1},
};

uint32_t hornet_arm_properties(uint32_t midr, bool has_sve)
{
    const uint32_t implementer = midr >> 24, part = midr >> 4 & 0xfff;
    uint32_t core = has_sve ? ARM_OTHER_SVE : ARM_OTHER;
    for (size_t i = sizeof cores / sizeof cores[0]; i-- != 0;)
        if (implementer == cores[i].implementer && part >= cores[i].first_part &&
            part <= cores[i].last_part)
            core = cores[i].core;
    return UINT32_C(1) << core;
}

#endif
