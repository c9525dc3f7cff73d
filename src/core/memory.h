/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* memcpy and memset, the only functions that the library needs from a C library. Without a C library, the
 * compiler's or Rust's run-time library has them. */
#ifndef HORNET_CORE_MEMORY_H
#define HORNET_CORE_MEMORY_H

#if __STDC_HOSTED__
#include <string.h>
#else
#define memcpy __builtin_memcpy
#define memset __builtin_memset
#endif

#endif
