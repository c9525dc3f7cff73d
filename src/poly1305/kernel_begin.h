/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Begins the kernel named KERNEL; kernel_end.h ends it. A lanes file, a field and files of horner/ are
 * included in between. */
#ifndef KERNEL
#error "KERNEL must be the kernel's name"
#endif

#include "kernel.h"
#include "tag.h"

/* The hook replaces the kernel's own lanes, whose file is then empty: intervals, to prove bounds. */
#ifdef HORNET_LANES_HOOK
#include HORNET_LANES_HOOK
#endif
