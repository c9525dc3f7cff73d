/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* memcpy and memset, all that the library takes from a C library. Where there is none, the compiler's
 * run-time library, or Rust's, has them. */
#ifndef HORNET_CORE_MEMORY_H
#define HORNET_CORE_MEMORY_H

#if __STDC_HOSTED__
#include <string.h>
#else
#define memcpy __builtin_memcpy
#define memset __builtin_memset
#endif

#endif
