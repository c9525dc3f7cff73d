/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Partial evaluations of a message: their values, and the tag of the whole.
 *
 * The powers of r that combine them are not clamped, but the scalar fields need a clamped multiplier. So
 * this file uses the vector field, over one lane in plain C: some 50 multiplications of 10 ns for a
 * gigabyte. */
#include "../core/public.h"
#include "../core/stack_wipe.h"
#include "../core/wipe.h"
#include "kernel.h"

#define PORTABLE_LANES 1
#include "lanes/portable.h"

#include "field/radix26.h"

#include "horner/combine.h"

/* Stored in the caller's hornet_poly1305_partial, which is an array of words; hence may_alias. */
struct __attribute__((may_alias)) partial {
    uint64_t h[3]; /* the value, partly reduced: h[2] <= HORNET_H2_MAX */
    uint64_t len_bytes;
};

_Static_assert(sizeof(struct partial) == sizeof(hornet_poly1305_partial), "a partial must fit");

HORNET_INLINE fe fe_from_r(const uint8_t r[16])
{
    const uint64_t words[3] = {load_le64(r), load_le64(r + 8), 0};
    return fe_from_three_words(words);
}

HORNET_INLINE uint64_t blocks_of(uint64_t len_bytes) { return len_bytes / 16 + (len_bytes % 16 != 0); }

/* Sets *shift to r^n, where n is the number of blocks in len_bytes. */
HORNET_NOINLINE uintptr_t raise(fe *shift, uint64_t len_bytes, const uint8_t r[16])
{
    *shift = fe_power(fe_from_r(r), blocks_of(len_bytes));
    return stack_end(KERNEL_CALLEES_BYTES);
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED_VOID(hornet_poly1305_partial_evaluate,
                    (struct partial * partial, const void *msg, size_t len_bytes, const uint8_t r[16],
                     uint32_t in_use),
                    (partial, msg, len_bytes, r, in_use))
{
    struct poly1305 p = {.r = {load_le64(r), load_le64(r + 8)}};
    hornet_poly1305_absorb(&p, msg, len_bytes, in_use);
    copy_stored_words(partial->h, p.h, 3);
    partial->len_bytes = len_bytes;
    wipe(&p, sizeof p);
}

bool hornet_poly1305_partial_compute(hornet_poly1305_partial *result, const void *msg, size_t len_bytes,
                                     const uint8_t r[16])
{
    struct partial *partial = (struct partial *)result;
    if (!hornet_poly1305_r_is_clamped(r)) {
        wipe(partial, sizeof *partial);
        return false;
    }
    hornet_poly1305_partial_evaluate(partial, msg, len_bytes, r, hornet_poly1305_entries_in_use());
    return true;
}

HORNET_NOINLINE uintptr_t zeros(struct partial *partial, uint64_t len_bytes, const uint8_t r[16])
{
    const unsigned last_bytes = len_bytes % 16;
    uint64_t excess[3] = {0, 0, 0};
    if (last_bytes != 0) {
        /* The last block is 2^(8 last_bytes), which is 2^128 and, modulo p, 3 2^128 + 2^(8 last_bytes) - 5.
         */
        excess[last_bytes / 8] = UINT64_C(1) << last_bytes % 8 * 8;
        excess[1] -= excess[0] < 5;
        excess[0] -= 5;
        excess[2] = 3;
    }
    wide_sum_to_words(partial->h, zeros_value(fe_from_r(r), blocks_of(len_bytes), excess), 0);
    partial->len_bytes = len_bytes;
    return stack_end(KERNEL_CALLEES_BYTES);
}

bool hornet_poly1305_partial_zeros(hornet_poly1305_partial *result, uint64_t len_bytes, const uint8_t r[16])
{
    struct partial *partial = (struct partial *)result;
    if (!hornet_poly1305_r_is_clamped(r)) {
        wipe(partial, sizeof *partial);
        return false;
    }
    clear_stack_and_registers(zeros(partial, len_bytes, r));
    return true;
}

bool hornet_poly1305_partial_segments(hornet_poly1305_partial results[], size_t segment_bytes,
                                      const void *msg, size_t len_bytes, const uint8_t r[16])
{
    if (segment_bytes == 0 || segment_bytes % 16 != 0)
        return false;
    struct partial *partials = (struct partial *)results;
    if (!hornet_poly1305_r_is_clamped(r)) {
        const size_t count = len_bytes / segment_bytes + (len_bytes % segment_bytes != 0);
        wipe(partials, count * sizeof *partials);
        return false;
    }
    const uint32_t in_use = hornet_poly1305_entries_in_use();
    const uint8_t *bytes = msg;
    for (size_t i = 0; len_bytes != 0; i++) {
        const size_t n = len_bytes < segment_bytes ? len_bytes : segment_bytes;
        hornet_poly1305_partial_evaluate(&partials[i], bytes, n, r, in_use);
        bytes += n;
        len_bytes -= n;
    }
    return true;
}

/* Appends one segment or more. A power of r serves all that follow with as many blocks. */
HORNET_NOINLINE uintptr_t join(struct partial *whole, const struct partial *segments, size_t count,
                               const uint8_t r[16])
{
    struct partial all = *whole;
    fe value = fe_from_three_words(all.h), shift;
    uintptr_t end = UINTPTR_MAX;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || blocks_of(segments[i].len_bytes) != blocks_of(segments[i - 1].len_bytes))
            end = lower_end(end, raise(&shift, segments[i].len_bytes, r));
        value = fe_carry(combine(value, fe_from_three_words(segments[i].h), shift));
        all.len_bytes += segments[i].len_bytes;
    }
    wide_sum_to_words(all.h, wide_from(value), 0);
    *whole = all;
    return lower_end(end, stack_end(KERNEL_CALLEES_BYTES));
}

