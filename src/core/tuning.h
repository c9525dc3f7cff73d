/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The numbers that were measured, except the lengths in the rows of poly1305/kernels.def, which differ most
 * between families of cores. docs/performance.md has the measurements.
 *
 * All of them are constants: the only ones that depend on the CPU are those that a row of kernels.def
 * chooses. bindings/go/internal/tuning/generate.go writes those that begin with GO_ to a Go file, so each
 * of these is a line `#define GO_NAME number`. */
#ifndef HORNET_CORE_TUNING_H
#define HORNET_CORE_TUNING_H

#include "compiler.h"

/* The number of groups of blocks that share one reduction (horner/decimated.h): X(n, min_groups) selects n
 * for messages of at least min_groups groups. A kernel has the list of its radix unless its file names
 * another as GROUPS_TO_A_REDUCTION. */
#define GROUPS_RADIX26(X)   X(2, 2) X(8, 42)
#define GROUPS_RADIX44(X)   X(2, 2) X(4, 13) X(16, 64)
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

/* Shorter messages go to the baseline without a search of the list, which would cost measurable time;
 * kernels.c checks that no row contradicts that. */
#if HORNET_INT128
#define HORNET_SHORT_BYTES 160
#else
#define HORNET_SHORT_BYTES 48
#endif

/* The kernel that keeps its lanes between pieces is one that serves messages of this length. */
#define HORNET_PIECES_KERNEL_BYTES 1024

/* Pieces of at least this length bypass the kept lanes: they are as fast as a call of their own. */
#define HORNET_LONG_PIECE_BYTES 16384

/* Longer messages of a batch gain nothing from sharing a vector, because each fills the lanes alone. */
#define HORNET_BATCH_MAX_BYTES 8192

/* If fewer eighths of the lanes are filled, a batch takes longer than the messages one by one. */
#define HORNET_BATCH_MIN_EIGHTHS 5

/* From this many blocks on, two blocks of a message of a batch share a reduction. */
#define HORNET_BATCH_LAZY_BLOCKS 4

/* The AEAD. Long texts are encrypted and authenticated in parts of about this length, which fit in L2. */
#define AEAD_PART_BYTES ((size_t)65536)

/* Up to this length, the ciphertext is copied for Poly1305, padded between associated data and lengths, to
 * the stack. Where passes are short, that gains less. */
#if HORNET_X86
#define AEAD_COPIED_BYTES ((size_t)4096)
#else
#define AEAD_COPIED_BYTES ((size_t)1024)
#endif

/* What passes leave to Poly1305 when they have sealed a part is absorbed if it is longer. */
#define AEAD_PENDING_BYTES ((size_t)4096)

/* ChaCha20: for 0, 1, 2, ... blocks of a message that are left, the shape of the next pass: X(shape, n)
 * stands for the next n numbers of blocks. `first` is for the pass that also gives the key of Poly1305,
 * `next` for all others; more blocks than the table has repeat its last `period` entries. `make tune`
 * measures the passes and proposes these tables. */

/* clang-format off */

/* From Zen 5, both compilers; also for CPUs that were not measured. */
#define PLAN_VECTOR128_period   4
#define PLAN_VECTOR128_first(X) X(key, 1) X(rows3, 2) X(lanes1, 2)
#define PLAN_VECTOR128_next(X)  X(rows1, 2) X(rows3, 2) X(lanes1, 1)

/* z/Architecture and POWER, where 32 registers hold rows beside lanes; passes by llvm-mca. On z14 a set of
 * lanes takes 550 cycles, one and three of rows 510 and 560; lanes and one or two of rows take 720 and 890,
 * on POWER9 790 and 990 instead of 590 and 520, or 590 and 630, one after the other. */
#define PLAN_ROWS_BESIDE_LANES_period   4
#define PLAN_ROWS_BESIDE_LANES_first(X)                                                                    \
    X(key, 1) X(rows3, 2) X(lanes1, 1) X(lanes1_rows1, 1) X(lanes1_rows2, 1) X(lanes1, 2) X(lanes1_rows1, 1)
#define PLAN_ROWS_BESIDE_LANES_next(X)                                                                     \
    X(rows1, 2) X(rows3, 2) X(lanes1, 1) X(lanes1_rows1, 1) X(lanes1_rows2, 1) X(lanes1, 2)

