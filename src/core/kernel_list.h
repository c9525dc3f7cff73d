/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The rows of kernels.def expand to HORNET_ROW(name, ...), which the file that includes the list defines
 * with its columns, to HORNET_FURTHER_ROW(name, ...) for further rows of a kernel, and to
 * HORNET_TUNED_ROW(name_tuning, ...) for a row whose record is another, tuned for a family of cores; the
 * last two are by default nothing.
 *
 * A build that omits a kernel defines HORNET_OMIT_<name> as 1, so that its rows expand to nothing, and does
 * not compile its file, or the file is then empty. */
#ifndef HORNET_FURTHER_ROW
#define HORNET_FURTHER_ROW(...)
#endif

#ifndef HORNET_TUNED_ROW
#define HORNET_TUNED_ROW(...)
#endif

#ifndef HORNET_KERNEL
#define HORNET_KERNEL(name, ...) HORNET_UNLESS(HORNET_OMIT_##name, HORNET_ROW)(name, __VA_ARGS__)
#define HORNET_KERNEL_ALSO(name, ...)                                                                      \
    HORNET_UNLESS(HORNET_OMIT_##name, HORNET_FURTHER_ROW)(name, __VA_ARGS__)
#define HORNET_KERNEL_TUNED(name, tuning, ...)                                                             \
    HORNET_UNLESS(HORNET_OMIT_##name, HORNET_TUNED_ROW)(name##_##tuning, __VA_ARGS__)
#define HORNET_KERNEL_TUNED_ALSO(name, tuning, ...)                                                        \
    HORNET_UNLESS(HORNET_OMIT_##name, HORNET_FURTHER_ROW)(name##_##tuning, __VA_ARGS__)

/* Expands to row, or to HORNET_NO_ROW if omit is 1: HORNET_OMITTED_1 contains a comma, which changes the
 * second argument that HORNET_SECOND selects. */
#define HORNET_UNLESS(omit, row)          HORNET_UNLESS_VALUE(omit, row)
#define HORNET_UNLESS_VALUE(omit, row)    HORNET_SECOND_OF(HORNET_OMITTED_##omit, row, )
#define HORNET_OMITTED_1                  , HORNET_NO_ROW
#define HORNET_SECOND_OF(...)             HORNET_SECOND(__VA_ARGS__, )
#define HORNET_SECOND(first, second, ...) second
#define HORNET_NO_ROW(...)
#endif