bool hornet_poly1305_partial_join(hornet_poly1305_partial *left, const hornet_poly1305_partial segments[],
                                  size_t count, const uint8_t r[16])
{
    struct partial *whole = (struct partial *)left;
    const struct partial *appended = (const struct partial *)segments;
    if (!hornet_poly1305_r_is_clamped(r))
        return false;
    uint64_t len_bytes = whole->len_bytes;
    for (size_t i = 0; i < count; i++) {
        if (appended[i].len_bytes > UINT64_MAX - len_bytes ||
            (len_bytes % 16 != 0 && appended[i].len_bytes != 0))
            return false;
        len_bytes += appended[i].len_bytes;
    }
    if (count != 0)
        clear_stack_and_registers(join(whole, appended, count, r));
    return true;
}

bool hornet_poly1305_partial_append(hornet_poly1305_partial *left, const hornet_poly1305_partial *right,
                                    const uint8_t r[16])
{
    return hornet_poly1305_partial_join(left, right, 1, r);
}

HORNET_NOINLINE uintptr_t replace(struct partial *all, const struct partial *old, const struct partial *new,
                                  uint64_t bytes_after, const uint8_t r[16])
{
    fe shift;
    const uintptr_t end = raise(&shift, bytes_after, r);
    wide_sum_to_words(all->h,
                      replace_segment(fe_from_three_words(all->h), fe_from_three_words(old->h),
                                      fe_from_three_words(new->h), shift),
                      0);
    return lower_end(end, stack_end(KERNEL_CALLEES_BYTES));
}

bool hornet_poly1305_partial_replace(hornet_poly1305_partial *whole,
                                     const hornet_poly1305_partial *replaced,
                                     const hornet_poly1305_partial *replacement, uint64_t bytes_after,
                                     const uint8_t r[16])
{
    struct partial *all = (struct partial *)whole;
    const struct partial *old = (const struct partial *)replaced;
    const struct partial *new = (const struct partial *)replacement;
    if (!hornet_poly1305_r_is_clamped(r) || old->len_bytes != new->len_bytes ||
        old->len_bytes > all->len_bytes || bytes_after > all->len_bytes - old->len_bytes)
        return false;
    const uint64_t bytes_before = all->len_bytes - old->len_bytes - bytes_after;
    if (bytes_before % 16 != 0 || (old->len_bytes % 16 != 0 && bytes_after != 0))
        return false;
    clear_stack_and_registers(replace(all, old, new, bytes_after, r));
    return true;
}

uint64_t hornet_poly1305_partial_len_bytes(const hornet_poly1305_partial *partial)
{
    return ((const struct partial *)partial)->len_bytes;
}

/* Makes a live state at the end of a message of which only the value is left. */
HORNET_INLINE void load_value(hornet_poly1305_state *state, const hornet_poly1305_partial *partial,
                              const uint8_t pad[16])
{
    uint8_t key[32] = {0};
    memcpy(key + 16, pad, 16);
    hornet_poly1305_init(state, key);
    memcpy(((struct poly1305_streaming *)state)->value.h, ((const struct partial *)partial)->h,
           sizeof((struct partial *)0)->h);
    wipe(key, sizeof key);
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED_VOID(hornet_poly1305_partial_tag,
                    (uint8_t tag[16], const hornet_poly1305_partial *partial, const uint8_t pad[16]),
                    (tag, partial, pad))
{
    hornet_poly1305_state state;
    load_value(&state, partial, pad);
    hornet_poly1305_final(&state, tag);
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED(bool, hornet_poly1305_partial_verify,
               (const uint8_t tag[16], const hornet_poly1305_partial *partial, const uint8_t pad[16]),
               (tag, partial, pad))
{
    hornet_poly1305_state state;
    load_value(&state, partial, pad);
    return hornet_poly1305_final_verify(&state, tag);
}
