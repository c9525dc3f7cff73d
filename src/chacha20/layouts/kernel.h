/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The functions of a kernel and its record. The kernel file defines
 *
 *     KERNEL, KERNEL_REQUIRED    its name, and the CPU features that it requires
 *     WORDS                   words in a vector; 1 if there are no vectors
 *     HORNET_TARGET           its instruction set
 *     LANES_SETS              2 if there are registers for two sets of lanes
 *     LAYOUTS(X)              optional: X(name, lanes, rows, block, stitched, variant) for each layout
 *     LAYOUTS_ALONE(X)        optional: X(name) for each layout with `stitched` of which there is another,
 *                             name_alone, that is the same function without blocks for its companion
 *     ROWS_IN_TURN            optional: sets of rows take a whole round one after another (rows.h)
 *     ROWS_WITH_LANES         optional: there are registers for two sets of rows and a set of lanes
 *     PASS_TABLE              optional: the name of its pass table in passes.toml
 *     BATCH_COSTS             optional: the name of its costs of packets in passes.toml
 *     KERNEL_NO_PACKETS       optional: packets gain nothing by sharing passes
 *     KERNEL_TUNINGS(X)       optional: X(name, pass_table) for each further record
 *
 * and the optional macros of lanes/words.h, lanes.h and pass.h. If it stitches, it includes its companion
 * before this file (companion.h). This file has no include guard: each kernel includes it again. */
#ifndef KERNEL
#error "KERNEL must be the kernel's name"
#endif

#include "../../core/stack_wipe.h"
#include "../chacha20.h"
#include "../pass_tables.h"

/* Where vectors are compiled to words in general-purpose registers, clang 19 does not unroll long loops,
 * and warns. */
#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

#include "pass.h"

#define LAYOUTS_BY_DEFAULT(X)                                                                              \
    X(key, 0, 0, BLOCK_KEY, 0, 0)                                                                          \
    X(rows1, 0, 1, BLOCK_NONE, 0, 0)                                                                       \
    X(rows3, 0, 3, BLOCK_NONE, 0, 0)                                                                       \
    X(lanes1, 1, 0, BLOCK_NONE, 0, 0)
#ifdef ROWS_WITH_LANES
#define LAYOUTS(X)                                                                                         \
    LAYOUTS_BY_DEFAULT(X)                                                                                  \
    X(lanes1_rows1, 1, 1, BLOCK_NONE, 0, 0)                                                                \
    X(lanes1_rows2, 1, 2, BLOCK_NONE, 0, 0)
#define PASS_TABLE rows_with_lanes
#endif
#ifndef LAYOUTS
#define LAYOUTS LAYOUTS_BY_DEFAULT
#endif
#ifndef LAYOUTS_ALONE
#define LAYOUTS_ALONE(X)
#endif
#ifndef PASS_TABLE
#define PASS_TABLE default_layouts
#endif
#ifndef BATCH_COSTS
#if WORDS >= 8
#define BATCH_COSTS words_8
#else
#define BATCH_COSTS words_4
#endif
#endif

/* gcc keeps words of general-purpose registers in any mask register; core/stack_wipe.c clears three. Not a
 * function: gcc 12 would rely on it for the VZEROUPPER that it inserts before other returns. */
#if defined(WORDS_MASKED) && HORNET_X86_64_ASM && !defined(__clang__)
#define CLEAR_MASKS()                                                                                      \
    __asm__ volatile(".irp n, 0, 1, 2, 3, 4, 5, 6, 7\n\t"                                                  \
                     "kxorw %%k\\n, %%k\\n, %%k\\n\n\t"                                                    \
                     ".endr" ::                                                                            \
                         : "k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7")
#else
#define CLEAR_MASKS() ((void)0)
#endif

/* The functions of the layouts, the layouts, and their numbers. Names that macros make end in the
 * kernel's. */
