/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Measures the study's kernels, alternating between those of all builds in one process:
 *
 *     measure [OPTION...] NAME=SHARED_OBJECT... [NAME:KERNEL=SHARED_OBJECT:FUNCTION...]
 *
 * and prints the measurements as JSON, from which run.py makes the form that lab/report/results.py
 * describes. NAME=... is a build of list.h; NAME:KERNEL=... adds to it a function of the user, with the
 * arguments of struct study_entry's mac.
 *
 *     --quick              fewer lengths and samples
 *     --check              measures nothing: compares each kernel's tags with GMP's (check.c)
 *     --inputs             measures nothing: writes the inputs of that comparison (check.h)
 *     --seed N             of the order in which kernels alternate
 *     --groups G,...       only these of sweep4, sweep8, lengths, cases, aes, instructions,
 *                          phases
 *     --kernels K,...      only these kernels; * and ? match as in file names
 *     --skip NAME:K,...    not these kernels of these builds
 *     --lengths L,...      only these lengths in bytes, each N or N-N; N is added to the group "lengths"
 *
 * A sample is the median of a few counts. A count is that of as many calls as take some microseconds,
 * because a counter may advance in steps (of 26 on Zen 5); each call starts after the previous one has
 * completed. The least count for a function that does nothing is subtracted. In each pass all kernels are
 * measured once, in another order. Beside each sample the loops of tools/measure/chains.h are timed, which
 * show the clock of the core, and whether another thread runs on it. A kernel named "K again" is K, entered
 * a second time: how far its times are from K's is noise. */
#define _GNU_SOURCE /* for dl_iterate_phdr. NOLINT(cert-dcl51-cpp,bugprone-reserved-identifier) */
#include <dlfcn.h>
#include <fnmatch.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cycles.h"
#include "instructions.h"
#include "list.h"

#define CHAIN_COUNTER cycles_read
#include "../../tools/measure/chains.h"

enum {
    MAX_BYTES = 65536,
    MAX_ENTRIES = 128,
    MAX_BUILDS = 8,
    MAX_NAME = 64,
    MAX_PASSES = 15,
    SLOTS = 4096,
    MULTIPLICATIONS = 1024,
    LINE_BYTES = 64,
    UNALIGNED_BYTES = 33, /* of unaligned buffers, in those that are aligned */
    OFFSETS_BYTES = 64,
};

typedef size_t entries_function(const struct study_entry **entries);
typedef uint64_t phase_function(bool parallel, enum study_phase phase, const uint8_t *groups,
                                size_t ngroups);
typedef bool verify_function(const struct study_entry *entry, const uint8_t tag[16], const uint8_t *msg,
                             size_t len_bytes, const uint8_t nonce[16], const uint8_t key[32]);
typedef void tag_function(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t nonce[16],
                          const uint8_t key[32]);

/* Returns a function without arguments. */
typedef void (*aes_function(bool expanded))(void);

struct build {
    const char *name;
    struct study_entry entries[MAX_ENTRIES];
    size_t count;
    phase_function *phase;
    verify_function *verify_aes;
    tag_function *tag_aes;
    aes_function *aes;
};

static struct build builds[MAX_BUILDS];
static size_t build_count;

/* The options. */
static bool quick;
static const char *wanted_groups, *wanted_kernels, *skipped, *wanted_lens;
static uint64_t seed = 1305;

static const char again[] = " again";

/* A subject that is measured, alternating with others: an entry's function, or with `verify_aes` that of
 * Poly1305-AES, a phase, or a function without arguments. */
struct task {
    const struct study_entry *entry;
    verify_function *verify_aes;
    phase_function *phase;
    void (*plain)(void);
    bool parallel, cold_key, cold_data, cold_code;
    enum study_phase until;
    const char *build;
    size_t offset;
    int repeat;
    double samples[MAX_PASSES];
    uint64_t slots[MAX_PASSES], multiplications[MAX_PASSES];
};

static _Alignas(4096) uint8_t message[MAX_BYTES + OFFSETS_BYTES];
static _Alignas(64) uint8_t keys[32 + OFFSETS_BYTES], tags[16 + OFFSETS_BYTES], nonces[16 + OFFSETS_BYTES];
/* Whether a tag was refused that should not be. */
static bool refused;

/* Evicts data from all caches; where a program cannot do that, cold cases are not measured. On x86-64, what
 * evicts data evicts instructions. */
