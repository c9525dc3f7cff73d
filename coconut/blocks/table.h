/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The powers of a long step as inputs, with their limits. Included after blocks.h and the field. */
#ifndef COCONUT_BLOCKS_TABLE_H
#define COCONUT_BLOCKS_TABLE_H

/* Powers as long sums multiply by them. */
static inline void in_table(const char *name, long_multiplier *a)
{
    bb_in(PLACE_MEMORY, name, a, sizeof *a);
#if LIMBS == 3
    bb_in_max_of(0, 3, FE_CARRIED_MAX);
    bb_in_max_of(3, 3, 2 * FE_CARRIED_MAX);
#else
    bb_in_max_of(0, 20, FE_CARRIED_MAX);
    bb_in_max_of(20, 4, 5 * FE_CARRIED_MAX);
#endif
}

#endif
