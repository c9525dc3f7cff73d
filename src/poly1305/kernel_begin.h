/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Begins a kernel, or other code over the templates, named KERNEL; kernel_end.h ends it. In between come a
 * lanes file, a field, and files of horner/. */
#ifndef KERNEL
#error "KERNEL must be the kernel's name"
#endif

#include "kernel.h"
#include "names.h"
#include "tag.h"

/* Lanes in place of the kernel's own, which then stand aside: intervals, to prove bounds. */
#ifdef HORNET_LANES_HOOK
#include HORNET_LANES_HOOK
#endif
