/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The kernels, directly from the list, for programs that call them individually; and those that are the
 * same, with other numbers of groups to a reduction. */
#ifndef HORNET_TESTS_KERNELS_H
#define HORNET_TESTS_KERNELS_H

/* As in the library that build.sh builds; a test of the default kernels defines it as 0. */
#ifndef HORNET_ALL_KERNELS
#define HORNET_ALL_KERNELS 1
#endif

#include "../../include/hornet.h"
#include "../../include/hornet_kernels.h"
#include "../../src/poly1305/kernel.h"
#include "check.h"

#if HORNET_ALL_KERNELS && defined(HORNET_OMIT_portable)
#error "another header has included the list without HORNET_ALL_KERNELS"
#endif

static const struct hornet_poly1305_kernel *const all_kernels[] = {
#define HORNET_ENTRY(name, ...) &hornet_poly1305_kernel_##name,
#include "../../src/poly1305/kernels.def"
#define HORNET_ENTRY(name, ...)
#define HORNET_TUNED_ENTRY(name, ...) &hornet_poly1305_kernel_##name,
#include "../../src/poly1305/kernels.def"
};

enum { KERNEL_COUNT = sizeof all_kernels / sizeof all_kernels[0] };

/* The kernels in the list with names of their own: the first of all_kernels. */
enum {
#define HORNET_ENTRY(name, ...) KERNEL_INDEX_##name,
#include "../../src/poly1305/kernels.def"
    NAMED_KERNELS
};

static inline const char *name_of(const struct hornet_poly1305_kernel *kernel)
{
    return kernel->implementation.name;
}

static inline int kernel_runs_here(const struct hornet_poly1305_kernel *kernel)
{
    return hornet_can_run(&kernel->implementation, hornet_cpu());
}

/* Uses this kernel, which must run here, or the automatic choice if it is NULL. */
static inline void force_kernel(const char *name)
{
    check(hornet_dispatch_force(&hornet_poly1305_list, name), "kernel %s cannot be forced",
          name != NULL ? name : "automatic");
}

#endif
