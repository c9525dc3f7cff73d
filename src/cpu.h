/* What this CPU can do, as far as the operating system lets programs use it. */
#ifndef HORNET_CPU_H
#define HORNET_CPU_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
#define HORNET_FEATURE(name, cpuid_word, bit, xcr0) FEATURE_INDEX_##name,
#include "features.def"
#undef HORNET_FEATURE
    FEATURE_COUNT
};

/* A set of features is a uint32_t of these bits. */
enum {
    CPU_BASE = 0, /* nothing beyond the architecture this was compiled for */
#define HORNET_FEATURE(name, cpuid_word, bit, xcr0) CPU_##name = 1 << FEATURE_INDEX_##name,
#include "features.def"
#undef HORNET_FEATURE
};

/* The features of this CPU; the same answer every time, in every thread. */
uint32_t hornet_cpu_features(void);

/* What the CPU and the operating system say of themselves, all 0 where they cannot be asked. Apart from
 * hornet_cpu_features so that tests can walk through machines that do not exist. */
struct cpuid_words {
    uint32_t max_leaf;
    uint32_t leaf1_ecx, leaf1_edx; /* if max_leaf >= 1 */
    uint32_t leaf7_ebx;            /* if max_leaf >= 7; subleaf 0 */
    uint32_t xcr0;                 /* if leaf1_ecx has OSXSAVE */
};
uint32_t hornet_cpu_features_from(const struct cpuid_words *words);

/* The name of a feature given as a set of that one; "" for CPU_BASE. */
const char *hornet_cpu_feature_name(uint32_t feature);

#pragma GCC visibility pop

#endif
