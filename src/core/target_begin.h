/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Opens a target region: functions defined from here to target_end.h are compiled for the instruction set
 * in HORNET_TARGET, regardless of compiler flags. There is no include guard, because a translation unit may
 * open several regions. Compiler and system headers must be included before. */
#include "compiler.h"

#ifndef HORNET_PRAGMA
#define HORNET_PRAGMA_TEXT(text) _Pragma(#text)
#define HORNET_PRAGMA(text)      HORNET_PRAGMA_TEXT(text)
#endif

#ifdef HORNET_TARGET
#if defined(__clang__)
HORNET_PRAGMA(clang attribute push(__attribute__((target(HORNET_TARGET))), apply_to = function))
#else
HORNET_PRAGMA(GCC push_options)
HORNET_PRAGMA(GCC target(HORNET_TARGET))
#endif
#endif