#if defined(__x86_64__)
#define CAN_FLUSH        1
#define CAN_FLUSH_CODE   1
#define FLUSH_LINE(byte) __asm__ volatile("clflush %0" : : "m"(*(byte)) : "memory")
#define FLUSH_WAIT()     __asm__ volatile("mfence" : : : "memory")
#elif defined(__aarch64__)
#define CAN_FLUSH        1
#define CAN_FLUSH_CODE   0
#define FLUSH_LINE(byte) __asm__ volatile("dc civac, %0" : : "r"(byte) : "memory")
#define FLUSH_WAIT()     __asm__ volatile("dsb ish" : : : "memory")
#else
#define CAN_FLUSH        0
#define CAN_FLUSH_CODE   0
#define FLUSH_LINE(byte) ((void)(byte))
#define FLUSH_WAIT()     ((void)0)
#endif

static void flush(const uint8_t *bytes, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes + LINE_BYTES; i += LINE_BYTES)
        FLUSH_LINE(bytes + (i < len_bytes ? i : len_bytes));
    FLUSH_WAIT();
}

/* The instructions of a shared object: those of the one that has the address `of`. */
struct code {
    const void *of;
    const uint8_t *begin;
    size_t len_bytes;
};

static int find_code(struct dl_phdr_info *info, size_t size, void *context)
{
    struct code *code = context;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        /* The loader has numbers. NOLINTNEXTLINE(performance-no-int-to-ptr) */
        const uint8_t *begin = (const uint8_t *)(uintptr_t)(info->dlpi_addr + segment->p_vaddr);
        const bool has_it =
            (uintptr_t)code->of - (uintptr_t)begin < segment->p_memsz && (segment->p_flags & PF_X) != 0;
        if (segment->p_type == PT_LOAD && has_it) {
            code->begin = begin;
            code->len_bytes = segment->p_memsz;
            return 1;
        }
    }
    return 0;
}

/* Evicts the instructions of the shared object that has an entry's function. */
static void flush_code(const struct study_entry *entry)
{
    struct code code = {NULL, NULL, 0};
    memcpy((void *)&code.of, (const void *)&entry->mac, sizeof code.of);
    if (dl_iterate_phdr(find_code, &code) != 0)
        flush(code.begin, code.len_bytes - 1);
}

static void mac_nothing(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])
{
    (void)msg, (void)len_bytes, (void)key;
    __asm__ volatile("" : : "r"(tag) : "memory");
}

/* Returns the count per call, averaged over `repeat` calls. */
static double timed_calls(const struct task *task, size_t len_bytes, int repeat)
{
    const uint8_t *msg = message + task->offset, *key = keys + task->offset, *nonce = nonces + task->offset;
    uint8_t *tag = tags + task->offset;
    void (*volatile mac)(uint8_t *, const uint8_t *, size_t, const uint8_t *) =
        task->entry != NULL ? task->entry->mac : mac_nothing;
    if (task->cold_key)
        flush(key, 32);
    if (task->cold_data) {
        flush(msg, len_bytes);
        flush(tag, 16);
        flush(nonce, 16);
    }
    if (task->cold_code)
        flush_code(task->entry);
    const uint64_t before = cycles_read();
    for (int i = 0; i < repeat; i++) {
        if (task->phase != NULL)
            *tag ^= (uint8_t)task->phase(task->parallel, task->until, msg, len_bytes / 64);
        else if (task->plain != NULL)
            task->plain();
        else if (task->verify_aes != NULL)
            refused |= !task->verify_aes(task->entry, tag, msg, len_bytes, nonce, key);
        else
            mac(tag, msg, len_bytes, key);
        cycles_wait();
    }
    return (double)(cycles_read() - before) / repeat;
}

static int compare_counts(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

EMPTY_SLOTS(SLOTS)
CHAIN_OF_MULTIPLICATIONS(MULTIPLICATIONS)

/* Returns the least of three counts, because another process may have interrupted one. */
static uint64_t least(uint64_t (*timed)(void))
{
    uint64_t found = timed();
    for (int i = 0; i < 2; i++) {
        const uint64_t count = timed();
        found = count < found ? count : found;
    }
    return found;
}

/* Returns the median; for single calls, the mean of the middle half, which is not rounded to the
 * counter's steps. */
static double middle(double *counts, int count, bool single)
{
    qsort(counts, (size_t)count, sizeof counts[0], compare_counts);
    if (!single)
        return counts[count / 2];
    const int first = count / 4, last = count - first;
    double sum = 0;
    for (int i = first; i < last; i++)
        sum += counts[i];
    return sum / (last - first);
}

static void shuffle(size_t *order, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const size_t k = (size_t)(seed >> 33) % i, moved = order[i - 1];
        order[i - 1] = order[k];
        order[k] = moved;
    }
}

