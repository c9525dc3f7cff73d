/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The features of this CPU, detected once, and their names. */
#include "cpu.h"

#include "atomic.h"
#include "public.h"

#define DETECTED (UINT32_C(1) << 31)

static const char *const feature_names[] = {
#define HORNET_CPU_FEATURE(name, ...) #name,
#include "cpu/list.def"
    NULL, /* some architectures have no features */
};

#if !HORNET_X86 && !HORNET_HWCAP && !HORNET_RVV
uint32_t hornet_cpu_detect(void) { return CPU_ANY; }
#endif

uint32_t hornet_cpu(void)
{
    /* Threads that race here find the same answer. */
    static uint32_t cache;
    uint32_t found = atomic_load(&cache);
    if (found == 0) {
        found = hornet_cpu_detect() | DETECTED;
        atomic_store(&cache, found);
    }
    return found & ~DETECTED;
}

bool hornet_cpu_feature_at(hornet_cpu_feature *feature, size_t index)
{
    const size_t count = CPU_FEATURE_COUNT;
    if (index >= count)
        return false;
    feature->name = feature_names[index];
    feature->usable = (hornet_cpu() >> index & 1) != 0;
    return true;
}
