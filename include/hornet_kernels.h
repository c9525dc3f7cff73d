/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/** @file
 * The kernels of the library and the features of the CPU, for reports and tests. What hornet.h says of all
 * functions holds for these. */
#ifndef HORNET_KERNELS_H
#define HORNET_KERNELS_H

#include "hornet.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @defgroup kernels Kernels
 * @{
 *
 * Kernels are the implementations of a primitive for the instruction sets that this library was built with.
 * At first use, the library detects which of them this CPU and operating system run well; after that, each
 * message goes to the best one for its length. All kernels of a primitive give the same results, and a
 * state begun by one may be continued by another. Programs need them only for reports and tests. */

/** What a kernel implements. */
typedef enum hornet_primitive {
    HORNET_POLY1305, /**< Poly1305 */
    HORNET_CHACHA20, /**< ChaCha20 */
    HORNET_AES128    /**< for Poly1305-AES; no kernel uses lookup tables */
} hornet_primitive;

/** A kernel, as hornet_kernel_at describes it. */
typedef struct hornet_kernel {
    const char *name;       /**< constant */
    char required[64];      /**< CPU features it requires, separated by spaces; "" if none */
    size_t lanes;           /**< blocks processed at once */
    size_t min_bytes;       /**< on this CPU, shorter messages go to a kernel further down the list */
    size_t min_batch_bytes; /**< the same for the messages of a batch; SIZE_MAX if it takes no batches */
    bool supported;         /**< this CPU and operating system can run it */
} hornet_kernel;

/** Describes kernel `index` of a primitive, best first, whether supported or not. If there are no more,
 * leaves *kernel unchanged and returns false. So this lists all kernels of this build:
 *
 *     hornet_kernel kernel;
 *     for (size_t i = 0; hornet_kernel_at(&kernel, HORNET_POLY1305, i); i++)
 *         puts(kernel.name); */
HORNET_CHECKED bool hornet_kernel_at(hornet_kernel *kernel, hornet_primitive primitive, size_t index);

/** Returns the name of the kernel in use for long messages, as a constant string; NULL if there is no such
 * primitive. */
HORNET_API const char *hornet_kernel_in_use(hornet_primitive primitive);

/** Makes all later calls, in all threads, use the kernel of this primitive with this name; messages too
 * short to gain from it use the kernels after it in the list. NULL restores the automatic choice. If the
 * name is unknown or this CPU cannot run the kernel, changes nothing and returns false. */
HORNET_CHECKED bool hornet_kernel_force(hornet_primitive primitive, const char *name);

/** A feature of a CPU, as hornet_cpu_feature_at describes it. */
typedef struct hornet_cpu_feature {
    const char *name; /**< constant */
    bool usable;      /**< the CPU has it, and the operating system saves its registers */
} hornet_cpu_feature;

/** Describes CPU feature `index` of those that this build looks for. If there are no more, leaves *feature
 * unchanged and returns false. */
HORNET_CHECKED bool hornet_cpu_feature_at(hornet_cpu_feature *feature, size_t index);

/** @} */

#ifdef __cplusplus
}
#endif

#endif
