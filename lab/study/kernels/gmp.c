/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Bernstein 2005, section 2, "Sample code": the definition, with GMP's integers. The tests compare all
 * other kernels with this reference, which they check with RFC 8439's vectors. */
#include "../../../tests/support/reference.h"
#include "../kernel.h"

static void gmp_evaluate(struct poly1305 *state, const uint8_t *msg, size_t len_bytes, bool fresh)
{
    mpz_t r, h;
    (void)fresh;
    mpz_inits(r, h, NULL);
    mpz_import(r, 2, -1, sizeof state->r[0], 0, 0, state->r);
    mpz_import(h, 3, -1, sizeof state->h[0], 0, 0, state->h);
    reference_absorb(h, r, msg, len_bytes);
    state->h[0] = state->h[1] = state->h[2] = 0;
    mpz_export(state->h, NULL, -1, sizeof state->h[0], 0, 0, h);
    mpz_clears(r, h, NULL);
}

STUDY_KERNEL_RECORD(gmp, CPU_ANY, 1, gmp_evaluate);