/* Measures the tasks, alternating between them: `passes` samples of each, which are medians of `counts`
 * counts. */
static void measure(struct task *tasks, size_t ntasks, size_t len_bytes, int passes, int ncounts)
{
    enum { MOST_COUNTS = 64, SAMPLE_COUNTS = 4000, MOST_CALLS = 256 };
    const struct task nothing = {0};
    double counts[MOST_COUNTS];
    static double overheads[MAX_BUILDS * MAX_ENTRIES];
    for (size_t t = 0; t < ntasks; t++) {
        struct task *task = &tasks[t];
        double count = 0;
        for (int i = 0; i < 3; i++) /* warms up code, branch predictors, and data that is not to be cold */
            count = timed_calls(task, len_bytes, 1);
        const double calls = SAMPLE_COUNTS / (count + 1);
        const bool cold = task->cold_key || task->cold_data || task->cold_code;
        task->repeat = cold || calls < 1 ? 1 : calls > MOST_CALLS ? MOST_CALLS : (int)calls;
    }
    static size_t order[MAX_BUILDS * MAX_ENTRIES];
    for (size_t t = 0; t < ntasks; t++)
        order[t] = t;
    for (int pass = 0; pass < passes; pass++) {
        shuffle(order, ntasks);
        for (size_t i_task = 0; i_task < ntasks; i_task++) {
            const size_t t = order[i_task];
            struct task *task = &tasks[t];
            const bool single = task->repeat == 1;
            for (int i = 0; i < ncounts; i++)
                counts[i] = timed_calls(task, len_bytes, task->repeat);
            task->samples[pass] = middle(counts, ncounts, single);
            task->slots[pass] = least(empty_slots);
            task->multiplications[pass] = least(multiplications);
            for (int i = 0; i < ncounts; i++)
                counts[i] = timed_calls(&nothing, len_bytes, task->repeat);
            const double overhead = middle(counts, ncounts, single);
            overheads[t] = pass == 0 || overhead < overheads[t] ? overhead : overheads[t];
        }
    }
    for (size_t t = 0; t < ntasks; t++)
        for (int pass = 0; pass < passes; pass++) {
            double *sample = &tasks[t].samples[pass];
            *sample = *sample > overheads[t] ? *sample - overheads[t] : 0;
        }
}

/* Returns whether `list`, of items separated by commas, has one that matches the name; NULL has all. */
static bool listed(const char *list, const char *name)
{
    if (list == NULL)
        return true;
    for (;;) {
        char item[2 * MAX_NAME];
        const size_t len = strcspn(list, ",");
        (void)snprintf(item, sizeof item, "%.*s", (int)len, list);
        if (fnmatch(item, name, 0) == 0)
            return true;
        if (list[len] == 0)
            return false;
        list += len + 1;
    }
}

/* Returns whether the length is in a range of --lengths; if `alone`, in one of a single length. */
static bool len_is_in(size_t len_bytes, bool alone)
{
    for (const char *item = wanted_lens; item != NULL; item = strchr(item, ',')) {
        item += *item == ',';
        char *end;
        const size_t first = strtoul(item, &end, 10);
        const size_t last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        if (first <= len_bytes && len_bytes <= last && !(alone && first != last))
            return true;
    }
    return false;
}

static bool len_is_wanted(size_t len_bytes) { return wanted_lens == NULL || len_is_in(len_bytes, false); }
static bool len_is_named(size_t len_bytes) { return len_is_in(len_bytes, true); }

/* Returns the kernel, if it is wanted and runs here. */
static const struct study_entry *find(const struct build *build, const char *name)
{
    char alone[MAX_NAME], of_build[2 * MAX_NAME];
    (void)snprintf(alone, sizeof alone, "%s", name);
    char *second = strstr(alone, again);
    if (second != NULL)
        *second = 0;
    (void)snprintf(of_build, sizeof of_build, "%s:%s", build->name, alone);
    if (!listed(wanted_kernels, alone) || (skipped != NULL && listed(skipped, of_build)))
        return NULL;
    for (size_t i = 0; i < build->count; i++)
        if (strcmp(build->entries[i].name, alone) == 0)
            return build->entries[i].runs_here ? &build->entries[i] : NULL;
    return NULL;
}

