/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Features beyond C11 that the library requires from its compilers, gcc and clang. */
#ifndef HORNET_CORE_COMPILER_H
#define HORNET_CORE_COMPILER_H

/* ISO C requires a declaration in every translation unit, even in those for other architectures. */
typedef int hornet_unit;

/* Windows' calling convention for x86-64: no red zone, and xmm6 to xmm15 are callee-saved. */
#if defined(__x86_64__) && (defined(_WIN64) || defined(__CYGWIN__))
#define HORNET_WIN64 1
#else
#define HORNET_WIN64 0
#endif

/* On Windows, gcc aligns no stack beyond 16 bytes in functions that it describes to Windows' unwinder, but
 * still treats vectors of 32 and 64 bytes that it spills there as aligned (GCC bug 54412; gcc 16 has it).
 * So unwind tables are switched off, for all functions, because gcc 12 fails on a file that has functions
 * of both kinds. */
#if HORNET_WIN64 && !defined(__clang__)
#pragma GCC optimize("no-unwind-tables", "no-asynchronous-unwind-tables")
#endif

/* Whether the compiler may use no vector or floating-point registers, as in an operating system's kernel,
 * where they hold a program's values. Where the compiler does not say so, as clang for 32-bit x86, a build
 * defines this as 1. */
#ifndef HORNET_NO_VECTORS
#if (defined(__x86_64__) && !defined(__SSE2__)) || (defined(__aarch64__) && !defined(__ARM_NEON)) ||       \
    defined(_SOFT_FLOAT)
#define HORNET_NO_VECTORS 1
#else
#define HORNET_NO_VECTORS 0
#endif
#endif

/* The architecture, if its vectors may be used: the library has kernels for it, and looks for its
 * features. */
#if (defined(__x86_64__) || defined(__i386__)) && !HORNET_NO_VECTORS
#define HORNET_X86 1
#else
#define HORNET_X86 0
#endif

#if (defined(__aarch64__) || defined(__arm__)) && !HORNET_NO_VECTORS
#define HORNET_ARM 1
#else
#define HORNET_ARM 0
#endif

#if defined(__s390x__) && !HORNET_NO_VECTORS
#define HORNET_S390X 1
#else
#define HORNET_S390X 0
#endif

/* The vector facility of z/Architecture. gcc does not inline a function into one that is compiled for
 * another architecture level, so either the kernels must be translation units of their own, or the whole
 * library must be compiled for that level. */
#if HORNET_S390X && (defined(__clang__) || defined(__VX__) || !defined(HORNET_AMALGAMATED))
#define HORNET_VX 1
#else
#define HORNET_VX 0
#endif

#if defined(__powerpc64__) && !HORNET_NO_VECTORS
#define HORNET_POWER 1
#else
#define HORNET_POWER 0
#endif

/* RISC-V vectors. The condition names the first compiler that can use them without its intrinsics. */
#if defined(__riscv) && __riscv_xlen == 64 && defined(__clang__) && __clang_major__ >= 19 &&               \
    !HORNET_NO_VECTORS
#define HORNET_RVV 1
#else
#define HORNET_RVV 0
#endif

/* Linux passes the features of these CPUs to a program as bits: see cpu/hwcap.c. */
#define HORNET_HWCAP (HORNET_ARM || HORNET_S390X || HORNET_POWER)

/* NEON intrinsics: available where the compiler enables NEON by default; and with gcc also in 32-bit
 * programs for any CPU of ARMv7-A, for which clang 19 cannot compile them. Big-endian Arm orders the lanes
 * differently. */
#if HORNET_ARM && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&                                             \
    (defined(__ARM_NEON) ||                                                                                \
     (!defined(__clang__) && defined(__ARM_FP) && __ARM_ARCH >= 7 && __ARM_ARCH_PROFILE == 'A'))
#define HORNET_NEON 1
#else
#define HORNET_NEON 0
#endif

/* Vectors of 128 bits that the compiler may use on every CPU that it compiles for. */
#if (defined(__SSE2__) || defined(__ARM_NEON) || defined(__ALTIVEC__) || defined(__VX__)) &&               \
    !HORNET_NO_VECTORS
#define HORNET_HAS_VECTORS 1
#else
#define HORNET_HAS_VECTORS 0
#endif

/* WebAssembly's vectors. A module that has them is refused as a whole where they are missing, so they are
 * used only if the compiler may use them everywhere, or if the build defines this as 1, as that of the npm
 * package does. */
#ifndef HORNET_SIMD128
#ifdef __wasm_simd128__
#define HORNET_SIMD128 1
#else
#define HORNET_SIMD128 0
#endif
#endif

