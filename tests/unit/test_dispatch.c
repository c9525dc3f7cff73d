/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The choice of implementations: every set of features against the rule in dispatch.h; CPUs and
 * operating systems that do not exist; invalid names; and that a forced kernel is the kernel that runs.
 *
 * Linked with every kernel record replaced by one that counts its calls, by the --wrap options in
 * test_dispatch.py and test_cpus.py.
 *
 *     test_dispatch                       all tests
 *     test_dispatch --families            only prints what x86 CPUs get
 *     test_dispatch KERNEL [FEATURE]      those that depend on the CPU: KERNEL must be the one
 *                                         that it gets by default, and FEATURE one that it has */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../include/hornet.h"
#include "../../include/hornet_kernels.h"
#include "../../src/aes/aes.h"
#include "../../src/core/cpu/arm.h"
#include "../../src/core/cpu/x86.h"
#include "../support/chacha20_kernels.h"
#include "../support/check.h"
#include "../support/kernels.h"

/* all_kernels and the library use the wrapped records; these are the real ones. */
#define HORNET_ENTRY(name, ...)                                                                            \
    extern const struct hornet_poly1305_kernel __real_hornet_poly1305_kernel_##name;                       \
    extern struct hornet_poly1305_kernel __wrap_hornet_poly1305_kernel_##name;                             \
    static unsigned long calls_of_##name;                                                                  \
    static void mac_##name(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])   \
    {                                                                                                      \
        calls_of_##name++;                                                                                 \
        __real_hornet_poly1305_kernel_##name.mac(tag, msg, len_bytes, key);                                \
    }                                                                                                      \
    static void absorb_##name(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)                \
    {                                                                                                      \
        calls_of_##name++;                                                                                 \
        __real_hornet_poly1305_kernel_##name.absorb(state, msg, len_bytes);                                \
    }                                                                                                      \
    static void lanes_absorb_##name(struct poly1305_streaming *streaming, const uint8_t *first,            \
                                    size_t nfirst, const uint8_t *msg, size_t ngroups)                     \
    {                                                                                                      \
        calls_of_##name++;                                                                                 \
        __real_hornet_poly1305_kernel_##name.lanes_absorb(streaming, first, nfirst, msg, ngroups);         \
    }                                                                                                      \
    static size_t batch_##name(const struct hornet_batch *batch, const uint8_t *order, size_t count,       \
                               size_t min_bytes)                                                           \
    {                                                                                                      \
        calls_of_##name++;                                                                                 \
        return __real_hornet_poly1305_kernel_##name.batch(batch, order, count, min_bytes);                 \
    }                                                                                                      \
    struct hornet_poly1305_kernel __wrap_hornet_poly1305_kernel_##name;
#define HORNET_TUNED_ENTRY HORNET_ENTRY
#include "../../src/poly1305/kernels.def"

static unsigned long *const calls[] = {
#define HORNET_ENTRY(name, ...) &calls_of_##name,
#include "../../src/poly1305/kernels.def"
#define HORNET_ENTRY(name, ...)
#define HORNET_TUNED_ENTRY(name, ...) &calls_of_##name,
#include "../../src/poly1305/kernels.def"
};