/* Prints the head of a series, up to its columns. */
static void print_head(const char *group, const char *variant, const size_t *lens_bytes, size_t nlens)
{
    static const char *separator = "";
    printf("%s{\"section\": \"best\", \"group\": \"%s\", \"variant\": \"%s\", \"axis\": \"bytes\", "
           "\"xs\": [",
           separator, group, variant);
    for (size_t n = 0; n < nlens; n++)
        printf("%s%zu", n == 0 ? "" : ", ", lens_bytes[n]);
    printf("], \"columns\": [");
    separator = ",\n";
}

/* Prints a column, whose samples at the next length are `stride` tasks further. */
static void print_column(bool is_first, const char *name, const struct task *tasks, size_t stride,
                         size_t nlens, int passes)
{
    printf("%s\n{\"name\": \"%s\"", is_first ? "" : ",", name);
    for (int quantity = 0; quantity < 3; quantity++) {
        static const char *const names[] = {"counts", "slots", "multiplications"};
        printf(", \"%s\": [", names[quantity]);
        for (size_t n = 0; n < nlens; n++)
            for (int pass = 0; pass < passes; pass++) {
                const struct task *const task = &tasks[n * stride];
                const double values[] = {task->samples[pass], (double)task->slots[pass],
                                         (double)task->multiplications[pass]};
                printf("%s%.6g%s",
                       pass > 0 ? ","
                       : n > 0  ? ",["
                                : "[",
                       values[quantity], pass == passes - 1 ? "]" : "");
            }
        printf("]");
    }
    printf("}");
}

/* Returns space for the tasks of each length. */
static struct task *tasks_of(size_t ntasks, size_t nlens)
{
    struct task *tasks = calloc(ntasks * nlens + 1, sizeof tasks[0]);
    if (tasks == NULL)
        abort();
    return tasks;
}

/* Sets the tags that verify_aes is given. */
static void set_tags(size_t len_bytes)
{
    for (size_t at = 0; at <= UNALIGNED_BYTES; at += UNALIGNED_BYTES)
        builds[0].tag_aes(tags + at, message + at, len_bytes, nonces + at, keys + at);
}

/* Measures the tasks, given for the first length, at all lengths. */
static void measure_lens(struct task *tasks, size_t ntasks, const size_t *lens_bytes, size_t nlens,
                         int passes, int ncounts)
{
    for (size_t n = 0; n < nlens; n++) {
        if (n > 0)
            memcpy(&tasks[n * ntasks], tasks, ntasks * sizeof tasks[0]);
        if (ntasks != 0 && tasks->verify_aes != NULL)
            set_tags(lens_bytes[n]);
        measure(&tasks[n * ntasks], ntasks, lens_bytes[n], passes, ncounts);
    }
}

/* Prints a series for each build, with a column for each named kernel that is wanted and runs here. */
static void measure_kernels(const char *group, const char *const *names, size_t nnames,
                            const size_t *lens_bytes, size_t nlens, int passes, int ncounts)
{
    struct task *tasks = tasks_of(MAX_BUILDS * nnames, nlens);
    size_t ntasks = 0;
    for (size_t b = 0; b < build_count; b++)
        for (size_t i = 0; i < nnames; i++) {
            const struct study_entry *entry = find(&builds[b], names[i]);
            if (entry != NULL)
                tasks[ntasks++] = (struct task){.entry = entry};
        }
    measure_lens(tasks, ntasks, lens_bytes, nlens, passes, ncounts);
    size_t t = 0;
    for (size_t b = 0; b < build_count; b++) {
        print_head(group, builds[b].name, lens_bytes, nlens);
        bool is_first = true;
        for (size_t i = 0; i < nnames; i++) {
            if (find(&builds[b], names[i]) == NULL)
                continue;
            print_column(is_first, names[i], &tasks[t++], ntasks, nlens, passes);
            is_first = false;
        }
        printf("]}");
    }
    free(tasks);
}

/* Measures every length that the papers compare: from 49 to 4000 bytes, except multiples of a group, for
 * which all evaluations are the same. If kernels of the papers are measured, so are the user's. */
