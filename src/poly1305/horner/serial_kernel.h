/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Horner's rule over a scalar field, one block after another, h <- (h + c) * r, and the functions of a
 * kernel that uses nothing else. Bernstein, "The Poly1305-AES message-authentication code", section 2. */
#ifndef HORNET_POLY1305_HORNER_SERIAL_KERNEL_H
#define HORNET_POLY1305_HORNER_SERIAL_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "../../core/stack_wipe.h"
#include "../../core/words.h"
#include "../padding.h"
#include "../scalar_field.h"
#include "../state.h"
#include "../tag.h"

/* SCALAR_MANY_WORDS says that too many words remain on the stack for the small functions of
 * core/stack_wipe.h.
 */
#ifdef SCALAR_MANY_WORDS
#define SERIAL_FUNCTION         HORNET_NOINLINE
#define SERIAL_CLEAR_STACK(end) clear_stack_and_registers(end)
#define SERIAL_STACK_END()      stack_end(STACK_BELOW_BYTES)
#else
#define SERIAL_FUNCTION         HORNET_SMALL
#define SERIAL_CLEAR_STACK(end) clear_small_stack_of_words(end)
#define SERIAL_STACK_END()      small_stack_end()
#endif

/* Lengths known in advance, for which less code is compiled. */
enum serial_length {
    SERIAL_ONE,          /* 1 to 16 bytes */
    SERIAL_ONE_AND_PART, /* 17 to 31 */
    SERIAL_MORE,         /* 32 and more */
    SERIAL_ANY           /* 1 and more, for fields in which every element is small */
};

/* Does the same as load_first_block. */
HORNET_INLINE void load_first_of(enum serial_length length, uint64_t words[3], const uint8_t *msg,
                                 size_t len_bytes)
{
    if (length == SERIAL_MORE && len_bytes < 32)
        __builtin_unreachable(); /* saves 40 instructions of code, and 10 of a call */
    load_first_block(words, msg, len_bytes);
}

/* Evaluates msg[0 .. len_bytes). h is small and already includes the first block. `length` is a
 * constant. */
HORNET_INLINE scalar_fe serial_value(enum serial_length length, scalar_fe h, scalar_r r, const uint8_t *msg,
                                     size_t len_bytes)
{
    uint64_t lo, hi;
    if (length == SERIAL_ANY) {
        for (; len_bytes >= 32; len_bytes -= 16) {
            msg += 16;
            h = scalar_fe_mul_add_block(h, r, msg);
        }
        if (len_bytes > 16) {
            load_partial_block_after(&lo, &hi, msg + 16, len_bytes - 16);
            h = scalar_fe_mul_add(h, r, lo, hi, 0);
        }
        return scalar_fe_mul(h, r);
    }
    if (length == SERIAL_ONE)
        return scalar_small_mul(h, r);
    if (length == SERIAL_ONE_AND_PART) {
        load_partial_block_after(&lo, &hi, msg + 16, len_bytes - 16);
        return scalar_fe_mul(scalar_small_mul_add(h, r, lo, hi, 0), r);
    }
    h = scalar_small_mul_add_block(h, r, msg + 16);
    msg += 32;
    len_bytes -= 32;
    const uint8_t *const end = msg + len_bytes / 16 * 16; /* gcc 12 would compute as much from a count */
    if (HORNET_ONLY_ALIGNED_LOADS && (uintptr_t)msg % 8 == 0) { /* two instructions instead of 44 */
        for (; msg != end; msg += 16)
            h = scalar_fe_mul_add_block(h, r, __builtin_assume_aligned(msg, 8));
    }
    for (; msg != end; msg += 16)
        h = scalar_fe_mul_add_block(h, r, msg);
    if (len_bytes % 16 != 0) {
        load_partial_block_after(&lo, &hi, end, len_bytes % 16);
        h = scalar_fe_mul_add(h, r, lo, hi, 0);
    }
    return scalar_fe_mul(h, r);
}

#define serial_absorb HORNET_KERNEL_NAME(poly1305, serial_absorb)
SERIAL_FUNCTION uintptr_t serial_absorb(enum serial_length length, struct poly1305 *state,
                                        const uint8_t *msg, size_t len_bytes)
{
    uint64_t first[3];
    load_first_of(length, first, msg, len_bytes);
    add_words(first, state->h[0], state->h[1], state->h[2]);
    scalar_fe_to_words(
        state->h,
        serial_value(length, scalar_fe_from_words(first), scalar_r_from_words(state->r), msg, len_bytes),
        0);
    return SERIAL_STACK_END();
}

