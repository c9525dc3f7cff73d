/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Calls a function on a stack of its own, with zeros in all vector registers, and stores what is in them
 * afterwards. Registers that a function must preserve hold zeros before and after it. General-purpose
 * registers hold zeros or addresses before, the same in every call. */
#ifndef HORNET_TESTS_CALL_ON_H
#define HORNET_TESTS_CALL_ON_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../../src/core/cpu.h"

/* The vector registers, in a form of each architecture; mask registers too. */
static struct registers {
    _Alignas(64) uint8_t vectors[8192];
} registers;

/* Calls call(n) with the stack pointer at `top`, a multiple of 64. */
__attribute__((unused)) static void call_on(void (*call)(size_t n), size_t n, void *top);

#if defined(__x86_64__)

/* As XSAVE stores them, and XRSTOR loads zeros. */
enum { XSAVE_MXCSR = 24, XSAVE_HEADER = 512, XSAVE_HEADER_BYTES = 64 };

/* n is passed where both System V and Windows expect it. The 32 bytes above the return address, which on
 * Windows belong to the called function, are reserved. */
__attribute__((sysv_abi)) void call_on_stack(void (*call)(size_t n), size_t n, void *top, void *vectors);
__asm__(".text\n"
        "call_on_stack:\n\t"
        "push %rbp\n\tpush %rbx\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n\t"
        "mov %rsp, %rbp\n\t"
        "lea -32(%rdx), %rsp\n\t"
        "mov %rcx, %rbx\n\t"
        "mov %rdi, %rcx\n\t"
        "mov $0xe7, %eax\n\txor %edx, %edx\n\t" /* x87, SSE, AVX, AVX-512 */
        "xrstor64 (%rbx)\n\t"
        "mov %rcx, %rax\n\t"
        "mov %rsi, %rdi\n\t"
        "mov %rsi, %rcx\n\t"
        "xor %r12d, %r12d\n\txor %r13d, %r13d\n\txor %r14d, %r14d\n\txor %r15d, %r15d\n\t"
        "xor %r8d, %r8d\n\txor %r9d, %r9d\n\txor %r10d, %r10d\n\txor %r11d, %r11d\n\t"
        "call *%rax\n\t"
        "mov $0xe7, %eax\n\txor %edx, %edx\n\t"
        "xsave64 (%rbx)\n\t"
        "mov %rbp, %rsp\n\t"
        "pop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbx\n\tpop %rbp\n\t"
        "ret\n");

static void call_on(void (*call)(size_t n), size_t n, void *top)
{
    memset(&registers, 0, sizeof registers);
    memcpy(registers.vectors + XSAVE_MXCSR, &(uint32_t){0x1f80}, 4);
    call_on_stack(call, n, top, registers.vectors);
    memset(registers.vectors + XSAVE_HEADER, 0, XSAVE_HEADER_BYTES);
}

#else

/* Each architecture has its assembly in parts: LOADS gets function, argument, stack pointer and address of
 * the registers' memory from `words`, whose address is in WORDS_IN, and keeps the last, and the stack
 * pointer of before, in registers that the function must preserve; ZEROS sets the others to zeros; then
 * come the CALL, the STORES, and BACK with the stack pointer. CHANGED are the registers that the compiler
 * may expect nothing of afterwards. */
static struct {
    void (*call)(size_t n);
    size_t n;
    void *top, *vectors;
    uint64_t has_vectors;
} words;

/* The assembler repeats the instructions for each number n in the list. */
#define FOR(list, instructions) ".irp n, " list "\n\t" instructions "\n\t.endr\n\t"
#define ALL_32                                                                                             \
    "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, "                                               \
    "16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31"
#define CHANGED_VECTORS                                                                                    \
    "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15",  \
        "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29",  \
        "v30", "v31"

#if defined(__aarch64__)
#define WORDS_IN "x0"
#define LOADS                                                                                              \
    "mov x19, sp\n\tldr x20, [x0, #24]\n\tldr x16, [x0]\n\tldr x17, [x0, #16]\n\tmov sp, x17\n\t"          \
    "ldr x0, [x0, #8]\n\t"
