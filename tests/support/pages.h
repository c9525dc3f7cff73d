/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Whole pages of memory, from POSIX or from Windows, some of which are inaccessible. */
#ifndef HORNET_TESTS_PAGES_H
#define HORNET_TESTS_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

static inline size_t page_bytes(void)
{
#ifdef _WIN32
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    return system.dwPageSize;
#else
    return (size_t)sysconf(_SC_PAGESIZE);
#endif
}

/* Reserves inaccessible addresses. Returns NULL if there are none. */
static inline void *reserve_pages(size_t len_bytes)
{
#ifdef _WIN32
    return VirtualAlloc(NULL, len_bytes, MEM_RESERVE, PAGE_NOACCESS);
#else
    void *pages = mmap(NULL, len_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return pages != MAP_FAILED ? pages : NULL;
#endif
}

/* Makes some of them readable and writable. They contain zeros. */
static inline bool allow_pages(void *pages, size_t len_bytes)
{
#ifdef _WIN32
    return VirtualAlloc(pages, len_bytes, MEM_COMMIT, PAGE_READWRITE) != NULL;
#else
    return mprotect(pages, len_bytes, PROT_READ | PROT_WRITE) == 0;
#endif
}

/* Returns zeros, which need little memory while they are only read, or NULL if there are no addresses. */
static inline void *reserve_zeros(size_t len_bytes)
{
    void *pages = reserve_pages(len_bytes);
#ifdef MADV_HUGEPAGE
    if (pages != NULL)
        (void)madvise(pages, len_bytes, MADV_HUGEPAGE);
#endif
    return pages != NULL && allow_pages(pages, len_bytes) ? pages : NULL;
}

/* Releases all that were reserved together. */
static inline void release_pages(void *pages, size_t len_bytes)
{
#ifdef _WIN32
    (void)len_bytes;
    VirtualFree(pages, 0, MEM_RELEASE);
#else
    munmap(pages, len_bytes);
#endif
}

#endif
