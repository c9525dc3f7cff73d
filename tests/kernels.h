/* The kernels, straight from the list: for programs that call them one by one. */
#ifndef HORNET_TESTS_KERNELS_H
#define HORNET_TESTS_KERNELS_H

#include "../include/hornet.h"
#include "../src/kernel.h"
#include "check.h"

static const struct hornet_kernel *const all_kernels[] = {
#define HORNET_KERNEL(name, min_bytes, min_split_bytes, shorter) &hornet_kernel_##name,
#include "../src/kernels.def"
#undef HORNET_KERNEL
};

enum { KERNEL_COUNT = sizeof all_kernels / sizeof all_kernels[0] };

static inline int kernel_runs_here(const struct hornet_kernel *kernel)
{
    return kernel->absorb != NULL && (kernel->needs & ~hornet_cpu_features()) == 0;
}

/* Uses this kernel, which must run here, or NULL for the automatic choice. */
static inline void force_kernel(const char *name)
{
    check(hornet_kernel_force(name), "kernel %s cannot be forced", name != NULL ? name : "automatic");
}

#endif
