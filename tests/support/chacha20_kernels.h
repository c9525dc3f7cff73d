/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20's kernels, directly from the list, and a function that forces one through the dispatcher. */
#ifndef HORNET_TESTS_CHACHA20_KERNELS_H
#define HORNET_TESTS_CHACHA20_KERNELS_H

#include "../../src/chacha20/chacha20.h"
#include "check.h"

static const struct hornet_chacha20_kernel *const chacha20_kernels[] = {
#define HORNET_ROW(name, ...) &hornet_chacha20_kernel_##name,
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

/* Uses this kernel, which must run here, or the automatic choice if it is NULL. */
static inline void force_chacha20(const struct hornet_chacha20_kernel *kernel)
{
    const char *name = kernel != NULL ? chacha20_name(kernel) : NULL;
    check(hornet_dispatch_force(&hornet_chacha20_list, name), "ChaCha20 by %s cannot be forced",
          name != NULL ? name : "itself");
}

#endif