#define ZEROS                                                                                              \
    FOR("1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18", "mov x\\n, #0")                       \
    FOR("21, 22, 23, 24, 25, 26, 27, 28", "mov x\\n, #0") FOR(ALL_32, "movi v\\n\\().2d, #0")
#define CALL   "blr x16\n\t"
#define STORES FOR(ALL_32, "str q\\n, [x20, #16*\\n]")
#define BACK   "mov sp, x19"
#define CHANGED                                                                                            \
    "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", \
        "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x30", "cc",   \
        CHANGED_VECTORS

#elif defined(__arm__)
/* Neither r7 nor r11, which may be the frame pointer. */
#define WORDS_IN "r0"
#define LOADS                                                                                              \
    "mov r4, sp\n\tldr r5, [r0, #12]\n\tldr r12, [r0]\n\tldr r1, [r0, #8]\n\tmov sp, r1\n\t"               \
    "ldr r0, [r0, #4]\n\t"
#define ZEROS                                                                                              \
    FOR("1, 2, 3, 6, 8, 9, 10, 14", "mov r\\n, #0")                                                        \
    FOR("0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15", "vmov.i32 q\\n, #0")
#define CALL   "blx r12\n\t"
#define STORES "vstmia r5!, {d0-d15}\n\tvstmia r5!, {d16-d31}\n\t"
#define BACK   "mov sp, r4"
#define CHANGED                                                                                            \
    "r1", "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "r12", "lr", "cc", "d0", "d1", "d2", "d3",      \
        "d4", "d5", "d6", "d7", "d8", "d9", "d10", "d11", "d12", "d13", "d14", "d15", "d16", "d17", "d18", \
        "d19", "d20", "d21", "d22", "d23", "d24", "d25", "d26", "d27", "d28", "d29", "d30", "d31"
#ifndef __clang__
#define HAS_VECTORS __attribute__((noinline, target("fpu=neon")))
#endif

#elif defined(__s390x__)
/* The 160 bytes above the stack pointer belong to the called function, which saves registers there. */
#define WORDS_IN "r2"
#define LOADS                                                                                              \
    "lgr %%r11, %%r15\n\tlg %%r10, 24(%%r2)\n\tlg %%r1, 0(%%r2)\n\tlg %%r15, 16(%%r2)\n\t"                 \
    "aghi %%r15, -160\n\tlg %%r2, 8(%%r2)\n\t"
#define ZEROS  FOR("0, 3, 4, 5, 6, 7, 8, 9, 13", "lghi %%r\\n, 0") FOR(ALL_32, "vzero %%v\\n")
#define CALL   "basr %%r14, %%r1\n\t"
#define STORES FOR(ALL_32, "vst %%v\\n, 16*\\n(%%r10)")
#define BACK   "lgr %%r15, %%r11"
#define CHANGED                                                                                            \
    "r0", "r1", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r13", "r14", "cc", CHANGED_VECTORS
#ifdef __clang__
#define HAS_VECTORS __attribute__((noinline, target("vector")))
#else
#define HAS_VECTORS __attribute__((noinline, target("arch=z13")))
#endif

#elif defined(__powerpc64__)
/* The words above the stack pointer, for registers and parameters of the called function, take 112 bytes at
 * most. ELFv1 calls through descriptors. vs32 is v0. */
#define WORDS_IN "r3"
#if defined(_CALL_ELF) && _CALL_ELF == 2
#define TOC   "24(1)\n\t"
#define ENTRY ""
#else
#define TOC   "40(1)\n\t"
#define ENTRY "ld 2, 8(12)\n\tld 12, 0(12)\n\t"
#endif
#define LOADS                                                                                              \
    ".machine push\n\t.machine power8\n\tstd 2, " TOC                                                      \
    "mr 14, 1\n\tld 15, 24(3)\n\tld 12, 0(3)\n\tld 1, 16(3)\n\taddi 1, 1, -128\n\tld 3, 8(3)\n\t" ENTRY
