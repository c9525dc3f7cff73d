/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Lanes that hold ranges instead of values: the range that contains the values of all lanes for all inputs.
 *
 * Run over these lanes, the field code of the library computes its own bounds, and every operation checks
 * that it agrees with the mathematics: no sum wraps, and no multiplier gets an operand that it would
 * truncate. src/poly1305/lanes.h specifies the operations. INTERVAL_LANES is the number of lanes;
 * INTERVAL_MULTIPLY_BLOCK and INTERVAL_CUT_26 say that the kernel's own lanes have these operations. */
#ifndef LANES

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Faster to compile. */
#undef KERNEL_INLINE
#define KERNEL_INLINE HORNET_NOINLINE

#define LANES INTERVAL_LANES
#define LANES_FACTOR
#define LANES_MULTIPLY_32
#define LANES_MULTIPLY_52

__extension__ typedef __int128 integer;

/* min <= value <= max in every lane. A difference may be negative: additions, subtractions and left shifts
 * are exact modulo 2^64, so only the operands of other operations must not be negative. */
typedef struct {
    integer min, max;
} vec;

/* A factor is never negative and fits into the field's FACTOR_BITS bits. */
typedef struct {
    vec range;
} factor;

#define WORD_MAX ((integer)UINT64_MAX)

static unsigned long bounds_checked, bounds_broken;

static inline void bound(int holds, const char *what, vec v)
{
    bounds_checked++;
    if (!holds && bounds_broken++ < 5)
        printf("BROKEN: %s: %s0x%llx to 0x%llx\n", what, v.min < 0 ? "-" : "",
               (unsigned long long)(v.min < 0 ? -v.min : v.min), (unsigned long long)v.max);
}

#define VEC_CHECK_MAX(v, limit) bound((v).min >= 0 && (v).max <= (integer)(limit), #v " <= " #limit, v)

/* Set to the field's FACTOR_BITS. */
static int interval_factor_bits;

static inline vec vec_splat(uint64_t value) { return (vec){value, value}; }
static inline vec vec_any(uint64_t min, uint64_t max) { return (vec){min, max}; }

static inline vec vec_add(vec a, vec b)
{
    const vec sum = {a.min + b.min, a.max + b.max};
    bound(sum.max <= WORD_MAX && sum.min >= -(WORD_MAX >> 1), "a 64-bit sum wraps", sum);
    return sum;
}

static inline vec vec_sub(vec a, vec b)
{
    const vec difference = {a.min - b.max, a.max - b.min};
    bound(difference.min >= -(WORD_MAX >> 1), "a difference below -2^63", difference);
    return difference;
}

/* Sets all bits below the highest bit of x that is set. */
static inline integer smear(integer x)
{
    for (int shift = 1; shift < 64; shift *= 2)
        x |= x >> shift;
    return x;
}

static inline vec vec_and(vec a, vec b)
{
    bound(a.min >= 0 && b.min >= 0, "an operand of and is negative", a);
    if (b.min == b.max && b.max == smear(b.max) && a.max <= b.max)
        return a; /* a mask that clears no bit */
    return (vec){0, a.max < b.max ? a.max : b.max};
}

static inline vec vec_or(vec a, vec b)
{
    bound(a.min >= 0 && b.min >= 0, "an operand of or is negative", a);
    return (vec){a.min > b.min ? a.min : b.min, smear(a.max | b.max)};
}

/* If bits may be lost here, the result can be anything, and a sum with it is rejected. */
static inline vec vec_shl(vec a, int bits)
{
    if (a.max > WORD_MAX >> bits || a.min < -(WORD_MAX >> 1 >> bits))
        return (vec){0, WORD_MAX};
    return (vec){a.min * ((integer)1 << bits), a.max * ((integer)1 << bits)};
}

static inline vec vec_shr(vec a, int bits)
{
    bound(a.min >= 0, "a negative number is shifted to the right", a);
    return (vec){a.min >> bits, a.max >> bits};
}

static inline vec vec_shr44_pair(vec lo, vec hi)
{
    (void)lo, (void)hi;
    return (vec){0, WORD_MAX};
}

static inline vec vec_barrier(vec a) { return a; }

static inline factor factor_from(vec a)
{
    bound(a.min >= 0 && a.max < (integer)1 << interval_factor_bits, "a number is no factor", a);
    return (factor){a};
}

