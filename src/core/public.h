/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* hornet.h for the library's own files: its functions are exported with protected visibility, so that calls
 * within the library always reach the library's own functions, and not functions of the same name in the
 * program or in a library loaded before this one. */
#ifndef HORNET_CORE_PUBLIC_H
#define HORNET_CORE_PUBLIC_H

#ifdef __ELF__
#define HORNET_API __attribute__((visibility("protected")))
#endif

#include "../../include/hornet.h"

#endif
