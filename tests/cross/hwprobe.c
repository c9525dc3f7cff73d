/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* riscv_hwprobe for qemu 7.2, which supports vectors but not this system call of Linux 6.5. Linked with
 * --wrap=syscall, it answers from the variable that gave qemu its CPU model, and passes on other calls,
 * which Rust's standard library makes. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HWPROBE = 258, IMA_EXT_0 = 4, IMA_V = 1 << 2 };

struct probe {
    int64_t key;
    uint64_t value;
};

long __real_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);

long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    if (number != HWPROBE)
        return __real_syscall(number, a, b, c, d, e, f);
    struct probe *const probes = (struct probe *)a;
    if (b != 1 || probes->key != IMA_EXT_0) {
        errno = ENOSYS;
        return -1;
    }
    const char *cpu = getenv("QEMU_CPU");
    probes->value = cpu != NULL && strstr(cpu, "v=true") != NULL ? IMA_V : 0;
    return 0;
}
