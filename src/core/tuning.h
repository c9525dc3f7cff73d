/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The numbers that were measured, except the lengths in the entries of the lists of kernels, which differ
 * most between families of cores, and the passes of ChaCha20 (chacha20/passes.toml). docs/performance.md
 * names the measurements.
 *
 * All of them are constants: the only ones that depend on the CPU are those that an entry of kernels.def
 * chooses. bindings/go/internal/tuning/generate.go writes those that begin with GO_ to a Go file, so each
 * of these is a line `#define GO_NAME number`. */
#ifndef HORNET_CORE_TUNING_H
#define HORNET_CORE_TUNING_H

#include "compiler.h"

/* The number of groups of blocks that share one reduction (horner/decimated.h): X(n, min_groups) selects n
 * for messages of at least min_groups groups. A kernel has the list of its radix unless its file names
 * another as GROUPS_TO_A_REDUCTION. */
#define GROUPS_RADIX26(X)   X(2, 2) X(8, 42)
#define GROUPS_RADIX44(X)   X(2, 2) X(4, 13) X(16, 64) X(32, 256)
#define GROUPS_IFMA(X)      X(2, 2) X(4, 13) X(16, 64) X(32, 96)
#define GROUPS_TWO(X)       X(2, 2)
#define GROUPS_RVV(X)       X(2, 2) X(8, 16) /* clang uses vwmaccu only in long sums */
#define GROUPS_IFMA_ZEN5(X) X(2, 2) X(16, 38)

/* 64-bit Arm, whole calls by llvm-mca: on Neoverse N1 and V2, two groups take 0.95 to 1.00 of the time of
 * eight at 4 KiB, and 1.11 to 1.17 at 16 KiB. On Cortex-A55, which executes in order, they take 0.73 to
 * 0.88 at 4 KiB and at 16 KiB 0.84 with clang, 1.00 with gcc. */
#define GROUPS_NEON(X) X(2, 2) X(8, 64)

/* 32-bit Arm, by instructions. */
#define GROUPS_NEON32(X) X(2, 2) X(4, 20)

/* z13, by llvm-mca: long sums pay earlier with gcc 12, whose steps of two groups take a quarter longer
 * than clang 19's. */
#ifdef __clang__
#define GROUPS_VX(X) GROUPS_RADIX26(X)
#else
#define GROUPS_VX(X) X(2, 2) X(8, 22)
#endif

/* POWER, by llvm-mca: with clang 19 two groups take no longer than eight, and on POWER10 a quarter less;
 * with gcc 12 a tenth less on POWER10 at 4 KiB and a tenth more on POWER9 at 16 KiB. */
#ifdef __clang__
#define GROUPS_VSX(X)  GROUPS_TWO(X)
#define GROUPS_VSX3(X) GROUPS_TWO(X)
#else
#define GROUPS_VSX(X)  GROUPS_RADIX26(X)
#define GROUPS_VSX3(X) X(2, 2) X(8, 96)
#endif

/* Lanes that sum products (vmsl_kernel.h), powers of two; whole calls by llvm-mca, gcc 12 / clang 19. On
 * z14, one group to a reduction takes 482 / 503 cycles for 320 bytes, two 484 / 494; two and four
 * 794 / 806 and 802 / 817 for 768 bytes, 963 / 976 and 936 / 949 for 1024; four and eight 2008 / 2005 and
 * 1998 / 2019 for 3072. On POWER9, one and two take 755 / 762 and 763 / 722 for 448 bytes, two and four
 * 1226 / 1142 and 1215 / 1177 for 1024, 1634 / 1506 and 1525 / 1461 for 1536; four and eight 1835 / 1745
 * and 1868 / 1787 for 2048, 2455 / 2313 and 2402 / 2267 for 3072; the order is the same on POWER10. */
#define GROUPS_VMSL(X)  X(1, 1) X(2, 5) X(4, 13) X(8, 50)
#define GROUPS_VMSUM(X) X(1, 1) X(2, 7) X(4, 20) X(8, 44)

/* Shorter messages go to the fallback without a search of the list, which would cost measurable time;
 * kernels.c checks that no entry contradicts that. */
