/* Horner's rule, one block after another, over a scalar field: h <- (h + c) * r.
 * Bernstein, "The Poly1305-AES message-authentication code", section 2. */
#ifndef HORNET_HORNER_SERIAL_H
#define HORNET_HORNER_SERIAL_H

#include "../kernel.h"

/* The contract is that of hornet_kernel.absorb. */
static void absorb(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    const scalar_r r = scalar_r_from_words(state->r);
    scalar_fe h = scalar_fe_from_words(state->h);
    for (; len_bytes >= 16; msg += 16, len_bytes -= 16)
        h = scalar_fe_absorb(h, load_le64(msg), load_le64(msg + 8), 1, r);
    if (len_bytes != 0) {
        uint8_t last[16];
        pad_block(last, msg, len_bytes);
        h = scalar_fe_absorb(h, load_le64(last), load_le64(last + 8), 0, r);
        clear_bytes(last, sizeof last);
    }
    scalar_fe_to_words(state->h, h);
}

#endif
