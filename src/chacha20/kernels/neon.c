/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20 in NEON registers: two instructions rotate words, one exchanges their halves, and in 64-bit
 * programs one moves bytes. */
#include "../../core/compiler.h"

#if HORNET_NEON

#include "../../core/intrinsics.h"

#define KERNEL          neon
#define KERNEL_REQUIRED CPU_neon
#ifdef __aarch64__
/* Scheduled for in-order cores (Cortex-A55); nearly neutral on out-of-order cores: by llvm-mca, sealing
 * 8192 bytes takes 0.98 of the time on Neoverse N1 with gcc 12; with clang 19 0.92 on V2, 0.94 on N2, and
 * 1.03 on N1. */
#define HORNET_TARGET "tune=cortex-a55"
#elif !defined(__clang__)
#define HORNET_TARGET "fpu=neon"
#endif
#define WORDS                4
#define WORDS_REGISTER       "w"
#define WORDS_ROTL(a, bits)  vsriq_n_u32(vshlq_n_u32((uint32x4_t)(a), bits), (uint32x4_t)(a), 32 - (bits))
#define WORDS_SWAP_HALVES(a) vrev32q_u16((uint16x8_t)(a))
#define LANES_SETS           1

#ifdef __aarch64__
#define WORDS_ROTATE_BYTES(a, from) vqtbl1q_u8((uint8x16_t)(a), (uint8x16_t)(from))
#define WORDS_ELEMENT(a, i)         vdupq_laneq_u32(neon_loaded((uint32x4_t)(a)), i)
#define PASS_SEPARATES(lanes)       true
#ifndef __clang__ /* with clang 19, Neoverse N2 would take longer */
#define COMPANION_REDUCES(lanes) ((lanes) == 1)
#endif
#define LAYOUTS(X)                                                                                         \
    X(key, 0, 0, BLOCK_KEY, 0, 0)                                                                          \
    X(rows1, 0, 1, BLOCK_NONE, 0, 0)                                                                       \
    X(rows3, 0, 3, BLOCK_NONE, 0, 0)                                                                       \
    X(lanes1, 1, 0, BLOCK_NONE, 2, 0)                                                                      \
    X(lanes1_in_order, 1, 0, BLOCK_NONE, 2, 1)                                                             \
    X(lanes1_block, 1, 0, BLOCK_FIRST, 1, 0)                                                               \
    X(lanes1_block_in_order, 1, 0, BLOCK_FIRST, 0, 1)                                                      \
    X(lanes2, 2, 0, BLOCK_NONE, 4, 0)                                                                      \
    X(lanes2_block, 2, 0, BLOCK_FIRST, 0, 0)
#define PASS_TABLE        neon
#define KERNEL_TUNINGS(X) X(in_order, neon_in_order) X(neoverse_n1, neon_neoverse_n1) X(wide, neon_wide)
#else
#define NEON_LOW(a)             vget_low_u32((uint32x4_t)(a))
#define NEON_HIGH(a)            vget_high_u32((uint32x4_t)(a))
#define WORDS_ELEMENT(a, i)     vdupq_lane_u32((i) < 2 ? NEON_LOW(a) : NEON_HIGH(a), (i) % 2)
#define WORDS_LOW_HALVES(a, b)  vcombine_u32(NEON_LOW(a), NEON_LOW(b))
#define WORDS_HIGH_HALVES(a, b) vcombine_u32(NEON_HIGH(a), NEON_HIGH(b))
#endif

#ifdef __aarch64__
/* gcc 12 would load halves, and shift each to its second word. */
HORNET_INLINE uint32x4_t neon_loaded(uint32x4_t words)
{
#ifndef __clang__
    HORNET_VALUE_BARRIER("w", words);
#endif
    return words;
}

/* gcc 12 would copy four results of SHL in a double round, because SRI would be to write another register.
 * Two words at a time: CPUs that execute in order would wait for each SHL. */
#if !defined(__clang__) && !defined(HORNET_NO_ASM)
#define WORDS_ROTL_PAIR(a, b, bits)                                                                        \
    do {                                                                                                   \
        word_vec left_a, left_b;                                                                           \
        __asm__("shl %0.4s, %2.4s, %4\n\t"                                                                 \
                "shl %1.4s, %3.4s, %4\n\t"                                                                 \
                "sri %0.4s, %2.4s, %5\n\t"                                                                 \
                "sri %1.4s, %3.4s, %5"                                                                     \
                : "=&w"(left_a), "=&w"(left_b)                                                             \
                : "w"(a), "w"(b), "i"(bits), "i"(32 - (bits)));                                            \
        (a) = left_a;                                                                                      \
        (b) = left_b;                                                                                      \
    } while (0)
#endif
#endif
#include "../../aead/stitched.h"
#include "../layouts/kernel.h"

#endif
