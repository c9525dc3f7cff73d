/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The values that CPUID and XGETBV report about an x86 CPU, separate from the conclusions drawn from them,
 * so that tests can cover machines that do not exist. */
#ifndef HORNET_CORE_CPU_X86_H
#define HORNET_CORE_CPU_X86_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* A member is 0 if its leaf cannot be queried. */
struct x86_cpuid {
    uint32_t max_leaf;
    uint32_t leaf1_ecx, leaf1_edx;            /* if max_leaf >= 1 */
    uint32_t leaf7_ebx, leaf7_ecx, leaf7_edx; /* if max_leaf >= 7; subleaf 0 */
    uint32_t max_subleaf7;                    /* likewise */
    uint32_t leaf7_1_eax;                     /* if max_subleaf7 >= 1 */
    uint32_t vendor_ebx;                      /* the first four letters of the vendor's name; leaf 0 */
    uint32_t leaf1_eax;                       /* family and model; if max_leaf >= 1 */
    uint32_t xcr0;                            /* if leaf1_ecx has OSXSAVE */
};

/* Returns the features of x86.def that such a CPU has. */
uint32_t hornet_cpu_from_cpuid(const struct x86_cpuid *cpuid);

#pragma GCC visibility pop

#endif
