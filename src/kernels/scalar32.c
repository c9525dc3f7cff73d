/* Radix 2^32, one block after another: for 32-bit CPUs. */
#include "../kernel.h"

#include "../field/radix32.h"

#include "../horner/serial.h"

static void absorb(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)
{
    scalar_fe_to_words(state->h, absorb_serially(scalar_fe_from_words(state->h),
                                                 scalar_r_from_words(state->r), msg, len_bytes));
}

const struct hornet_kernel hornet_kernel_scalar32 = {
    .name = "scalar32",
    .needs = CPU_BASE,
    .lanes = 1,
    .absorb = absorb,
};