#define LAYOUT_FUNCTION(name, lanes, rows, block, stitched, variant)                                       \
    HORNET_NOINLINE uintptr_t HORNET_PASTE(chacha20_, name, _, KERNEL)(const chacha20_work *work)          \
    {                                                                                                      \
        pass(lanes, rows, block, stitched, variant, work);                                                 \
        if ((block) != 0 || (stitched) != 0)                                                               \
            CLEAR_MASKS();                                                                                 \
        return stack_end(STACK_BELOW_BYTES);                                                               \
    }
LAYOUTS(LAYOUT_FUNCTION)

#define LAYOUT_BLOCKS(name) HORNET_PASTE(chacha20_blocks_, name, _, KERNEL)
#define LAYOUT_ITS_BLOCKS(name, lanes, rows, block, stitched, variant)                                     \
    LAYOUT_BLOCKS(name) = (lanes) * WORDS + (rows) * ROWS_BLOCKS + ((block) != BLOCK_NONE),
enum { LAYOUTS(LAYOUT_ITS_BLOCKS) };

#define LAYOUT_RECORD(name, lanes, rows, block, stitched, variant)                                         \
    {HORNET_PASTE(chacha20_, name, _, KERNEL), LAYOUT_BLOCKS(name), (block) == BLOCK_KEY, stitched},
#define LAYOUT_RECORD_ALONE(name) {HORNET_PASTE(chacha20_, name, _, KERNEL), LAYOUT_BLOCKS(name), false, 0},
static const chacha20_layout kernel_layouts[] = {LAYOUTS(LAYOUT_RECORD) LAYOUTS_ALONE(LAYOUT_RECORD_ALONE)};

#define LAYOUT_NUMBER(name)           HORNET_PASTE(chacha20_layout_, name, _, KERNEL)
#define LAYOUT_ENUMERATOR(name, ...)  LAYOUT_NUMBER(name),
#define LAYOUT_ENUMERATOR_ALONE(name) LAYOUT_NUMBER(name##_alone),
enum { LAYOUTS(LAYOUT_ENUMERATOR) LAYOUTS_ALONE(LAYOUT_ENUMERATOR_ALONE) };

#ifdef KERNEL_NO_PACKETS
#define KERNEL_LANES   1
#define kernel_packets NULL
#define kernel_subkeys NULL
#define kernel_masks   NULL
#else
#include "masks.h"
#include "packets.h"
#define KERNEL_LANES (WORDS * LANES_SETS)
#endif

#include "../../core/target_end.h"

#ifdef __clang__
#pragma clang diagnostic pop
#endif

static const chacha20_batch_costs kernel_batch_costs = HORNET_PASTE(BATCH_COSTS_, BATCH_COSTS, , );

#define KERNEL_RECORD(record, its_table)                                                                   \
    const struct hornet_chacha20_kernel HORNET_PASTE(hornet_chacha20_kernel_, record, , ) = {              \
        .implementation = {.name = HORNET_STRING(KERNEL), .required = KERNEL_REQUIRED},                    \
        .lanes = KERNEL_LANES,                                                                             \
        .layouts = kernel_layouts,                                                                         \
        .nlayouts = sizeof kernel_layouts / sizeof kernel_layouts[0],                                      \
        .pass_table = HORNET_PASTE(PASS_TABLE_, its_table, , )(LAYOUT_NUMBER),                             \
        .packets = kernel_packets,                                                                         \
        .subkeys = kernel_subkeys,                                                                         \
        .masks = kernel_masks,                                                                             \
        .batch_costs = &kernel_batch_costs,                                                                \
    }

#ifdef KERNEL_TUNINGS
#define KERNEL_TUNED_RECORD(tuning, its_table) KERNEL_RECORD(HORNET_PASTE(KERNEL, _, tuning, ), its_table);
KERNEL_TUNINGS(KERNEL_TUNED_RECORD)
#endif
KERNEL_RECORD(KERNEL, PASS_TABLE);
