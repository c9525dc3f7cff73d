/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Calls a function with known values in the floating-point and vector registers that a function must
 * preserve, and checks them afterwards: saved_before, saved_after. CVE-2023-4807 was a Poly1305 that did
 * not preserve those of Windows.
 *
 *     AArch64: the low halves of v8 to v15 (AAPCS64, section 6.1.2). Arm: d8 to d15 (AAPCS32, 6.1.2).
 *     s390x: f8 to f15 (ELF ABI supplement, section 1.2.1). POWER: f14 to f31, v20 to v31 (ELFv2 ABI,
 *     section 2.2.1). Windows on x86-64: xmm6 to xmm15 (Microsoft, "x64 calling convention"). Elsewhere
 *     there are none, or none that the library's code could change.
 *
 * On Windows the stack is aligned to 16 bytes, and compilers keep 64-byte vectors on it, so the function
 * must be called with the stack at each of four positions, 16 bytes apart. */
#ifndef HORNET_TESTS_SAVED_REGISTERS_H
#define HORNET_TESTS_SAVED_REGISTERS_H

#include <stdint.h>

#if defined(__aarch64__) || defined(__s390x__) || (defined(__arm__) && defined(__ARM_FP))
enum { SAVED_REGISTERS = 8 };
#elif defined(__powerpc64__)
enum { SAVED_REGISTERS = 18 + 2 * 12 };
#elif defined(__x86_64__) && defined(_WIN64)
enum { SAVED_REGISTERS = 2 * 10 };
#define STACK_PLACES 4
#else
enum { SAVED_REGISTERS = 0 };
#endif

#ifndef STACK_PLACES
#define STACK_PLACES 1
#endif

static uint64_t saved_before[SAVED_REGISTERS + 1] __attribute__((aligned(16)));
static uint64_t saved_after[SAVED_REGISTERS + 1] __attribute__((aligned(16)));

static inline void call_with_saved_registers(void (*function)(void), int stack_place)
{
    const uint64_t *before = saved_before;
    uint64_t *after = saved_after;
    (void)stack_place;
#if defined(__aarch64__)
    __asm__ volatile("ldp d8, d9, [%[before]]\n\tldp d10, d11, [%[before], #16]\n\t"
                     "ldp d12, d13, [%[before], #32]\n\tldp d14, d15, [%[before], #48]\n\t"
                     "blr %[function]\n\t"
                     "stp d8, d9, [%[after]]\n\tstp d10, d11, [%[after], #16]\n\t"
                     "stp d12, d13, [%[after], #32]\n\tstp d14, d15, [%[after], #48]"
                     :
                     : [function] "r"(function), [before] "r"(before), [after] "r"(after)
                     : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12",
                       "x13", "x14", "x15", "x16", "x17", "x18", "x30", "v0", "v1", "v2", "v3", "v4", "v5",
                       "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17",
                       "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29",
                       "v30", "v31", "cc", "memory");
#elif defined(__arm__) && defined(__ARM_FP)
    __asm__ volatile("vldmia %[before], {d8-d15}\n\t"
                     "blx %[function]\n\t"
                     "vstmia %[after], {d8-d15}"
                     :
                     : [function] "r"(function), [before] "r"(before), [after] "r"(after)
                     : "r0", "r1", "r2", "r3", "r12", "lr", "d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7",
                       "d8", "d9", "d10", "d11", "d12", "d13", "d14", "d15", "cc", "memory");
#elif defined(__s390x__)
    __asm__ volatile(".irp n, 8, 9, 10, 11, 12, 13, 14, 15\n\tld %%f\\n, 8*\\n-64(%[before])\n\t.endr\n\t"
                     "basr %%r14, %[function]\n\t"
                     ".irp n, 8, 9, 10, 11, 12, 13, 14, 15\n\tstd %%f\\n, 8*\\n-64(%[after])\n\t.endr"
                     :
                     : [function] "a"(function), [before] "a"(before), [after] "a"(after)
                     : "r0", "r1", "r2", "r3", "r4", "r5", "r14", "f0", "f1", "f2", "f3", "f4", "f5", "f6",
                       "f7", "f8", "f9", "f10", "f11", "f12", "f13", "f14", "f15", "cc", "memory");
#elif defined(__powerpc64__)
#if defined(_CALL_ELF) && _CALL_ELF == 2
#define ENTRY   "mr 12, %[function]\n\t"
#define SAVE    "std 2, 24(1)\n\t"
#define RESTORE "ld 2, 24(1)\n\t"
#else
#define ENTRY   "ld 12, 0(%[function])\n\tld 2, 8(%[function])\n\tld 11, 16(%[function])\n\t"
#define SAVE    "std 2, 40(1)\n\t"
#define RESTORE "ld 2, 40(1)\n\t"
#endif
#define FLOATS  "14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31"
#define VECTORS "20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31"
    __asm__ volatile(
        ".machine push\n\t.machine power8\n\t" SAVE ".irp n, " FLOATS
        "\n\tlfd \\n, 8*\\n-112(%[before])\n\t.endr\n\t"
        ".irp n, " VECTORS "\n\tli 0, 144+16*\\n-320\n\tlvx \\n, %[before], 0\n\t.endr\n\t" ENTRY
        "mtctr 12\n\tbctrl\n\t" RESTORE ".irp n, " FLOATS "\n\tstfd \\n, 8*\\n-112(%[after])\n\t.endr\n\t"
        ".irp n, " VECTORS "\n\tli 0, 144+16*\\n-320\n\tstvx \\n, %[after], 0\n\t.endr\n\t.machine pop"
        :
        : [function] "b"(function), [before] "b"(before), [after] "b"(after)
        : "r0", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "lr", "ctr", "cr0", "cr1",
          "cr5", "cr6", "cr7", "fr0", "fr1", "fr2", "fr3", "fr4", "fr5", "fr6", "fr7", "fr8", "fr9", "fr10",
          "fr11", "fr12", "fr13", "fr14", "fr15", "fr16", "fr17", "fr18", "fr19", "fr20", "fr21", "fr22",
          "fr23", "fr24", "fr25", "fr26", "fr27", "fr28", "fr29", "fr30", "fr31", "v0", "v1", "v2", "v3",
          "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18",
          "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
          "memory");
#elif defined(__x86_64__) && defined(_WIN64)
#define VECTORS "6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
    /* 32 bytes above the return address belong to the called function. */
    const uint64_t below = 32 + 16 * (uint64_t)stack_place;
    __asm__ volatile(
        "movq %%rsp, %%rbx\n\tandq $-64, %%rsp\n\tsubq %[below], %%rsp\n\t"
        ".irp n, " VECTORS "\n\tmovups 16*\\n-96(%[before]), %%xmm\\n\n\t.endr\n\t"
        "call *%[function]\n\t"
        ".irp n, " VECTORS "\n\tmovups %%xmm\\n, 16*\\n-96(%[after])\n\t.endr\n\t"
        "movq %%rbx, %%rsp"
        :
        : [function] "r"(function), [below] "r"(below), [before] "r"(before), [after] "r"(after)
        : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4",
          "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
          "cc", "memory");
#else
    (void)before, (void)after;
    function();
#endif
}

#endif
