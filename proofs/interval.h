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

/* min <= value <= max in every lane. */
typedef struct {
    uint64_t min, max;
} vec;

static unsigned long bounds_checked, bounds_broken;

static inline void bound(int holds, const char *what, uint64_t value)
{
    bounds_checked++;
    if (!holds && bounds_broken++ < 5)
        printf("BROKEN: %s: up to 0x%llx\n", what, (unsigned long long)value);
}

#define VEC_CHECK_MAX(v, limit) bound((v).max <= (limit), #v " <= " #limit, (v).max)

static inline vec vec_splat(uint64_t value) { return (vec){value, value}; }

static inline vec vec_any(uint64_t min, uint64_t max) { return (vec){min, max}; }

static inline vec vec_add(vec a, vec b)
{
    bound(a.max <= UINT64_MAX - b.max, "a 64-bit sum wraps", a.max);
    return (vec){a.min + b.min, a.max + b.max};
}

/* All ones from the highest one of x down. */
static inline uint64_t smear(uint64_t x)
{
    for (int shift = 1; shift < 64; shift *= 2)
        x |= x >> shift;
    return x;
}

static inline vec vec_and(vec a, vec b)
{
    if (b.min == b.max && b.max == smear(b.max) && a.max <= b.max)
        return a; /* a mask that cuts nothing */
    return (vec){0, a.max < b.max ? a.max : b.max};
}

static inline vec vec_or(vec a, vec b)
{
    return (vec){a.min > b.min ? a.min : b.min, smear(a.max | b.max)};
}

/* Bits may be lost here; then the result can be anything, and a sum with it is refused. */
static inline vec vec_shl(vec a, int bits)
{
    if (a.max > UINT64_MAX >> bits)
        return (vec){0, UINT64_MAX};
    return (vec){a.min << bits, a.max << bits};
}

static inline vec vec_shr(vec a, int bits) { return (vec){a.min >> bits, a.max >> bits}; }

static inline vec vec_mul32(vec a, vec b)
{
    bound(a.max <= UINT32_MAX, "an operand of a 32-bit multiplication is cut", a.max);
    bound(b.max <= UINT32_MAX, "an operand of a 32-bit multiplication is cut", b.max);
    return (vec){(uint64_t)(uint32_t)a.min * (uint32_t)b.min, (uint64_t)(uint32_t)a.max * (uint32_t)b.max};
}

static inline vec vec_opaque(vec a) { return a; }

static inline vec vec_first(vec a) { return a; }

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
    bound(a.max <= (UINT64_MAX >> 1) / LANES, "the sum of the lanes is 2^63 or more", a.max);
    return a.max * LANES;
}

static inline void vec_load_blocks(const uint8_t *blocks, vec *lo, vec *hi)
{
    (void)blocks;
    *lo = *hi = (vec){0, UINT64_MAX};
}

#endif
