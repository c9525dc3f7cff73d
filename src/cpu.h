/* What this CPU can do, as far as the operating system lets programs use it. */
#ifndef HORNET_CPU_H
#define HORNET_CPU_H

#include <stddef.h>
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
    uint32_t leaf7_ebx, leaf7_ecx; /* if max_leaf >= 7; subleaf 0 */
    uint32_t max_subleaf7;         /* likewise */
    uint32_t leaf7_1_eax;          /* if max_subleaf7 >= 1 */
    uint32_t vendor_ebx;           /* the first four letters of the vendor's name; leaf 0 */
    uint32_t leaf1_eax;            /* family and model; if max_leaf >= 1 */
    uint32_t xcr0;                 /* if leaf1_ecx has OSXSAVE */
};
uint32_t hornet_cpu_features_from(const struct cpuid_words *words);

/* What 512-bit instructions cost, as far as that differs from what the features promise. */
enum hornet_zmm {
    HORNET_ZMM_FULL,  /* nothing */
    HORNET_ZMM_SPLIT, /* each takes two turns: they do no more than two of 256 bits */
    HORNET_ZMM_SLOWS, /* the CPU lowers its clock for a millisecond and more */
};
enum hornet_zmm hornet_cpu_zmm(void);
enum hornet_zmm hornet_cpu_zmm_from(const struct cpuid_words *words);

/* Writes the names of a set of features, separated by spaces and cut to size_bytes with the 0 at the end.
 */
void hornet_cpu_feature_names(uint32_t features, char *names, size_t size_bytes);

#pragma GCC visibility pop

#endif
