/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Clears the stack below the caller's frame, and vector registers. */
#include "stack_wipe.h"

#if HORNET_X86_64_ASM

/* The stack pointer is moved along, because memory below the stack pointer may be overwritten at any time,
 * for instance by a signal handler. Clearing goes downwards, because Windows extends a stack only by the
 * page directly below the last one. The function keeps nothing on the stack that it needs afterwards. The
 * first 192 bytes are cleared without a loop: return address, six saved registers and red zone of a
 * function whose words stay in registers. */
/* clang-format off */
#define CLEAR_STACK(end, zeros, stores)                                                                    \
    do {                                                                                                   \
        uintptr_t at, top;                                                                                 \
        __asm__ volatile("movq %%rsp, %[top]\n\t"                                                          \
                         "leaq -192(%%rsp), %[at]\n\t"                                                     \
                         "leaq -64(%[end]), %%rsp\n\t"                                                     \
                         zeros                                                                             \
                         stores("0") stores("64") stores("128")                                            \
                         "cmpq %[end], %[at]\n\t"                                                          \
                         "jbe 2f\n"                                                                        \
                         "1:\n\t"                                                                          \
                         "subq $64, %[at]\n\t"                                                             \
                         stores("0")                                                                       \
                         "cmpq %[end], %[at]\n\t"                                                          \
                         "ja 1b\n"                                                                         \
                         "2:\n\t"                                                                          \
                         "movq %[top], %%rsp\n\t"                                                          \
                         ZEROS_GENERAL                                                                     \
                         : [at] "=&r"(at), [top] "=&r"(top)                                                \
                         : [end] "r"(end)                                                                  \
                         : "cc", "memory", GENERAL_REGISTERS);                                             \
    } while (0)
/* clang-format on */

/* Caller-saved general-purpose registers, except the three that are in use here. Callers push them to
 * reserve stack space: gcc does at -Os. */
#if HORNET_WIN64
#define ZEROS_GENERAL     "xorl %%r9d, %%r9d\n\txorl %%r10d, %%r10d\n\txorl %%r11d, %%r11d"
#define GENERAL_REGISTERS "r9", "r10", "r11"
#else
#define ZEROS_GENERAL                                                                                      \
    "xorl %%ecx, %%ecx\n\txorl %%esi, %%esi\n\txorl %%r8d, %%r8d\n\t"                                      \
    "xorl %%r9d, %%r9d\n\txorl %%r10d, %%r10d\n\txorl %%r11d, %%r11d"
#define GENERAL_REGISTERS "rcx", "rsi", "r8", "r9", "r10", "r11"
#endif

/* Caller-saved SSE2 and AVX registers. On Windows the lower halves of the others are callee-saved; their
 * upper halves are cleared too. And mask registers: on Windows, gcc keeps words in any of them; elsewhere,
 * clang copies 8-bit constants into the first ones, together with whatever else a general-purpose register
 * holds. */
#if HORNET_WIN64
#define REGISTERS_TO_CLEAR "0, 1, 2, 3, 4, 5"
#define KEPT_HALVES        "vzeroupper\n\t"
#define MASKS_TO_CLEAR     "1, 2, 3, 4, 5, 6, 7"
#else
#define REGISTERS_TO_CLEAR "0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15"
#define KEPT_HALVES
#define MASKS_TO_CLEAR "1, 2, 3"
#endif
#define REGISTERS_16_TO_31 "16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31"

/* The assembler repeats the instruction for each number n in the list. */
#define FOR_REGISTERS(list, instruction) ".irp n, " list "\n\t" instruction "\n\t.endr\n\t"

#define ZEROS_SSE2 FOR_REGISTERS(REGISTERS_TO_CLEAR, "pxor %%xmm\\n, %%xmm\\n")
#define ZEROS_AVX  FOR_REGISTERS(REGISTERS_TO_CLEAR, "vpxor %%xmm\\n, %%xmm\\n, %%xmm\\n") KEPT_HALVES

/* The registers that only AVX-512 has. */
#define ZEROS_AVX512                                                                                       \
    ZEROS_AVX FOR_REGISTERS(REGISTERS_16_TO_31, "vmovdqa32 %%xmm0, %%xmm\\n")                              \
        FOR_REGISTERS(MASKS_TO_CLEAR, "kxorw %%k\\n, %%k\\n, %%k\\n")

#define STORE_16(at, plus) "movups %%xmm0, " at "+" plus "(%[at])\n\t"
#define STORES_SSE2(at)    STORE_16(at, "0") STORE_16(at, "16") STORE_16(at, "32") STORE_16(at, "48")
#define STORE_32(at, plus) "vmovups %%ymm0, " at "+" plus "(%[at])\n\t"
#define STORES_AVX(at)     STORE_32(at, "0") STORE_32(at, "32")
#define STORES_AVX512(at)  "vmovups %%zmm0, " at "(%[at])\n\t"

/* No clobber lists, because naming the registers requires their instruction sets, and no vector is live
 * here. But in one translation unit with the callers, gcc would conclude that their vector registers
 * survive the call. */
#if defined(__GNUC__) && !defined(__clang__)
#define CLEARS_REGISTERS __attribute__((noipa))
#else
#define CLEARS_REGISTERS __attribute__((noinline))
#endif
CLEARS_REGISTERS void hornet_clear_stack(uintptr_t end) { CLEAR_STACK(end, ZEROS_SSE2, STORES_SSE2); }
CLEARS_REGISTERS void hornet_clear_stack_avx(uintptr_t end) { CLEAR_STACK(end, ZEROS_AVX, STORES_AVX); }
CLEARS_REGISTERS void hornet_clear_stack_avx512(uintptr_t end)
{
    CLEAR_STACK(end, ZEROS_AVX512, STORES_AVX512);
}

#else

void hornet_clear_stack(uintptr_t end)
{
    const uintptr_t begin = (uintptr_t)__builtin_frame_address(0);
    if (end < begin) {
        /* wipe.h, but at a multiple of 8: some CPUs store single bytes elsewhere, 4000 where an AEAD ends.
         */
        typedef uint64_t piece __attribute__((vector_size(64), may_alias, aligned(8)));
        const size_t len_bytes = (begin - end + sizeof(piece) - 1) / sizeof(piece) * sizeof(piece);
        uint8_t *const memory = __builtin_alloca(len_bytes);
        HORNET_KEEP_LOOP
        for (size_t at = 0; at < len_bytes; at += sizeof(piece)) {
            *(piece *)(memory + at) = (piece){0};
            __asm__ volatile("" : : "r"(memory) : "memory");
        }
    }
}

void hornet_clear_stack_avx(uintptr_t end) { hornet_clear_stack(end); }
void hornet_clear_stack_avx512(uintptr_t end) { hornet_clear_stack(end); }

#endif
