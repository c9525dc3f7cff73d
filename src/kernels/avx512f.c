/* Radix 2^26 over the lanes of AVX512F, decimated and in batches. */
#include "../kernel.h"

#if defined(__x86_64__) || defined(__i386__)

#define HORNET_TARGET "avx512f"
#include "../target_begin.h"

#include "../lanes/avx512f.h"

#include "../field/radix26.h"

#include "../horner/batch.h"
#include "../horner/decimated.h"

#include "../target_end.h"

#endif

const struct hornet_kernel hornet_kernel_avx512f = {
    .name = "avx512f",
    .needs = CPU_avx2 | CPU_avx512f,
#if defined(__x86_64__) || defined(__i386__)
    .lanes = LANES,
    .absorb = absorb,
    .batch = batch,
#endif
};
