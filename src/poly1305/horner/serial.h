/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Horner's rule, one block after another, over a scalar field: h <- (h + c) * r.
 * Bernstein, "The Poly1305-AES message-authentication code", section 2. */
#ifndef HORNET_POLY1305_HORNER_SERIAL_H
#define HORNET_POLY1305_HORNER_SERIAL_H

#include <stddef.h>
#include <stdint.h>

#include "../../core/bytes.h"
#include "../scalar_field.h"
#include "../state.h"

/* h r^n + c_1 r^n + ... + c_n r over n full blocks. */
HORNET_INLINE scalar_fe serial_blocks(scalar_fe h, scalar_r r, const uint8_t *msg, size_t nblocks)
{
    for (; nblocks != 0; nblocks--, msg += 16)
        h = scalar_fe_mul(scalar_fe_add(h, load_le64(msg), load_le64(msg + 8), 1), r);
    return h;
}

#endif
