/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Detects which features of x86.def a CPU has and the operating system has enabled. */
#include "../cpu.h"

#if HORNET_X86

#include <cpuid.h>
#include <stddef.h>

#include "x86.h"

#define LEAF1_ECX_OSXSAVE (UINT32_C(1) << 27)
#define LEAF1_ECX_AVX     (UINT32_C(1) << 28)

/* The register files that the operating system saves. */
#define XCR0_YMM 0x06 /* xmm, ymm */
#define XCR0_ZMM 0xe6 /* xmm, ymm, mask, both parts of zmm */

/* The bits of the word `properties`. */
enum {
    X86_FULL_WIDTH_ZMM,
    X86_NO_ZMM_DOWNCLOCK,
    X86_ZEN3,
    X86_ZEN4,
    X86_ZEN5,
    X86_SKYLAKE_X,
    X86_ICE_LAKE,
    X86_GOLDEN_COVE,
    X86_OTHER
};

/* The first entry that fits counts. AMD, "Processor programming reference" of each family; Intel SDM
 * volume 4, table 2-1. */
static const struct {
    uint32_t vendor_ebx; /* "Auth"enticAMD or "Genu"ineIntel */
    uint8_t family, first_model, last_model, core;
} cores[] = {
#define AMD   0x68747541
#define INTEL 0x756e6547
    {AMD, 0x19, 0x00, 0x0f, X86_ZEN3}, /* Milan */
    {AMD, 0x19, 0x20, 0x5f, X86_ZEN3}, /* Vermeer to Cezanne */
    {AMD, 0x19, 0x00, 0xff, X86_ZEN4}, /* all others of the family */
    {AMD, 0x1a, 0x00, 0xff, X86_ZEN5},
    {INTEL, 6, 0x55, 0x55, X86_SKYLAKE_X}, /* Skylake-X, Cascade Lake, Cooper Lake */
    {INTEL, 6, 0x6a, 0x6a, X86_ICE_LAKE},  /* servers */
    {INTEL, 6, 0x6c, 0x6c, X86_ICE_LAKE},
    {INTEL, 6, 0x7d, 0x7e, X86_ICE_LAKE},
    {INTEL, 6, 0x8c, 0x8d, X86_ICE_LAKE},    /* Tiger Lake */
    {INTEL, 6, 0xa7, 0xa7, X86_ICE_LAKE},    /* Rocket Lake */
    {INTEL, 6, 0x8f, 0x8f, X86_GOLDEN_COVE}, /* Sapphire Rapids */
    {INTEL, 6, 0xcf, 0xcf, X86_GOLDEN_COVE}, /* Emerald Rapids */
    {INTEL, 6, 0xad, 0xae, X86_GOLDEN_COVE}, /* Granite Rapids */
    {INTEL, 6, 0x97, 0x97, X86_GOLDEN_COVE}, /* Alder Lake, Raptor Lake */
    {INTEL, 6, 0x9a, 0x9a, X86_GOLDEN_COVE},
    {INTEL, 6, 0xb7, 0xb7, X86_GOLDEN_COVE},
    {INTEL, 6, 0xba, 0xba, X86_GOLDEN_COVE},
    {INTEL, 6, 0xbf, 0xbf, X86_GOLDEN_COVE},
};

#define LEAF7_EDX_AVX512_FP16 (UINT32_C(1) << 23)

/* Intel SDM volume 2, CPUID leaf 1. A hypervisor may report the model of another CPU, but not instructions
 * that the CPU lacks: no Intel core before Golden Cove has AVX512-FP16. */
static int core_of(const struct x86_cpuid *cpuid)
{
    if (cpuid->vendor_ebx == INTEL && (cpuid->leaf7_edx & LEAF7_EDX_AVX512_FP16) != 0)
        return X86_GOLDEN_COVE;
    const uint32_t base_family = cpuid->leaf1_eax >> 8 & 15;
    const uint32_t family = base_family + (base_family == 15 ? cpuid->leaf1_eax >> 20 & 255 : 0);
    const uint32_t model = (cpuid->leaf1_eax >> 4 & 15) | (cpuid->leaf1_eax >> 12 & 0xf0);
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++)
        if (cpuid->vendor_ebx == cores[i].vendor_ebx && family == cores[i].family &&
            model >= cores[i].first_model && model <= cores[i].last_model)
            return cores[i].core;
    return X86_OTHER;
}

/* Sources: Agner Fog, "The microarchitecture of Intel, AMD and VIA CPUs", for Zen 4's halves; Intel's
 * optimization manual, section 2.5.3, for Skylake's clock. */
static uint32_t properties_of(const struct x86_cpuid *cpuid)
{
    const int core = core_of(cpuid);
    return (UINT32_C(1) << core & ~(UINT32_C(1) << X86_OTHER)) |
           (uint32_t)(core != X86_ZEN4) << X86_FULL_WIDTH_ZMM |
           (uint32_t)(core != X86_SKYLAKE_X) << X86_NO_ZMM_DOWNCLOCK;
}

uint32_t hornet_cpu_from_cpuid(const struct x86_cpuid *cpuid)
{
    /* If CPUID reports AVX2 but not AVX, a hypervisor has hidden AVX, and no AVX should be used. */
    const uint32_t avx = LEAF1_ECX_OSXSAVE | LEAF1_ECX_AVX;
    const uint32_t enabled = (cpuid->leaf1_ecx & avx) == avx ? cpuid->xcr0 : 0;
    const struct {
        uint32_t leaf1_ecx, leaf1_edx, leaf7_ebx, leaf7_ecx, leaf7_1_eax, properties;
    } words = {cpuid->leaf1_ecx, cpuid->leaf1_edx,   cpuid->leaf7_ebx,
               cpuid->leaf7_ecx, cpuid->leaf7_1_eax, properties_of(cpuid)};
    uint32_t found = CPU_ANY;
#define HORNET_CPU_FEATURE(name, cpuid_word, bit, xcr0)                                                    \
    if ((words.cpuid_word >> (bit) & 1) != 0 && (enabled & (xcr0)) == (xcr0))                              \
        found |= CPU_##name;
#include "list.def"
    return found;
}

uint32_t hornet_cpu_detect(void)
{
    struct x86_cpuid cpuid = {0};
    uint32_t ebx, ecx, edx;

    cpuid.max_leaf = (uint32_t)__get_cpuid_max(0, &cpuid.vendor_ebx);
    if (cpuid.max_leaf >= 1)
        __cpuid(1, cpuid.leaf1_eax, ebx, cpuid.leaf1_ecx, cpuid.leaf1_edx);
    if (cpuid.max_leaf >= 7)
        __cpuid_count(7, 0, cpuid.max_subleaf7, cpuid.leaf7_ebx, cpuid.leaf7_ecx, cpuid.leaf7_edx);
    if (cpuid.max_subleaf7 >= 1)
        __cpuid_count(7, 1, cpuid.leaf7_1_eax, ebx, ecx, edx);
    if ((cpuid.leaf1_ecx & LEAF1_ECX_OSXSAVE) != 0)
        __asm__ volatile("xgetbv" : "=a"(cpuid.xcr0), "=d"(edx) : "c"(0));
    return hornet_cpu_from_cpuid(&cpuid);
}

#endif
