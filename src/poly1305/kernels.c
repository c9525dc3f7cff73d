/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The list of kernels. */
#include "kernel.h"

/* For measuring from which length each kernel gains: every message goes to the kernel that is forced. */
#ifdef HORNET_NO_CROSSOVERS
#define MIN(amount) 0
#else
#define MIN(amount) (amount)
#endif

#define HORNET_ENTRY(name, preferred_on, min_bytes, ...)                                                   \
    {&hornet_poly1305_kernel_##name.implementation, preferred_on,                                          \
     MIN(HORNET_MIN_AEAD_BYTES(min_bytes, __VA_ARGS__)), MIN(min_bytes),                                   \
     MIN(HORNET_FIRST_OF(__VA_ARGS__))},
#define HORNET_FURTHER_ENTRY HORNET_ENTRY
#define HORNET_TUNED_ENTRY   HORNET_ENTRY
const struct hornet_entry hornet_poly1305_entries[] = {
#include "kernels.def"
};

enum { POLY1305_ENTRIES = sizeof hornet_poly1305_entries / sizeof hornet_poly1305_entries[0] };
_Static_assert(POLY1305_ENTRIES <= 31, "in_use has a bit for each entry");

/* The first entry that is decisive gives the value: 1 if it is the fallback, 0 if it is a kernel before
 * the fallback that serves messages shorter than HORNET_SHORT_BYTES. */
#define HORNET_ENTRY(name, preferred_on, min_bytes, ...)                                                   \
    HORNET_IS_FALLBACK(preferred_on, min_bytes, __VA_ARGS__) ? 1                                           \
    : (min_bytes) < HORNET_SHORT_BYTES ||                                                                  \
            HORNET_MIN_AEAD_BYTES(min_bytes, __VA_ARGS__) < HORNET_SHORT_BYTES                             \
        ? 0                                                                                                \
        :
#define HORNET_FURTHER_ENTRY HORNET_ENTRY
#define HORNET_TUNED_ENTRY   HORNET_ENTRY
enum {
    LIST_IS_GOOD =
#include "kernels.def"
        0
};
_Static_assert(
    LIST_IS_GOOD,
    "HORNET_KERNELS must name a kernel that runs everywhere, and no kernel before the first such may "
    "serve messages shorter than HORNET_SHORT_BYTES");

uint32_t hornet_poly1305_in_use;

const struct hornet_list hornet_poly1305_list = {
    .entries = hornet_poly1305_entries,
    .count = POLY1305_ENTRIES,
#define HORNET_ENTRY(name, preferred_on, ...)                                                              \
    HORNET_IS_FALLBACK(preferred_on, __VA_ARGS__)                                                          \
    ? &hornet_poly1305_kernel_##name.implementation:
    .fallback =
#include "kernels.def"
        NULL,
    .in_use = &hornet_poly1305_in_use,
};
