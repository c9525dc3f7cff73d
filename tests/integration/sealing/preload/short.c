/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Preloaded, cuts reads and writes of files short, and interrupts some, as networks, pipes and signals do;
 * at the end, appends the number of such calls to the file SHORT_COUNT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_uint calls, shortened;

/* Returns 0 for a call that is interrupted, else at most n. */
static size_t less(size_t n)
{
    const char *seed = getenv("SHORT_SEED");
    uint32_t x = atomic_fetch_add(&calls, 1) * UINT32_C(0x9e3779b9) + (uint32_t)atoi(seed ? seed : "0");
    x = (x ^ x >> 15) * UINT32_C(0x2c1b3c6d);
    x ^= x >> 12;
    if (n == 0 || x % 4 == 3)
        return n;
    atomic_fetch_add(&shortened, 1);
    return x % 4 == 0 ? 0 : 1 + x / 4 % n;
}

#define CUT(result, name, buffer, arguments, values)                                                       \
    result name(int file, buffer, size_t n arguments)                                                      \
    {                                                                                                      \
        static result (*_Atomic real)(int, buffer, size_t arguments);                                      \
        if (real == NULL)                                                                                  \
            real = (result(*)(int, buffer, size_t arguments))dlsym(RTLD_NEXT, #name);                      \
        const size_t most = less(n);                                                                       \
        if (most == 0 && n != 0) {                                                                         \
            errno = EINTR;                                                                                 \
            return -1;                                                                                     \
        }                                                                                                  \
        return real values;                                                                                \
    }
#define AT , off_t at
CUT(ssize_t, read, void *to, , (file, to, most))
CUT(ssize_t, write, const void *from, , (file, from, most))
CUT(ssize_t, pread64, void *to, AT, (file, to, most, at))
CUT(ssize_t, pwrite64, const void *from, AT, (file, from, most, at))

__attribute__((destructor)) static void count(void)
{
    const char *path = getenv("SHORT_COUNT");
    FILE *file = path == NULL ? NULL : fopen(path, "a");
    if (file == NULL)
        return;
    fprintf(file, "%u\n", atomic_load(&shortened));
    fclose(file);
}