static void measure_sweep(const char *group, const char *const *papers, size_t npapers, size_t group_bytes)
{
    static size_t lens_bytes[4001];
    const char *names[MAX_ENTRIES + 1];
    size_t nlens = 0, nnames = 0, nfound = 0;
    for (; nnames < npapers; nnames++) {
        names[nnames] = papers[nnames];
        nfound += find(&builds[0], papers[nnames]) != NULL;
    }
    for (size_t k = 0; k < builds[0].count && nfound != 0; k++)
        if (strcmp(builds[0].entries[k].paper, "own") == 0 && nnames < MAX_ENTRIES)
            names[nnames++] = builds[0].entries[k].name;
    for (size_t n = group_bytes - 15; n <= 4000; n += quick ? 29 : 1)
        if (n % group_bytes != 0 && len_is_wanted(n))
            lens_bytes[nlens++] = n;
    if (nlens != 0 && listed(wanted_groups, group))
        measure_kernels(group, names, nnames, lens_bytes, nlens, quick ? 2 : 3, quick ? 5 : 7);
}

/* Measures all kernels, at the lengths in the papers' tables and from one block to large messages. */
static void measure_lengths(void)
{
    enum { MOST = 256 };
    static const size_t all_lens_bytes[] = {16,   32,   48,   56,   64,   80,   96,   112,   128,
                                            144,  160,  192,  224,  240,  256,  320,  384,   448,
                                            496,  512,  600,  640,  768,  800,  1000, 1024,  1280,
                                            1536, 2000, 2048, 2560, 3072, 4096, 8192, 16384, 65536};
    static const size_t quick_lens_bytes[] = {16,  64,  80,  112,  128,  224,  240,  256,
                                              496, 512, 800, 1024, 2000, 4096, 16384};
    const size_t *listed_lens = quick ? quick_lens_bytes : all_lens_bytes;
    const size_t count = quick ? sizeof quick_lens_bytes / sizeof quick_lens_bytes[0]
                               : sizeof all_lens_bytes / sizeof all_lens_bytes[0];
    size_t lens_bytes[MOST], nlens = 0, i = 0;
    /* In ascending order, with those that the options name one by one. */
    for (size_t n = 1; n <= MAX_BYTES && nlens < MOST; n++) {
        const bool is_listed = i < count && listed_lens[i] == n;
        i += is_listed;
        if (len_is_wanted(n) && (is_listed || len_is_named(n)))
            lens_bytes[nlens++] = n;
    }
    const char *names[MAX_ENTRIES + 1];
    size_t nnames = 0;
    for (size_t k = 0; k < builds[0].count; k++)
        names[nnames++] = builds[0].entries[k].name;
    names[nnames++] = "hornet again";
    if (nlens != 0 && listed(wanted_groups, "lengths"))
        measure_kernels("lengths", names, nnames, lens_bytes, nlens, quick ? 2 : 3, quick ? 5 : 9);
}

/* Bernstein 2005, appendix A: verifying a tag of Poly1305-AES with key, data and code in the cache or not,
 * aligned or not; data are message, tag and nonce. For the paper's arithmetic that this CPU supports, and
 * for the library, of each build. */
enum { KEY_COLD = 1, DATA_COLD = 2, UNALIGNED = 4, CASES = 8 };

/* Appends a task for each entry with those conditions, and sets their names. */
static size_t add_case(struct task *tasks, size_t ntasks, int conditions, bool cold_code)
{
    const char *const names[] = {find(&builds[0], "x87") != NULL ? "x87" : "double53", "hornet"};
    for (size_t k = 0; k < 2; k++)
        for (size_t b = 0; b < build_count; b++) {
            const struct study_entry *entry = find(&builds[b], names[k]);
            if (entry != NULL) /* wanted, and in 32-bit programs, not double53 */
                tasks[ntasks++] =
                    (struct task){.entry = entry,
                                  .verify_aes = builds[b].verify_aes,
                                  .build = builds[b].name,
                                  .cold_key = (conditions & KEY_COLD) != 0,
                                  .cold_data = (conditions & DATA_COLD) != 0,
                                  .cold_code = cold_code,
                                  .offset = (conditions & UNALIGNED) != 0 ? UNALIGNED_BYTES : 0};
        }
    return ntasks;
}

