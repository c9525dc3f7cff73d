/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* hornet.h as the library's own files see it: its functions are exported and protected, so that one always
 * calls the library's other, and not a function of that name in the program or in a library before this
 * one. */
#ifndef HORNET_CORE_PUBLIC_H
#define HORNET_CORE_PUBLIC_H

#ifdef __ELF__
#define HORNET_API __attribute__((visibility("protected")))
#endif

#include "../../include/hornet.h"

#endif
