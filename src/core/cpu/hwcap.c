/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Detects the features of a CPU on architectures where Linux passes them to a program as bits. */
#include "../cpu.h"

#if HORNET_HWCAP

#ifdef __linux__
#include <sys/auxv.h>
#endif

uint32_t hornet_cpu_detect(void)
{
    struct {
        unsigned long hwcap, hwcap2;
    } words = {0};
#ifdef __linux__
    words.hwcap = getauxval(AT_HWCAP);
    words.hwcap2 = getauxval(AT_HWCAP2);
#endif
    uint32_t found = CPU_ANY;
#define HORNET_CPU_FEATURE(name, word, bit, always)                                                        \
    if ((words.word >> (bit) & 1) != 0 || (always))                                                        \
        found |= CPU_##name;
#include "list.def"
    return found;
}

#endif