static inline factor factor_from_low32(vec a)
{
    return factor_from(a.min >= 0 && a.max <= UINT32_MAX ? a : (vec){0, UINT32_MAX});
}

static inline factor factor_from_high32(vec a) { return factor_from(vec_shr(a, 32)); }

static inline vec vec_from(factor a) { return a.range; }
static inline factor factor_splat(uint64_t value) { return factor_from(vec_splat(value)); }
static inline factor factor_add(factor a, factor b) { return factor_from(vec_add(a.range, b.range)); }
static inline factor factor_shl(factor a, int bits) { return factor_from(vec_shl(a.range, bits)); }
static inline factor factor_barrier(factor a) { return a; }
static inline factor factor_in_order(factor a) { return a; }
static inline uint64_t factor_word(factor a) { return (uint64_t)a.range.max; }
static inline factor factor_first(factor a) { return a; }

static inline factor factor_block(const factor *a, size_t block)
{
    (void)block;
    return *a;
}

static inline vec vec_union(vec a, vec b)
{
    return (vec){a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max};
}

static inline factor factor_union(factor a, factor b) { return (factor){vec_union(a.range, b.range)}; }

static inline factor factor_blend(int bit, factor even, factor odd)
{
    (void)bit;
    return factor_union(even, odd);
}

static inline void bound_operand(factor a, int bits)
{
    bound(a.range.max < (integer)1 << bits, "an operand of a multiplication is cut", a.range);
}

static inline vec vec_mul32(factor a, factor b)
{
    bound_operand(a, 32);
    bound_operand(b, 32);
    return (vec){a.range.min * b.range.min, a.range.max * b.range.max};
}

#if INTERVAL_MULTIPLY_BLOCK
#define LANES_MULTIPLY_BLOCK
static inline vec vec_mul_add32_block(vec sum, factor a, factor b, int block)
{
    (void)block;
    return vec_add(sum, vec_mul32(a, b));
}
#endif

static inline vec vec_madd52lo(vec sum, factor a, factor b)
{
    const integer largest = ((integer)1 << 52) - 1, product = a.range.max * b.range.max;
    bound_operand(a, 52);
    bound_operand(b, 52);
    return vec_add(sum, (vec){0, product < largest ? product : largest});
}

static inline vec vec_madd52hi(vec sum, factor a, factor b)
{
    bound_operand(a, 52);
    bound_operand(b, 52);
    return vec_add(sum, (vec){a.range.min * b.range.min >> 52, a.range.max * b.range.max >> 52});
}

/* Any value up to this one. */
static inline vec vec_only_block(size_t block, uint64_t value)
{
    (void)block;
    return (vec){0, value};
}

/* The largest sum, which must leave room for a carry. */
static inline uint64_t vec_sum(vec a)
{
    bound(a.min >= 0 && a.max <= (WORD_MAX >> 1) / LANES, "the sum of the lanes is 2^63 or more", a);
    return (uint64_t)(a.max * LANES);
}

static inline void vec_load_blocks(const uint8_t *blocks, vec *lo, vec *hi)
{
    (void)blocks;
    *lo = *hi = (vec){0, WORD_MAX};
}

#if INTERVAL_CUT_26
#define LANES_CUT_26
static inline void factor_load_26(const uint8_t *blocks, factor limb[5])
{
    (void)blocks;
    for (int i = 0; i < 5; i++)
        limb[i] = (factor){{0, (1 << (i < 4 ? 26 : 24)) - 1}};
}
#endif

static inline void vec_load_first_blocks(const uint8_t *first, size_t absent, vec *lo, vec *hi, vec *top)
{
    (void)absent;
    vec_load_blocks(first, lo, hi);
    *top = (vec){0, 1};
}

static inline void vec_load_last_blocks(const uint8_t *blocks, const uint64_t *last, vec *lo, vec *hi,
                                        vec *top)
{
    (void)last;
    vec_load_first_blocks(blocks, 0, lo, hi, top);
}

static inline void vec_load_each(const uint8_t *const *blocks, size_t offset, vec *lo, vec *hi)
{
    (void)blocks, (void)offset;
    *lo = *hi = (vec){0, WORD_MAX};
}

static inline void vec_load_rows(const uint8_t *rows, vec words[4])
{
    (void)rows;
    for (int j = 0; j < 4; j++)
        words[j] = (vec){0, WORD_MAX};
}

static inline void vec_store_blocks(uint8_t *blocks, vec lo, vec hi) { (void)blocks, (void)lo, (void)hi; }

#endif
