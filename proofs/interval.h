/* Lanes that hold, instead of values, the range in which the values of all lanes lie for all inputs.
 *
 * Run over them, the field code of the library computes its own bounds, and every operation checks that
 * it does what the mathematics says: no sum wraps, no multiplier gets an operand that it would cut.
 * The operations are defined in src/lanes/portable.h. LANES must be defined. */
#ifndef HORNET_PROOFS_INTERVAL_H
#define HORNET_PROOFS_INTERVAL_H

#include <stdint.h>
#include <stdio.h>

#include "words.h"

__extension__ typedef __int128 integer;

/* min <= value <= max in every lane. A difference may be negative: additions, subtractions and shifts to
 * the left are exact modulo 2^64, so it is enough that the result is not when something else is done with
 * it. */
typedef struct {
    integer min, max;
} vec;

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

/* All ones from the highest one of x down. */
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
        return a; /* a mask that cuts nothing */
    return (vec){0, a.max < b.max ? a.max : b.max};
}

static inline vec vec_or(vec a, vec b)
{
    bound(a.min >= 0 && b.min >= 0, "an operand of or is negative", a);
    return (vec){a.min > b.min ? a.min : b.min, smear(a.max | b.max)};
}

/* Bits may be lost here; then the result can be anything, and a sum with it is refused. */
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

static inline vec vec_shr_pair(vec lo, vec hi, int bits)
{
    (void)lo, (void)hi, (void)bits;
    return (vec){0, WORD_MAX};
}

static inline void bound_operand(vec a, int bits)
{
    bound(a.min >= 0 && a.max < (integer)1 << bits, "an operand of a multiplication is cut", a);
}

static inline vec vec_mul32(vec a, vec b)
{
    bound_operand(a, 32);
    bound_operand(b, 32);
    return (vec){a.min * b.min, a.max * b.max};
}

static inline vec vec_madd52lo(vec sum, vec a, vec b)
{
    const integer largest = ((integer)1 << 52) - 1, product = a.max * b.max;
    bound_operand(a, 52);
    bound_operand(b, 52);
    return vec_add(sum, (vec){0, product < largest ? product : largest});
}

static inline vec vec_madd52hi(vec sum, vec a, vec b)
{
    bound_operand(a, 52);
    bound_operand(b, 52);
    return vec_add(sum, (vec){a.min * b.min >> 52, a.max * b.max >> 52});
}

static inline vec vec_opaque(vec a) { return a; }

static inline vec vec_first(vec a) { return a; }

static inline vec vec_block(const vec *v, size_t block)
{
    (void)block;
    return *v;
}

/* Any value up to this one. */
static inline vec vec_only_first(uint64_t value) { return (vec){0, value}; }

static inline vec vec_union(vec a, vec b)
{
    return (vec){a.min < b.min ? a.min : b.min, a.max > b.max ? a.max : b.max};
}

static inline vec vec_blend(int bit, vec even, vec odd)
{
    (void)bit;
    return vec_union(even, odd);
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

static inline void vec_load_each(const uint8_t *const blocks[LANES], size_t offset, vec *lo, vec *hi)
{
    (void)blocks, (void)offset;
    *lo = *hi = (vec){0, WORD_MAX};
}

static inline void vec_store_blocks(uint8_t *blocks, vec lo, vec hi) { (void)blocks, (void)lo, (void)hi; }

#endif