/* Computes the tag in registers, from the first load on; len_bytes >= 1. */
#define serial_mac HORNET_KERNEL_NAME(poly1305, serial_mac)
SERIAL_FUNCTION uintptr_t serial_mac(enum serial_length length, uint8_t tag[16], const uint8_t *msg,
                                     size_t len_bytes, const uint8_t key[32])
{
    uint64_t r[2], s[2], h[3];
    load_r(r, key);
    load_first_of(length, h, msg, len_bytes);
    scalar_fe_to_words(
        h, serial_value(length, scalar_fe_from_words(h), scalar_r_from_words(r), msg, len_bytes), 5);
    load_s(s, key);
    store_tag(tag, tag_of_value_and_5(h, s));
    return SERIAL_STACK_END();
}

/* Writes the tag of an empty message. */
#define tag_of_nothing HORNET_KERNEL_NAME(poly1305, tag_of_nothing)
SERIAL_FUNCTION uintptr_t tag_of_nothing(uint8_t tag[16], const uint8_t key[32])
{
    uint64_t s[2];
    load_s(s, key);
    HORNET_VALUE_BARRIER("r", s[0]); /* not in vector registers */
    HORNET_VALUE_BARRIER("r", s[1]);
    store_tag(tag, (struct tag_words){s[0], s[1]});
    return SERIAL_STACK_END();
}

#define kernel_absorb HORNET_KERNEL_NAME(poly1305, kernel_absorb)
#define kernel_mac    HORNET_KERNEL_NAME(poly1305, kernel_mac)
#ifdef SCALAR_MANY_WORDS
static void kernel_absorb(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    SERIAL_CLEAR_STACK(serial_absorb(SERIAL_ANY, state, msg, len_bytes));
}

static void kernel_mac(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])
{
    if (len_bytes != 0)
        SERIAL_CLEAR_STACK(serial_mac(SERIAL_ANY, tag, msg, len_bytes, key));
    else
        SERIAL_CLEAR_STACK(tag_of_nothing(tag, key));
}
#else
/* Each path to a value or a tag is a separate function, called in tail position, so that a short message
 * does not save the registers that another path needs. */

#define absorb_blocks HORNET_KERNEL_NAME(poly1305, absorb_blocks)
HORNET_ALIGNED HORNET_NOINLINE void absorb_blocks(struct poly1305 *state, const uint8_t *msg,
                                                  size_t len_bytes)
{
    SERIAL_CLEAR_STACK(serial_absorb(SERIAL_MORE, state, msg, len_bytes));
    clear_red_zone();
}

static void kernel_absorb(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    if (len_bytes >= 32) {
        absorb_blocks(state, msg, len_bytes);
    } else {
        if (len_bytes > 16)
            SERIAL_CLEAR_STACK(serial_absorb(SERIAL_ONE_AND_PART, state, msg, len_bytes));
        else
            SERIAL_CLEAR_STACK(serial_absorb(SERIAL_ONE, state, msg, len_bytes));
        clear_red_zone();
    }
}

#define mac_of_blocks HORNET_KERNEL_NAME(poly1305, mac_of_blocks)
HORNET_ALIGNED HORNET_NOINLINE void mac_of_blocks(uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                                                  const uint8_t key[32])
{
    SERIAL_CLEAR_STACK(serial_mac(SERIAL_MORE, tag, msg, len_bytes, key));
    clear_red_zone();
}

#define mac_of_block_and_part HORNET_KERNEL_NAME(poly1305, mac_of_block_and_part)
HORNET_ALIGNED HORNET_NOINLINE void mac_of_block_and_part(uint8_t tag[16], const uint8_t *msg,
                                                          size_t len_bytes, const uint8_t key[32])
{
    SERIAL_CLEAR_STACK(serial_mac(SERIAL_ONE_AND_PART, tag, msg, len_bytes, key));
    clear_red_zone();
}

#define mac_of_part HORNET_KERNEL_NAME(poly1305, mac_of_part)
HORNET_ALIGNED HORNET_NOINLINE void mac_of_part(uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                                                const uint8_t key[32])
{
    if (len_bytes < 16) /* always true: tells the compiler that no block is full, which saves registers */
        SERIAL_CLEAR_STACK(serial_mac(SERIAL_ONE, tag, msg, len_bytes, key));
}

static void kernel_mac(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])
{
    if (len_bytes >= 32)
        mac_of_blocks(tag, msg, len_bytes, key);
    else if (len_bytes > 16)
        mac_of_block_and_part(tag, msg, len_bytes, key);
    else if (len_bytes == 16)
        SERIAL_CLEAR_STACK(serial_mac(SERIAL_ONE, tag, msg, 16, key));
    else if (len_bytes != 0)
        mac_of_part(tag, msg, len_bytes, key);
    else
        SERIAL_CLEAR_STACK(tag_of_nothing(tag, key));
}
#endif

#endif