/* The model of POWER10 starts four vector instructions in a cycle, so that all passes take about the same
 * time: lanes 570 cycles, with one set of rows 600, with two 630 with gcc and 690 with clang. */
#define PLAN_POWER10_period   1
#define PLAN_POWER10_first(X)                                                                              \
    X(key, 1) X(rows3, 2) X(lanes1, 1) X(lanes1_rows1, 1) X(lanes1_rows2, 1) X(lanes1, 2)                  \
    X(lanes1_rows1, 2) X(lanes1_rows2, 3)
#define PLAN_POWER10_next(X)                                                                               \
    X(rows1, 2) X(rows3, 2) X(lanes1, 1) X(lanes1_rows1, 1) X(lanes1_rows2, 1) X(lanes1, 2)                \
    X(lanes1_rows1, 2) X(lanes1_rows2, 2)

/* One block after another. */
#define PLAN_SCALAR_period   1
#define PLAN_SCALAR_first(X) X(block, 2)
#define PLAN_SCALAR_next(X)  X(block, 2)

/* WebAssembly, in V8 on Zen 5: Node 24, and Chromium 156 (2026-11-23). Two sets take 280 ns, one of lanes or
 * three of rows and the block of the key 190. */
#define PLAN_SIMD128_period   8
#define PLAN_SIMD128_first(X) X(block, 1) X(rows3, 2) X(lanes1_block, 2) X(lanes2, 3) X(lanes1_block, 1)
#define PLAN_SIMD128_next(X)  X(block, 2) X(rows3, 2) X(lanes2, 5)

/* RISC-V's vectors of 8 and 16 words, by instructions: a set of lanes takes 3000 and 3200, one and three of
 * rows take 1000 and 2300. */
#define PLAN_RVV_8_period    8
#define PLAN_RVV_8_first(X)  X(key, 1) X(rows1, 1) X(rows3, 4) X(lanes1, 3)
#define PLAN_RVV_8_next(X)   X(rows1, 3) X(rows3, 4) X(lanes1, 2)
#define PLAN_RVV_16_period   16
#define PLAN_RVV_16_first(X) X(key, 1) X(rows1, 3) X(rows3, 8) X(lanes1, 5)
#define PLAN_RVV_16_next(X)  X(rows1, 5) X(rows3, 8) X(lanes1, 4)

/* 64-bit Arm, by llvm-mca's models of whole calls, in which other plans take 5 to 50 % longer. A pass with a
 * block in general-purpose registers computes five in the time of four, so the first pass takes a message
 * of 4 blocks. Later passes have Poly1305 there: one set of lanes where vectors are slow (Cortex-A55,
 * Neoverse N2), two where four vector instructions start in a cycle (Neoverse V1, V2) or multiplications
 * are slow (Ampere-1). On Neoverse N1, two vector instructions and three others start in a cycle, so that a
 * block and Poly1305 fit beside one set, of Poly1305 half as much as the pass encrypts. */
#define PLAN_NEON_period   1
#define PLAN_NEON_first(X) X(key, 1) X(rows3, 2) X(lanes1_block, 2)
#define PLAN_NEON_next(X)  X(rows1, 2) X(rows3, 2) X(lanes1, 1)

/* The same on Cortex-A55, in passes whose instructions come in an order for it: with gcc 12 and clang 19, 256
 * bytes are sealed in 3338 and 3307 cycles instead of 3695 and 3416, 8192 in 69386 and 68161 instead of 71665
 * and 73422. On Neoverse N2, a first pass of this kind takes up to a tenth longer. */
#define PLAN_NEON_IN_ORDER_period   1
#define PLAN_NEON_IN_ORDER_first(X) X(key, 1) X(rows3, 2) X(lanes1_block_in_order, 2)
#define PLAN_NEON_IN_ORDER_next(X)  X(rows1, 2) X(rows3, 2) X(lanes1_in_order, 1)

#define PLAN_NEON_NEOVERSE_N1_period   1
#define PLAN_NEON_NEOVERSE_N1_first(X) X(key, 1) X(rows3, 2) X(lanes1_block, 3)
#define PLAN_NEON_NEOVERSE_N1_next(X)  X(rows1, 2) X(rows3, 1) X(lanes1_block, 3)

