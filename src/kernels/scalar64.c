/* Radix 2^64, one block after another: for 64-bit CPUs, and for messages too short for lanes. */
#include "../kernel.h"

#ifdef __SIZEOF_INT128__

#include "../field/radix64.h"

#include "../horner/serial.h"

static void absorb(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    scalar_fe_to_words(state->h, absorb_serially(scalar_fe_from_words(state->h),
                                                 scalar_r_from_words(state->r), msg, len_bytes));
}

#endif

const struct hornet_kernel hornet_kernel_scalar64 = {
    .name = "scalar64",
    .needs = CPU_BASE,
#ifdef __SIZEOF_INT128__
    .lanes = 1,
    .absorb = absorb,
#endif
};