/* The first compilers that support the AVX-IFMA instructions. */
#if HORNET_X86 && (defined(__clang__) ? __clang_major__ >= 16 : __GNUC__ >= 14)
#define HORNET_HAS_AVXIFMA 1
#else
#define HORNET_HAS_AVXIFMA 0
#endif

/* 64 x 64 -> 128 bits in one or two instructions. WebAssembly has the type but calls a function for it;
 * there, radix 2^32 takes less than half the time. */
#if defined(__SIZEOF_INT128__) && !defined(__wasm__)
#define HORNET_INT128 1
#else
#define HORNET_INT128 0
#endif

/* Whether compilers load a word from an unaligned address byte by byte. */
#if (defined(__riscv) && !defined(__riscv_misaligned_fast)) || defined(__sparc__)
#define HORNET_ONLY_ALIGNED_LOADS 1
#else
#define HORNET_ONLY_ALIGNED_LOADS 0
#endif

/* Assembly is used where compilers translate C into slow code. HORNET_NO_ASM disables it, for tools that
 * cannot analyse assembly. */
#if defined(__x86_64__) && !defined(HORNET_NO_ASM)
#define HORNET_X86_64_ASM 1
#else
#define HORNET_X86_64_ASM 0
#endif

/* The constraint of an operand that may be in memory. With "rm", clang would always put it there. */
#ifdef __clang__
#define HORNET_ASM_OPERAND "r"
#else
#define HORNET_ASM_OPERAND "rm"
#endif

/* Value barrier: from here on the compiler may assume nothing about value, which stays in a register of
 * that kind. */
#ifdef HORNET_NO_ASM
#define HORNET_VALUE_BARRIER(constraint, value) ((void)0)
#else
#define HORNET_VALUE_BARRIER(constraint, value) __asm__("" : "+" constraint(value))
#endif

/* Forces value to be computed here, before the code that follows. */
#ifdef HORNET_NO_ASM
#define HORNET_IN_ORDER(constraint, value) ((void)0)
#else
#define HORNET_IN_ORDER(constraint, value) __asm__ volatile("" : "+" constraint(value))
#endif

/* Forces value to be computed before the code that follows, or earlier. gcc copies an operand that is read
 * and written; this one is only read. */
#ifdef HORNET_NO_ASM
#define HORNET_NOT_LATER(constraint, value) ((void)0)
#else
#define HORNET_NOT_LATER(constraint, value) __asm__ volatile("" : : constraint(value))
#endif

#define HORNET_INLINE static inline __attribute__((always_inline, unused))

/* clang keeps the parameters of a function that is `used`. Otherwise it replaces a pointer by the values
 * that it points to, and on Windows the fifth word is then on the stack of the caller, which does not clear
 * it. */
#if HORNET_WIN64 && defined(__clang__)
#define HORNET_NOINLINE static __attribute__((noinline, used))
#else
#define HORNET_NOINLINE static __attribute__((noinline, unused))
#endif

/* For a short function that takes 8 % longer if it starts elsewhere in a cache line. */
#define HORNET_ALIGNED __attribute__((aligned(64)))

/* The function zeroes the registers that it used, except those of its result. clang 19 fails to compile
 * this for WebAssembly. */
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

/* Before a loop that clang would unroll without benefit: do not unroll it. */
#define HORNET_KEEP_LOOP _Pragma("GCC unroll 1")

/* A vector of elements of a and b, selected by number: the elements of b follow those of a. For gcc the
 * numbers are a vector of type `numbers`. */
#ifdef __clang__
#define HORNET_SHUFFLE(numbers, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define HORNET_SHUFFLE(numbers, a, b, ...) __builtin_shuffle(a, b, (numbers){__VA_ARGS__})
#endif

/* Identifiers and strings made from the values of macros. */
#define HORNET_PASTE(a, b, c, d)        HORNET_PASTE_TOKENS(a, b, c, d)
#define HORNET_PASTE_TOKENS(a, b, c, d) a##b##c##d
#define HORNET_STRING(value)            HORNET_STRING_OF(value)
#define HORNET_STRING_OF(value)         #value

/* The name of a kernel's function that is not inlined, such as poly1305_absorb_by_2_avx2: profiles,
 * backtraces and nm tell the kernels apart. All other names are the same in every kernel, each of which is
 * a translation unit; tools/amalgamate.py renames them where it puts kernels into one file. */
#define HORNET_KERNEL_NAME(primitive, name) HORNET_PASTE(primitive##_, name, _, KERNEL)

#endif
