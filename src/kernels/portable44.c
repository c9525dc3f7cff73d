/* Radix 2^44 over lanes in plain C, decimated and in batches: for tests of the algorithm on every machine.
 */
#include "../kernel.h"

#include "../lanes/portable.h"

#include "../field/radix44.h"

#include "../horner/batch.h"
#include "../horner/decimated.h"

const struct hornet_kernel hornet_kernel_portable44 = {
    .name = "portable44",
    .needs = CPU_BASE,
    .lanes = LANES,
    .absorb = absorb,
    .batch = batch,
};