static void wrap_kernels(void)
{
#define HORNET_ENTRY(name, ...)                                                                            \
    __wrap_hornet_poly1305_kernel_##name = __real_hornet_poly1305_kernel_##name;                           \
    __wrap_hornet_poly1305_kernel_##name.mac = mac_##name;                                                 \
    __wrap_hornet_poly1305_kernel_##name.absorb = absorb_##name;                                           \
    if (__wrap_hornet_poly1305_kernel_##name.lanes_absorb != NULL)                                         \
        __wrap_hornet_poly1305_kernel_##name.lanes_absorb = lanes_absorb_##name;                           \
    if (__wrap_hornet_poly1305_kernel_##name.batch != NULL)                                                \
        __wrap_hornet_poly1305_kernel_##name.batch = batch_##name;
#define HORNET_TUNED_ENTRY HORNET_ENTRY
#include "../../src/poly1305/kernels.def"
}

/* Returns the index of a kernel. */
static int number_of(const struct hornet_implementation *implementation)
{
    int i = 0;
    while (&all_kernels[i]->implementation != implementation)
        i++;
    return i;
}

/* What an entry is chosen for. */
enum use { CALL, BATCH, AEAD };

static size_t least_for(const struct hornet_entry *entry, enum use use)
{
    return use == BATCH ? entry->min_batch : use == AEAD ? entry->min_aead : entry->min;
}

static bool same_name(const struct hornet_entry *entry, const struct hornet_implementation *implementation)
{
    return strcmp(entry->implementation->name, implementation->name) == 0;
}

/* The rule as stated in dispatch.h: of each kernel, the first entry from `first` on that the CPU runs well;
 * of these, the first whose minimum amount is reached. A forced entry counts as one that runs well. */
static const struct hornet_entry *expected_entry(const struct hornet_list *list, uint32_t cpu, size_t first,
                                                 const struct hornet_entry *forced, size_t amount,
                                                 enum use use)
{
    const struct hornet_entry *last = NULL;
    for (size_t i = first; i < list->count; i++) {
        const struct hornet_entry *entry = &list->entries[i];
        const bool runs_well = ((entry->implementation->required | entry->preferred_on) & ~cpu) == 0;
        if (!(runs_well || entry == forced) || (last != NULL && same_name(last, entry->implementation)))
            continue;
        last = entry;
        if (amount >= least_for(entry, use))
            return entry;
    }
    return NULL;
}

static void check_entries(const struct hornet_list *list, uint32_t cpu, uint32_t in_use, size_t first,
                          const struct hornet_entry *forced)
{
    for (size_t i = 0; i < list->count; i++)
        for (enum use use = CALL; use <= AEAD; use++)
            for (int more = -1; more <= 1; more++) {
                /* Around every minimum amount, and where none is reached any more. */
                const size_t least = least_for(&list->entries[i], use);
                const size_t amount = least == HORNET_NEVER ? HORNET_NEVER - 1 : least + (size_t)more;
                if (amount == SIZE_MAX)
                    continue;
                const struct hornet_entry *entry =
                    use == BATCH ? hornet_dispatch_batch(list, in_use, amount)
                                 : hornet_dispatch_for(list->entries, in_use, amount, use == AEAD);
                const struct hornet_entry *expected = expected_entry(list, cpu, first, forced, amount, use);
                check(expected != NULL && entry->implementation == expected->implementation &&
                          least_for(entry, use) == least_for(expected, use),
                      "features %x, amount %zu, use %d: %s and not %s", cpu, amount, (int)use,
                      entry->implementation->name, expected == NULL ? "" : expected->implementation->name);
            }
    bool fallback = false;
    for (size_t i = 0; i < list->count; i++)
        fallback |= (in_use >> i & 1) != 0 && list->entries[i].implementation == list->fallback;
    check(((in_use & HORNET_FALLBACK_IN_USE) != 0) == fallback, "features %x: the fallback", cpu);
}

/* Tests every set of features, with each implementation forced and with none. */
static void test_feature_sets(const struct hornet_list *list)
{
    for (uint32_t cpu = 0; cpu < UINT32_C(1) << CPU_FEATURE_COUNT; cpu++) {
        check_entries(list, cpu, hornet_dispatch_entries(list, cpu, NULL), 0, NULL);
        if (cpu % 61 != 0) /* the rest takes too long */
            continue;
        for (size_t i = 0; i < list->count; i++) {
            const struct hornet_implementation *implementation = list->entries[i].implementation;
            const uint32_t in_use = hornet_dispatch_entries(list, cpu, implementation->name);
            check((in_use != 0) == ((implementation->required & ~cpu) == 0), "features %x: %s is forced",
                  cpu, implementation->name);
            if (in_use == 0)
                continue;
            /* Its first entry for this CPU, or else its last. */
            size_t first = 0;
            while (!same_name(&list->entries[first], implementation))
                first++;
            while ((list->entries[first].preferred_on & ~cpu) != 0 && first + 1 < list->count &&
                   same_name(&list->entries[first + 1], implementation))
                first++;
            check_entries(list, cpu, in_use, first, &list->entries[first]);
        }
        check(hornet_dispatch_entries(list, cpu, "no such name") == 0, "an unknown name");
    }
}

/* The entries of one name must be adjacent, and the fallback must need no feature. */
static void test_list(const struct hornet_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t j = i + 1; j < list->count; j++)
            check(!same_name(&list->entries[i], list->entries[j].implementation) ||
                      same_name(&list->entries[j - 1], list->entries[j].implementation),
                  "entries of %s are apart", list->entries[i].implementation->name);
    check(list->fallback == NULL || list->fallback->required == CPU_ANY, "the fallback needs something");
}

#if HORNET_X86
/* A feature of x86.def, whose entries test_dispatch.py compares with the compiler's header. */
struct feature {
    uint32_t feature;
    size_t word;            /* the offset of a member of struct x86_cpuid */
    const char *bit, *xcr0; /* as the entry states them */
};

static uint32_t *word_of(struct x86_cpuid *cpuid, const struct feature *feature)
{
    return (uint32_t *)((char *)cpuid + feature->word);
}

/* Bits that must be set in XCR0, and AVX with them. */
static uint32_t xcr0_of(const struct feature *feature)
{
    static const struct {
        const char *name;
        uint32_t bits;
    } sets[] = {{"0", 0}, {"XCR0_YMM", 0x06}, {"XCR0_ZMM", 0xe6}};
    size_t i = 0;
    while (i < 2 && strcmp(sets[i].name, feature->xcr0) != 0)
        i++;
    check(strcmp(sets[i].name, feature->xcr0) == 0, "an unknown set of registers, %s", feature->xcr0);
    return sets[i].bits;
}

/* Tests every combination of CPUID bits and of register sets that the operating system saves. */
static void test_cpuid(void)
{
    static const uint32_t xcr0s[] = {0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x26,  0x46,   0x86,
                                     0x66, 0xa6, 0xc6, 0xe0, 0xe2, 0xe4, 0xe6, 0xe7, 0x2e7, 0x602e7};
    static const struct feature listed[] = {
#define properties max_leaf /* which reports no feature */
#define HORNET_CPU_FEATURE(name, cpuid_word, bit, xcr0)                                                    \
    {CPU_##name, offsetof(struct x86_cpuid, cpuid_word), #bit, #xcr0},
#include "../../src/core/cpu/list.def"
#undef properties
    };
    struct feature entries[CPU_FEATURE_COUNT];
    uint32_t masks[CPU_FEATURE_COUNT], properties = 0;
    int count = 0;
    for (size_t i = 0; i < CPU_FEATURE_COUNT; i++)
        if (listed[i].word == offsetof(struct x86_cpuid, max_leaf)) {
            properties |= listed[i].feature;
        } else {
            masks[count] = UINT32_C(1) << strtoul(listed[i].bit, NULL, 10);
            entries[count++] = listed[i];
        }
    check(count >= 11, "%d features", count);

    for (uint32_t bits = 0; bits < UINT32_C(4) << count; bits++)
        for (size_t i = 0; i < sizeof xcr0s / sizeof xcr0s[0]; i++) {
            /* Set all bits of a word that have no meaning here. */
            struct x86_cpuid cpuid = {
                .max_leaf = 7,
                .max_subleaf7 = 1,
                .leaf1_edx = UINT32_MAX,
                .leaf1_ecx = UINT32_MAX,
                .leaf7_ebx = UINT32_MAX,
                .leaf7_ecx = UINT32_MAX,
                .leaf7_1_eax = UINT32_MAX,
                .xcr0 = xcr0s[i],
            };
            cpuid.leaf1_ecx &= ~((~bits & 1) << 27 | (~bits >> 1 & 1) << 28); /* OSXSAVE, AVX */
            for (int entry = 0; entry < count; entry++)
                if ((bits >> (2 + entry) & 1) == 0)
                    *word_of(&cpuid, &entries[entry]) &= ~masks[entry];
            const bool avx = (cpuid.leaf1_ecx >> 27 & 3) == 3;
            const uint32_t found = hornet_cpu_from_cpuid(&cpuid);
            for (int entry = 0; entry < count; entry++) {
                const uint32_t needed = xcr0_of(&entries[entry]);
                const bool enabled = needed == 0 || (avx && (xcr0s[i] & needed) == needed);
                const bool reported = (*word_of(&cpuid, &entries[entry]) & masks[entry]) != 0;
                check(((found & entries[entry].feature) != 0) == (reported && enabled),
                      "bits %x, xcr0 %x: feature %x", bits, xcr0s[i], entries[entry].feature);
            }
        }
    const struct x86_cpuid none = {0};
    check((hornet_cpu_from_cpuid(&none) & ~properties) == CPU_ANY,
          "a CPU that says nothing has no feature");
}

/* The features of this CPU are those that the compiler's library finds. */
static void test_detected(void)
{
    static const uint32_t compared = CPU_sse2 | CPU_ssse3 | CPU_aes | CPU_avx2 | CPU_bmi2 | CPU_avx512f |
                                     CPU_avx512vl | CPU_avx512bw | CPU_avx512ifma | CPU_avx512vbmi2;
    uint32_t found = 0;
    __builtin_cpu_init();
#define FIND(name) found |= __builtin_cpu_supports(#name) ? (uint32_t)CPU_##name : 0
    FIND(sse2);
    FIND(ssse3);
    FIND(aes);
    FIND(avx2);
    FIND(bmi2);
    FIND(avx512f);
    FIND(avx512vl);
    FIND(avx512bw);
    FIND(avx512ifma);
    FIND(avx512vbmi2);
#undef FIND
    check((hornet_cpu() & compared) == found, "features %x, by the compiler's library %x",
          hornet_cpu() & compared, found);
}

#include "test_families.h"
#endif

static bool in_use_is(hornet_primitive primitive, const char *name)
{
    return strcmp(hornet_kernel_in_use(primitive), name) == 0;
}

/* Checks what is reported of a kernel: the features that it requires, by their names, its lanes, and the
 * length from which it serves batches. */
static void check_report_of(const hornet_kernel *kernel, hornet_primitive primitive,
                            const struct hornet_entry *best)
{
    const void *const record = best->implementation; /* its first member */
    const struct hornet_poly1305_kernel *const poly1305 = record;
    const uint32_t lanes = primitive == HORNET_POLY1305 ? poly1305->lanes
                           : primitive == HORNET_CHACHA20
                               ? ((const struct hornet_chacha20_kernel *)record)->lanes
                               : ((const struct hornet_aes *)record)->lanes;
    char names[1000] = "";
    hornet_cpu_feature feature;
    for (size_t i = 0; hornet_cpu_feature_at(&feature, i); i++)
        if ((best->implementation->required >> i & 1) != 0) {
            strcat(names, names[0] == 0 ? "" : " ");
            strcat(names, feature.name);
        }
    check(strcmp(kernel->required, names) == 0, "kernel %s requires %s, reported are %s", kernel->name,
          names, kernel->required);
    check(kernel->lanes == lanes, "kernel %s: %zu lanes", kernel->name, kernel->lanes);
    const bool shares = primitive != HORNET_POLY1305 || poly1305->batch != NULL;
    check(kernel->min_batch_bytes == (shares ? best->min_batch : HORNET_NEVER),
          "kernel %s: batches from %zu bytes", kernel->name, kernel->min_batch_bytes);
}

/* Checks that the kernels of a primitive are listed, and that those which run here can be forced. */
static void test_names(hornet_primitive primitive, const struct hornet_list *list)
{
    const char *const automatic = hornet_kernel_in_use(primitive);
    hornet_kernel kernel;
    size_t count = 0, supported = 0;
    for (size_t entry = 0; entry < list->count; entry++) {
        if (entry != 0 && hornet_same_kernel(&list->entries[entry], &list->entries[entry - 1]))
            continue;
        const struct hornet_implementation *const implementation = list->entries[entry].implementation;
        const bool runs = hornet_can_run(implementation, hornet_cpu());
        check(hornet_kernel_at(&kernel, primitive, count) && strcmp(kernel.name, implementation->name) == 0,
              "kernel %zu is not %s", count, implementation->name);
        check(kernel.supported == runs && kernel.lanes >= 1, "kernel %s: supported %d, %zu lanes",
              kernel.name, kernel.supported, kernel.lanes);
        const struct hornet_entry *best =
            hornet_dispatch_entry_on(list, implementation->name, hornet_cpu());
        check(kernel.min_bytes == best->min, "kernel %s: from %zu bytes", kernel.name, kernel.min_bytes);
        check_report_of(&kernel, primitive, best);
        check(hornet_kernel_force(primitive, kernel.name) == runs, "%s: force and features disagree",
              kernel.name);
        check(!runs || in_use_is(primitive, kernel.name), "%s is not in use", kernel.name);
        check(!hornet_kernel_force(primitive, "no such kernel") && !hornet_kernel_force(primitive, ""),
              "unknown name taken");
        check(!runs || in_use_is(primitive, kernel.name), "a refused name changed the kernel");
        supported += runs;
        count++;
    }
    check(supported >= 1, "no kernel runs here");
    const hornet_kernel last = kernel;
    check(!hornet_kernel_at(&kernel, primitive, count) && !hornet_kernel_at(&kernel, primitive, SIZE_MAX) &&
              !hornet_kernel_at(&kernel, primitive, SIZE_MAX / 2 + 1) &&
              memcmp(&kernel, &last, sizeof last) == 0,
          "kernels past the last");
    check(hornet_kernel_force(primitive, NULL) && in_use_is(primitive, automatic),
          "NULL goes back to the automatic choice");
}

/* Checks what is only said of Poly1305's kernels, primitives that do not exist, features, and the version.
 */
static void test_reports(void)
{
    hornet_kernel kernel;
    size_t i = 0;
    for (; hornet_kernel_at(&kernel, HORNET_POLY1305, i); i++)
        check(i < NAMED_KERNELS && kernel.lanes == all_kernels[i]->lanes &&
                  (kernel.min_batch_bytes == SIZE_MAX) >= (all_kernels[i]->batch == NULL),
              "kernel %zu: %zu lanes, batches from %zu bytes", i, kernel.lanes, kernel.min_batch_bytes);
    check(i == NAMED_KERNELS, "%zu kernels", i);

    const hornet_primitive none = (hornet_primitive)3;
    check(!hornet_kernel_at(&kernel, none, 0) && hornet_kernel_in_use(none) == NULL &&
              !hornet_kernel_force(none, NULL),
          "a primitive that does not exist");

    hornet_cpu_feature feature;
    uint32_t features = 0;
    for (i = 0; hornet_cpu_feature_at(&feature, i); i++)
        features |= (uint32_t)feature.usable << i;
    check(i == CPU_FEATURE_COUNT && features == hornet_cpu(), "%zu features, %x", i, features);
    check(strcmp(hornet_version(), HORNET_VERSION) == 0, "library %s, header %s", hornet_version(),
          HORNET_VERSION);
}

/* Checks that a forced ChaCha20 kernel is the one in use, that kernels which the CPU lacks cannot be
 * forced, and that the default for long messages is the first kernel that the CPU runs well. */
static void test_forced_chacha20(void)
{
    const struct hornet_list *list = &hornet_chacha20_list;
    const struct hornet_chacha20_kernel *automatic = chacha20_in_use();
    const struct hornet_entry *expected = expected_entry(list, hornet_cpu(), 0, NULL, SIZE_MAX, CALL);
    check(&automatic->implementation == expected->implementation, "ChaCha20 by %s is chosen",
          chacha20_name(automatic));
    for (size_t k = 0; k < CHACHA20_KERNELS; k++) {
        const char *name = chacha20_name(chacha20_kernels[k]);
        const bool runs = chacha20_runs_here(chacha20_kernels[k]);
        check(hornet_dispatch_force(list, name) == runs, "ChaCha20 by %s: force and features disagree",
              name);
        check(!runs || strcmp(chacha20_name(chacha20_in_use()), name) == 0, "ChaCha20 by %s is not in use",
              name);
        check(!hornet_dispatch_force(list, "scalar64"), "a kernel of Poly1305 encrypts");
    }
    force_chacha20(NULL);
    check(chacha20_in_use() == automatic, "ChaCha20 does not go back to the automatic choice");
}

#ifdef __aarch64__
/* Existing cores, identified by MIDR_EL1. */
static void test_midr(void)
{
    static const struct {
        const char *core;
        uint32_t midr, family;
        bool has_sve;
    } entries[] = {
        {"Cortex-A53", 0x410fd034, CPU_cortex_a53, false},
        {"Cortex-A55", 0x412fd050, CPU_cortex_a53, false},
        {"Cortex-A57", 0x411fd070, CPU_neoverse_n1, false},
        {"Cortex-A72", 0x410fd083, CPU_neoverse_n1, false},
        {"Cortex-A73", 0x410fd091, CPU_neoverse_n1, false},
        {"Cortex-A75", 0x413fd0a1, CPU_neoverse_n1, false},
        {"Cortex-A76", 0x414fd0b1, CPU_neoverse_n1, false},
        {"Neoverse N1", 0x413fd0c1, CPU_neoverse_n1, false},
        {"Cortex-A77", 0x411fd0d0, CPU_neoverse_n1, false},
        {"Cortex-A78", 0x411fd410, CPU_neoverse_n1, false},
        {"Cortex-X1", 0x411fd440, CPU_neoverse_n1, false},
        {"Neoverse V1", 0x411fd401, CPU_neoverse_v1, true},
        {"Cortex-X2", 0x412fd480, CPU_neoverse_v1, true},
        {"Cortex-X3", 0x411fd4e0, CPU_neoverse_v1, true},
        {"Neoverse V2", 0x410fd4f1, CPU_neoverse_v1, true},
        {"Cortex-A710", 0x412fd470, CPU_neoverse_n2, true},
        {"Neoverse N2", 0x410fd490, CPU_neoverse_n2, true},
        {"ThunderX2", 0x431f0af1, CPU_neoverse_n2, true},
        {"Kunpeng 920", 0x481fd010, CPU_neoverse_n2, false},
        {"M1, Firestorm", 0x611f0231, CPU_apple, false},
        {"M2, Avalanche", 0x611f0331, CPU_apple, false},
        {"Ampere1", 0xc00fac30, CPU_ampere1, false},
        {"Cortex-A510", 0x411fd461, CPU_other_sve, true},
        {"ThunderX", 0x431f0a11, CPU_other_arm, false},
        {"A64FX", 0x461f0010, CPU_other_sve, true},
        {"a number that is not known", 0, CPU_other_arm, false},
        {"a number that is not known", 0, CPU_other_sve, true},
    };
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        const uint32_t hwcap = 0, properties = hornet_arm_properties(entries[i].midr, entries[i].has_sve);
        uint32_t found = CPU_ANY;
#define HORNET_CPU_FEATURE(name, word, bit, always)                                                        \
    if ((word >> (bit) & 1) != 0)                                                                          \
        found |= CPU_##name;
#include "../../src/core/cpu/list.def"
        check(found == entries[i].family, "%s: features %x", entries[i].core, found);
        const struct hornet_list *list = &hornet_poly1305_list;
        const struct hornet_entry *entry =
            hornet_dispatch(list->entries, hornet_dispatch_entries(list, found | CPU_neon, NULL), 65536);
        check((strcmp(entry->implementation->name, "neon") == 0) == (found != CPU_neoverse_n2),
              "%s: %s serves 64 KiB", entries[i].core, entry->implementation->name);

        const uint32_t wide = CPU_neoverse_v1 | CPU_apple | CPU_ampere1 | CPU_other_sve;
        const struct hornet_chacha20_kernel *const chacha20 =
            found == CPU_neoverse_n1  ? &hornet_chacha20_kernel_neon_neoverse_n1
            : found == CPU_cortex_a53 ? &hornet_chacha20_kernel_neon_in_order
            : (found & wide) != 0     ? &hornet_chacha20_kernel_neon_wide
                                      : &hornet_chacha20_kernel_neon;
        list = &hornet_chacha20_list;
        entry =
            hornet_dispatch(list->entries, hornet_dispatch_entries(list, found | CPU_neon, NULL), 65536);
        check(entry->implementation == &chacha20->implementation, "%s: the pass table of ChaCha20",
              entries[i].core);
    }
}
#endif

static bool has_feature(const char *name)
{
    hornet_cpu_feature feature;
    for (size_t i = 0; hornet_cpu_feature_at(&feature, i); i++)
        if (strcmp(feature.name, name) == 0)
            return feature.usable;
    return false;
}

static unsigned long all_calls(void)
{
    unsigned long sum = 0;
    for (int i = 0; i < KERNEL_COUNT; i++)
        sum += *calls[i];
    return sum;
}

/* Checks that a call went to the kernel of an entry, and to no other, except that the kernel may have
 * passed fewer than two groups to the fallback. */
static void check_served(const struct hornet_entry *entry, unsigned long own, unsigned long all,
                         const char *what, size_t len_bytes)
{
    const int served = number_of(entry->implementation);
    const int fallback = number_of(hornet_poly1305_list.fallback);
    check(*calls[served] == own + 1, "%s, length %zu: not by %s", what, len_bytes,
          entry->implementation->name);
    const unsigned long more = all_calls() - all - 1;
    check(more == 0 ||
              (more == 1 && served != fallback && len_bytes <= 16 * (size_t)all_kernels[served]->lanes),
          "%s, length %zu: %lu calls", what, len_bytes, more + 1);
}

/* Checks that, with each kernel forced, a call, an update and a batch are processed according to the
 * rule. */
static void test_forced_kernel_runs(void)
{
    static uint8_t msg[20000], key[32], tag[16];
    const struct hornet_list *list = &hornet_poly1305_list;
    for (int i = 0; i < NAMED_KERNELS; i++) {
        const char *forced = name_of(all_kernels[i]);
        if (!hornet_kernel_force(HORNET_POLY1305, forced))
            continue;
        hornet_kernel info;
        check(hornet_kernel_at(&info, HORNET_POLY1305, (size_t)i), "no info on %s", forced);
        const uint32_t in_use = hornet_dispatch_entries(list, hornet_cpu(), forced);
        const size_t crossover = info.min_bytes;
        const size_t lengths[] = {0,    1,    16,        100,           112, crossover - (crossover > 0),
                                  640,  5000, crossover, crossover + 1, 47,  48,
                                  20000};
        for (size_t j = 0; j < sizeof lengths / sizeof lengths[0]; j++) {
            const size_t len_bytes = lengths[j];
            const struct hornet_entry *entry = hornet_dispatch(list->entries, in_use, len_bytes);
            check(same_name(entry, &all_kernels[i]->implementation) == (len_bytes >= crossover),
                  "kernel %s, length %zu: %s serves", forced, len_bytes, entry->implementation->name);
            unsigned long all = all_calls(), own = *calls[number_of(entry->implementation)];
            hornet_poly1305(tag, msg, len_bytes, key);
            check_served(entry, own, all, "one call", len_bytes);

            const size_t whole_bytes = len_bytes / 16 * 16;
            if (whole_bytes == 0)
                continue;
            hornet_poly1305_state state;
            hornet_poly1305_init(&state, key);
            entry = hornet_dispatch(list->entries, in_use, whole_bytes);
            all = all_calls(), own = *calls[number_of(entry->implementation)];
            hornet_poly1305_update(&state, msg, whole_bytes); /* or by final if it is short */
            hornet_poly1305_final(&state, tag);
            check_served(entry, own, all, "an update", whole_bytes);
        }

        /* The second update that exceeds the buffer goes to a kernel that keeps lanes: of the entries for
         * that length, the first that does, or else the first. */
        hornet_poly1305_state pieces;
        hornet_poly1305_init(&pieces, key);
        hornet_poly1305_update(&pieces, msg, 320);
        const struct hornet_entry *keeps = NULL;
        for (size_t entry = list->count; entry-- != 0;)
            if ((in_use >> entry & 1) != 0 && list->entries[entry].min <= HORNET_STREAMING_KERNEL_BYTES &&
                all_kernels[number_of(list->entries[entry].implementation)]->lanes_absorb != NULL)
                keeps = &list->entries[entry];
        if (keeps == NULL)
            keeps = hornet_dispatch(list->entries, in_use, HORNET_STREAMING_KERNEL_BYTES);
        unsigned long *const kept = calls[number_of(keeps->implementation)], kept_before = *kept;
        hornet_poly1305_update(&pieces, msg, 1024);
        check(*kept == kept_before + 1, "kernel %s: pieces not by %s", forced, keeps->implementation->name);
        hornet_poly1305_final(&pieces, tag);

        enum { COUNT = 20 };
        const void *msgs[COUNT];
        size_t lens_bytes[COUNT];
        uint8_t keys[COUNT][32] = {{0}}, tags[COUNT][16];
        for (int j = 0; j < COUNT; j++) {
            msgs[j] = msg;
            lens_bytes[j] = 100;
        }
        const struct hornet_entry *entry = hornet_dispatch_batch(list, in_use, 100);
        const unsigned long batches = *calls[number_of(entry->implementation)];
        hornet_poly1305_batch(tags, msgs, lens_bytes, (const uint8_t(*)[32])keys, COUNT);
        const bool shares = all_kernels[number_of(entry->implementation)]->batch != NULL;
        check(!shares || *calls[number_of(entry->implementation)] > batches, "kernel %s: no batch by %s",
              forced, entry->implementation->name);
    }
}

/* Checks that a call that is the first to need a choice makes it, and gets the same results as later ones.
 */
static void test_first_use(void)
{
    static uint8_t msg[1100], key[32], nonce[12], sealed[2][1100], tags[2][16];
    static const size_t lengths[] = {0, 1, 16, 100, 1000};
    for (size_t i = 0; i < sizeof msg; i++)
        msg[i] = (uint8_t)(i * i + 1);
    memcpy(key, msg + 5, sizeof key);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const size_t n = lengths[i];
        for (int first = 0; first < 2; first++) {
            if (first)
                hornet_poly1305_in_use = 0;
            hornet_poly1305(tags[first], msg, n, key);
        }
        check(hornet_poly1305_in_use != 0 && memcmp(tags[0], tags[1], 16) == 0, "first use, %zu bytes", n);
        for (int first = 0; first < 2; first++) {
            if (first)
                hornet_poly1305_in_use = hornet_chacha20_in_use = 0;
            check(hornet_chacha20_poly1305_seal(sealed[first], tags[first], msg, n, msg, 21, nonce, key),
                  "sealed");
        }
        check(hornet_chacha20_in_use != 0 && memcmp(tags[0], tags[1], 16) == 0 &&
                  memcmp(sealed[0], sealed[1], n) == 0,
              "first use of the AEAD, %zu bytes", n);
    }
}

