/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Zeros below the caller's frame and in vector registers. */
#include "residue.h"

#include "wipe.h"

#if HORNET_X86_64_ASM

/* The stack pointer moves along: memory below it is nobody's, and a signal may come at any time. The
 * function keeps nothing on the stack that it needs afterwards. The first 192 bytes without a loop: return
 * address, six saved registers and red zone of a function whose words stay in registers. */
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
                         "movq %[top], %%rsp"                                                              \
                         : [at] "=&r"(at), [top] "=&r"(top)                                                \
                         : [end] "r"(end)                                                                  \
                         : "cc", "memory");                                                                \
    } while (0)
/* clang-format on */

#define FOR_16_REGISTERS(X)                                                                                \
    X("0")                                                                                                 \
    X("1")                                                                                                 \
    X("2")                                                                                                 \
    X("3")                                                                                                 \
    X("4")                                                                                                 \
    X("5") X("6") X("7") X("8") X("9") X("10") X("11") X("12") X("13") X("14") X("1"                       \
                                                                                 "5")
#define FOR_16_MORE_REGISTERS(X)                                                                           \
    X("16")                                                                                                \
    X("17")                                                                                                \
    X("18")                                                                                                \
    X("19")                                                                                                \
    X("20")                                                                                                \
    X("21") X("22") X("23") X("24") X("25") X("26") X("27") X("28") X("29") X("30") X("3"                  \
                                                                                      "1")

#define ZERO_SSE2(n)   "pxor %%xmm" n ", %%xmm" n "\n\t"
#define ZERO_AVX(n)    "vpxor %%xmm" n ", %%xmm" n ", %%xmm" n "\n\t"
#define ZERO_AVX512(n) "vmovdqa32 %%xmm0, %%xmm" n "\n\t"

/* Into the first mask register clang copies constants of 8 bits together with what else the general
 * register holds. */
#define ZERO_MASK "kxorw %%k1, %%k1, %%k1\n\t"

#define STORE_16(at, plus) "movups %%xmm0, " at "+" plus "(%[at])\n\t"
#define STORES_SSE2(at)    STORE_16(at, "0") STORE_16(at, "16") STORE_16(at, "32") STORE_16(at, "48")
#define STORE_32(at, plus) "vmovups %%ymm0, " at "+" plus "(%[at])\n\t"
#define STORES_AVX(at)     STORE_32(at, "0") STORE_32(at, "32")
#define STORES_AVX512(at)  "vmovups %%zmm0, " at "(%[at])\n\t"

/* No clobbers, which take instruction sets to name: no vector lives here. */
void hornet_clear_stack(uintptr_t end) { CLEAR_STACK(end, FOR_16_REGISTERS(ZERO_SSE2), STORES_SSE2); }

void hornet_clear_stack_avx(uintptr_t end) { CLEAR_STACK(end, FOR_16_REGISTERS(ZERO_AVX), STORES_AVX); }

void hornet_clear_stack_avx512(uintptr_t end)
{
    CLEAR_STACK(end, FOR_16_REGISTERS(ZERO_AVX) FOR_16_MORE_REGISTERS(ZERO_AVX512) ZERO_MASK,
                STORES_AVX512);
}

#else

void hornet_clear_stack(uintptr_t end)
{
    const uintptr_t begin = (uintptr_t)__builtin_frame_address(0);
    if (end < begin) {
        const size_t len_bytes = (begin - end + 15) & ~(uintptr_t)15;
        void *memory = __builtin_alloca(len_bytes);
        wipe(memory, len_bytes);
    }
}

void hornet_clear_stack_avx(uintptr_t end) { hornet_clear_stack(end); }
void hornet_clear_stack_avx512(uintptr_t end) { hornet_clear_stack(end); }

#endif
