/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Preloaded, this makes the random bits of nonces and the time of a seal the same in all processes, so that
   two manifests of the same files under copies of one key file are the same bytes. */
#define _GNU_SOURCE
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

struct tm *gmtime_r(const time_t *restrict seconds, struct tm *restrict broken_down)
{
    (void)seconds;
    memset(broken_down, 0, sizeof *broken_down);
    broken_down->tm_year = 126;
    broken_down->tm_mday = 1;
    broken_down->tm_zone = "GMT";
    return broken_down;
}
