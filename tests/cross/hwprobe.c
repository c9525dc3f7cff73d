/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* riscv_hwprobe for qemu 7.2, which supports vectors but not this system call of Linux 6.5. Linked with
 * --wrap=syscall, it answers from the variable that gave qemu its CPU model. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HWPROBE = 258, IMA_EXT_0 = 4, IMA_V = 1 << 2 };

struct probe {
    int64_t key;
    uint64_t value;
};

long __wrap_syscall(long number, struct probe *probes, long count);

long __wrap_syscall(long number, struct probe *probes, long count)
{
    if (number != HWPROBE || count != 1 || probes->key != IMA_EXT_0) {
        errno = ENOSYS;
        return -1;
    }
    const char *cpu = getenv("QEMU_CPU");
    probes->value = cpu != NULL && strstr(cpu, "v=true") != NULL ? IMA_V : 0;
    return 0;
}
