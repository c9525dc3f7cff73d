/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Measures the study's kernels, alternating between those of all builds in one process:
 *
 *     measure [--quick] NAME=SHARED_OBJECT...
 *
 * and prints the measurements as JSON, in the form that bench/report/results.py describes. As in the
 * papers (Bhattacharyya 2018, section 5.1), a sample is the median of many counts, and the report takes the
 * least of several samples. A count is that of as many calls as take some microseconds, because a counter
 * may advance in steps (of 26 on Zen 5); each call starts after the previous one has completed. The least
 * count for a function that does nothing is subtracted. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cycles.h"
#include "list.h"

enum {
    MAX_BYTES = 65536,
    MAX_ENTRIES = 128,
    MAX_BUILDS = 4,
    MAX_PASSES = 15,
    LINE_BYTES = 64,
    OFFSETS_BYTES = 64,
};

typedef size_t entries_function(const struct study_entry **entries);
typedef uint64_t phase_function(bool parallel, enum study_phase phase, const uint8_t *groups,
                                size_t ngroups);

struct build {
    const char *name;
    const struct study_entry *entries;
    size_t count;
    phase_function *phase;
};

static struct build builds[MAX_BUILDS];
static size_t build_count;
static bool quick;

/* A subject that is measured, alternating with others. */
struct task {
    const struct study_entry *entry;
    phase_function *phase;
    bool parallel, cold_key, cold_data;
    enum study_phase until;
    size_t offset;
    int repeat;
    double samples[MAX_PASSES];
};

static _Alignas(4096) uint8_t message[MAX_BYTES + OFFSETS_BYTES];
static _Alignas(64) uint8_t keys[32 + OFFSETS_BYTES], tags[16 + OFFSETS_BYTES];

/* Evicts data from all caches; where a program cannot do that, cold cases are not measured. */
#if defined(__x86_64__)
#define CAN_FLUSH        1
#define FLUSH_LINE(byte) __asm__ volatile("clflush %0" : : "m"(*(byte)) : "memory")
#define FLUSH_WAIT()     __asm__ volatile("mfence" : : : "memory")
#elif defined(__aarch64__)
#define CAN_FLUSH        1
#define FLUSH_LINE(byte) __asm__ volatile("dc civac, %0" : : "r"(byte) : "memory")
#define FLUSH_WAIT()     __asm__ volatile("dsb ish" : : : "memory")
#else
#define CAN_FLUSH        0
#define FLUSH_LINE(byte) ((void)(byte))
#define FLUSH_WAIT()     ((void)0)
#endif

static void flush(const uint8_t *bytes, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes + LINE_BYTES; i += LINE_BYTES)
        FLUSH_LINE(bytes + (i < len_bytes ? i : len_bytes));
    FLUSH_WAIT();
}

static void mac_nothing(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])
{
    (void)msg, (void)len_bytes, (void)key;
    __asm__ volatile("" : : "r"(tag) : "memory");
}

/* Returns the count per call, averaged over `repeat` calls. */
static double timed_calls(const struct task *task, size_t len_bytes, int repeat)
{
    const uint8_t *msg = message + task->offset, *key = keys + task->offset;
    uint8_t *tag = tags + task->offset;
    void (*volatile mac)(uint8_t *, const uint8_t *, size_t, const uint8_t *) =
        task->entry != NULL ? task->entry->mac : mac_nothing;
    if (task->cold_key)
        flush(key, 32);
    if (task->cold_data) {
        flush(msg, len_bytes);
        flush(tag, 16);
    }
    const uint64_t before = cycles_read();
    for (int i = 0; i < repeat; i++) {
        if (task->phase != NULL)
            *tag ^= (uint8_t)task->phase(task->parallel, task->until, msg, len_bytes / 64);
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
        const bool cold = task->cold_key || task->cold_data;
        task->repeat = cold || calls < 1 ? 1 : calls > MOST_CALLS ? MOST_CALLS : (int)calls;
    }
    for (int pass = 0; pass < passes; pass++)
        for (size_t t = 0; t < ntasks; t++) {
            struct task *task = &tasks[t];
            const bool single = task->repeat == 1;
            for (int i = 0; i < ncounts; i++)
                counts[i] = timed_calls(task, len_bytes, task->repeat);
            task->samples[pass] = middle(counts, ncounts, single);
            for (int i = 0; i < ncounts; i++)
                counts[i] = timed_calls(&nothing, len_bytes, task->repeat);
            const double overhead = middle(counts, ncounts, single);
            overheads[t] = pass == 0 || overhead < overheads[t] ? overhead : overheads[t];
        }
    for (size_t t = 0; t < ntasks; t++)
        for (int pass = 0; pass < passes; pass++) {
            double *sample = &tasks[t].samples[pass];
            *sample = *sample > overheads[t] ? *sample - overheads[t] : 0;
        }
}

static const struct study_entry *find(const struct build *build, const char *name)
{
    for (size_t i = 0; i < build->count; i++)
        if (strcmp(build->entries[i].name, name) == 0)
            return &build->entries[i];
    return NULL;
}