/* Measures the given cases at lengths from 0 to 4096, and prints a series for each kernel of each build. */
static void measure_case(const char *group, const int *cases, int ncases, bool cold_code, size_t step_bytes)
{
    enum { MOST_BYTES = 4096, PASSES = 1 };
    static size_t lens_bytes[MOST_BYTES + 1];
    size_t nlens = 0, ntasks = 0;
    for (size_t n = 0; n <= MOST_BYTES; n += step_bytes)
        if (len_is_wanted(n))
            lens_bytes[nlens++] = n;
    if (nlens == 0)
        return;
    struct task *tasks = tasks_of((size_t)CASES * 2 * MAX_BUILDS, nlens);
    for (int c = 0; c < ncases; c++)
        ntasks = add_case(tasks, ntasks, cases[c], cold_code);
    measure_lens(tasks, ntasks, lens_bytes, nlens, PASSES, quick ? 9 : 5);
    if (refused) {
        (void)fprintf(stderr, "measure: a tag is refused that the library computed\n");
        exit(2);
    }
    const size_t each = ntasks / (size_t)ncases;
    for (size_t i = 0; i < each; i++) {
        char variant[2 * MAX_NAME];
        (void)snprintf(variant, sizeof variant, "%s, %s", tasks[i].entry->name, tasks[i].build);
        print_head(group, variant, lens_bytes, nlens);
        for (int c = 0; c < ncases; c++) {
            char name[MAX_NAME];
            (void)snprintf(name, sizeof name, "key %sin cache,data %sin cache,%saligned",
                           (cases[c] & KEY_COLD) != 0 ? "not " : "",
                           (cases[c] & DATA_COLD) != 0 ? "not " : "",
                           (cases[c] & UNALIGNED) != 0 ? "un" : "");
            print_column(c == 0, name, &tasks[(size_t)c * each + i], ntasks, nlens, PASSES);
        }
        printf("]}");
    }
    free(tasks);
}

static void measure_cases(void)
{
    static const int all[CASES] = {0, 1, 2, 3, 4, 5, 6, 7}, warm[] = {0, UNALIGNED};
    if (!listed(wanted_groups, "cases"))
        return;
    if (CAN_FLUSH)
        measure_case("cases", all, CASES, false, quick ? 128 : 1);
    else
        measure_case("cases", warm, 2, false, quick ? 128 : 1);
    if (CAN_FLUSH_CODE)
        measure_case("cases of cold code", all, CASES, true, quick ? 1024 : 128);
}

/* Table 1 of the IET paper: its instructions in a chain, and apart. */
static void measure_instructions(void)
{
    enum { MOST = 8, PASSES = 3, COUNTS = 9 };
    static const size_t lens_bytes[] = {0};
    const struct study_instruction *all;
    const size_t count = study_instructions(&all);
    struct task tasks[2 * MOST];
    if (!listed(wanted_groups, "instructions") || wanted_kernels != NULL || count > MOST)
        return;
    memset(tasks, 0, sizeof tasks);
    for (size_t i = 0; i < count; i++) {
        tasks[2 * i].plain = all[i].chain;
        tasks[2 * i + 1].plain = all[i].apart;
    }
    measure_lens(tasks, 2 * count, lens_bytes, 1, PASSES, COUNTS);
    for (size_t apart = 0; apart < 2; apart++) {
        char variant[MAX_NAME];
        (void)snprintf(variant, sizeof variant, "%d %s", apart ? INSTRUCTIONS_APART : INSTRUCTIONS_CHAINED,
                       apart ? "apart" : "in a chain");
        print_head("instructions", variant, lens_bytes, 1);
        for (size_t i = 0; i < count; i++)
            print_column(i == 0, all[i].name, &tasks[2 * i + apart], 1, 1, PASSES);
        printf("]}");
    }
}

/* Bernstein, section 4: AES of one block from the key, and from keys that were expanded before. */
static void measure_aes(void)
{
    enum { PASSES = 3, COUNTS = 9 };
    static const char *const names[] = {"from the key", "from an expanded key"};
    static const size_t lens_bytes[] = {0};
    struct task tasks[2 * MAX_BUILDS];
    size_t ntasks = 0;
    if (!listed(wanted_groups, "aes") || wanted_kernels != NULL)
        return;
    memset(tasks, 0, sizeof tasks);
    for (size_t b = 0; b < build_count; b++)
        for (int expanded = 0; expanded < 2; expanded++)
            if (builds[b].aes(expanded != 0) != NULL)
                tasks[ntasks++].plain = builds[b].aes(expanded != 0);
    measure_lens(tasks, ntasks, lens_bytes, 1, PASSES, COUNTS);
    size_t t = 0;
    for (size_t b = 0; b < build_count; b++) {
        print_head("aes", builds[b].name, lens_bytes, 1);
        for (int expanded = 0; expanded < 2; expanded++)
            if (builds[b].aes(expanded != 0) != NULL)
                print_column(expanded == 0, names[expanded], &tasks[t++], 1, 1, PASSES);
        printf("]}");
    }
}

