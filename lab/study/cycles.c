/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "cycles.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int descriptor = -1;

#if defined __x86_64__ || defined __i386__

static volatile struct perf_event_mmap_page *page;

void cycles_wait(void) { __asm__ volatile("lfence" : : : "memory"); }

static uint64_t joined(uint32_t low, uint32_t high) { return (uint64_t)high << 32 | low; }

static const char clock_name[] = "tsc";

static uint64_t read_clock(void)
{
    uint32_t low, high;
    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return joined(low, high);
}

/* As described in linux/perf_event.h at `lock`. Returns false if the counter cannot be read this way. */
static bool read_pmc(uint64_t *count)
{
    if (page == NULL)
        return false;
    uint32_t lock;
    do {
        lock = page->lock;
        __asm__ volatile("" : : : "memory");
        const uint32_t index = page->index;
        const unsigned unused_bits = 64U - page->pmc_width;
        if (index == 0 || !page->cap_user_rdpmc)
            return false;
        uint32_t low, high;
        __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
        const int64_t raw = (int64_t)(joined(low, high) << unused_bits) >> unused_bits;
        *count = (uint64_t)(page->offset + raw);
        __asm__ volatile("" : : : "memory");
    } while (page->lock != lock);
    return true;
}

static bool open_pmc(void)
{
    uint64_t count;
    void *mapped = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, descriptor, 0);
    page = mapped == MAP_FAILED ? NULL : mapped;
    return read_pmc(&count);
}

#else

void cycles_wait(void)
{
#ifdef __aarch64__
    __asm__ volatile("dsb ish\n\tisb" : : : "memory");
#else
    __sync_synchronize();
#endif
}

static const char clock_name[] = "clock";

static uint64_t read_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* On these CPUs, Linux provides no counter that programs can read without a system call. */
static bool read_pmc(uint64_t *count) { return (void)count, false; }
static bool open_pmc(void) { return false; }

#endif

const char *cycles_open(void)
{
    struct perf_event_attr attributes;
    memset(&attributes, 0, sizeof attributes);
    attributes.type = PERF_TYPE_HARDWARE;
    attributes.size = sizeof attributes;
    attributes.config = PERF_COUNT_HW_CPU_CYCLES;
    attributes.exclude_kernel = attributes.exclude_hv = 1;
    descriptor = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
    uint64_t count;
    if (descriptor < 0 || read(descriptor, &count, sizeof count) != (ssize_t)sizeof count) {
        descriptor = -1;
        return clock_name;
    }
    return open_pmc() ? "rdpmc" : "perf";
}

uint64_t cycles_read(void)
{
    uint64_t count = 0;
    cycles_wait();
    if (descriptor < 0)
        count = read_clock();
    else if (!read_pmc(&count))
        (void)!read(descriptor, &count, sizeof count);
    cycles_wait();
    return count;
}
