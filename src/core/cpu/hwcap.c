/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Detects the features of a CPU on architectures where Linux passes them to a program as bits. */
#include "../cpu.h"

#if HORNET_HWCAP

#ifdef __linux__
#include <sys/auxv.h>
#endif

#ifdef __aarch64__
#include "arm.h"

/* Returns MIDR_EL1, the number of the core that this thread runs on, or 0 if it cannot be read. A CPU with
 * different cores has several numbers; then the first call decides for all of them. Linux answers the
 * instruction, which it traps, if it says so by bit CPUID
 * (Documentation/arch/arm64/cpu-feature-registers.rst); that takes neither a file nor a system call, which
 * a sandbox could forbid. glibc does the same in every program. */
static uint32_t midr(unsigned long hwcap)
{
    uint64_t value = 0;
#ifdef __linux__
    if ((hwcap >> 11 & 1) != 0)
        __asm__("mrs %0, midr_el1" : "=r"(value));
#elif defined(__APPLE__)
    value = 0x61000000;
#endif
    (void)hwcap;
    return (uint32_t)value;
}
#endif

uint32_t hornet_cpu_detect(void)
{
    struct {
        unsigned long hwcap, hwcap2, properties;
    } words = {0};
#ifdef __linux__
    words.hwcap = getauxval(AT_HWCAP);
    words.hwcap2 = getauxval(AT_HWCAP2);
#endif
#ifdef __aarch64__
    words.properties = hornet_arm_properties(midr(words.hwcap), (words.hwcap >> 22 & 1) != 0);
#endif
    uint32_t found = CPU_ANY;
#define HORNET_CPU_FEATURE(name, word, bit, always)                                                        \
    if ((words.word >> (bit) & 1) != 0 || (always))                                                        \
        found |= CPU_##name;
#include "list.def"
    return found;
}

#endif
