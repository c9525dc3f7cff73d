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

/* z14 (vmsl_kernel.h): a group takes 58 cycles with its own reduction, 42 if four share one, and 36 if
 * eight do; a power takes some 20, according to llvm-mca. */
#define GROUPS_VMSL(X) X(1, 1) X(4, 16) X(8, 96)

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

/* The AEAD. Messages are encrypted and authenticated in pieces of this length, which fit in L2. */
#define AEAD_PIECE_BYTES ((size_t)65536)

/* Maximum numbers of keystream blocks, including block 0, of messages that are processed in one pass, in
 * frames of three sizes, because the whole frame must be cleared afterwards. */
#define AEAD_SMALL_BLOCKS  4
#define AEAD_MEDIUM_BLOCKS 16
#define AEAD_LARGE_BLOCKS  32

/* Half passes of the lanes whose keystream must be filled before a kernel that can interleaves the cipher
 * with Poly1305. Opening needs half a pass more: up to there, absorbing the whole message first is
 * faster. */
#define AEAD_SEAL_STITCHED_HALVES 2
#define AEAD_OPEN_STITCHED_HALVES 3

/* Longer packets gain little from sharing a pass. Frames of two sizes. */
#define AEAD_SHARED_BYTES       1536
#define AEAD_SHARED_SHORT_BYTES 256

/* Half passes that packets which share lanes take to move into place, some 2.5 passes (Zen 5, AVX-512 and
 * AVX2). */
#define AEAD_SHARED_HALVES 5

/* Go: minimum lengths for which lanes are faster than scalar code (MIN), and long sums than short ones
 * (LONG); on Zen 5. */
#define GO_AVX2_MIN_BYTES  1024
#define GO_AVX2_LONG_BYTES 2560
#define GO_IFMA_MIN_BYTES  640
#define GO_IFMA_LONG_BYTES 5120

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
