/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Loops that a compiler makes from the library's code, between marks that llvm-mca reads, for comparison
 * with those that coconut/ schedules, under the same model.
 *
 * It is included in the middle of the kernel's own file, with its own lanes. */
#include "../../src/core/target_begin.h"

#define MARK(text) __asm__ volatile("# LLVM-MCA-" text)

/* Defines a function with a loop whose iteration takes `advance` bytes and changes `type` value. */
#define LOOP(function, name, type, statement, advance)                                                     \
    __attribute__((noinline, used)) static type function(type value, const void *powers_memory,            \
                                                         const uint8_t *blocks, size_t iterations)         \
    {                                                                                                      \
        const loop_powers *powers = powers_memory;                                                         \
        for (; iterations != 0; iterations--, blocks += (advance)) {                                       \
            MARK("BEGIN " name);                                                                           \
            statement;                                                                                     \
            MARK("END");                                                                                   \
        }                                                                                                  \
        return value;                                                                                      \
    }

#ifdef HORNET_VMSL_LANES
typedef vmsl_powers loop_powers;
LOOP(loop_step_1, "step 1", fe, value = vmsl_step(value, blocks, powers->even, 1), SUMMED_GROUP_BYTES)
#elif defined HORNET_POLY1305_HORNER_SERIAL_KERNEL_H
typedef scalar_r loop_powers;
LOOP(loop_block, "block", scalar_fe,
     value = scalar_fe_mul_add(value, *powers, load_le64(blocks), load_le64(blocks + 8), 1), 16)
#else
typedef evaluation_powers loop_powers;
LOOP(loop_step_1, "step 1", fe, value = evaluation_step(value, powers, blocks, 1), GROUP_BYTES)
LOOP(loop_step_2, "step 2", fe, value = evaluation_step(value, powers, blocks, 2), 2 * GROUP_BYTES)
LOOP(loop_step_4, "step 4", fe, value = evaluation_step(value, powers, blocks, 4), 4 * GROUP_BYTES)

HORNET_INLINE long_sum add_group(long_sum sum, const evaluation_powers *powers, const uint8_t *blocks)
{
    vec lo, hi;
    vec_load_blocks(blocks, &lo, &hi);
    return long_sum_add_blocks(sum, lo, hi, table_vector(powers->table, 0), table_block(0));
}

LOOP(loop_long_group, "long group", long_sum, value = add_group(value, powers, blocks), GROUP_BYTES)
#endif

#include "../../src/core/target_end.h"
