/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Detects the length of the vector registers of a RISC-V CPU, as far as Linux lets this process use
 * them. */
#include "../cpu.h"

#if HORNET_RVV

#ifdef __linux__
#include <sys/prctl.h>

/* As in unistd.h, which declares it only with extensions of ISO C. */
long syscall(long number, ...);
#endif

/* Bit V of HWCAP is not sufficient: Linux kernels for cores with version 0.7 of the vector extension, which
 * has other instructions, set it too. riscv_hwprobe (Linux 6.5) reports version 1.0, for all CPUs that are
 * online. */
enum { HWPROBE = 258, HWPROBE_KEY_IMA_EXT_0 = 4, HWPROBE_IMA_V = 1 << 2 };

/* A process may have been denied the use of vectors. */
enum { GET_VECTOR_CONTROL = 70, VECTOR_CONTROL_MASK = 3, VECTOR_CONTROL_OFF = 1 };

static unsigned vector_bits(void)
{
#ifdef __linux__
    struct {
        int64_t key;
        uint64_t value;
    } probe = {.key = HWPROBE_KEY_IMA_EXT_0, .value = 0};
    if (syscall(HWPROBE, &probe, 1, 0, 0, 0) != 0 || probe.key != HWPROBE_KEY_IMA_EXT_0 ||
        (probe.value & HWPROBE_IMA_V) == 0)
        return 0;
    const int control = prctl(GET_VECTOR_CONTROL, 0, 0, 0, 0);
    if (control >= 0 && (control & VECTOR_CONTROL_MASK) == VECTOR_CONTROL_OFF)
        return 0;
    unsigned long vlenb;
    __asm__("csrr %0, 0xc22" : "=r"(vlenb));
    return 8 * (unsigned)vlenb;
#else
    return 0;
#endif
}

uint32_t hornet_cpu_detect(void)
{
    const unsigned bits = vector_bits();
    uint32_t found = CPU_ANY;
#define HORNET_CPU_FEATURE(name, least_bits)                                                               \
    if (bits >= (least_bits))                                                                              \
        found |= CPU_##name;
#include "list.def"
    return found;
}

#endif
