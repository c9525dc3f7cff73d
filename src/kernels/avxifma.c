/* Radix 2^44 over the lanes of AVX-IFMA, decimated and in batches. */
#include "../kernel.h"

/* The first compilers that know the instructions. */
#if (defined(__x86_64__) || defined(__i386__)) &&                                                          \
    (defined(__clang__) ? __clang_major__ >= 16 : __GNUC__ >= 14)

#define HORNET_TARGET "avx2,avxifma"
#include "../target_begin.h"

#include "../lanes/avxifma.h"

#include "../field/radix44.h"

#define BATCH_MIN_BYTES 1
#include "../horner/batch.h"
#define LAZY_MIN_2  5
#define LAZY_MIN_8  30
#define LAZY_MIN_16 56
#include "../horner/decimated.h"

#include "../target_end.h"

#endif

const struct hornet_kernel hornet_kernel_avxifma = {
    .name = "avxifma",
    .needs = CPU_avx2 | CPU_avxifma,
#ifdef LANES
    .lanes = LANES,
    .absorb = absorb,
    .batch = batch,
#endif
};
