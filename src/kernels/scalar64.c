/* Radix 2^64, one block after another: for 64-bit CPUs, and for messages too short for lanes. */
#include "../kernel.h"

#ifdef __SIZEOF_INT128__

#include "../field/radix64.h"

#include "../horner/serial.h"

#endif

const struct hornet_kernel hornet_kernel_scalar64 = {
    .name = "scalar64",
    .needs = CPU_BASE,
#ifdef __SIZEOF_INT128__
    .lanes = 1,
    .absorb = absorb_state_serially,
#endif
};
