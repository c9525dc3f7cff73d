/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The library's portable lanes and words, with a record of the inputs and outputs of each basic block. */
#ifndef LANES

#include "values_scalar.h"

#define PORTABLE_LANES COCONUT_LANES
#include "../../src/poly1305/lanes/portable.h"

/* As in graph.h. */
#ifndef COCONUT_MULTIPLY_BLOCK
#undef LANES_MULTIPLY_BLOCK
#endif

#endif
