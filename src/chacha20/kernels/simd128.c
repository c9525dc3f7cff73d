/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in WebAssembly's vectors of 128 bits. */
#include "../../core/compiler.h"

#if HORNET_SIMD128

#define KERNEL          simd128
#define KERNEL_REQUIRED CPU_ANY
#define HORNET_TARGET   "simd128"
#define WORDS           4
#define LANES_SETS      1

/* One instruction on x86 and on Arm, because engines see that the byte numbers are constant. Others rotate
 * by 8 bits in three: with those, V8 takes 8 % longer. */
typedef signed char simd128_bytes __attribute__((vector_size(16)));
#define WORDS_ROTATE_BYTES(a, from) __builtin_wasm_swizzle_i8x16((simd128_bytes)(a), (simd128_bytes)(from))

/* Without the conditions, clang 19 puts all of the companion before the vectors, which then wait for it: 16
 * KiB take 13.5 us instead of 10.2 (Node 24). */
#define PASS_SEPARATES(lanes) false
#define LAYOUTS(X)                                                                                         \
    X(block, 0, 0, BLOCK_FIRST, 0, 0)                                                                      \
    X(rows3, 0, 3, BLOCK_NONE, 0, 0)                                                                       \
    X(lanes1_block, 1, 0, BLOCK_FIRST, 0, 0)                                                               \
    X(lanes2, 2, 0, BLOCK_NONE, 3, 0)
#define PASS_TABLE simd128

#ifndef __wasm_simd128__ /* JavaScript has no batches */
#define KERNEL_NO_PACKETS
#endif
#include "../../aead/stitched.h"
#include "../layouts/kernel.h"

#endif
