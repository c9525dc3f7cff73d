/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* calls WHAT LEN_BYTES CALLS: makes calls for instructions.py to count. WHAT is `nothing`, `chosen`, the
 * name of a kernel, which may be one outside the library (COUNTED_KERNELS, a list of COUNTED(name)), or,
 * if compiled with COUNT_OPENSSL, `openssl` or `openssl_evp`. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef COUNT_OPENSSL
#include "../../../bench/shims/openssl.c"
#else
#include "../../../include/hornet.h"
#include "../../../src/poly1305/kernel.h"

#ifndef COUNTED_KERNELS
#define COUNTED_KERNELS
#endif
#define COUNTED(name) extern const struct hornet_poly1305_kernel hornet_poly1305_kernel_##name;
COUNTED_KERNELS
#undef COUNTED
#define COUNTED(name) &hornet_poly1305_kernel_##name,
static const struct hornet_poly1305_kernel *const others[] = {COUNTED_KERNELS NULL};
#endif

static uint8_t tag[16], message[16384];
static const uint8_t key[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};

typedef void mac_function(uint8_t *tag, const void *msg, size_t len_bytes, const uint8_t *key,
                          void *context);

static void nothing(uint8_t *the_tag, const void *msg, size_t len_bytes, const uint8_t *the_key,
                    void *context)
{
    (void)the_tag, (void)msg, (void)len_bytes, (void)the_key, (void)context;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const char *what = argv[1];
    const size_t len_bytes = strtoul(argv[2], NULL, 10);
    mac_function *mac = nothing;
    void *context = NULL;
    if (strcmp(what, "nothing") != 0) {
#ifdef COUNT_OPENSSL
        const int evp = strcmp(what, "openssl_evp") == 0;
        context = evp ? openssl_evp_open() : openssl_open();
        mac = evp ? openssl_evp_mac : openssl_mac;
        if (context == NULL)
            return 1;
#else
        size_t i = 0;
        while (others[i] != NULL && strcmp(what, others[i]->implementation.name) != 0)
            i++;
        if (others[i] == NULL && strcmp(what, "chosen") != 0 && !hornet_kernel_force(HORNET_POLY1305, what))
            return 1;
        /* Both ignore the context. */
        mac = others[i] != NULL ? (mac_function *)(void (*)(void))others[i]->mac
                                : (mac_function *)(void (*)(void))hornet_poly1305;
#endif
    }
    mac_function *volatile function = mac;
    for (unsigned long calls = strtoul(argv[3], NULL, 10); calls != 0; calls--)
        function(tag, message, len_bytes, key, context);
    for (size_t i = 0; i < sizeof tag; i++)
        printf("%02x", tag[i]);
    printf("\n");
    return 0;
}
