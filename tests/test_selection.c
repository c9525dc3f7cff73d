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
#define HORNET_KERNEL(name, min_bytes, min_split_bytes, shorter)                                           \
    extern const struct hornet_kernel __real_hornet_kernel_##name;                                         \
    extern struct hornet_kernel __wrap_hornet_kernel_##name;                                               \
    static unsigned long calls_of_##name;                                                                  \
    static void count_##name(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)                 \
    {                                                                                                      \
        calls_of_##name++;                                                                                 \
        __real_hornet_kernel_##name.absorb(state, msg, len_bytes);                                         \
    }                                                                                                      \
    static size_t count_batch_##name(const struct hornet_batch *batch, const uint8_t *order, size_t count) \
    {                                                                                                      \
        calls_of_##name++;                                                                                 \
        return __real_hornet_kernel_##name.batch(batch, order, count);                                     \
    }                                                                                                      \
    struct hornet_kernel __wrap_hornet_kernel_##name;
#include "../src/kernels.def"
#undef HORNET_KERNEL

static const struct {
    unsigned long *calls;
    const char *shorter;
} counters[] = {
#define HORNET_KERNEL(name, min_bytes, min_split_bytes, shorter) {&calls_of_##name, #shorter},
#include "../src/kernels.def"
#undef HORNET_KERNEL
};

/* The number of the kernel of that name; -1 if none has it. */
static int kernel_number(const char *name)
{
    for (int i = 0; i < KERNEL_COUNT; i++)
        if (strcmp(all_kernels[i]->name, name) == 0)
            return i;
    return -1;
}

static size_t min_bytes_of(int kernel)
{
    hornet_kernel_info info = {.min_bytes = SIZE_MAX};
    check(hornet_kernel_info_at((size_t)kernel, &info), "no kernel %d", kernel);
    return info.min_bytes;
}

/* The kernel that serves a length where `kernel` is in use; -1 for the scalar code. */
static int serving(int kernel, size_t len_bytes)
{
    while (kernel >= 0 && len_bytes < min_bytes_of(kernel))
        kernel = kernel_number(counters[kernel].shorter);
    return kernel;
}