int main(int argc, char **argv)
{
    wrap_kernels();
#if HORNET_X86
    if (argc > 1 && strcmp(argv[1], "--families") == 0) {
        print_known_cpus();
        return 0;
    }
#endif
    /* Must come before anything else reads the choice: what this CPU gets by default. */
    if (argc > 1)
        check(in_use_is(HORNET_POLY1305, argv[1]), "%s is chosen, not %s",
              hornet_kernel_in_use(HORNET_POLY1305), argv[1]);
    if (argc > 2)
        check(has_feature(argv[2]), "this CPU is not %s", argv[2]);
    if (argc == 1) {
        test_list(&hornet_poly1305_list);
        test_list(&hornet_aes_list);
        test_list(&hornet_chacha20_list);
        test_feature_sets(&hornet_poly1305_list);
        test_feature_sets(&hornet_aes_list);
        test_feature_sets(&hornet_chacha20_list);
#if HORNET_X86
        test_cpuid();
        test_known_cpus();
        test_single_features();
        test_all_sets();
        test_detected();
#endif
#ifdef __aarch64__
        test_midr();
#endif
    }
    test_names(HORNET_POLY1305, &hornet_poly1305_list);
    test_names(HORNET_CHACHA20, &hornet_chacha20_list);
    test_names(HORNET_AES128, &hornet_aes_list);
    test_reports();
    test_forced_chacha20();
    test_forced_kernel_runs();
    force_kernel(NULL);
    test_first_use();
    force_kernel(NULL);
    printf("chosen: %s\n", hornet_kernel_in_use(HORNET_POLY1305));
    return check_report("test_dispatch");
}
