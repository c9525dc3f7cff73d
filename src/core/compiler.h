/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the library asks of its compilers, gcc and clang, beyond C11. */
#ifndef HORNET_CORE_COMPILER_H
#define HORNET_CORE_COMPILER_H

/* ISO C wants a declaration in every translation unit, those for other architectures too. */
typedef int hornet_unit;

/* Windows' calling convention of x86-64: no red zone, and a function keeps xmm6 to xmm15. */
#if defined(__x86_64__) && (defined(_WIN64) || defined(__CYGWIN__))
#define HORNET_WIN64 1
#else
#define HORNET_WIN64 0
#endif

/* There, gcc aligns no stack beyond 16 bytes in functions that it describes to Windows' unwinder, and still
 * takes vectors of 32 and 64 bytes that it spills for aligned (GCC bug 54412; gcc 16 has it). So it
 * describes none: all of them, because in a file that has both kinds gcc 12 fails. */
#if HORNET_WIN64 && !defined(__clang__)
#pragma GCC optimize("no-unwind-tables", "no-asynchronous-unwind-tables")
#endif

/* The architecture. The intrinsics carry the instruction sets they need, so that no flag is needed to name
 * one; their header must come before any target region (target_begin.h). */
#if defined(__x86_64__) || defined(__i386__)
#define HORNET_X86 1
#include <immintrin.h>
#else
#define HORNET_X86 0
#endif

#if defined(__aarch64__) || defined(__arm__)
#define HORNET_ARM 1
#else
#define HORNET_ARM 0
#endif

#ifdef __s390x__
#define HORNET_S390X 1
#else
#define HORNET_S390X 0
#endif

/* Vectors of z/Architecture. gcc inlines no function that is compiled for another level, so that the
 * kernels must be translation units of their own, or all the library be compiled for that level. */
#if HORNET_S390X && (defined(__clang__) || defined(__VX__) || !defined(HORNET_AMALGAMATED))
#define HORNET_VX 1
#else
#define HORNET_VX 0
#endif

#ifdef __powerpc64__
#define HORNET_POWER 1
#else
#define HORNET_POWER 0
#endif

/* Vectors of RISC-V, which the first compiler named here computes with without its intrinsics. */
#if defined(__riscv) && __riscv_xlen == 64 && defined(__clang__) && __clang_major__ >= 19
#define HORNET_RVV 1
#else
#define HORNET_RVV 0
#endif

/* Linux passes the features of these CPUs to a program as bits: cpu/hwcap.c. */
#define HORNET_HWCAP (HORNET_ARM || HORNET_S390X || HORNET_POWER)

/* NEON's intrinsics: where the compiler has them anyway; and with gcc in 32-bit programs for any CPU of
 * ARMv7-A, for which clang 19 cannot compile them. Big-endian Arm has its lanes in another order. */
#if HORNET_ARM && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&                                             \
    (defined(__ARM_NEON) ||                                                                                \
     (!defined(__clang__) && defined(__ARM_FP) && __ARM_ARCH >= 7 && __ARM_ARCH_PROFILE == 'A'))
#define HORNET_NEON 1
#include <arm_neon.h>
#else
#define HORNET_NEON 0
#endif

/* The first compilers that know the instructions of AVX-IFMA. */
#if HORNET_X86 && (defined(__clang__) ? __clang_major__ >= 16 : __GNUC__ >= 14)
#define HORNET_HAS_AVXIFMA 1
#else
#define HORNET_HAS_AVXIFMA 0
#endif

/* 64 x 64 -> 128 bits as an instruction or two. WebAssembly has the type, but calls a function for it:
 * there radix 2^32 takes less than half the time. */
#if defined(__SIZEOF_INT128__) && !defined(__wasm__)
#define HORNET_INT128 1
#else
#define HORNET_INT128 0
#endif

/* Assembly, where what the compilers make of C is slow. HORNET_NO_ASM does without, for tools that cannot
 * see what assembly computes. */
#if defined(__x86_64__) && !defined(HORNET_NO_ASM)
#define HORNET_X86_64_ASM 1
#else
#define HORNET_X86_64_ASM 0
#endif

/* The constraint of an operand that may stand in memory. clang would put it there always. */
#ifdef __clang__
#define HORNET_ASM_OPERAND "r"
#else
#define HORNET_ASM_OPERAND "rm"
#endif

/* value, of which the compiler may assume nothing from here on; it stays in a register of that kind. */
#ifdef HORNET_NO_ASM
#define HORNET_OPAQUE(constraint, value) ((void)0)
#else
#define HORNET_OPAQUE(constraint, value) __asm__("" : "+" constraint(value))
#endif

/* value, which must be computed here, before what follows in the program. */
#ifdef HORNET_NO_ASM
#define HORNET_IN_ORDER(constraint, value) ((void)0)
#else
#define HORNET_IN_ORDER(constraint, value) __asm__ volatile("" : "+" constraint(value))
#endif

#define HORNET_INLINE static inline __attribute__((always_inline, unused))

/* Of a function that is `used`, clang keeps the parameters. Otherwise it passes what a pointer leads to in
 * its place; and on Windows the fifth word lies on the stack of the caller, which does not clear it. */
#if HORNET_WIN64 && defined(__clang__)
#define HORNET_NOINLINE static __attribute__((noinline, used))
#else
#define HORNET_NOINLINE static __attribute__((noinline, unused))
#endif

/* A short function that takes 8 % longer where it begins elsewhere in a cache line. */
#define HORNET_ALIGNED __attribute__((aligned(64)))

/* A function that leaves zeros in the registers it used, but for those of its result. For WebAssembly clang
 * 19 fails to compile that. */
#if defined(__has_attribute) && !defined(__wasm__)
#if __has_attribute(zero_call_used_regs)
#define HORNET_CLEARS_REGISTERS __attribute__((zero_call_used_regs("used")))
#endif
#endif
#ifndef HORNET_CLEARS_REGISTERS
#define HORNET_CLEARS_REGISTERS
#endif

/* Before a short loop of constant length: unroll it. */
#define HORNET_UNROLL _Pragma("GCC unroll 16")

/* Before a loop that clang unrolls for nothing: leave it. */
#define HORNET_KEEP_LOOP _Pragma("GCC unroll 1")

/* A vector of elements of a and b, by their numbers: those of b go on where those of a end. For gcc the
 * numbers are a vector, of type `numbers`. */
#ifdef __clang__
#define HORNET_SHUFFLE(numbers, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define HORNET_SHUFFLE(numbers, a, b, ...) __builtin_shuffle(a, b, (numbers){__VA_ARGS__})
#endif

/* Identifiers and strings made of macros' values. */
#define HORNET_PASTE(a, b, c, d)        HORNET_PASTE_TOKENS(a, b, c, d)
#define HORNET_PASTE_TOKENS(a, b, c, d) a##b##c##d
#define HORNET_STRING(value)            HORNET_STRING_OF(value)
#define HORNET_STRING_OF(value)         #value

#endif
