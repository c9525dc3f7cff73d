/* The choice of a kernel: every set of features, CPUs and operating systems that do not exist, names that
 * are wrong, and that the kernel which is forced is the kernel that runs.
 *
 * Linked with every kernel record replaced by one that counts its calls: the --wrap options of
 * run.sh and cpus.sh. */
#include <string.h>

#include "../include/hornet.h"
#include "check.h"
#include "kernels.h"

/* all_kernels, select.c and poly1305.c use the wrapped records; these are the real ones. */
#define HORNET_KERNEL(name, min_vector_bytes)                                                              \
    extern const struct hornet_kernel __real_hornet_kernel_##name;                                         \
    extern struct hornet_kernel __wrap_hornet_kernel_##name;                                               \
    static unsigned long calls_of_##name;                                                                  \
    static void count_##name(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)                 \
    {                                                                                                      \
        calls_of_##name++;                                                                                 \
        __real_hornet_kernel_##name.absorb(state, msg, len_bytes);                                         \
    }                                                                                                      \
    struct hornet_kernel __wrap_hornet_kernel_##name;
#include "../src/kernels.def"
#undef HORNET_KERNEL

static const struct {
    unsigned long *calls;
    size_t min_vector_bytes;
} counters[] = {
#define HORNET_KERNEL(name, min_vector_bytes) {&calls_of_##name, min_vector_bytes},
#include "../src/kernels.def"
#undef HORNET_KERNEL
};

