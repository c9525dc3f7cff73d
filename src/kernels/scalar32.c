/* Radix 2^32, one block after another: for 32-bit CPUs. */
#include "../kernel.h"

#include "../field/radix32.h"

#include "../horner/serial.h"

const struct hornet_kernel hornet_kernel_scalar32 = {
    .name = "scalar32",
    .needs = CPU_BASE,
    .lanes = 1,
    .absorb = absorb_state_serially,
};
