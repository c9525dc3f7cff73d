/* Powers of an element, one after another. */
#ifndef HORNET_HORNER_POWERS_H
#define HORNET_HORNER_POWERS_H

#include "../words.h"

/* powers[i] = a^(i + 1) for i from 1 to n - 1; powers[0] holds a already. It comes a second time as an
 * element because the callers have it so: taken out of powers[0], it costs gcc 12 registers. */
HORNET_INLINE void raise_powers(power *powers, size_t n, fe a)
{
    HORNET_UNROLL
    for (size_t i = 1; i < n; i++) {
        a = fe_mul(a, &powers[0]);
        powers[i] = power_from(a);
    }
}

#endif