#define ZEROS                                                                                              \
    FOR("0, 4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30",         \
        "li \\n, 0")                                                                                       \
    FOR(ALL_32, "xxlxor \\n, \\n, \\n\n\txxlxor 32+\\n, 32+\\n, 32+\\n")
#define CALL "mtctr 12\n\tbctrl\n\t"
#define STORES                                                                                             \
    FOR(ALL_32, "stxvd2x \\n, 0, 15\n\taddi 15, 15, 16")                                                   \
    FOR(ALL_32, "stxvd2x 32+\\n, 0, 15\n\taddi 15, 15, 16")
#define BACK "mr 1, 14\n\tld 2, " TOC ".machine pop"
#define CHANGED                                                                                            \
    "r0", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r14", "r15", "r16", "r17", "r18",      \
        "r19", "r20", "r21", "r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30", "lr", "ctr",   \
        "cr0", "cr1", "cr2", "cr3", "cr4", "cr5", "cr6", "cr7", "fr0", "fr1", "fr2", "fr3", "fr4", "fr5",  \
        "fr6", "fr7", "fr8", "fr9", "fr10", "fr11", "fr12", "fr13", "fr14", "fr15", "fr16", "fr17",        \
        "fr18", "fr19", "fr20", "fr21", "fr22", "fr23", "fr24", "fr25", "fr26", "fr27", "fr28", "fr29",    \
        "fr30", "fr31", CHANGED_VECTORS

#elif defined(__riscv) && __riscv_xlen == 64
/* The floating-point registers, and the vector registers if the library may use them. */
#define WORDS_IN "a0"
#define LOADS                                                                                              \
    ".option push\n\t.option arch, +v\n\t"                                                                 \
    "mv s2, sp\n\tld s3, 24(a0)\n\tld s4, 32(a0)\n\tld t1, 0(a0)\n\tld sp, 16(a0)\n\tld a0, 8(a0)\n\t"
#define ZEROS                                                                                              \
    FOR("1, 5, 7, 9, 11, 12, 13, 14, 15, 16, 17, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31",              \
        "li x\\n, 0")                                                                                      \
    FOR(ALL_32, "fmv.d.x f\\n, zero")                                                                      \
    "beqz s4, 1f\n\tvsetvli t0, zero, e8, m8, ta, ma\n\t" FOR("0, 8, 16, 24", "vmv.v.i v\\n, 0") "1:\n\t"
#define CALL "jalr t1\n\t"
#define STORES                                                                                             \
    FOR(ALL_32, "fsd f\\n, 0(s3)\n\taddi s3, s3, 8")                                                       \
    "beqz s4, 2f\n\tcsrr t0, vlenb\n\tslli t0, t0, 3\n\t" FOR(                                             \
        "0, 8, 16, 24", "vs8r.v v\\n, (s3)\n\tadd s3, s3, t0") "2:\n\t"
#define BACK "mv sp, s2\n\t.option pop"
#define CHANGED                                                                                            \
    "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s1", "s2",  \
        "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "ft0", "ft1", "ft2", "ft3", "ft4", "ft5",  \
        "ft6", "ft7", "ft8", "ft9", "ft10", "ft11", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6",       \
        "fa7", "fs0", "fs1", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11"
#endif

#ifndef HAS_VECTORS
#define HAS_VECTORS
#endif

HAS_VECTORS static void call_on(void (*call)(size_t n), size_t n, void *top)
{
    memset(&registers, 0, sizeof registers);
    words.call = call;
    words.n = n;
    words.top = top;
    words.vectors = registers.vectors;
#if HORNET_RVV
    words.has_vectors = hornet_cpu() != 0;
#endif
    register void *at __asm__(WORDS_IN) = &words;
    __asm__ volatile(LOADS ZEROS CALL STORES BACK : "+r"(at) : : CHANGED, "memory");
}

#endif

#endif
