/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The entries of kernels.def expand to HORNET_ENTRY(name, ...), which the file that includes the list
 * defines with its columns, to HORNET_FURTHER_ENTRY(name, ...) for further entries of a kernel, and to
 * HORNET_TUNED_ENTRY(name_tuning, ...) for an entry whose record is another, tuned for a family of cores;
 * the last two are by default nothing.
 *
 * A build that omits a kernel defines HORNET_OMIT_<name> as 1, so that its entries expand to nothing, and
 * does not compile its file, or the file is then empty. */
#ifndef HORNET_FURTHER_ENTRY
#define HORNET_FURTHER_ENTRY(...)
#endif

#ifndef HORNET_TUNED_ENTRY
#define HORNET_TUNED_ENTRY(...)
#endif

#ifndef HORNET_KERNEL
#define HORNET_KERNEL(name, ...) HORNET_UNLESS(HORNET_OMIT_##name, HORNET_ENTRY)(name, __VA_ARGS__)
#define HORNET_KERNEL_ALSO(name, ...)                                                                      \
    HORNET_UNLESS(HORNET_OMIT_##name, HORNET_FURTHER_ENTRY)(name, __VA_ARGS__)
#define HORNET_KERNEL_TUNED(name, tuning, ...)                                                             \
    HORNET_UNLESS(HORNET_OMIT_##name, HORNET_TUNED_ENTRY)(name##_##tuning, __VA_ARGS__)
#define HORNET_KERNEL_TUNED_ALSO(name, tuning, ...)                                                        \
    HORNET_UNLESS(HORNET_OMIT_##name, HORNET_FURTHER_ENTRY)(name##_##tuning, __VA_ARGS__)

/* Expands to entry, or to HORNET_NO_ENTRY if omit is 1: HORNET_OMITTED_1 contains a comma, which changes
 * the second argument that HORNET_SECOND selects. */
#define HORNET_UNLESS(omit, entry)        HORNET_UNLESS_VALUE(omit, entry)
#define HORNET_UNLESS_VALUE(omit, entry)  HORNET_SECOND_OF(HORNET_OMITTED_##omit, entry, )
#define HORNET_OMITTED_1                  , HORNET_NO_ENTRY
#define HORNET_SECOND_OF(...)             HORNET_SECOND(__VA_ARGS__, )
#define HORNET_SECOND(first, second, ...) second
#define HORNET_FIRST_OF(...)              HORNET_FIRST(__VA_ARGS__, )
#define HORNET_FIRST(first, ...)          first
#define HORNET_NO_ENTRY(...)
#endif
