/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A part of test_dispatch.c: what x86 CPUs get, those that exist, those whose numbers or features a
 * hypervisor hides, and all sets of features. */

static const uint32_t amd = 0x68747541, intel = 0x756e6547, other = 0x7fffffff;

/* The features that decide, by their names in x86.def or else in clang's cpuid.h, in small letters. */
static const struct decisive {
    const char *name;
    size_t word; /* the offset of a member of struct x86_cpuid */
    int bit;
} decisive[] = {
    {"gfni", offsetof(struct x86_cpuid, leaf7_ecx), 8},
    {"avx512vp2intersect", offsetof(struct x86_cpuid, leaf7_edx), 8},
    {"hybrid", offsetof(struct x86_cpuid, leaf7_edx), 15},
    {"avx512fp16", offsetof(struct x86_cpuid, leaf7_edx), 23},
    {"amxtile", offsetof(struct x86_cpuid, leaf7_edx), 24},
    {"avxvnni", offsetof(struct x86_cpuid, leaf7_1_eax), 4},
/* All of x86.def, the last of which CPUID does not report. */
#define properties max_leaf
#define HORNET_CPU_FEATURE(name, cpuid_word, bit, xcr0)                                                    \
    {#name, offsetof(struct x86_cpuid, cpuid_word), BIT_IN_##cpuid_word(bit)},
#define BIT_IN_leaf1_ecx(bit)   bit
#define BIT_IN_leaf1_edx(bit)   bit
#define BIT_IN_leaf7_ebx(bit)   bit
#define BIT_IN_leaf7_ecx(bit)   bit
#define BIT_IN_leaf7_1_eax(bit) bit
#define BIT_IN_properties(bit)  -1
#define BIT_IN_max_leaf(bit)    -1
#include "../../src/core/cpu/list.def"
#undef properties
};

enum { BEFORE_DEF = 6, REPORTED = BEFORE_DEF + CPU_INDEX_full_width_zmm };

/* Sets of features are words with a bit for each. */
/* Returns the set of some names, separated by spaces. */
static uint32_t set_of(const char *names)
{
    uint32_t set = 0;
    while (*names != 0) {
        const size_t length = strcspn(names, " ");
        size_t i = 0;
        while (i < REPORTED &&
               !(strlen(decisive[i].name) == length && strncmp(decisive[i].name, names, length) == 0))
            i++;
        check(i < REPORTED, "no feature begins %.9s", names);
        set |= UINT32_C(1) << i;
        names += length + (names[length] == ' ');
    }
    return set;
}

/* Returns what CPUID reports of a CPU with these features, and XCR0. */
static struct x86_cpuid cpuid_with(uint32_t set, uint32_t vendor, uint32_t leaf1_eax, uint32_t xcr0)
{
    struct x86_cpuid cpuid = {.max_leaf = 7,
                              .max_subleaf7 = 1,
                              .vendor_ebx = vendor,
                              .leaf1_eax = leaf1_eax,
                              .leaf1_ecx = UINT32_C(3) << 27, /* OSXSAVE, AVX */
                              .xcr0 = xcr0};
    for (size_t i = 0; i < REPORTED; i++)
        if ((set >> i & 1) != 0)
            *(uint32_t *)((char *)&cpuid + decisive[i].word) |= UINT32_C(1) << decisive[i].bit;
    return cpuid;
}

enum { XCR0_ALL = 0xe7 };

enum { FAMILIES = CPU_zen3 | CPU_zen4 | CPU_zen5 | CPU_skylake_x | CPU_ice_lake | CPU_golden_cove };

/* Returns the width of the registers of a kernel. */
static uint32_t width_of(const struct hornet_entry *entry)
{
    static const char *const wide[] = {"avx512", "avx512f", "ifma"};
    static const char *const half[] = {"avx2", "avx512vl", "ifma256", "avxifma"};
    const char *const name = entry->implementation->name;
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        if (strcmp(name, wide[i]) == 0)
            return 512;
    for (size_t i = 0; i < sizeof half / sizeof half[0]; i++)
        if (strcmp(name, half[i]) == 0)
            return 256;
    return 128; /* or less */
}

static const struct hornet_entry *chosen(const struct hornet_list *list, uint32_t cpu, size_t amount)
{
    return hornet_dispatch(list->entries, hornet_dispatch_entries(list, cpu, NULL), amount);
}

/* Existing CPUs. `compiled` is the CPU whose features GCC and LLVM list, and test_dispatch.py compares; a
 * space before it if some of them are hidden. */
#define V3          "sse2 ssse3 aes avx2 bmi2 "
#define V4          V3 "avx512f avx512vl avx512bw "
#define IFMA        V4 "avx512ifma avx512vbmi2 gfni"
#define ALDER_LAKE  V3 "gfni avxvnni"
#define GOLDEN_COVE IFMA " avx512fp16 amxtile avxvnni"
static const struct {
    const char *name, *compiled;
    const uint32_t *vendor;
    uint32_t leaf1_eax;
    const char *features;
    uint32_t family;
    /* Widths: Poly1305 at 1350 bytes and 64 KiB, ChaCha20 at 256 and at 1350 bytes. */
    uint32_t widths[4];
} known_cpus[] = {
    {"Zen 1, Zen 2", "znver2", &amd, 0x00830f10, V3, CPU_zen3, {256, 256, 256, 256}},
    {"Zen 3", "znver3", &amd, 0x00a00f11, V3, CPU_zen3, {256, 256, 256, 256}},
    {"Zen 4", "znver4", &amd, 0x00a10f11, IFMA, CPU_zen4, {256, 512, 256, 512}},
    {"Zen 4 without AVX-512", " znver4", &amd, 0x00a10f11, V3 "gfni", CPU_zen4, {256, 256, 256, 256}},
    {"Zen 5",
     "znver5",
     &amd,
     0x00b00f21,
     IFMA " avx512vp2intersect avxvnni",
     CPU_zen5,
     {512, 512, 512, 512}},
    {"Zen 5 without AVX-512",
     " znver5",
     &amd,
     0x00b00f21,
     V3 "gfni avxvnni",
     CPU_zen5,
     {256, 256, 256, 256}},
    {"Haswell to Comet Lake", "skylake", &intel, 0x000506e3, V3, CPU_ANY, {256, 256, 256, 256}},
    {"Skylake-X to Cooper Lake",
     "skylake-avx512",
     &intel,
     0x00050654,
     V4,
     CPU_skylake_x,
     {256, 256, 256, 256}},
    {"Ice Lake to Rocket Lake",
     "icelake-server",
     &intel,
     0x000606a6,
     IFMA,
     CPU_ice_lake,
     {512, 512, 512, 512}},
    {"Tiger Lake",
     "tigerlake",
     &intel,
     0x000806c1,
     IFMA " avx512vp2intersect",
     CPU_ice_lake,
     {512, 512, 512, 512}},
    {"Sapphire Rapids to Granite Rapids",
     "sapphirerapids",
     &intel,
     0x000806f8,
     GOLDEN_COVE,
     CPU_golden_cove,
     {512, 512, 512, 512}},
    {"the same, with Rocket Lake's numbers",
     "graniterapids",
     &intel,
     0x000a0671,
     GOLDEN_COVE,
     CPU_golden_cove,
     {512, 512, 512, 512}},
    {"the same without what Ice Lake lacks",
     " graniterapids",
     &intel,
     0x000806f8,
     IFMA,
     CPU_ice_lake,
     {512, 512, 512, 512}},
    {"Alder Lake, Raptor Lake",
     "alderlake",
     &intel,
     0x00090672,
     ALDER_LAKE " hybrid",
     CPU_golden_cove,
     {256, 256, 256, 256}},
    {"the same without AVX-VNNI",
     " alderlake",
     &intel,
     0x00090672,
     V3 "gfni hybrid",
     CPU_golden_cove,
     {256, 256, 256, 256}},
    {"Gracemont alone", "gracemont", &intel, 0x000b06e0, ALDER_LAKE, CPU_golden_cove, {256, 256, 256, 256}},
    {"Arrow Lake, Lunar Lake, Sierra Forest",
     "sierraforest",
     &intel,
     0x000a06f3,
     ALDER_LAKE " avxifma",
     CPU_golden_cove,
     {256, 256, 256, 256}},
    {"another maker's, with AVX-512", " znver4", &other, 0, IFMA, CPU_ANY, {512, 512, 512, 512}},
    {"another maker's, with AVX2", " skylake", &other, 0, V3, CPU_ANY, {256, 256, 256, 256}},
};

static void test_known_cpus(void)
{
    for (size_t i = 0; i < sizeof known_cpus / sizeof known_cpus[0]; i++)
        /* A hypervisor may report other numbers, or none. */
        for (int hidden = 0; hidden < 2; hidden++) {
            const struct x86_cpuid cpuid = cpuid_with(set_of(known_cpus[i].features), *known_cpus[i].vendor,
                                                      hidden ? 0 : known_cpus[i].leaf1_eax, XCR0_ALL);
            const uint32_t cpu = hornet_cpu_from_cpuid(&cpuid);
            check((cpu & FAMILIES) == known_cpus[i].family, "%s: family %x", known_cpus[i].name,
                  cpu & FAMILIES);
            check(((cpu & CPU_full_width_zmm) == 0) == (known_cpus[i].family == CPU_zen4) &&
                      ((cpu & CPU_no_zmm_downclock) == 0) == (known_cpus[i].family == CPU_skylake_x),
                  "%s: properties %x", known_cpus[i].name, cpu);
            for (int k = 0; k < 4; k++) {
                static const size_t lengths[] = {1350, 65536, 256, 1350};
                const struct hornet_entry *const entry =
                    chosen(k < 2 ? &hornet_poly1305_list : &hornet_chacha20_list, cpu, lengths[k]);
                check(width_of(entry) == known_cpus[i].widths[k], "%s: %s serves %zu bytes",
                      known_cpus[i].name, entry->implementation->name, lengths[k]);
            }
        }
    /* Where Zen 5's own features are hidden, AMD's number of the family still tells it from Zen 4. */
    for (uint32_t family = 0x19; family <= 0x1b; family++) {
        const struct x86_cpuid cpuid =
            cpuid_with(set_of(IFMA), amd, (family - 15) << 20 | 15 << 8, XCR0_ALL);
        check((hornet_cpu_from_cpuid(&cpuid) & FAMILIES) == (family == 0x19 ? CPU_zen4 : CPU_zen5),
              "AMD's family %x", family);
    }
}

/* What each feature alone tells of AMD's and of Intel's cores. */
static void test_single_features(void)
{
    static const struct {
        const char *feature;
        uint32_t of_amd, of_intel;
    } single[] = {
        {"avx2", CPU_zen3, CPU_ANY},
        {"gfni", CPU_zen4, CPU_ANY},
        {"avx512f", CPU_zen4, CPU_ANY},
        {"avx512bw", CPU_ANY, CPU_skylake_x},
        {"avx512vl", CPU_ANY, CPU_skylake_x},
        {"avx512ifma", CPU_ANY, CPU_ice_lake},
        {"avx512vbmi2", CPU_ANY, CPU_ice_lake},
        {"avx512vp2intersect", CPU_zen5, CPU_ANY},
        {"avxvnni", CPU_zen5, CPU_golden_cove},
        {"avx512fp16", CPU_ANY, CPU_golden_cove},
        {"amxtile", CPU_ANY, CPU_golden_cove},
        {"hybrid", CPU_ANY, CPU_golden_cove},
    };
    for (size_t i = 0; i < sizeof single / sizeof single[0]; i++)
        for (int of_intel = 0; of_intel < 2; of_intel++) {
            const struct x86_cpuid cpuid =
                cpuid_with(set_of(single[i].feature), of_intel ? intel : amd, 0, XCR0_ALL);
            const uint32_t family = of_intel ? single[i].of_intel : single[i].of_amd;
            check((hornet_cpu_from_cpuid(&cpuid) & FAMILIES) == family, "%s: another family than %x",
                  single[i].feature, family);
        }
}

static bool reports(const struct x86_cpuid *cpuid, const struct decisive *feature)
{
    const uint32_t word = *(const uint32_t *)((const char *)cpuid + feature->word);
    return feature->bit >= 0 && (word >> feature->bit & 1) != 0;
}

/* Returns, for a set of features, the widths of both primitives for short and for long messages, two bits
 * each, after it has checked the choice. */
static uint8_t widths_with(uint32_t set, const struct x86_cpuid *cpuid)
{
    static const struct hornet_list *const lists[] = {&hornet_poly1305_list, &hornet_chacha20_list,
                                                      &hornet_aes_list};
    const uint32_t cpu = hornet_cpu_from_cpuid(cpuid);
    uint8_t widths = 0;
    for (int l = 0; l < 3; l++) {
        const uint32_t in_use = hornet_dispatch_entries(lists[l], cpu, NULL);
        bool good = in_use != 0;
        for (size_t i = 0; i < lists[l]->count; i++)
            for (int f = 0; (in_use >> i & 1) != 0 && f < CPU_FEATURE_COUNT; f++)
                if ((lists[l]->entries[i].implementation->required >> f & 1) != 0)
                    good = good && (cpu >> f & 1) != 0 && reports(cpuid, &decisive[BEFORE_DEF + f]);
        check(good, "features %x, vendor %x, %x, xcr0 %x: list %d has %x in use", set, cpuid->vendor_ebx,
              cpuid->leaf1_eax, cpuid->xcr0, l, in_use);
        for (int amount = 0; l < 2 && good && amount < 2; amount++) {
            const uint32_t width =
                width_of(hornet_dispatch(lists[l]->entries, in_use, amount == 0 ? 400 : 65536));
            widths |= (uint8_t)((width / 256) << (4 * l + 2 * amount));
        }
    }
    return widths;
}

/* Returns whether CPUs can have this set: since Skylake-X, they have all of these or no AVX-512. */
static bool has_all_or_none(uint32_t set, uint32_t of_avx512)
{
    const uint32_t least = set_of("avx512f avx512bw avx512vl");
    return (set & of_avx512) == 0 || (set & least) == least;
}

/* Every set of the features that decide, with numbers of AMD's families and others', and with what
 * operating systems enable: a kernel is chosen, it requires only what the set has, and registers become no
 * wider if a feature is taken away, or all of AVX-512. AVX-IFMA is left out of that: 256 bits of it are
 * better than 512 bits without. */
static void test_all_sets(void)
{
    static const struct {
        const uint32_t *vendor;
        uint32_t leaf1_eax;
    } numbers[] = {{&amd, 0},          {&amd, 0x00800f00},   {&amd, 0x00a00f00},  {&amd, 0x00b00f00},
                   {&amd, 0x00c00f00}, {&intel, 0x000a0671}, {&other, 0x00a00f00}};
    static const uint32_t xcr0s[] = {0x03, 0x07, XCR0_ALL};
    enum { NUMBERS = sizeof numbers / sizeof numbers[0], XCR0S = sizeof xcr0s / sizeof xcr0s[0] };
    static uint8_t widths[1 << REPORTED];
    static bool exists[1 << REPORTED];
    const uint32_t of_avx512 = set_of("avx512f avx512bw avx512vl avx512ifma avx512vbmi2 avx512fp16 "
                                      "avx512vp2intersect"),
                   avxifma = set_of("avxifma");
    unsigned long compared = 0;
    for (uint32_t set = 0; set < 1 << REPORTED; set++)
        exists[set] = has_all_or_none(set, of_avx512);
    for (int n = 0; n < NUMBERS * XCR0S; n++) {
        const uint32_t vendor = *numbers[n % NUMBERS].vendor, leaf1_eax = numbers[n % NUMBERS].leaf1_eax;
        const uint32_t xcr0 = xcr0s[n / NUMBERS];
        for (uint32_t set = 0; set < 1 << REPORTED; set++) {
            const struct x86_cpuid cpuid = cpuid_with(set, vendor, leaf1_eax, xcr0);
            widths[set] = widths_with(set, &cpuid);
        }
        for (uint32_t set = 0; set < 1 << REPORTED; set++)
            for (int i = 0; i <= REPORTED; i++) {
                const uint32_t less = set & ~(i == REPORTED ? of_avx512 : UINT32_C(1) << i);
                if (less == set || less == (set & ~avxifma) || !exists[set] || !exists[less])
                    continue;
                bool good = true;
                for (int k = 0; k < 8; k += 2)
                    good = good && (widths[less] >> k & 3) <= (widths[set] >> k & 3);
                check(good, "vendor %x, %x, xcr0 %x: features %x get %x, %x get %x", vendor, leaf1_eax,
                      xcr0, less, widths[less], set, widths[set]);
                compared++;
            }
    }
    printf("%d sets of %d features, %lu of them beside one with less\n", (NUMBERS * XCR0S) << REPORTED,
           REPORTED, compared);
    check(REPORTED >= 17 && compared > 2000000, "%d features", REPORTED);
}

/* Prints the entries that serve messages, in the AEAD or elsewhere. */
static void print_serving(const struct hornet_list *list, uint32_t cpu, bool in_aead)
{
    const uint32_t in_use = hornet_dispatch_entries(list, cpu, NULL);
    size_t served_from = HORNET_NEVER;
    for (size_t i = 0; i < list->count; i++) {
        const struct hornet_entry *const entry = &list->entries[i];
        const size_t from = in_aead ? entry->min_aead : entry->min;
        if ((in_use >> i & 1) == 0 || from >= served_from)
            continue;
        const char *record = entry->implementation->name;
#define HORNET_ENTRY(name, ...)                                                                            \
    if (entry->implementation == &hornet_chacha20_kernel_##name.implementation)                            \
        record = #name;
#define HORNET_TUNED_ENTRY HORNET_ENTRY
#include "../../src/chacha20/kernels.def"
        printf(served_from == HORNET_NEVER ? "`%s`" : ", `%s`", record);
        if (from != 0)
            printf(" from %zu", from);
        served_from = from;
    }
    printf(" | ");
}

/* Prints the rows of the table in docs/performance.md, without their last column; and the names by which
 * compilers know the CPUs, with their features. */
static void print_known_cpus(void)
{
    for (size_t i = 0; i < sizeof known_cpus / sizeof known_cpus[0]; i++) {
        const struct x86_cpuid cpuid = cpuid_with(set_of(known_cpus[i].features), *known_cpus[i].vendor,
                                                  known_cpus[i].leaf1_eax, XCR0_ALL);
        const uint32_t cpu = hornet_cpu_from_cpuid(&cpuid);
        const char *family = "";
#define HORNET_CPU_FEATURE(name, ...)                                                                      \
    if (known_cpus[i].family == CPU_##name)                                                                \
        family = "`" #name "`";
#include "../../src/core/cpu/list.def"
        printf("| %s | %s | ", known_cpus[i].name, family);
        print_serving(&hornet_poly1305_list, cpu, false);
        print_serving(&hornet_poly1305_list, cpu, true);
        print_serving(&hornet_chacha20_list, cpu, false);
        printf("\n%s: %s\n", known_cpus[i].compiled, known_cpus[i].features);
    }
}
