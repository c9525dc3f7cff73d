/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lanes in plain C that count their operations, each as one regardless of the number of lanes. A
 * kernel's own file is compiled over them, with HORNET_LANES_HOOK, and PORTABLE_LANES as the number.
 *
 * The operations are those of src/poly1305/lanes/portable.h. A macro with the name of each operation
 * counts and calls the function of that name, so the kernel's names for them are undefined first. */
#ifndef LANES

#undef vec_add
#undef vec_sub
#undef vec_and
#undef vec_or
#undef vec_shl
#undef vec_shr
#undef vec_mul32
#undef vec_madd52lo
#undef vec_madd52hi
#undef vec_shr44_pair
#undef vec_load_blocks
#undef factor_add
#undef factor_shl
#undef factor_from_high32
#undef factor_blend

#include "../../../src/poly1305/lanes/portable.h"

enum counted_operation {
    MUL32,
    MADD52,
    ADD,
    SHIFT,
    LOGIC,
    PERMUTE32,
    PERMUTE64,
    UNPACK,
    BLEND,
    SET,
    LOAD,
    PACKING, /* of a piece that fills no group: horner/packed.h */
    COUNTED_OPERATIONS
};

static unsigned long operations_counted[COUNTED_OPERATIONS];

#define COUNT_OPERATION(kind) ((void)operations_counted[kind]++)

#define vec_add(a, b)            (COUNT_OPERATION(ADD), vec_add(a, b))
#define vec_sub(a, b)            (COUNT_OPERATION(ADD), vec_sub(a, b))
#define vec_and(a, b)            (COUNT_OPERATION(LOGIC), vec_and(a, b))
#define vec_or(a, b)             (COUNT_OPERATION(LOGIC), vec_or(a, b))
#define vec_shl(a, bits)         (COUNT_OPERATION(SHIFT), vec_shl(a, bits))
#define vec_shr(a, bits)         (COUNT_OPERATION(SHIFT), vec_shr(a, bits))
#define vec_mul32(a, b)          (COUNT_OPERATION(MUL32), vec_mul32(a, b))
#define vec_madd52lo(sum, a, b)  (COUNT_OPERATION(MADD52), vec_madd52lo(sum, a, b))
#define vec_madd52hi(sum, a, b)  (COUNT_OPERATION(MADD52), vec_madd52hi(sum, a, b))
#define vec_shr44_pair(lo, hi)   (COUNT_OPERATION(SHIFT), vec_shr44_pair(lo, hi))
#define vec_load_blocks(b, l, h) (COUNT_OPERATION(LOAD), vec_load_blocks(b, l, h))
#define factor_add(a, b)         (COUNT_OPERATION(ADD), factor_add(a, b))
#define factor_shl(a, bits)      (COUNT_OPERATION(SHIFT), factor_shl(a, bits))
#define factor_from_high32(a)    (COUNT_OPERATION(SHIFT), factor_from_high32(a))
#define factor_blend(bit, a, b)  (COUNT_OPERATION(BLEND), factor_blend(bit, a, b))

#endif
