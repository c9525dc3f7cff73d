/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Clears the stack below the caller's frame, and vector registers. */
#include "stack_wipe.h"

#include "memory.h"

/* The functions below name no vector registers as clobbered, because that requires their instruction sets,
 * and no vector is live in them. But in one translation unit with the callers, gcc would conclude that
 * their vector registers survive the call. */
#if defined(__GNUC__) && !defined(__clang__)
#define CLEARS_REGISTERS __attribute__((noipa))
#else
#define CLEARS_REGISTERS __attribute__((noinline))
#endif

/* The assembler repeats the instructions for each number n in the list. */
#define FOR_REGISTERS(list, instructions) ".irp n, " list "\n\t" instructions "\n\t.endr\n\t"
#define REGISTERS_0_TO_7                  "0, 1, 2, 3, 4, 5, 6, 7"
#define REGISTERS_8_TO_15                 "8, 9, 10, 11, 12, 13, 14, 15"
#define REGISTERS_16_TO_31                "16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31"

#if HORNET_X86_64_ASM

/* The stack pointer is moved along, because memory below the stack pointer may be overwritten at any time,
 * for instance by a signal handler. Clearing goes downwards, because Windows extends a stack only by the
 * page directly below the last one. The function keeps nothing on the stack that it needs afterwards. The
 * first 192 bytes, and up to 63 more, are cleared without a loop: return address, six saved registers and
 * red zone of a function whose words stay in registers. All stores but the first are at multiples of 64,
 * because one of 64 bytes that crosses a cache line takes twice as long: on Golden Cove, sealing 512 bytes
 * takes 0.96 of the time (2026-11-26). */
