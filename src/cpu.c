/* Which features of features.def this CPU has, and the operating system has enabled. */
#include "cpu.h"

#include <stdatomic.h>

#include "../include/hornet.h"

#define LEAF1_ECX_OSXSAVE (UINT32_C(1) << 27)
#define LEAF1_ECX_AVX     (UINT32_C(1) << 28)

/* Above the features, in what detect returns. */
#define ZMM_SHIFT 29
#define LOOKED    (UINT32_C(1) << 31)
_Static_assert(FEATURE_COUNT <= ZMM_SHIFT, "a bit for each feature");

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

/* Intel SDM volume 2, CPUID leaf 1; Agner Fog, "The microarchitecture of Intel, AMD and VIA CPUs", and
 * Intel's optimization manual, section 2.5.3, for the clock. */
enum hornet_zmm hornet_cpu_zmm_from(const struct cpuid_words *words)
{
    const uint32_t auth = 0x68747541, genu = 0x756e6547; /* AuthenticAMD, GenuineIntel */
    const uint32_t base_family = words->leaf1_eax >> 8 & 15;
    const uint32_t family = base_family + (base_family == 15 ? words->leaf1_eax >> 20 & 255 : 0);
    const uint32_t model = (words->leaf1_eax >> 4 & 15) | (words->leaf1_eax >> 12 & 0xf0);
    if (words->vendor_ebx == auth && family == 0x19)
        return HORNET_ZMM_SPLIT; /* Zen 4 */
    if (words->vendor_ebx == genu && family == 6 && model == 0x55)
        return HORNET_ZMM_SLOWS; /* Skylake-X, Cascade Lake, Cooper Lake */
    return HORNET_ZMM_FULL;
}

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

static uint32_t detect(void)
{
    struct cpuid_words words = {0};
    uint32_t ebx, ecx, edx;

    words.max_leaf = (uint32_t)__get_cpuid_max(0, &words.vendor_ebx);
    if (words.max_leaf >= 1)
        __cpuid(1, words.leaf1_eax, ebx, words.leaf1_ecx, words.leaf1_edx);
    if (words.max_leaf >= 7)
        __cpuid_count(7, 0, words.max_subleaf7, words.leaf7_ebx, words.leaf7_ecx, edx);
    if (words.max_subleaf7 >= 1)
        __cpuid_count(7, 1, words.leaf7_1_eax, ebx, ecx, edx);
    if ((words.leaf1_ecx & LEAF1_ECX_OSXSAVE) != 0)
        __asm__ volatile("xgetbv" : "=a"(words.xcr0), "=d"(edx) : "c"(0));
    return hornet_cpu_features_from(&words) | (uint32_t)hornet_cpu_zmm_from(&words) << ZMM_SHIFT;
}

#else

static uint32_t detect(void) { return CPU_BASE; }

#endif

/* What detect found, and that it has looked. */
static uint32_t detected(void)
{
    /* Threads that race here find the same answer. */
    static _Atomic uint32_t cache;
    uint32_t found = atomic_load_explicit(&cache, memory_order_relaxed);
    if (found == 0) {
        found = detect() | LOOKED;
        atomic_store_explicit(&cache, found, memory_order_relaxed);
    }
    return found;
}

uint32_t hornet_cpu_features(void) { return detected() & ((UINT32_C(1) << FEATURE_COUNT) - 1); }

enum hornet_zmm hornet_cpu_zmm(void) { return (enum hornet_zmm)(detected() >> ZMM_SHIFT & 3); }

void hornet_cpu_feature_names(uint32_t features, char *list, size_t size_bytes)
{
    size_t n = 0;
    for (int i = 0; i < FEATURE_COUNT; i++) {
        if ((features >> i & 1) == 0)
            continue;
        if (n != 0 && n + 1 < size_bytes)
            list[n++] = ' ';
        for (const char *c = names[i]; *c != 0 && n + 1 < size_bytes; c++)
            list[n++] = *c;
    }
    list[n] = 0;
}

bool hornet_cpu_feature_at(size_t index, const char **name, bool *usable)
{
    if (index >= FEATURE_COUNT)
        return false;
    *name = names[index];
    *usable = (hornet_cpu_features() >> index & 1) != 0;
    return true;
}
