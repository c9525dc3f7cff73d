/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lanes, and the words that enter and leave them, as nodes of one data-flow graph. */
#ifndef LANES

#include "graph_scalar.h"

#include "graph.h"

#endif