static void wrap_kernels(void)
{
#define HORNET_KERNEL(name, min_bytes, min_split_bytes, shorter)                                           \
    __wrap_hornet_kernel_##name = __real_hornet_kernel_##name;                                             \
    if (__wrap_hornet_kernel_##name.absorb != NULL)                                                        \
        __wrap_hornet_kernel_##name.absorb = count_##name;                                                 \
    if (__wrap_hornet_kernel_##name.batch != NULL)                                                         \
        __wrap_hornet_kernel_##name.batch = count_batch_##name;
#include "../src/kernels.def"
#undef HORNET_KERNEL
}

/* Every set of features gets the first kernel of the list that the set can run, and of up to four lanes
 * where 512 bits lower the clock; and what serves shorter messages runs there too. */
static void test_feature_sets(void)
{
    static const enum hornet_zmm zmms[] = {HORNET_ZMM_FULL, HORNET_ZMM_SPLIT, HORNET_ZMM_SLOWS};
    for (uint32_t features = 0; features < UINT32_C(1) << FEATURE_COUNT; features++)
        for (size_t z = 0; z < sizeof zmms / sizeof zmms[0]; z++) {
            const uint32_t max_lanes = zmms[z] == HORNET_ZMM_SLOWS ? 4 : UINT32_MAX;
            const struct hornet_choice *choice = hornet_choice_for(features, zmms[z]);
            const struct hornet_kernel *chosen = choice->kernel;
            check(chosen->absorb != NULL && chosen->lanes <= max_lanes, "features %x, zmm %d: %s", features,
                  (int)zmms[z], chosen->name);
            for (int i = 0; all_kernels[i] != chosen; i++)
                check(all_kernels[i]->absorb == NULL || (all_kernels[i]->needs & ~features) != 0 ||
                          all_kernels[i]->lanes > max_lanes,
                      "features %x: %s is better than %s", features, all_kernels[i]->name, chosen->name);
            for (; choice != NULL; choice = choice->shorter) {
                check((choice->kernel->needs & ~features) == 0, "features %x: %s needs more", features,
                      choice->kernel->name);
                check(choice->shorter == NULL || choice->shorter->min_bytes <= choice->min_bytes,
                      "%s begins before the kernel for shorter messages", choice->kernel->name);
            }
        }
}

/* Every mix of CPUID bits and of register files that the operating system saves. */
static void test_cpus(void)
{
    static const uint32_t xcr0s[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x26,  0x46,   0x86,
                                     0x66, 0xa6, 0xc6, 0xe0, 0xe2, 0xe4, 0xe6, 0xe7, 0x2e7, 0x602e7};
    static const struct {
        uint32_t feature, leaf1_edx, leaf1_ecx, leaf7_ebx, leaf7_ecx, leaf7_1_eax;
        uint32_t xcr0; /* what must be in it, and AVX with it */
    } rows[] = {
        {CPU_sse2, UINT32_C(1) << 26, 0, 0, 0, 0, 0},
        {CPU_ssse3, 0, UINT32_C(1) << 9, 0, 0, 0, 0},
        {CPU_aes, 0, UINT32_C(1) << 25, 0, 0, 0, 0},
        {CPU_avx2, 0, 0, UINT32_C(1) << 5, 0, 0, 0x06},
        {CPU_avxifma, 0, 0, 0, 0, UINT32_C(1) << 23, 0x06},
        {CPU_avx512f, 0, 0, UINT32_C(1) << 16, 0, 0, 0xe6},
        {CPU_avx512ifma, 0, 0, UINT32_C(1) << 21, 0, 0, 0xe6},
        {CPU_avx512vl, 0, 0, UINT32_C(1) << 31, 0, 0, 0xe6},
        {CPU_avx512vbmi2, 0, 0, 0, UINT32_C(1) << 6, 0, 0xe6},
    };
    enum { ROWS = sizeof rows / sizeof rows[0] };
    uint32_t known = 0;
    for (int row = 0; row < ROWS; row++)
        known |= rows[row].feature;
    check(known == (UINT32_C(1) << FEATURE_COUNT) - 1, "a feature is not tested here: %x", known);

    for (uint32_t bits = 0; bits < 4 << ROWS; bits++)
        for (size_t i = 0; i < sizeof xcr0s / sizeof xcr0s[0]; i++) {
            const bool osxsave = bits & 1, avx = bits & 2;
            /* All bits of a word that stand for nothing here are set. */
            struct cpuid_words words = {
                .max_leaf = 7,
                .max_subleaf7 = 1,
                .leaf1_edx = UINT32_MAX,
                .leaf1_ecx = (uint32_t)osxsave << 27 | (uint32_t)avx << 28 | ~(UINT32_C(3) << 27),
                .leaf7_ebx = UINT32_MAX,
                .leaf7_ecx = UINT32_MAX,
                .leaf7_1_eax = UINT32_MAX,
                .xcr0 = xcr0s[i],
            };
            for (int row = 0; row < ROWS; row++)
                if ((bits >> (2 + row) & 1) == 0) {
                    words.leaf1_edx &= ~rows[row].leaf1_edx;
                    words.leaf1_ecx &= ~rows[row].leaf1_ecx;
                    words.leaf7_ebx &= ~rows[row].leaf7_ebx;
                    words.leaf7_ecx &= ~rows[row].leaf7_ecx;
                    words.leaf7_1_eax &= ~rows[row].leaf7_1_eax;
                }
            const uint32_t found = hornet_cpu_features_from(&words);
            for (int row = 0; row < ROWS; row++) {
                const uint32_t needed = rows[row].xcr0;
                const bool enabled = needed == 0 || (osxsave && avx && (xcr0s[i] & needed) == needed);
                check(((found & rows[row].feature) != 0) == ((bits >> (2 + row) & 1) != 0 && enabled),
                      "bits %x, xcr0 %x: feature %x", bits, xcr0s[i], rows[row].feature);
            }
        }
    const struct cpuid_words none = {0};
    check(hornet_cpu_features_from(&none) == CPU_BASE, "a CPU that says nothing has no feature");
}

/* CPUs that exist, by what their leaf 1 says. */
static void test_zmm(void)
{
    static const uint32_t amd = 0x68747541, intel = 0x756e6547;
    static const struct {
        const char *cpu;
        const uint32_t *vendor;
        uint32_t eax;
        enum hornet_zmm zmm;
    } rows[] = {
        {"Zen 4 (Genoa)", &amd, 0x00a10f11, HORNET_ZMM_SPLIT},
        {"Zen 5 (Turin)", &amd, 0x00b00f21, HORNET_ZMM_FULL},
        {"Skylake-SP", &intel, 0x00050654, HORNET_ZMM_SLOWS},
        {"Cascade Lake", &intel, 0x00050657, HORNET_ZMM_SLOWS},
        {"Ice Lake-SP", &intel, 0x000606a6, HORNET_ZMM_FULL},
        {"Sapphire Rapids", &intel, 0x000806f8, HORNET_ZMM_FULL},
        {"Skylake-SP's numbers from another maker", &amd, 0x00050654, HORNET_ZMM_FULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct cpuid_words words = {.vendor_ebx = *rows[i].vendor, .leaf1_eax = rows[i].eax};
        check(hornet_cpu_zmm_from(&words) == rows[i].zmm, "%s", rows[i].cpu);
    }
    const struct cpuid_words none = {0};
    check(hornet_cpu_zmm_from(&none) == HORNET_ZMM_FULL, "a CPU that says nothing");
}

static void test_names(void)
{
    const size_t count = hornet_kernel_count();
    const char *automatic = hornet_kernel_name();
    check(count >= 1 &&
              (strcmp(automatic, hornet_kernel_at(0)) == 0 || hornet_cpu_zmm() == HORNET_ZMM_SLOWS),
          "the best kernel is chosen");
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

/* From its crossover on, the kernel that is forced is the only one that runs; below, that for shorter
 * messages. */
static void test_forced_kernel_runs(void)
{
    static uint8_t msg[20000], key[32], tag[16];
    for (int i = 0; i < KERNEL_COUNT; i++) {
        if (!hornet_kernel_force(all_kernels[i]->name))
            continue;
        const size_t crossover = min_bytes_of(i);
        const size_t lengths[] = {1,   16,   100,       112,          crossover - (crossover > 0),
                                  640, 5000, crossover, crossover + 1};
        for (size_t j = 0; j < sizeof lengths / sizeof lengths[0]; j++) {
            const size_t len_bytes = lengths[j];
            const int expected = serving(i, len_bytes);
            if (len_bytes == 0)
                continue;
            check((expected == i) == (len_bytes >= crossover), "kernel %s, length %zu: %d serves",
                  all_kernels[i]->name, len_bytes, expected);
            const unsigned long own = expected < 0 ? 0 : *counters[expected].calls, all = all_calls();
            hornet_poly1305(tag, msg, len_bytes, key);
            const unsigned long calls = all_calls() - all;
            check(calls == (expected >= 0), "kernel %s, length %zu: %lu calls", all_kernels[i]->name,
                  len_bytes, calls);
            check(expected < 0 || *counters[expected].calls == own + 1, "kernel %s, length %zu: not by %s",
                  all_kernels[i]->name, len_bytes, expected < 0 ? "" : all_kernels[expected]->name);

            hornet_poly1305_state state;
            const unsigned long before = *counters[i].calls;
            hornet_poly1305_init(&state, key);
            hornet_poly1305_update(&state, msg, len_bytes / 16 * 16);
            check(*counters[i].calls - before == (len_bytes >= 16 && len_bytes / 16 * 16 >= crossover),
                  "kernel %s, length %zu: did not run in the update", all_kernels[i]->name, len_bytes);
            hornet_poly1305_final(&state, tag);
        }

        const void *msgs[20];
        size_t lens_bytes[20];
        uint8_t keys[20][32] = {{0}}, tags[20][16];
        for (int j = 0; j < 20; j++) {
            msgs[j] = msg;
            lens_bytes[j] = 100;
        }
        const int batching = serving(i, HORNET_BATCH_KERNEL_BYTES);
        const unsigned long batches = batching < 0 ? 0 : *counters[batching].calls;
        hornet_poly1305_batch(tags, msgs, lens_bytes, (const uint8_t(*)[32])keys, 20);
        if (batching >= 0 && all_kernels[batching]->batch != NULL)
            check(*counters[batching].calls == batches + 1, "kernel %s: %lu calls of %s for a batch",
                  all_kernels[i]->name, *counters[batching].calls - batches, all_kernels[batching]->name);
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
    test_zmm();
    test_names();
    test_forced_kernel_runs();
    force_kernel(NULL);
    printf("chosen: %s\n", hornet_kernel_name());
    return check_report("test_selection");
}
