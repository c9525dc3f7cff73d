/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Preloaded, this makes the random bits of nonces the same in all processes, and stops the clock of the
   command and of the native module, not of Python, at SAME_SECONDS after 1970, so that two manifests of the
   same files under copies of one key file are the same bytes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define NONCE_RANDOM_BYTES 9

ssize_t getrandom(void *to, size_t count, unsigned flags)
{
    if (count == NONCE_RANDOM_BYTES) {
        memset(to, 0x5a, count);
        return (ssize_t)count;
    }
    return syscall(SYS_getrandom, to, count, flags);
}

static bool stops(const void *caller)
{
    Dl_info of;
    if (dladdr(caller, &of) == 0)
        return false;
    const char *const slash = strrchr(of.dli_fname, '/');
    const char *const name = slash == NULL ? of.dli_fname : slash + 1;
    return strcmp(name, "hornet") == 0 || strncmp(name, "_native.", 8) == 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock == CLOCK_REALTIME && stops(__builtin_return_address(0))) {
        *now = (struct timespec){.tv_sec = atoll(getenv("SAME_SECONDS"))};
        return 0;
    }
    return (int)syscall(SYS_clock_gettime, clock, now);
}