/* The z14 paper, figure 5: a message of 2054 bytes, here without the last 6. */
static void measure_phases(void)
{
    static const char *const phases[STUDY_PHASES] = {"expand", "multiply", "reduce"};
    const size_t len_bytes = 2048;
    const int passes = quick ? 2 : 5;
    if (!listed(wanted_groups, "phases") || wanted_kernels != NULL || !len_is_wanted(len_bytes))
        return;
    for (size_t b = 0; b < build_count; b++)
        for (int parallel = 0; parallel < 2; parallel++) {
            struct task tasks[STUDY_PHASES];
            char variant[64];
            for (int p = 0; p < STUDY_PHASES; p++)
                tasks[p] = (struct task){
                    .phase = builds[b].phase, .parallel = parallel != 0, .until = (enum study_phase)p};
            measure(tasks, STUDY_PHASES, len_bytes, passes, 15);
            (void)snprintf(variant, sizeof variant, "%s, %s", parallel ? "parallel" : "serial",
                           builds[b].name);
            print_head("phases", variant, &len_bytes, 1);
            for (int p = 0; p < STUDY_PHASES; p++)
                print_column(p == 0, phases[p], &tasks[p], STUDY_PHASES, 1, passes);
            printf("]}");
        }
}

static void fail(const char *what, const char *of)
{
    (void)fprintf(stderr, "measure: %s%s\n", what, of);
    exit(2);
}

/* Returns the address of a name in a shared object, or exits. */
static void *symbol(const char *path, const char *name)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *found = object == NULL ? NULL : dlsym(object, name);
    if (found == NULL)
        fail(dlerror(), "");
    return found;
}

static void load_build(const char *name, const char *path)
{
    if (build_count == MAX_BUILDS)
        fail("too many builds: ", name);
    struct build *build = &builds[build_count++];
    const struct study_entry *entries;
    void *entries_at = symbol(path, "study_entries"), *phase_at = symbol(path, "study_z14_phase");
    void *verify_at = symbol(path, "study_verify_aes"), *tag_at = symbol(path, "study_tag_aes");
    void *aes_at = symbol(path, "study_aes");
    entries_function *entries_of;
    /* ISO C does not convert an object pointer to a function pointer. */
    memcpy((void *)&entries_of, (const void *)&entries_at, sizeof entries_of);
    memcpy((void *)&build->phase, (const void *)&phase_at, sizeof build->phase);
    memcpy((void *)&build->verify_aes, (const void *)&verify_at, sizeof build->verify_aes);
    memcpy((void *)&build->tag_aes, (const void *)&tag_at, sizeof build->tag_aes);
    memcpy((void *)&build->aes, (const void *)&aes_at, sizeof build->aes);
    build->name = name;
    build->count = entries_of(&entries);
    if (build->count > MAX_ENTRIES)
        fail("too many kernels: ", name);
    memcpy(build->entries, entries, build->count * sizeof entries[0]);
}

/* Adds a function of the user to a build. */
static void load_kernel(const char *build_name, const char *name, char *path)
{
    char *function = strrchr(path, ':');
    struct build *build = NULL;
    for (size_t b = 0; b < build_count; b++)
        build = strcmp(builds[b].name, build_name) == 0 ? &builds[b] : build;
    if (function == NULL || build == NULL || build->count == MAX_ENTRIES)
        fail("BUILD:KERNEL=SHARED_OBJECT:FUNCTION, after the build, not ", path);
    *function++ = 0;
    struct study_entry *entry = &build->entries[build->count++];
    void *at = symbol(path, function);
    *entry = (struct study_entry){.name = name, .paper = "own", .label = name, .runs_here = true};
    memcpy((void *)&entry->mac, (const void *)&at, sizeof entry->mac);
}

static void load(char *argument)
{
    char *path = strchr(argument, '=');
    if (path == NULL)
        fail("NAME=SHARED_OBJECT, not ", argument);
    *path++ = 0;
    char *kernel = strchr(argument, ':');
    if (kernel == NULL) {
        load_build(argument, path);
    } else {
        *kernel++ = 0;
        load_kernel(argument, kernel, path);
    }
}

static void begin_check(void)
{
    const struct study_entry *reference = NULL;
    for (size_t i = 0; i < builds[0].count; i++)
        reference = strcmp(builds[0].entries[i].name, "gmp") == 0 ? &builds[0].entries[i] : reference;
    if (reference == NULL || !check_begin(reference->mac))
        fail("the reference computes a wrong tag", "");
}

