/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Detects which features of x86.def a CPU has and the operating system has enabled. */
#include "../cpu.h"

#if HORNET_X86

#include <cpuid.h>
#include <stddef.h>

#include "x86.h"

#define LEAF1_ECX_OSXSAVE (UINT32_C(1) << 27)
#define LEAF1_ECX_AVX     (UINT32_C(1) << 28)

/* Leaf 7, subleaf 0, and EAX of subleaf 1. */
#define EBX_AVX2         (UINT32_C(1) << 5)
#define EBX_AVX512F      (UINT32_C(1) << 16)
#define EBX_AVX512_IFMA  (UINT32_C(1) << 21)
#define EBX_AVX512BW     (UINT32_C(1) << 30)
#define EBX_AVX512VL     (UINT32_C(1) << 31)
#define ECX_AVX512_VBMI2 (UINT32_C(1) << 6)
#define ECX_GFNI         (UINT32_C(1) << 8)
#define EDX_VP2INTERSECT (UINT32_C(1) << 8)
#define EDX_HYBRID       (UINT32_C(1) << 15)
#define EDX_AVX512_FP16  (UINT32_C(1) << 23)
#define EDX_AMX_TILE     (UINT32_C(1) << 24)
#define EAX_AVX_VNNI     (UINT32_C(1) << 4)

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

/* Families of cores, by the vendor, AMD's numbers of families, and features. Hypervisors report the numbers
 * of other CPUs and hide features, but report none that the CPU lacks, so the newest feature decides. The
 * first row that fits counts: it has at least one of the row's features.
 *
 * Sources: the features of -march=znver3 to znver5, skylake-avx512 to graniterapids, alderlake and
 * gracemont in GCC and LLVM; AMD, "Processor programming reference" of families 19h and 1Ah; Intel SDM
 * volume 2, CPUID, and, "Architecture instruction set extensions programming reference", for AVX10, which
 * adds no row: CPUs with 512-bit AVX10 report AVX-512 too, and those without it run AVX2. */
static const struct {
    uint32_t vendor_ebx; /* "Auth"enticAMD or "Genu"ineIntel */
    uint32_t first_family;
    uint32_t leaf7_ebx, leaf7_ecx, leaf7_edx, leaf7_1_eax;
    int core;
} cores[] = {
#define AMD   0x68747541
#define INTEL 0x756e6547
    {AMD, 0x1a, EBX_AVX2, 0, 0, 0, X86_ZEN5},
    {AMD, 0, 0, 0, EDX_VP2INTERSECT, EAX_AVX_VNNI, X86_ZEN5},
    {AMD, 0, EBX_AVX512F, ECX_GFNI, 0, 0, X86_ZEN4},
    {AMD, 0, EBX_AVX2, 0, 0, 0, X86_ZEN3}, /* also those before it */
    /* Alder Lake and later have no AVX-512, and most have two kinds of cores: Golden Cove's and Gracemont's
     * successors, which execute 256 bits in two halves. Without AVX-512 both get code for 256 bits. */
    {INTEL, 0, 0, 0, EDX_AVX512_FP16 | EDX_AMX_TILE | EDX_HYBRID, EAX_AVX_VNNI, X86_GOLDEN_COVE},
    {INTEL, 0, EBX_AVX512_IFMA, ECX_AVX512_VBMI2, 0, 0, X86_ICE_LAKE}, /* also Cannon Lake */
    {INTEL, 0, EBX_AVX512BW | EBX_AVX512VL, 0, 0, 0, X86_SKYLAKE_X},   /* to Cooper Lake */
};

static int core_of(const struct x86_cpuid *cpuid)
{
    const uint32_t base_family = cpuid->leaf1_eax >> 8 & 15;
    const uint32_t family = base_family + (base_family == 15 ? cpuid->leaf1_eax >> 20 & 255 : 0);
    for (size_t i = 0; i < sizeof cores / sizeof cores[0]; i++)
        if (cpuid->vendor_ebx == cores[i].vendor_ebx && family >= cores[i].first_family &&
            ((cpuid->leaf7_ebx & cores[i].leaf7_ebx) | (cpuid->leaf7_ecx & cores[i].leaf7_ecx) |
             (cpuid->leaf7_edx & cores[i].leaf7_edx) | (cpuid->leaf7_1_eax & cores[i].leaf7_1_eax)) != 0)
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
