/* Horner's rule, one block after another, over a scalar field: h <- (h + c) * r.
 * Bernstein, "The Poly1305-AES message-authentication code", section 2. */
#ifndef HORNET_HORNER_SERIAL_H
#define HORNET_HORNER_SERIAL_H

#include "../kernel.h"
#include "../words.h"

/* The first block of msg[0 .. len_bytes), len_bytes >= 1, with its 1 appended: three words. */
HORNET_INLINE void load_first_block(uint64_t words[3], const uint8_t *msg, size_t len_bytes)
{
    words[2] = len_bytes >= 16;
    if (words[2] == 0) {
        load_last_block(&words[0], &words[1], msg, len_bytes);
    } else {
        words[0] = load_le64(msg);
        words[1] = load_le64(msg + 8);
    }
}

/* The evaluation over msg[0 .. len_bytes) where h has the first block added already: multiplies, and adds
 * the next block in the same step. */
HORNET_INLINE scalar_fe absorb_after_first(scalar_fe h, scalar_r r, const uint8_t *msg, size_t len_bytes)
{
    if (len_bytes > 16) {
        for (; len_bytes >= 32; len_bytes -= 16) {
            msg += 16;
            h = scalar_fe_mul_add(h, r, load_le64(msg), load_le64(msg + 8), 1);
        }
        if (len_bytes != 16) {
            uint64_t lo, hi;
            load_last_block_behind(&lo, &hi, msg + 16, len_bytes - 16);
            h = scalar_fe_mul_add(h, r, lo, hi, 0);
        }
    }
    return scalar_fe_mul(h, r);
}

/* The evaluation continued from h, as the contract of hornet_kernel.absorb says. */
HORNET_INLINE scalar_fe absorb_serially(scalar_fe h, scalar_r r, const uint8_t *msg, size_t len_bytes)
{
    uint64_t first[3];
    load_first_block(first, msg, len_bytes);
    return absorb_after_first(scalar_fe_add(h, first[0], first[1], first[2]), r, msg, len_bytes);
}

/* The same for a state: what a kernel's absorb does. */
HORNET_INLINE void absorb_state_serially(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    scalar_fe_to_words(state->h, absorb_serially(scalar_fe_from_words(state->h),
                                                 scalar_r_from_words(state->r), msg, len_bytes));
}

#endif