static void print_count(const struct check_count *count)
{
    printf("\"inputs\": %d, \"wrong\": %d, \"example\": ", count->inputs, count->wrong);
    if (count->wrong != 0)
        printf("\"%s\"", count->example);
    else
        printf("null");
}

/* Compares all kernels that are wanted with GMP's, and prints what was found. */
static void check_kernels(void)
{
    const char *separator = "";
    printf("{\"checks\": [");
    for (size_t b = 0; b < build_count; b++)
        for (size_t i = 0; i < builds[b].count; i++) {
            const struct study_entry *entry = find(&builds[b], builds[b].entries[i].name);
            if (entry == NULL)
                continue;
            const struct check found = check_kernel(entry->mac);
            printf("%s{\"build\": \"%s\", \"kernel\": \"%s\", ", separator, builds[b].name, entry->name);
            print_count(&found.all);
            printf(", \"overruns\": %d, \"signal\": %d, \"classes\": [", found.overruns, found.signal);
            for (int c = 0; c < CHECK_CLASSES; c++) {
                printf("%s{\"class\": \"%s\", ", c == 0 ? "" : ", ", check_class_names[c]);
                print_count(&found.classes[c]);
                printf("}");
            }
            printf("]}");
            separator = ",\n";
        }
    printf("]}\n");
}

static void print_kernels(void)
{
    printf("\"kernels\": [");
    for (size_t i = 0; i < builds[0].count; i++) {
        const struct study_entry *entry = &builds[0].entries[i];
        printf("%s{\"name\": \"%s\", \"paper\": \"%s\", \"label\": \"%s\", \"runs\": %s}",
               i == 0 ? "" : ",\n", entry->name, entry->paper, entry->label,
               entry->runs_here ? "true" : "false");
    }
    printf("],\n");
}

int main(int argc, char **argv)
{
    bool check = false, inputs = false;
    int first = 1;
    for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
        const char *name = argv[first];
        if (strcmp(name, "--quick") == 0) {
            quick = true;
        } else if (strcmp(name, "--check") == 0) {
            check = true;
        } else if (strcmp(name, "--inputs") == 0) {
            inputs = true;
        } else {
            const char *value = argv[++first];
            if (value == NULL)
                fail("no value for ", name);
            if (strcmp(name, "--seed") == 0)
                seed = strtoul(value, NULL, 10);
            else if (strcmp(name, "--groups") == 0)
                wanted_groups = value;
            else if (strcmp(name, "--kernels") == 0)
                wanted_kernels = value;
            else if (strcmp(name, "--skip") == 0)
                skipped = value;
            else if (strcmp(name, "--lengths") == 0)
                wanted_lens = value;
            else
                fail("no option ", name);
        }
    }
    for (int i = first; i < argc; i++)
        load(argv[i]);
    if (build_count == 0)
        fail("no builds", "");
    if (check || inputs) {
        begin_check();
        if (inputs && !check_write_inputs(stdout))
            fail("the inputs cannot be written", "");
        if (check)
            check_kernels();
        return 0;
    }
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)(i * 167 >> 3);
    for (size_t at = 0; at <= UNALIGNED_BYTES; at += UNALIGNED_BYTES)
        for (size_t i = 0; i < 32; i++) /* r is clamped, as Poly1305-AES requires */
            keys[at + i] = (uint8_t)((i * 59 + 7) & (i < 16                 ? 0xFF
                                                     : i % 4 == 3           ? 0x0F
                                                     : i % 4 == 0 && i > 16 ? 0xFC
                                                                            : 0xFF));

    const char *clock = cycles_open();
    printf("{");
    print_kernels();
    printf("\"series\": [");
    static const char *const four[] = {"gg4_measured", "gg4", "bs4", "bs4 again"}, *const eight[] = {
                                                                                       "gg8_measured",
                                                                                       "gg8", "bs8",
                                                                                       "bs8 again"};
    measure_sweep("sweep4", four, 4, 64);
    measure_sweep("sweep8", eight, 4, 128);
    measure_lengths();
    measure_cases();
    measure_aes();
    measure_instructions();
    measure_phases();
    printf("],\n\"clock\": {\"name\": \"%s\", \"slots\": %d, \"multiplications\": %d}}\n", clock, SLOTS,
           MULTIPLICATIONS);
    return 0;
}