#define PLAN_NEON_WIDE_period   8
#define PLAN_NEON_WIDE_first(X) X(key, 1) X(rows3, 2) X(lanes1_block, 2) X(lanes2_block, 4)
#define PLAN_NEON_WIDE_next(X)  X(rows1, 2) X(rows3, 2) X(lanes1, 1) X(lanes2, 4)

/* 2026-11-23, EPYC, Zen 5 (model 2); also for CPUs that were not measured. Where two sums of passes are
 * nearly the same, the choice is the one that leaves less of Poly1305 to the end: lanes2 instead of
 * lanes2_key takes 0.87 of the time of whole calls at 2048 bytes and 0.82 at 2500 with gcc 12, 0.94 and 0.94
 * with clang 19. A set of rows with Poly1305 beside takes 600 cycles with gcc and 395 with clang, so that
 * lanes1_key and rows take 1.04 and 0.91 of the time of lanes2 from 513 to 640 bytes; for 1500 bytes, two
 * times lanes2 instead of lanes2_key and lanes1 takes 0.95 and 1.05. */
#ifdef __clang__
#define PLAN_AVX2_9_TO_24(X) X(lanes1_key, 3) X(lanes2, 5) X(lanes2_key, 1) X(lanes2, 7)
#define PLAN_AVX2_25(X)      X(lanes2_key, 1)
#else
#define PLAN_AVX2_9_TO_24(X) X(lanes1_key, 1) X(lanes2, 7) X(lanes2_key, 1) X(lanes2, 7)
#define PLAN_AVX2_25(X)      X(lanes2, 1)
#endif
#define PLAN_AVX2_period 16
#define PLAN_AVX2_first(X)                                                                                 \
    X(key, 1) X(rows1, 1) X(rows2, 2) X(rows3, 2) X(lanes1, 2) PLAN_AVX2_9_TO_24(X) PLAN_AVX2_25(X)        \
        X(lanes2, 24)
#define PLAN_AVX2_next(X)                                                                                  \
    X(rows1, 3) X(rows2, 2) X(rows3, 2) X(lanes1, 2) X(lanes2, 24) X(lanes2, 8) X(lanes2, 8)

/* The same. */
#define PLAN_AVX512VL_period   8
#define PLAN_AVX512VL_first(X) PLAN_AVX512VL_first_with(rows1, X)
#define PLAN_AVX512VL_next(X)  PLAN_AVX512VL_next_with(rows1, X)
#define PLAN_AVX512VL_first_with(one, X)                                                                   \
    X(key, 1) X(one, 1) X(rows2, 2) X(rows3, 2) X(lanes1, 2) X(lanes1_rows1, 2) X(rows2, 2) X(rows3, 2)    \
    X(lanes1, 3)
#define PLAN_AVX512VL_next_with(one, X)                                                                    \
    X(one, 3) X(rows2, 2) X(rows3, 2) X(lanes1, 2) X(lanes1_rows1, 2) X(lanes1, 4) X(lanes1, 2)

/* The same but for one set of rows: the quick rotation takes 249 and 264 cycles there instead of 320, by a
 * prototype of 2026-11-23 on an EPYC, Zen 4. */
#define PLAN_AVX512VL_ZEN4_period   PLAN_AVX512VL_period
#define PLAN_AVX512VL_ZEN4_first(X) PLAN_AVX512VL_first_with(rows1_quick, X)
#define PLAN_AVX512VL_ZEN4_next(X)  PLAN_AVX512VL_next_with(rows1_quick, X)

/* From the costs of passes of a prototype of 2026-11-23 on an EPYC, Zen 4, where a second set of lanes
 * takes twice as long: 16 blocks take 605 to 656 cycles with 50 blocks of Poly1305 or without, 20 take 755
 * to 865. */
#define PLAN_AVX512_period 16
#define PLAN_AVX512_first(X)                                                                               \
    X(key, 1) X(rows1, 3) X(rows2, 4) X(lanes1, 8) X(lanes1_key, 1) X(lanes1_rows1, 3) X(rows2, 8)         \
    X(lanes1, 4) X(lanes1_key, 1)
#define PLAN_AVX512_next(X) X(rows1, 5) X(rows2, 4) X(lanes1, 24)

