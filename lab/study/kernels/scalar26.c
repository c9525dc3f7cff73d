/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Polyakov's radix 2^26, scalar: "a reference or fall-back implementation". A single lane in plain C. */
#define KERNEL         lazy_scalar26
#define PORTABLE_LANES 1
#include "../../../src/poly1305/kernel_begin.h"

#include "../../../src/poly1305/lanes/portable.h"

#include "../../../src/poly1305/field/radix26.h"

#include "../horner/lazy.h"

LAZY_KERNEL(scalar26, CPU_ANY, FRONT_ZEROS, 1);

#include "../../../src/poly1305/kernel_end.h"
