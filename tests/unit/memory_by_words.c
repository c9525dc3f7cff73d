/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* memcpy and memset as a kernel has them: they use no vector registers. */
#include <stddef.h>

void *memcpy(void *to, const void *from, size_t len_bytes)
{
    void *const result = to;
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(len_bytes) : : "memory");
    return result;
}

void *memset(void *to, int byte, size_t len_bytes)
{
    void *const result = to;
    __asm__ volatile("rep stosb" : "+D"(to), "+c"(len_bytes) : "a"(byte) : "memory");
    return result;
}
