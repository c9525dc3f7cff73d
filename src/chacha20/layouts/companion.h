/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A companion: other work that a pass interleaves with its own, in general-purpose registers. It advances a
 * state over blocks of its own (chacha20_companion). A kernel file that stitches one includes it before
 * kernel.h; the other kernels have none. The compiler checks that each operation is defined with this type.
 *
 *     companion_registers   what it keeps in registers
 *     COMPANION_WORD(c)     one of these words, which each step changes */
#ifndef HORNET_CHACHA20_LAYOUTS_COMPANION_H
#define HORNET_CHACHA20_LAYOUTS_COMPANION_H

#include "../chacha20.h"

#ifndef HORNET_CHACHA20_COMPANION
typedef struct {
    uint64_t nblocks; /* yet to be processed */
} companion_registers;

#define COMPANION_WORD(c) ((c)->nblocks)

HORNET_INLINE companion_registers companion_none(const chacha20_work *work)
{
    (void)work;
    return (companion_registers){0};
}

HORNET_INLINE companion_registers companion_begin(const chacha20_work *work)
{
    return (companion_registers){work->companion.nblocks};
}

HORNET_INLINE bool companion_is_done(const companion_registers *c) { return c->nblocks == 0; }

HORNET_INLINE size_t companion_rounds(const companion_registers *c, size_t stitched)
{
    return (size_t)c->nblocks / stitched;
}

HORNET_INLINE void companion_step(companion_registers *c, size_t lanes)
{
    (void)lanes;
    c->nblocks--;
}

HORNET_INLINE void companion_end(const companion_registers *c, const chacha20_work *work)
{
    (void)c;
    (void)work;
}
#endif

#define COMPANION_OPERATION(type, name, parameters)                                                        \
    _Static_assert(_Generic(&name, type(*) parameters: 1, default: 0),                                     \
                   "the companion must define " #type " " #name #parameters)

/* A companion that has no blocks, and one that has those of work->companion, of which there are some. */
COMPANION_OPERATION(companion_registers, companion_none, (const chacha20_work *work));
COMPANION_OPERATION(companion_registers, companion_begin, (const chacha20_work *work));

/* Whether no blocks are left. */
COMPANION_OPERATION(bool, companion_is_done, (const companion_registers *c));

/* For how many double rounds there are `stitched` blocks each. */
COMPANION_OPERATION(size_t, companion_rounds, (const companion_registers *c, size_t stitched));

/* Processes the next block, stitched with that number of sets of lanes, a constant. */
COMPANION_OPERATION(void, companion_step, (companion_registers * c, size_t lanes));

/* Stores the state, when no blocks are left. */
COMPANION_OPERATION(void, companion_end, (const companion_registers *c, const chacha20_work *work));

#endif
