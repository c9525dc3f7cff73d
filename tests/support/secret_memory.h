/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tells a tool which memory is secret: clang's memory sanitizer if it is compiled in, otherwise
 * valgrind's memcheck. For both, undefined data must not decide a branch or an address. */
#ifndef HORNET_TESTS_SECRET_MEMORY_H
#define HORNET_TESTS_SECRET_MEMORY_H

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define MEMORY_SANITIZER
#endif
#endif

#ifdef MEMORY_SANITIZER
#include <sanitizer/msan_interface.h>
#define MAKE_UNDEFINED(memory, len_bytes)    __msan_poison(memory, len_bytes)
#define HORNET_DECLASSIFY(memory, len_bytes) __msan_unpoison(memory, len_bytes)
#else
#include <valgrind/memcheck.h>
#define MAKE_UNDEFINED(memory, len_bytes)    VALGRIND_MAKE_MEM_UNDEFINED(memory, len_bytes)
#define HORNET_DECLASSIFY(memory, len_bytes) VALGRIND_MAKE_MEM_DEFINED(memory, len_bytes)
#endif

#endif
