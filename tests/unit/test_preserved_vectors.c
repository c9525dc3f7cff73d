/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A library for kernels of operating systems leaves a program's registers as they are: every function is
 * called with a pattern in all floating-point, vector and mask registers, and then none has changed. On
 * x86-64. */
#include "../../src/core/cpu.h"
#include "../support/call_on.h"
#include "../support/pages.h"
#include "../support/secret_calls.h"

enum { STACK_BYTES = 64 * 1024 };

/* Intel SDM volume 1, sections 13.4 and 13.5: the areas of XSAVE, the control words among them. */
enum { X87_CONTROL = 0, X87_TAGS = 4, X87_BYTES = 160, SSE_END = 416 };
static const struct {
    int bit;
    size_t at, bytes;
} areas[] = {
    {1, X87_BYTES, SSE_END - X87_BYTES}, {2, 576, 256}, {5, 1088, 64}, {6, 1152, 512}, {7, 1664, 1024}};

static uint8_t before[sizeof registers.vectors];

/* Fills the registers that this CPU has. */
static void fill(size_t n)
{
    uint64_t has = 3;
    memset(before, 0, sizeof before);
    memcpy(before + X87_CONTROL, &(uint16_t){0x37f}, 2);
    memcpy(before + XSAVE_MXCSR, &(uint32_t){0x1f80}, 4);
    before[X87_TAGS] = 0xff; /* all in use */
    for (size_t i = 0; i < 8; i++)
        for (size_t byte = 0; byte < 10; byte++)
            before[32 + 16 * i + byte] = (uint8_t)(n + 16 * i + byte + 1);
    for (size_t a = 0; a < sizeof areas / sizeof areas[0]; a++) {
        if (areas[a].bit == 2 && !__builtin_cpu_supports("avx"))
            break;
        if (areas[a].bit > 2 && !__builtin_cpu_supports("avx512f"))
            break;
        has |= UINT64_C(1) << areas[a].bit;
        for (size_t i = 0; i < areas[a].bytes; i++)
            before[areas[a].at + i] = (uint8_t)(7 * i + n + 1);
    }
    memcpy(before + XSAVE_HEADER, &has, 8);
}

int main(void)
{
    static struct secrets secrets;
    uint8_t *const stack = reserve_pages(STACK_BYTES);
    check(stack != NULL && allow_pages(stack, STACK_BYTES), "no memory for a stack");
    make_secrets(&secrets, RANDOM);
    for (size_t f = 0; f < SECRET_CALLS; f++)
        for (size_t n = 0; n <= 5000; n = 2 * n + 15) {
            set_up(&secret_calls[f], n, &secrets);
            fill(n);
            memcpy(registers.vectors, before, sizeof before);
            call_on_stack(secret_calls[f].call, n, stack + STACK_BYTES, registers.vectors);
            /* What lies before the registers: where the last instruction of x87 was, and the tags. */
            bool same = memcmp(registers.vectors + 32, before + 32, SSE_END - 32) == 0;
            for (size_t a = 1; a < sizeof areas / sizeof areas[0]; a++)
                same = same &&
                       memcmp(registers.vectors + areas[a].at, before + areas[a].at, areas[a].bytes) == 0;
            check(same, "%s, %zu bytes, changes vector registers", secret_calls[f].name, n);
        }
    return check_report("test_preserved_vectors");
}