static void wrap_kernels(void)
{
#define HORNET_KERNEL(name, min_vector_bytes)                                                              \
    __wrap_hornet_kernel_##name = __real_hornet_kernel_##name;                                             \
    if (__wrap_hornet_kernel_##name.absorb != NULL)                                                        \
        __wrap_hornet_kernel_##name.absorb = count_##name;
#include "../src/kernels.def"
#undef HORNET_KERNEL
}

/* Every set of features gets the first kernel of the list that the set can run. */
static void test_feature_sets(void)
{
    for (uint32_t features = 0; features < UINT32_C(1) << FEATURE_COUNT; features++) {
        const struct hornet_kernel *chosen = hornet_kernel_for(features);
        check(chosen != NULL && chosen->absorb != NULL, "features %x: no kernel", features);
        check((chosen->needs & ~features) == 0, "features %x: %s needs more", features, chosen->name);
        for (int i = 0; all_kernels[i] != chosen; i++)
            check(all_kernels[i]->absorb == NULL || (all_kernels[i]->needs & ~features) != 0,
                  "features %x: %s is better than %s", features, all_kernels[i]->name, chosen->name);
    }
}

/* Every mix of CPUID bits and of register files that the operating system saves. */
static void test_cpus(void)
{
    static const uint32_t xcr0s[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x26,  0x46,   0x86,
                                     0x66, 0xa6, 0xc6, 0xe0, 0xe2, 0xe4, 0xe6, 0xe7, 0x2e7, 0x602e7};
    for (uint32_t bits = 0; bits < 32; bits++)
        for (size_t i = 0; i < sizeof xcr0s / sizeof xcr0s[0]; i++) {
            const bool sse2 = bits & 1, osxsave = bits & 2, avx = bits & 4, avx2 = bits & 8,
                       avx512f = bits & 16;
            const struct cpuid_words words = {
                .max_leaf = 7,
                .leaf1_edx = (uint32_t)sse2 << 26 | ~(UINT32_C(1) << 26),
                .leaf1_ecx = (uint32_t)osxsave << 27 | (uint32_t)avx << 28 | ~(UINT32_C(3) << 27),
                .leaf7_ebx = (uint32_t)avx2 << 5 | (uint32_t)avx512f << 16 | ~UINT32_C(0x10020),
                .xcr0 = xcr0s[i],
            };
            const uint32_t found = hornet_cpu_features_from(&words);
            const bool ymm = osxsave && avx && (xcr0s[i] & 0x06) == 0x06;
            const bool zmm = ymm && (xcr0s[i] & 0xe0) == 0xe0;
            check(((found & CPU_sse2) != 0) == sse2, "bits %x, xcr0 %x: sse2", bits, xcr0s[i]);
            check(((found & CPU_avx2) != 0) == (ymm && avx2), "bits %x, xcr0 %x: avx2", bits, xcr0s[i]);
            check(((found & CPU_avx512f) != 0) == (zmm && avx512f), "bits %x, xcr0 %x: avx512f", bits,
                  xcr0s[i]);
        }
    const struct cpuid_words none = {0};
    check(hornet_cpu_features_from(&none) == CPU_BASE, "a CPU that says nothing has no feature");
}

static void test_names(void)
{
    const size_t count = hornet_kernel_count();
    const char *automatic = hornet_kernel_name();
    check(count >= 1 && strcmp(automatic, hornet_kernel_at(0)) == 0, "the best kernel is chosen");
    check(hornet_kernel_at(count) == NULL && hornet_kernel_at(SIZE_MAX) == NULL, "names past the last");
    for (size_t i = 0; i < count; i++) {
        check(hornet_kernel_force(hornet_kernel_at(i)), "%s cannot be forced", hornet_kernel_at(i));
        check(strcmp(hornet_kernel_name(), hornet_kernel_at(i)) == 0, "%s is not in use",
              hornet_kernel_at(i));
        check(!hornet_kernel_force("no such kernel") && !hornet_kernel_force(""), "unknown name taken");
        check(strcmp(hornet_kernel_name(), hornet_kernel_at(i)) == 0, "a refused name changed the kernel");
    }
    for (int i = 0; i < KERNEL_COUNT; i++)
        check(hornet_kernel_force(all_kernels[i]->name) == kernel_runs_here(all_kernels[i]),
              "%s: force and features disagree", all_kernels[i]->name);
    check(hornet_kernel_force(NULL) && strcmp(hornet_kernel_name(), automatic) == 0,
          "NULL goes back to the automatic choice");

    hornet_kernel_info info;
    size_t supported = 0, i = 0;
    for (; hornet_kernel_info_at(i, &info); i++) {
        check(strcmp(info.name, all_kernels[i]->name) == 0 && info.lanes == all_kernels[i]->lanes,
              "info %zu is of %s", i, info.name);
        supported += info.supported;
    }
    check(i == KERNEL_COUNT && supported == count, "%zu kernels, %zu supported", i, supported);

    const char *name;
    bool usable;
    uint32_t features = 0;
    for (i = 0; hornet_cpu_feature_at(i, &name, &usable); i++)
        features |= (uint32_t)usable << i;
    check(i == FEATURE_COUNT && features == hornet_cpu_features(), "%zu features, %x", i, features);
}

static unsigned long all_calls(void)
{
    unsigned long calls = 0;
    for (int i = 0; i < KERNEL_COUNT; i++)
        calls += *counters[i].calls;
    return calls;
}

/* From its crossover on, the kernel that is forced is the only one that runs; below, a scalar one. */
static void test_forced_kernel_runs(void)
{
    static uint8_t msg[5000], key[32], tag[16];
    for (int i = 0; i < KERNEL_COUNT; i++) {
        if (!hornet_kernel_force(all_kernels[i]->name))
            continue;
        const size_t crossover = counters[i].min_vector_bytes;
        const size_t lengths[] = {1, 16, 100, crossover - (crossover > 0), crossover, crossover + 1, 5000};
        for (size_t j = 0; j < sizeof lengths / sizeof lengths[0]; j++) {
            const size_t len_bytes = lengths[j];
            if (len_bytes == 0)
                continue;
            const unsigned long own = *counters[i].calls, all = all_calls();
            hornet_poly1305(tag, msg, len_bytes, key);
            const unsigned long own_calls = *counters[i].calls - own, calls = all_calls() - all;
            check(calls == 1, "kernel %s, length %zu: %lu calls", all_kernels[i]->name, len_bytes, calls);
            check(own_calls == (len_bytes >= crossover), "kernel %s, length %zu: ran %lu times",
                  all_kernels[i]->name, len_bytes, own_calls);
            hornet_poly1305_state state;
            const unsigned long before = *counters[i].calls;
            hornet_poly1305_init(&state, key);
            hornet_poly1305_update(&state, msg, len_bytes / 16 * 16);
            check(*counters[i].calls - before == (len_bytes >= 16 && len_bytes / 16 * 16 >= crossover),
                  "kernel %s, length %zu: did not run in the update", all_kernels[i]->name, len_bytes);
            hornet_poly1305_final(&state, tag);
        }
    }
}

int main(int argc, char **argv)
{
    wrap_kernels();
    /* Must come before anything else asks: what this CPU gets by itself. */
    if (argc > 1)
        check(strcmp(hornet_kernel_name(), argv[1]) == 0, "%s is chosen, not %s", hornet_kernel_name(),
              argv[1]);
    test_feature_sets();
    test_cpus();
    test_names();
    test_forced_kernel_runs();
    hornet_kernel_force(NULL);
    printf("chosen: %s\n", hornet_kernel_name());
    return check_report("test_selection");
}
