/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The functions of a kernel whose evaluation is serial. */
#ifndef HORNET_POLY1305_HORNER_SERIAL_KERNEL_H
#define HORNET_POLY1305_HORNER_SERIAL_KERNEL_H

#include "../../core/residue.h"
#include "../padding.h"
#include "../tag.h"
#include "serial.h"

/* Whether what is left on the stack is few enough words, as core/residue.h has it. */
#ifdef SCALAR_MANY_WORDS
#define SERIAL_FUNCTION         HORNET_NOINLINE
#define SERIAL_CLEAR_STACK(end) clear_stack_and_registers(end)
#define SERIAL_STACK_END()      stack_end(STACK_BELOW_BYTES)
#else
#define SERIAL_FUNCTION         HORNET_SMALL
#define SERIAL_CLEAR_STACK(end) clear_small_stack(end)
#define SERIAL_STACK_END()      small_stack_end()
#endif

/* The first block of msg[0 .. len_bytes), len_bytes >= 1, with its 1 appended: three words. */
HORNET_INLINE void load_first_block(uint64_t words[3], const uint8_t *msg, size_t len_bytes)
{
    words[2] = len_bytes >= 16;
    if (words[2] == 0) {
        load_partial_block(&words[0], &words[1], msg, len_bytes);
    } else {
        words[0] = load_le64(msg);
        words[1] = load_le64(msg + 8);
    }
}

/* The evaluation over msg[0 .. len_bytes) where h has the first block added already: multiplies, and adds
 * the next block in the same step. */
HORNET_INLINE scalar_fe serial_after_first(scalar_fe h, scalar_r r, const uint8_t *msg, size_t len_bytes)
{
    if (len_bytes > 16) {
        for (; len_bytes >= 32; len_bytes -= 16) {
            msg += 16;
            h = scalar_fe_mul_add(h, r, load_le64(msg), load_le64(msg + 8), 1);
        }
        if (len_bytes != 16) {
            uint64_t lo, hi;
            load_partial_block_after(&lo, &hi, msg + 16, len_bytes - 16);
            h = scalar_fe_mul_add(h, r, lo, hi, 0);
        }
    }
    return scalar_fe_mul(h, r);
}

SERIAL_FUNCTION uintptr_t absorb_in_turn(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    const scalar_fe h = scalar_fe_from_words(state->h);
    uint64_t first[3];
    load_first_block(first, msg, len_bytes);
    scalar_fe_to_words(state->h, serial_after_first(scalar_fe_add(h, first[0], first[1], first[2]),
                                                    scalar_r_from_words(state->r), msg, len_bytes));
    clear_red_zone();
    return SERIAL_STACK_END();
}

static void kernel_absorb(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    SERIAL_CLEAR_STACK(absorb_in_turn(state, msg, len_bytes));
}

/* From the first load to the tag in registers; len_bytes >= 1. */
SERIAL_FUNCTION uintptr_t serial_mac(uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                                     const uint8_t key[32])
{
    uint64_t r[2], s[2], h[3];
    load_r(r, key);
    load_first_block(h, msg, len_bytes);
    scalar_fe_to_words(h,
                       serial_after_first(scalar_fe_from_words(h), scalar_r_from_words(r), msg, len_bytes));
    load_s(s, key);
    store_tag(tag, tag_of_value(h, s));
    return SERIAL_STACK_END();
}

/* Of an empty message. */
SERIAL_FUNCTION uintptr_t tag_of_nothing(uint8_t tag[16], const uint8_t key[32])
{
    uint64_t s[2];
    load_s(s, key);
    HORNET_OPAQUE("r", s[0]); /* not in vector registers */
    HORNET_OPAQUE("r", s[1]);
    store_tag(tag, (struct tag_words){s[0], s[1]});
    return SERIAL_STACK_END();
}

/* The ways to a tag are functions of their own, each called last, so that a short message pays for no
 * other's registers. */

HORNET_ALIGNED HORNET_NOINLINE void mac_of_blocks(uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                                                  const uint8_t key[32])
{
    SERIAL_CLEAR_STACK(serial_mac(tag, msg, len_bytes, key));
    clear_red_zone();
}

HORNET_ALIGNED HORNET_NOINLINE void mac_of_bytes(uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                                                 const uint8_t key[32])
{
    if (len_bytes < 16) /* as it is: no loop, few registers */
        SERIAL_CLEAR_STACK(serial_mac(tag, msg, len_bytes, key));
}

static void kernel_mac(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])
{
    if (len_bytes > 16)
        mac_of_blocks(tag, msg, len_bytes, key);
    else if (len_bytes == 16)
        SERIAL_CLEAR_STACK(serial_mac(tag, msg, 16, key));
    else if (len_bytes != 0)
        mac_of_bytes(tag, msg, len_bytes, key);
    else
        SERIAL_CLEAR_STACK(tag_of_nothing(tag, key));
}

#endif