#if HORNET_INT128
#define HORNET_SHORT_BYTES 160
#else
#define HORNET_SHORT_BYTES 48
#endif

/* The kernel that keeps its lanes between chunks is one that serves messages of this length. */
#define HORNET_STREAMING_KERNEL_BYTES 1024

/* Chunks of at least this length bypass the streaming state's lanes: they are as fast as a call of their
 * own. */
#define HORNET_LONG_CHUNK_BYTES 16384

/* Longer messages of a batch gain nothing from sharing a vector, because each fills the lanes alone. */
#define HORNET_BATCH_MAX_BYTES 8192

/* If fewer eighths of the lanes are filled, a batch takes longer than the messages one by one. */
#define HORNET_BATCH_MIN_EIGHTHS 5

/* From this many blocks on, two blocks of a message of a batch share a reduction. */
#define HORNET_BATCH_LAZY_BLOCKS 4

/* The AEAD. Long chunks are encrypted and authenticated in parts of about this length, which fit in L2. */
#define AEAD_PART_BYTES ((size_t)65536)

/* Up to this length, the ciphertext is copied for Poly1305, padded between associated data and lengths, to
 * the stack. Where passes are short, that gains less. */
#if HORNET_X86
#define AEAD_COPIED_BYTES ((size_t)4096)
#else
#define AEAD_COPIED_BYTES ((size_t)1024)
#endif

/* After each part, pending ciphertext above this length is absorbed. */
#define AEAD_PENDING_BYTES ((size_t)4096)

/* Longer packets gain nothing from sharing passes. A multiple of a block of ChaCha20. */
#define AEAD_SHARED_BYTES 1536

/* The copies of the ciphertexts of packets that share passes take at most this many bytes of the stack, and
 * stay in L1. As many lanes as that has room for, or half of them, or a quarter, are used. */
#define AEAD_SHARED_MEMORY_BYTES 18432

/* From this many samples on, QUIC's masks share a pass of ChaCha20. */
#define CHACHA20_SHARED_MASKS 3

/* Go: minimum lengths for which lanes are faster than scalar code (MIN), and long sums than short ones
 * (LONG); on Zen 5. */
#define GO_AVX2_MIN_BYTES  1024
#define GO_AVX2_LONG_BYTES 2560
#define GO_IFMA_MIN_BYTES  640
#define GO_IFMA_LONG_BYTES 5120

/* The lengths, from and below, for which IFMA in 256 bits is the fastest, and in 512 bits behind them; not
 * on Zen 5. On Zen 4 (EPYC, 2026-11-27, Go 1.26), 512 bytes take 60 ns, 104 in 512 bits, and 119 in scalar
 * code, 4096 bytes 234 and 253. Elsewhere, as kernels.def has it. */
#define GO_IFMA256_MIN_BYTES        256
#define GO_IFMA256_BELOW_BYTES      737
#define GO_IFMA256_ZEN4_BELOW_BYTES 5120

/* In the AEAD, minimum length for which lanes are faster than scalar code, which takes the additional data
 * and the lengths in the same call. */
#define GO_AEAD_LANES_MIN_BYTES 384

/* The same on s390x, by executed instructions: VMSL, with several groups to a reduction in long messages,
 * and other vectors. */
#define GO_VMSL_MIN_BYTES  768
#define GO_VMSL_LONG_BYTES 3072
#define GO_VX_MIN_BYTES    3072

/* Minimum length for which scalar assembly is faster than Go. */
#define GO_SCALAR_MIN_BYTES 48

/* Minimum length of a message that AVX2 encrypts with both algorithms at the same time; on Zen 5, where 8
 * blocks and, beside them, that of the key take little less time than 2, another one. Elsewhere, minimum
 * length from which that block is made beside others when sealing. 2026-11-27, EPYC, Zen 4, Go 1.26,
 * without AVX-512. */
#define GO_STITCHED_MIN_BYTES      449
#define GO_STITCHED_ZEN5_MIN_BYTES 321
#define GO_KEY_BESIDE_MIN_BYTES    1408

/* Maximum lengths for one call of an assembly function, and of one that raises r to powers. */
#define GO_STEP_BYTES       65536
#define GO_LANES_STEP_BYTES 1048576

#endif
