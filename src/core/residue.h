/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Clears what a function that worked with secrets leaves behind: the copies that the compiler put on the
 * stack, and vector registers.
 *
 * A function cannot clear its own frame. So what works with secrets is a function of its own that returns
 * where its stack ends, and its caller, whose frame has none, clears the stack down to there:
 *
 *     HORNET_NOINLINE uintptr_t work(...) { ...; return stack_end(); }
 *     void function(...) { clear_stack_and_registers(work(...)); }
 *
 * That takes 10 cycles or more. Functions of few words keep them in registers on x86-64, or in the red
 * zone, which Windows has not, if they are optimized for speed; they are HORNET_SMALL in place of
 * HORNET_NOINLINE, and followed by clear_small_stack, which then do nothing. tests/unit/residue.sh shows
 * that nothing is left of either. */
#ifndef HORNET_CORE_RESIDUE_H
#define HORNET_CORE_RESIDUE_H

#include <stddef.h>
#include <stdint.h>

#include "compiler.h"
#include "cpu.h"

#if defined(__x86_64__) && !HORNET_WIN64 && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#define HORNET_SMALL_IS_CLEAN 1
#define HORNET_SMALL          HORNET_INLINE
#else
#define HORNET_SMALL_IS_CLEAN 0
#define HORNET_SMALL          HORNET_NOINLINE
#endif

/* A function may use so much below its stack pointer (System V ABI for x86-64, "red zone"). */
#define RED_ZONE_BYTES 128

/* What lies below it at most: the red zone, and the frames of small functions that were called. */
#ifdef __OPTIMIZE__
#define STACK_BELOW_BYTES RED_ZONE_BYTES
#else
#define STACK_BELOW_BYTES (RED_ZONE_BYTES + 4096)
#endif

/* Where the stack of the function that asks has ended, and that of the functions it called, if it is no
 * larger. To have a word on the stack at that place keeps the compiler from giving the stack back before
 * it: clang 19 does where a branch needs none. */
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
#elif defined(__mips__) || defined(__loongarch__)
    __asm__ volatile("move %0, $sp" : "=r"(pointer), "=m"(here));
#else
    (void)here;
    pointer = UINTPTR_MAX; /* not known: nothing is cleared */
#endif
    return pointer - below_bytes;
}

/* Of two such ends, that which is further down. */
HORNET_INLINE uintptr_t lower_end(uintptr_t a, uintptr_t b) { return a < b ? a : b; }

#pragma GCC visibility push(hidden)

/* Zeros from there to the frame of the caller; and in vector registers, the first in all, the second in
 * those of AVX, the third in those of AVX-512. */
void hornet_clear_stack(uintptr_t end);
void hornet_clear_stack_avx(uintptr_t end);
void hornet_clear_stack_avx512(uintptr_t end);

#pragma GCC visibility pop

/* The one for all vector registers of this CPU: for code in which the compiler may call memcpy, which takes
 * the largest there are. */
HORNET_INLINE void clear_stack_and_registers(uintptr_t end)
{
    const uint32_t cpu = hornet_cpu();
    (void)cpu;
#if HORNET_X86_64_ASM
    if ((cpu & CPU_avx512f) != 0)
        hornet_clear_stack_avx512(end);
    else if ((cpu & CPU_avx2) != 0)
        hornet_clear_stack_avx(end);
    else
#endif
        hornet_clear_stack(end);
}

/* The same two for functions of few words. */
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

/* At the end of a function that calls none and keeps few words on the stack: they lie in its red zone.
 * Zeros there. */
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
