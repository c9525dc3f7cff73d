/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Clears what a function that worked with secrets leaves behind: the copies that the compiler put on the
 * stack, and vector registers.
 *
 * A function cannot clear its own frame. So code that works with secrets is a separate function that
 * returns where its stack ends, and its caller, whose own frame holds no secrets, clears the stack down to
 * there:
 *
 *     HORNET_NOINLINE uintptr_t work(...) { ...; return stack_end(STACK_BELOW_BYTES); }
 *     void function(...) { clear_stack_and_registers(work(...)); }
 *
 * That takes 10 cycles or more. On x86-64, functions with few words that are optimized for speed keep them
 * in registers or in the red zone (absent on Windows, and in kernels of operating systems), and clearing
 * them costs nothing: HORNET_SMALL instead of HORNET_NOINLINE, and clear_small_stack.
 *
 * Kernels, and what combines them, return the ends of their stacks. Above them, HORNET_CLEARED and
 * HORNET_CLEARED_VOID define functions of few words as plain C. tests/unit/test_stack_wipe.c shows that
 * neither kind leaves anything behind. */
#ifndef HORNET_CORE_STACK_WIPE_H
#define HORNET_CORE_STACK_WIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "cpu.h"

#if defined(__x86_64__) && HORNET_HAS_VECTORS && !HORNET_WIN64 && defined(__OPTIMIZE__) &&                 \
    !defined(__OPTIMIZE_SIZE__)
#define HORNET_SMALL_IS_CLEAN 1
#define HORNET_SMALL          HORNET_INLINE
#else
#define HORNET_SMALL_IS_CLEAN 0
#define HORNET_SMALL          HORNET_NOINLINE
#endif

/* Size of the red zone below the stack pointer, which a function may use (ELF ABIs of POWER, System V ABI
 * for x86-64). */
#ifdef __powerpc64__
#define RED_ZONE_BYTES 288
#else
#define RED_ZONE_BYTES 128
#endif

/* Maximum size of what lies below the stack pointer: the red zone, and the frames of small functions that
 * were called. */
#ifdef __OPTIMIZE__
#define STACK_BELOW_BYTES RED_ZONE_BYTES
#else
#define STACK_BELOW_BYTES (RED_ZONE_BYTES + 4096)
#endif

/* Returns where the stack of the calling function ends, including below_bytes for the functions that it
 * called. The word on the stack keeps the compiler from releasing the stack before this point, as clang 19
 * does where a branch needs none. */
HORNET_INLINE uintptr_t stack_end(size_t below_bytes)
{
    uintptr_t pointer, here;
#if HORNET_X86_64_ASM
    __asm__ volatile("movq %%rsp, %0" : "=r"(pointer), "=m"(here));
#elif defined(__i386__)
    __asm__ volatile("movl %%esp, %0" : "=r"(pointer), "=m"(here));
#elif defined(__aarch64__) || defined(__arm__)
    __asm__ volatile("mov %0, sp" : "=r"(pointer), "=m"(here));
#elif defined(__riscv)
    __asm__ volatile("mv %0, sp" : "=r"(pointer), "=m"(here));
#elif defined(__s390x__)
    __asm__ volatile("lgr %0, %%r15" : "=r"(pointer), "=m"(here));
#elif defined(__powerpc64__)
    __asm__ volatile("mr %0, 1" : "=r"(pointer), "=m"(here));
#elif defined(__mips__) || defined(__loongarch__)
    __asm__ volatile("move %0, $sp" : "=r"(pointer), "=m"(here));
#else
    (void)here;
    pointer = UINTPTR_MAX; /* not known: nothing is cleared */
#endif
    return pointer - below_bytes;
}

/* Returns the lower of two such ends. */
HORNET_INLINE uintptr_t lower_end(uintptr_t a, uintptr_t b) { return a < b ? a : b; }

/* Other CPUs whose vector registers are cleared, and whether this one has them. */
#if (HORNET_ARM && defined(__aarch64__)) || (HORNET_NEON && defined(__ARM_NEON)) ||                        \
    (HORNET_POWER && defined(_ARCH_PWR8)) || (HORNET_VX && defined(__VX__))
#define HORNET_HAS_VECTORS_TO_CLEAR 1
#define HORNET_VECTORS_TO_CLEAR     true
#elif HORNET_NEON || HORNET_VX || HORNET_POWER || HORNET_RVV
#define HORNET_HAS_VECTORS_TO_CLEAR 1
#define HORNET_VECTORS_TO_CLEAR     ((hornet_cpu() & HORNET_VECTORS) != 0)
#if HORNET_NEON
#define HORNET_VECTORS CPU_neon
#elif HORNET_VX
#define HORNET_VECTORS CPU_vx
#elif HORNET_POWER
#define HORNET_VECTORS CPU_vsx
#else
#define HORNET_VECTORS CPU_rvv128
#endif
#else
#define HORNET_HAS_VECTORS_TO_CLEAR 0
#endif

