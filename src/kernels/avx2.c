/* Radix 2^26 over the lanes of AVX2, decimated and in batches. */
#include "../kernel.h"

#if defined(__x86_64__) || defined(__i386__)

#define HORNET_TARGET "avx2"
#include "../target_begin.h"

#include "../lanes/avx2.h"

#include "../field/radix26.h"

#include "../horner/batch.h"
#include "../horner/decimated.h"

#include "../target_end.h"

#endif

const struct hornet_kernel hornet_kernel_avx2 = {
    .name = "avx2",
    .needs = CPU_avx2,
#if defined(__x86_64__) || defined(__i386__)
    .lanes = LANES,
    .absorb = absorb,
    .batch = batch,
#endif
};