/* The same but for two sets of lanes: with them, sealing 4 KiB takes 0.94 and 0.93 of the time with gcc 12
 * and clang 19, 16 KiB 0.84 and 0.80, 64 KiB 0.75 and 0.70; 2026-11-25, Xeon, Emerald Rapids. The passes
 * for fewer blocks were not measured there. */
#define PLAN_AVX512_GOLDEN_COVE_period   PLAN_AVX512_period
#define PLAN_AVX512_GOLDEN_COVE_first(X) PLAN_AVX512_first(X)
#define PLAN_AVX512_GOLDEN_COVE_next(X)  X(rows1, 5) X(rows2, 4) X(lanes1, 8) X(lanes2, 8) X(lanes2, 8)

/* 2026-11-23, EPYC, Zen 5 (model 2). */
#define PLAN_AVX512_ZEN5_period 32
#define PLAN_AVX512_ZEN5_first(X)                                                                          \
    X(key, 1) X(rows1, 3) X(rows2, 4) X(lanes1, 8) X(lanes1_key, 1) X(lanes1_rows1, 3)                     \
    X(lanes1_rows2, 4) X(lanes2, 8) X(lanes2_key, 1) X(lanes1_rows1, 3) X(lanes1_key, 1) X(lanes1, 3)      \
    X(lanes1_key, 1) X(lanes1_rows1, 3) X(lanes1, 4) X(lanes1_key, 1) X(lanes1_rows1, 3) X(lanes2_key, 1)  \
    X(lanes2, 3) X(lanes2_key, 1) X(lanes2, 7) X(lanes2_key, 1)
#define PLAN_AVX512_ZEN5_next(X)                                                                           \
    X(rows1, 5) X(rows2, 4) X(lanes1, 8) X(lanes1_rows1, 4) X(lanes1_rows2, 4) X(lanes2, 8) X(lanes1, 8)   \
    X(lanes1_rows1, 4) X(lanes1, 4) X(lanes1_rows1, 4) X(lanes1_rows2, 4) X(lanes2, 8)

/* clang-format on */

/* Longer packets gain little from sharing passes. */
#define AEAD_SHARED_BYTES 1536

/* The copies of the ciphertexts of packets that share passes take at most this many bytes of the stack, and
 * stay in L1. As many lanes as that has room for, or half of them, or a quarter, are used. */
#define AEAD_SHARED_MEMORY_BYTES 18432

/* Times in 64ths of a pass of ChaCha20, which takes some 190 ns (Zen 5): what packets that share passes
 * take to move into place; Poly1305 of 64 bytes of each, in its lanes; and of 64 bytes of a packet alone.
 * A kernel that interleaves the cipher with Poly1305 does the latter beside the cipher; its vectors of
 * Poly1305 are shorter. */
#define AEAD_SHARED_PLACE        64
#define AEAD_SHARED_MAC          8
#define AEAD_SHARED_MAC_STITCHED 16
#define AEAD_ALONE_MAC           1

/* Go: minimum lengths for which lanes are faster than scalar code (MIN), and long sums than short ones
 * (LONG); on Zen 5. */
#define GO_AVX2_MIN_BYTES  1024
#define GO_AVX2_LONG_BYTES 2560
#define GO_IFMA_MIN_BYTES  640
#define GO_IFMA_LONG_BYTES 5120

/* The same on s390x, by executed instructions: VMSL, with several groups to a reduction in long messages,
 * and other vectors. */
#define GO_VMSL_MIN_BYTES  768
#define GO_VMSL_LONG_BYTES 3072
#define GO_VX_MIN_BYTES    3072

/* Minimum length for which scalar assembly is faster than Go. */
#define GO_SCALAR_MIN_BYTES 48

/* Minimum length of a message that AVX2 encrypts with both algorithms at the same time; shorter ones fit
 * into the rows of one pass. */
#define GO_STITCHED_MIN_BYTES 321

/* Where 512-bit instructions take two turns (Zen 4), minimum length of a message that AVX-512 encrypts,
 * with one algorithm after the other. Not measured in Go: in C, on such a CPU, AVX2 interleaved with
 * Poly1305 takes 0.98 of the time at 2048 bytes, and 1.07 at 4096. */
#define GO_HALVES_MIN_BYTES 3072

/* Maximum lengths for one call of an assembly function, and of one that raises r to powers. */
#define GO_STEP_BYTES       65536
#define GO_LANES_STEP_BYTES 1048576

#endif
