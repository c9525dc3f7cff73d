/* Radix 2^44 over the lanes of AVX-512 IFMA, decimated and in batches. */
#include "../kernel.h"

#if defined(__x86_64__) || defined(__i386__)

#define HORNET_TARGET "avx512f,avx512ifma,avx512vbmi2"
#include "../target_begin.h"

#include "../lanes/ifma.h"

#include "../field/radix44.h"

#define BATCH_VECTORS   2
#define BATCH_MIN_BYTES 1
#include "../horner/batch.h"
#define LAZY_MIN_2  5
#define LAZY_MIN_8  20
#define LAZY_MIN_16 40
#include "../horner/decimated.h"

#include "../target_end.h"

#endif

const struct hornet_kernel hornet_kernel_ifma = {
    .name = "ifma",
    .needs = CPU_avx512vl | CPU_avx512ifma | CPU_avx512vbmi2,
#if defined(__x86_64__) || defined(__i386__)
    .lanes = LANES,
    .absorb = absorb,
    .batch = batch,
#endif
};
