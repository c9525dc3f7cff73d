/* Which features of features.def this CPU has, and the operating system has enabled. */
#include "cpu.h"

#include <stdatomic.h>

#include "../include/hornet.h"

#define LEAF1_ECX_OSXSAVE (UINT32_C(1) << 27)
#define LEAF1_ECX_AVX     (UINT32_C(1) << 28)

/* The register files that the operating system saves. */
#define XCR0_YMM 0x06 /* xmm, ymm */
#define XCR0_ZMM 0xe6 /* xmm, ymm, mask, both parts of zmm */

static const char *const names[] = {
#define HORNET_FEATURE(name, cpuid_word, bit, xcr0) #name,
#include "features.def"
#undef HORNET_FEATURE
};

uint32_t hornet_cpu_features_from(const struct cpuid_words *words)
{
    /* A CPU that has AVX2 but not AVX is a hypervisor's doing: it wants no AVX used. */
    const uint32_t avx = LEAF1_ECX_OSXSAVE | LEAF1_ECX_AVX;
    const uint32_t enabled = (words->leaf1_ecx & avx) == avx ? words->xcr0 : 0;
    uint32_t found = CPU_BASE;
#define HORNET_FEATURE(name, cpuid_word, bit, xcr0)                                                        \
    if ((words->cpuid_word >> (bit) & 1) != 0 && (enabled & (xcr0)) == (xcr0))                             \
        found |= CPU_##name;
#include "features.def"
#undef HORNET_FEATURE
    return found;
}

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

static uint32_t detect(void)
{
    struct cpuid_words words = {0};
    uint32_t eax, ebx, ecx, edx;

    words.max_leaf = (uint32_t)__get_cpuid_max(0, 0);
    if (words.max_leaf >= 1)
        __cpuid(1, eax, ebx, words.leaf1_ecx, words.leaf1_edx);
    if (words.max_leaf >= 7)
        __cpuid_count(7, 0, eax, words.leaf7_ebx, ecx, edx);
    if ((words.leaf1_ecx & LEAF1_ECX_OSXSAVE) != 0)
        __asm__ volatile("xgetbv" : "=a"(words.xcr0), "=d"(edx) : "c"(0));
    return hornet_cpu_features_from(&words);
}

#else

static uint32_t detect(void) { return CPU_BASE; }

#endif

uint32_t hornet_cpu_features(void)
{
    /* Threads that race here find the same answer. */
    static _Atomic uint32_t cache;
    const uint32_t looked = UINT32_C(1) << 31;
    uint32_t found = atomic_load_explicit(&cache, memory_order_relaxed);
    if (found == 0) {
        found = detect() | looked;
        atomic_store_explicit(&cache, found, memory_order_relaxed);
    }
    return found & ~looked;
}

const char *hornet_cpu_feature_name(uint32_t feature)
{
    for (int i = 0; i < FEATURE_COUNT; i++)
        if (feature == UINT32_C(1) << i)
            return names[i];
    return "";
}

bool hornet_cpu_feature_at(size_t index, const char **name, bool *usable)
{
    if (index >= FEATURE_COUNT)
        return false;
    *name = names[index];
    *usable = (hornet_cpu_features() >> index & 1) != 0;
    return true;
}
