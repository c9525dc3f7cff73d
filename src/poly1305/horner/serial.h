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

/* (h + c_1) r^n + c_2 r^(n - 1) + ... + c_n r, where h has c_1 added already and is small, over the n
 * full blocks c that begin at msg, n >= 1. */
HORNET_INLINE scalar_fe serial_blocks(scalar_fe h, scalar_r r, const uint8_t *msg, size_t nblocks)
{
    if (nblocks == 1)
        return scalar_small_mul(h, r);
    h = scalar_small_mul_add(h, r, load_le64(msg + 16), load_le64(msg + 24), 1);
    for (msg += 32; nblocks != 2; nblocks--, msg += 16)
        h = scalar_fe_mul_add(h, r, load_le64(msg), load_le64(msg + 8), 1);
    return scalar_fe_mul(h, r);
}

#endif