#pragma GCC visibility push(hidden)

/* Set the stack from `end` up to the caller's frame to zeros, and vector registers too: the first function
 * those of SSE2, the second those of AVX, the third those of AVX-512; the fourth those of other CPUs. */
void hornet_clear_stack(uintptr_t end);
void hornet_clear_stack_avx(uintptr_t end);
void hornet_clear_stack_avx512(uintptr_t end);
void hornet_clear_stack_vectors(uintptr_t end);

#pragma GCC visibility pop

/* Clears all vector registers of this CPU, for code in which the compiler may call memcpy, which uses the
 * largest registers. */
HORNET_INLINE void clear_stack_and_registers(uintptr_t end)
{
#if HORNET_X86_64_ASM && HORNET_HAS_VECTORS
    const uint32_t cpu = hornet_cpu();
    if ((cpu & CPU_avx512f) != 0)
        hornet_clear_stack_avx512(end);
    else if ((cpu & CPU_avx2) != 0)
        hornet_clear_stack_avx(end);
    else
        hornet_clear_stack(end);
#elif HORNET_HAS_VECTORS_TO_CLEAR
    if (HORNET_VECTORS_TO_CLEAR)
        hornet_clear_stack_vectors(end);
    else
        hornet_clear_stack(end);
#else
    hornet_clear_stack(end);
#endif
}

/* The corresponding two functions for HORNET_SMALL functions. */
HORNET_INLINE uintptr_t small_stack_end(void)
{
#if HORNET_SMALL_IS_CLEAN
    return 0;
#else
    return stack_end(STACK_BELOW_BYTES);
#endif
}

HORNET_INLINE void clear_small_stack(uintptr_t end)
{
#if HORNET_SMALL_IS_CLEAN
    (void)end;
#else
    clear_stack_and_registers(end);
#endif
}

/* The same for scalar kernels, whose words are in general-purpose registers: other CPUs than x86-64 then
 * clear no vector registers, which takes 5 to 52 instructions. */
HORNET_INLINE void clear_small_stack_of_words(uintptr_t end)
{
#if HORNET_X86_64_ASM || HORNET_SMALL_IS_CLEAN
    clear_small_stack(end);
#else
    hornet_clear_stack(end);
#endif
}

/* Defines `result name parameters { ... }`, of which nothing is left on the stack and in vector registers:
 *
 *     HORNET_CLEARED(bool, is_good, (const uint8_t key[32], int n), (key, n))
 *     {
 *         return ...;
 *     }
 *
 * The compiler makes three functions of it: the body; name_on_stack, in whose frame the body is inlined,
 * and which knows where that frame ends; and `name`, which clears. */
#define HORNET_CLEARED(result, name, parameters, arguments)                                                \
    result name parameters;                                                                                \
    HORNET_INLINE result name##_body parameters;                                                           \
    HORNET_SMALL uintptr_t name##_on_stack(result *value, HORNET_LIST parameters)                          \
    {                                                                                                      \
        *value = name##_body arguments;                                                                    \
        return small_stack_end();                                                                          \
    }                                                                                                      \
    result name parameters                                                                                 \
    {                                                                                                      \
        result value;                                                                                      \
        clear_small_stack(name##_on_stack(&value, HORNET_LIST arguments));                                 \
        return value;                                                                                      \
    }                                                                                                      \
    HORNET_INLINE result name##_body parameters

/* The same for a function without a result. */
#define HORNET_CLEARED_VOID(name, parameters, arguments)                                                   \
    void name parameters;                                                                                  \
    HORNET_INLINE void name##_body parameters;                                                             \
    HORNET_SMALL uintptr_t name##_on_stack parameters                                                      \
    {                                                                                                      \
        name##_body arguments;                                                                             \
        return small_stack_end();                                                                          \
    }                                                                                                      \
    void name parameters { clear_small_stack(name##_on_stack arguments); }                                 \
    HORNET_INLINE void name##_body parameters

#define HORNET_LIST(...) __VA_ARGS__

/* Clears the part of the red zone that a function without calls and with few words on the stack has used.
 * To be used at its end. */
HORNET_INLINE void clear_red_zone(void)
{
#if HORNET_SMALL_IS_CLEAN
    __asm__ volatile("pxor %%xmm0, %%xmm0\n\t"
                     "movups %%xmm0, -16(%%rsp)\n\t"
                     "movups %%xmm0, -32(%%rsp)\n\t"
                     "movups %%xmm0, -48(%%rsp)"
                     :
                     :
                     : "xmm0", "memory");
#endif
}

#endif