/* Prints the head of a series, up to its columns. */
static void print_head(const char *group, const char *variant, const size_t *lens_bytes, size_t nlens)
{
    static const char *separator = "";
    printf(
        "%s{\"section\": \"best\", \"group\": \"%s\", \"variant\": \"%s\", \"axis\": \"bytes\", \"xs\": [",
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
    printf("%s\n{\"name\": \"%s\", \"counts\": {\"samples\": [", is_first ? "" : ",", name);
    for (size_t n = 0; n < nlens; n++)
        for (int pass = 0; pass < passes; pass++)
            printf("%s%.5g%s",
                   pass > 0 ? ","
                   : n > 0  ? ",["
                            : "[",
                   tasks[n * stride].samples[pass], pass == passes - 1 ? "]" : "");
    printf("]}}");
}

/* Returns space for the tasks of each length. */
static struct task *tasks_of(size_t ntasks, size_t nlens)
{
    struct task *tasks = calloc(ntasks * nlens + 1, sizeof tasks[0]);
    if (tasks == NULL)
        abort();
    return tasks;
}

/* Measures the tasks, given for the first length, at all lengths. */
static void measure_lens(struct task *tasks, size_t ntasks, const size_t *lens_bytes, size_t nlens,
                         int passes, int ncounts)
{
    for (size_t n = 0; n < nlens; n++) {
        if (n > 0)
            memcpy(&tasks[n * ntasks], tasks, ntasks * sizeof tasks[0]);
        measure(&tasks[n * ntasks], ntasks, lens_bytes[n], passes, ncounts);
    }
}

/* Prints a series for each build, with a column for each named kernel that runs here. */
static void measure_kernels(const char *group, const char *const *names, size_t nnames,
                            const size_t *lens_bytes, size_t nlens, int passes, int ncounts)
{
    struct task *tasks = tasks_of(MAX_BUILDS * nnames, nlens);
    size_t ntasks = 0;
    for (size_t b = 0; b < build_count; b++)
        for (size_t i = 0; i < nnames; i++) {
            const struct study_entry *entry = find(&builds[b], names[i]);
            if (entry != NULL && entry->runs_here)
                tasks[ntasks++] = (struct task){.entry = entry};
        }
    measure_lens(tasks, ntasks, lens_bytes, nlens, passes, ncounts);
    size_t t = 0;
    for (size_t b = 0; b < build_count; b++) {
        print_head(group, builds[b].name, lens_bytes, nlens);
        bool is_first = true;
        for (size_t i = 0; i < nnames; i++) {
            const struct study_entry *entry = find(&builds[b], names[i]);
            if (entry == NULL || !entry->runs_here)
                continue;
            print_column(is_first, names[i], &tasks[t++], ntasks, nlens, passes);
            is_first = false;
        }
        printf("]}");
    }
    free(tasks);
}

/* Measures every length that the papers compare: from 49 to 4000 bytes, except multiples of a group, for
 * which both evaluations are the same. */
static void measure_sweep(const char *group, const char *const *names, size_t group_bytes)
{
    static size_t lens_bytes[4001];
    size_t nlens = 0;
    for (size_t n = group_bytes - 15; n <= 4000; n += quick ? 29 : 1)
        if (n % group_bytes != 0)
            lens_bytes[nlens++] = n;
    measure_kernels(group, names, 2, lens_bytes, nlens, quick ? 3 : MAX_PASSES, quick ? 7 : 15);
}

/* Measures all kernels, at the lengths in the papers' tables and from one block to large messages. */
static void measure_lengths(void)
{
    static const size_t lens_bytes[] = {16,   32,   48,   56,   64,   80,   96,   112,   128,
                                        144,  160,  192,  224,  240,  256,  320,  384,   448,
                                        496,  512,  600,  640,  768,  800,  1000, 1024,  1280,
                                        1536, 2000, 2048, 2560, 3072, 4096, 8192, 16384, 65536};
    static const size_t quick_lens_bytes[] = {16,  64,  80,  112,  128,  224,  240,  256,
                                              496, 512, 800, 1024, 2000, 4096, 16384};
    const char *names[MAX_ENTRIES];
    for (size_t i = 0; i < builds[0].count; i++)
        names[i] = builds[0].entries[i].name;
    if (quick)
        measure_kernels("lengths", names, builds[0].count, quick_lens_bytes,
                        sizeof quick_lens_bytes / sizeof quick_lens_bytes[0], 3, 9);
    else
        measure_kernels("lengths", names, builds[0].count, lens_bytes,
                        sizeof lens_bytes / sizeof lens_bytes[0], 7, 31);
}

/* Bernstein 2005, appendix A: key and data in the cache or not, aligned or not. For the paper's
 * arithmetic that this CPU supports, and for the library. */
static void measure_cases(void)
{
    const char *const names[] = {find(&builds[0], "x87") != NULL ? "x87" : "double53", "hornet"};
    enum { STEP_BYTES = 24, CASES = 8, MOST = 4096 / STEP_BYTES + 2, STEP_CASES = CAN_FLUSH ? 1 : 4 };
    const int passes = quick ? 2 : MAX_PASSES;
    size_t lens_bytes[MOST], nlens = 0;
    for (size_t n = 0; n <= 4096; n += quick ? 8 * STEP_BYTES : STEP_BYTES)
        lens_bytes[nlens++] = n;
    for (size_t k = 0; k < 2; k++) {
        const struct study_entry *entry = find(&builds[0], names[k]);
        if (entry == NULL) /* in 32-bit programs, double53 */
            continue;
        struct task *tasks = tasks_of(CASES, nlens);
        for (int c = 0; c < CASES; c += STEP_CASES)
            tasks[c / STEP_CASES] = (struct task){.entry = entry,
                                                  .cold_key = (c & 1) != 0,
                                                  .cold_data = (c & 2) != 0,
                                                  .offset = (c & 4) != 0 ? 1 : 0};
        measure_lens(tasks, CASES / STEP_CASES, lens_bytes, nlens, passes, quick ? 9 : 31);
        print_head("cases", names[k], lens_bytes, nlens);
        for (int c = 0; c < CASES; c += STEP_CASES) {
            char name[64];
            (void)snprintf(name, sizeof name, "%s,%s,%s",
                           (c & 1) != 0 ? "key not in cache" : "key in cache",
                           (c & 2) != 0 ? "data not in cache" : "data in cache",
                           (c & 4) != 0 ? "unaligned" : "aligned");
            print_column(c == 0, name, &tasks[c / STEP_CASES], CASES / STEP_CASES, nlens, passes);
        }
        printf("]}");
        free(tasks);
    }
}

/* The z14 paper, figure 5: a message of 2054 bytes, here without the last 6. */
static void measure_phases(void)
{
    static const char *const phases[STUDY_PHASES] = {"expand", "multiply", "reduce"};
    const size_t len_bytes = 2048;
    const int passes = quick ? 5 : MAX_PASSES;
    for (size_t b = 0; b < build_count; b++)
        for (int parallel = 0; parallel < 2; parallel++) {
            struct task tasks[STUDY_PHASES];
            char variant[64];
            for (int p = 0; p < STUDY_PHASES; p++)
                tasks[p] = (struct task){
                    .phase = builds[b].phase, .parallel = parallel != 0, .until = (enum study_phase)p};
            measure(tasks, STUDY_PHASES, len_bytes, passes, 31);
            (void)snprintf(variant, sizeof variant, "%s, %s", parallel ? "parallel" : "serial",
                           builds[b].name);
            print_head("phases", variant, &len_bytes, 1);
            for (int p = 0; p < STUDY_PHASES; p++)
                print_column(p == 0, phases[p], &tasks[p], STUDY_PHASES, 1, passes);
            printf("]}");
        }
}

static void load(char *argument)
{
    char *path = strchr(argument, '=');
    if (path == NULL || build_count == MAX_BUILDS) {
        (void)fprintf(stderr, "measure: NAME=SHARED_OBJECT, not %s\n", argument);
        exit(2);
    }
    *path++ = 0;
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *entries = object == NULL ? NULL : dlsym(object, "study_entries");
    void *phase = object == NULL ? NULL : dlsym(object, "study_z14_phase");
    if (entries == NULL || phase == NULL) {
        (void)fprintf(stderr, "measure: %s\n", dlerror());
        exit(2);
    }
    struct build *build = &builds[build_count++];
    entries_function *entries_of;
    /* ISO C does not convert an object pointer to a function pointer. */
    memcpy((void *)&entries_of, (const void *)&entries, sizeof entries_of);
    memcpy((void *)&build->phase, (const void *)&phase, sizeof build->phase);
    build->name = argument;
    build->count = entries_of(&build->entries);
}

int main(int argc, char **argv)
{
    quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
    for (int i = 1 + quick; i < argc; i++)
        load(argv[i]);
    if (build_count == 0) {
        (void)fprintf(stderr, "measure: no builds\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)(i * 167 >> 3);
    for (size_t i = 0; i < sizeof keys; i++)
        keys[i] = (uint8_t)(i * 59 + 7);

    const char *clock = cycles_open();
    printf("{\"kernels\": [");
    for (size_t i = 0; i < builds[0].count; i++) {
        const struct study_entry *entry = &builds[0].entries[i];
        printf("%s{\"name\": \"%s\", \"paper\": \"%s\", \"label\": \"%s\", \"runs\": %s}",
               i == 0 ? "" : ",\n", entry->name, entry->paper, entry->label,
               entry->runs_here ? "true" : "false");
    }
    printf("],\n\"series\": [");
    static const char *const four[] = {"gg4", "bs4"}, *const eight[] = {"gg8", "bs8"};
    measure_sweep("sweep4", four, 64);
    measure_sweep("sweep8", eight, 128);
    measure_lengths();
    measure_cases();
    measure_phases();
    printf("],\n\"clock\": {\"name\": \"%s\", \"per_cycle\": %.6g}}\n", clock, cycles_per_addition());
    return 0;
}
