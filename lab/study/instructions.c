/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "instructions.h"

#include <stdint.h>

#if defined(__x86_64__)
/* Each reads and writes one register, `n` in the operands. */
#define INSTRUCTION(name, text)                                                                            \
    static void chain_##name(void)                                                                         \
    {                                                                                                      \
        __asm__ volatile(".rept 256\n.irp n, 1\n" text "\n.endr\n.endr\nvzeroupper" : : : "xmm1");         \
    }                                                                                                      \
    static void apart_##name(void)                                                                         \
    {                                                                                                      \
        __asm__ volatile(".rept 64\n.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n" text                  \
                         "\n.endr\n.endr\nvzeroupper"                                                      \
                         :                                                                                 \
                         :                                                                                 \
                         : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", \
                           "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");                          \
    }

INSTRUCTION(mul32, "vpmuludq %%ymm\\n, %%ymm\\n, %%ymm\\n")
INSTRUCTION(add, "vpaddq %%ymm\\n, %%ymm\\n, %%ymm\\n")
INSTRUCTION(permute32, "vpermd %%ymm\\n, %%ymm\\n, %%ymm\\n")
INSTRUCTION(permute64, "vpermq $27, %%ymm\\n, %%ymm\\n")

/* Bernstein 2005, section 4: three ways to load an integer of 32 bits, without a sign, into a register of
 * x87. Each copies the four bytes to where the others are; a chain stores what was loaded, and loads it
 * again. `n` is the place. */
static _Alignas(64) uint32_t with_zeros[2 * 16], with_exponent[2 * 16], alone[2 * 16];
static uint64_t loaded;
static const double two_52_51 = 0x1.8p52, two_31 = 0x1p31;

#define LOAD(name, words, text)                                                                            \
    static void chain_##name(void)                                                                         \
    {                                                                                                      \
        uint32_t value = 5;                                                                                \
        __asm__ volatile(".rept 256\n.irp n, 0\n" text "fistpll %[loaded]\nmovl %[loaded], %[value]\n"     \
                         ".endr\n.endr"                                                                    \
                         : [value] "+r"(value), [place] "+m"(words), [loaded] "+m"(loaded)                 \
                         : [two_52_51] "m"(two_52_51), [two_31] "m"(two_31));                              \
    }                                                                                                      \
    static void apart_##name(void)                                                                         \
    {                                                                                                      \
        uint32_t value = 5;                                                                                \
        __asm__ volatile(".rept 64\n.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n" text                  \
                         "fstp %%st(0)\n.endr\n.endr"                                                      \
                         : [value] "+r"(value), [place] "+m"(words)                                        \
                         : [two_52_51] "m"(two_52_51), [two_31] "m"(two_31));                              \
    }

LOAD(load_zeros, with_zeros, "movl %[value], 8*\\n+%[place]\nfildll 8*\\n+%[place]\n")
LOAD(load_exponent, with_exponent,
     "movl %[value], 8*\\n+%[place]\nfldl 8*\\n+%[place]\nfsubl %[two_52_51]\n")
LOAD(load_signed, alone,
     "subl $0x80000000, %[value]\nmovl %[value], 8*\\n+%[place]\nfildl 8*\\n+%[place]\nfaddl %[two_31]\n")

__attribute__((constructor)) static void set_exponents(void)
{
    for (int i = 0; i < 16; i++)
        with_exponent[2 * i + 1] = UINT32_C(0x43380000); /* of 2^52 + 2^51: the bytes 0, 0, 56, 67 */
}

static const struct study_instruction instructions[] = {
    {"mul32", chain_mul32, apart_mul32},
    {"add", chain_add, apart_add},
    {"permute32", chain_permute32, apart_permute32},
    {"permute64", chain_permute64, apart_permute64},
    {"load_zeros", chain_load_zeros, apart_load_zeros},
    {"load_exponent", chain_load_exponent, apart_load_exponent},
    {"load_signed", chain_load_signed, apart_load_signed},
};

size_t study_instructions(const struct study_instruction **all)
{
    *all = instructions;
    return __builtin_cpu_supports("avx2") ? sizeof instructions / sizeof instructions[0] : 0;
}
#else
size_t study_instructions(const struct study_instruction **all)
{
    *all = NULL;
    return 0;
}
#endif