/* clang-format off */
#define CLEAR_STACK(end, zeros, stores)                                                                    \
    do {                                                                                                   \
        uintptr_t at, top;                                                                                 \
        __asm__ volatile("movq %%rsp, %[top]\n\t"                                                          \
                         "leaq -64(%%rsp), %[at]\n\t"                                                      \
                         "leaq -64(%[end]), %%rsp\n\t"                                                     \
                         zeros                                                                             \
                         stores("0")                                                                       \
                         "andq $-64, %[at]\n\t"                                                            \
                         "subq $128, %[at]\n\t"                                                            \
                         stores("128") stores("64") stores("0")                                            \
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
#define REGISTERS_TO_CLEAR REGISTERS_0_TO_7 ", " REGISTERS_8_TO_15
#define KEPT_HALVES
#define MASKS_TO_CLEAR "1, 2, 3"
#endif

#if HORNET_HAS_VECTORS
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

CLEARS_REGISTERS void hornet_clear_stack(uintptr_t end) { CLEAR_STACK(end, ZEROS_SSE2, STORES_SSE2); }
CLEARS_REGISTERS void hornet_clear_stack_avx(uintptr_t end) { CLEAR_STACK(end, ZEROS_AVX, STORES_AVX); }
CLEARS_REGISTERS void hornet_clear_stack_avx512(uintptr_t end)
{
    CLEAR_STACK(end, ZEROS_AVX512, STORES_AVX512);
}
#else
#define STORES_WORDS(at) FOR_REGISTERS("0, 8, 16, 24, 32, 40, 48, 56", "movq $0, " at "+\\n(%[at])")

CLEARS_REGISTERS void hornet_clear_stack(uintptr_t end) { CLEAR_STACK(end, "", STORES_WORDS); }
#endif

#else

/* Clears a piece of the stack, at a multiple of 8. */
#ifdef __s390x__
enum { PIECE_BYTES = 256 }; /* one instruction, XC */
HORNET_INLINE void clear_piece(uint8_t *piece) { memset(piece, 0, PIECE_BYTES); }
#else
enum { PIECE_BYTES = 64 };

/* wipe.h, but at a multiple of 8: some CPUs store single bytes elsewhere, 4000 where an AEAD ends. */
HORNET_INLINE void clear_piece(uint8_t *piece)
{
    enum {
#if HORNET_INT128
        PARTS = 1
#else
        PARTS = 4 /* for 64 bytes in one part, gcc 12 calls memset on 32-bit Arm */
#endif
    };
    typedef uint64_t part __attribute__((vector_size(PIECE_BYTES / PARTS), may_alias, aligned(8)));
    HORNET_UNROLL
    for (size_t i = 0; i < PARTS; i++)
        ((part *)piece)[i] = (part){0};
}
#endif

/* Clears from `end` up to what the function into which this is inlined keeps in its own frame. The memory
 * is reserved, because what is below the stack pointer may be overwritten at any time; between that memory
 * and the stack pointer there may be words for called functions, 160 bytes on z/Architecture. */
HORNET_INLINE void clear_from(uintptr_t end)
{
    enum { NOT_CLEARED_BYTES = 192 + PIECE_BYTES };
    const uintptr_t begin = (uintptr_t)__builtin_frame_address(0);
    if (end < begin) {
        const size_t reserved_bytes = (begin - end + NOT_CLEARED_BYTES + 15) / 16 * 16;
        uint8_t *const reserved = __builtin_alloca(reserved_bytes);
        size_t at = reserved_bytes;
        HORNET_KEEP_LOOP
        while ((uintptr_t)reserved + at > end) {
            at -= PIECE_BYTES;
            clear_piece(reserved + at);
            __asm__ volatile("" : : "r"(reserved) : "memory");
        }
    }
}

CLEARS_REGISTERS void hornet_clear_stack(uintptr_t end)
{
    clear_from(end);
#if HORNET_S390X
    /* gcc saves words of general-purpose registers in the caller-saved ones of the floating-point
     * registers, which all CPUs have. */
    __asm__ volatile(FOR_REGISTERS(REGISTERS_0_TO_7, "lzdr %%f\\n")
                     :
                     :
                     : "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "memory");
#endif
}

void hornet_clear_stack_avx(uintptr_t end) { hornet_clear_stack(end); }
void hornet_clear_stack_avx512(uintptr_t end) { hornet_clear_stack(end); }

#if HORNET_HAS_VECTORS_TO_CLEAR

/* Zeros in all vector registers but those, and halves of those, that a function must preserve. */
#if defined(__aarch64__) /* AAPCS64, section 6.1.2; FMOV clears the upper half */
#define ZEROS                                                                                              \
    FOR_REGISTERS(REGISTERS_0_TO_7 ", " REGISTERS_16_TO_31, "movi v\\n\\().2d, #0")                        \
    FOR_REGISTERS(REGISTERS_8_TO_15, "fmov d\\n, d\\n")
#define ZEROED "memory"
#elif defined(__arm__) /* AAPCS32, section 6.1.2; q4 to q7 are d8 to d15 */
#define ZEROS  FOR_REGISTERS("0, 1, 2, 3, " REGISTERS_8_TO_15, "vmov.i32 q\\n, #0")
/* Where gcc must save one register, it saves r3 too, to keep the stack aligned, and a kernel may have left
 * a word there. With r4 it need not. */
#define ZEROED "r4", "memory"
#elif defined(__s390x__) /* ELF ABI supplement, section 1.2.1 */
#define ZEROS                                                                                              \
    FOR_REGISTERS(REGISTERS_0_TO_7 ", " REGISTERS_16_TO_31, "vzero %%v\\n")                                \
    FOR_REGISTERS(REGISTERS_8_TO_15, "vleig %%v\\n, 0, 1")
#define ZEROED "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "memory" /* as above */
#elif defined(__powerpc64__) /* ELFv2 ABI, section 2.2.1; vs32 is v0 */
/* The fields of the condition register too, which a later function may save in its caller's frame: with
 * them goes what a comparison for a carry has left. */
#define ZEROS                                                                                              \
    FOR_REGISTERS(REGISTERS_0_TO_7 ", 8, 9, 10, 11, 12, 13", "xxlxor \\n, \\n, \\n")                       \
    FOR_REGISTERS("14, 15, " REGISTERS_16_TO_31, "xxpermdi \\n, \\n, 0, 0")                                \
    FOR_REGISTERS(REGISTERS_0_TO_7 ", " REGISTERS_8_TO_15 ", 16, 17, 18, 19",                              \
                  "xxlxor 32+\\n, 32+\\n, 32+\\n")                                                         \
    "li 0, 0\n\tmtcrf 0xc7, 0\n\t"
#define ZEROED "memory", "r0", "cr0", "cr1", "cr5", "cr6", "cr7"
#else /* RISC-V's calling convention preserves none */
#define ZEROS  "vsetvli t0, zero, e64, m8, ta, ma\n\t" FOR_REGISTERS("0, 8, 16, 24", "vmv.v.i v\\n, 0")
#define ZEROED "t0", "memory"
#endif

/* How the assembler is told to accept them. clang's for z/Architecture and gcc's for 32-bit Arm do as the
 * function's target says; elsewhere, gcc would inline nothing into a function with another target. */
#define WITHIN_TARGET
#if defined(__s390x__) && defined(__clang__)
#undef WITHIN_TARGET
#define WITHIN_TARGET __attribute__((target("vector")))
#define BEFORE_ZEROS  ""
#define AFTER_ZEROS   ""
#elif defined(__arm__) && !defined(__clang__)
#undef WITHIN_TARGET
#define HORNET_TARGET "fpu=neon"
#define WITHIN_TARGET __attribute__((target(HORNET_TARGET)))
#define BEFORE_ZEROS  ""
#define AFTER_ZEROS   ""
#elif defined(__s390x__)
#define BEFORE_ZEROS ".machine push\n\t.machine z13\n\t"
#define AFTER_ZEROS  ".machine pop"
#elif defined(__powerpc64__)
#define BEFORE_ZEROS ".machine push\n\t.machine power8\n\t"
#define AFTER_ZEROS  ".machine pop"
#elif defined(__riscv)
#define BEFORE_ZEROS ".option push\n\t.option arch, +v\n\t"
#define AFTER_ZEROS  ".option pop"
#else
#define BEFORE_ZEROS ""
#define AFTER_ZEROS  ""
#endif

WITHIN_TARGET CLEARS_REGISTERS void hornet_clear_stack_vectors(uintptr_t end)
{
    clear_from(end);
    __asm__ volatile(BEFORE_ZEROS ZEROS AFTER_ZEROS : : : ZEROED);
}

#undef HORNET_TARGET

#endif

#endif
