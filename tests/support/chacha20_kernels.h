/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20's kernels with all their pass tables, directly from the list, and a function that puts one in
 * use. */
#ifndef HORNET_TESTS_CHACHA20_KERNELS_H
#define HORNET_TESTS_CHACHA20_KERNELS_H

#include "../../src/chacha20/chacha20.h"
#include "check.h"

static const struct hornet_chacha20_kernel *const chacha20_kernels[] = {
#define HORNET_ENTRY(name, ...) &hornet_chacha20_kernel_##name,
#define HORNET_TUNED_ENTRY      HORNET_ENTRY
#include "../../src/chacha20/kernels.def"
};

enum { CHACHA20_KERNELS = sizeof chacha20_kernels / sizeof chacha20_kernels[0] };

static inline const char *chacha20_name(const struct hornet_chacha20_kernel *kernel)
{
    return kernel->implementation.name;
}

static inline bool chacha20_runs_here(const struct hornet_chacha20_kernel *kernel)
{
    return hornet_can_run(&kernel->implementation, hornet_cpu());
}

/* Iterates over the kernels that run here. */
static inline const struct hornet_chacha20_kernel *nth_chacha20(size_t n)
{
    size_t k = n % CHACHA20_KERNELS;
    while (!chacha20_runs_here(chacha20_kernels[k]))
        k = (k + 1) % CHACHA20_KERNELS;
    return chacha20_kernels[k];
}

/* Returns the kernel that serves long messages. */
static inline const struct hornet_chacha20_kernel *chacha20_in_use(void)
{
    return hornet_chacha20_kernel_for(SIZE_MAX, hornet_chacha20_entries_in_use());
}

/* Uses this kernel, which must run here, with its pass table, even if that is for other CPUs; or the
 * automatic choice if it is NULL. */
static inline void force_chacha20(const struct hornet_chacha20_kernel *kernel)
{
    if (kernel == NULL) {
        check(hornet_dispatch_force(&hornet_chacha20_list, NULL), "the automatic choice of ChaCha20");
        return;
    }
    size_t i = 0;
    while (hornet_chacha20_entries[i].implementation != &kernel->implementation)
        i++;
    check(hornet_chacha20_entries[i].min == 0, "%s: its first entry serves all lengths",
          chacha20_name(kernel));
    atomic_store(hornet_chacha20_list.in_use, UINT32_C(1) << i);
}

#endif
