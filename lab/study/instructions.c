/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "instructions.h"

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

static const struct study_instruction instructions[] = {
    {"mul32", chain_mul32, apart_mul32},
    {"add", chain_add, apart_add},
    {"permute32", chain_permute32, apart_permute32},
    {"permute64", chain_permute64, apart_permute64},
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
