/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Shared by the parts of the provider: the functions of libcrypto, errors, and memory.
 *
 * The module is not linked with libcrypto: it uses only the functions that OSSL_provider_init is given. So
 * one module works with every libcrypto from 3.0 on, also in a static program. */
#ifndef HORNET_PROVIDER_H
#define HORNET_PROVIDER_H

#include <openssl/core.h>
#include <openssl/core_dispatch.h>
#include <openssl/core_names.h>
#include <openssl/proverr.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Only OSSL_provider_init writes this. */
typedef struct {
    const OSSL_CORE_HANDLE *handle;
    OSSL_FUNC_core_new_error_fn *new_error;
    OSSL_FUNC_core_set_error_debug_fn *set_error_debug;
    OSSL_FUNC_core_vset_error_fn *vset_error;
    OSSL_FUNC_CRYPTO_zalloc_fn *zalloc;
    OSSL_FUNC_CRYPTO_clear_free_fn *clear_free;
} hornet_provider;

/* In this build, which is for tests, every operation fails. */
#ifdef HORNET_PROVIDER_FAILS
enum { PROVIDER_FAILS = 1 };
#define BUILD ", made to fail"
#else
enum { PROVIDER_FAILS = 0 };
#define BUILD ""
#endif

/* Adds an error to the thread's queue, with a reason of openssl/proverr.h, as the default provider does, so
 * that readers of the queue need not know this provider. The format and its arguments give details. Returns
 * 0, the result of a function that fails. */
int hornet_provider_raise(const hornet_provider *provider, const char *file, int line, const char *function,
                          int reason, const char *format, ...) __attribute__((format(printf, 6, 7)));
#define RAISE(provider, reason, ...)                                                                       \
    hornet_provider_raise(provider, __FILE__, __LINE__, __func__, reason, __VA_ARGS__)

/* Allocates a context of zeros. Returns NULL if there is no memory. */
void *hornet_provider_new(const hornet_provider *provider, size_t size_bytes);

/* Returns a copy of a context, or NULL if there is no memory. */
void *hornet_provider_copy(const hornet_provider *provider, const void *context, size_t size_bytes);

/* Wipes and frees a context. Does nothing if it is NULL. */
void hornet_provider_free(const hornet_provider *provider, void *context, size_t size_bytes);

/* Entries of a table of functions of different types. */
#define DISPATCH(id, function) {id, (void (*)(void))(function)}
#define DISPATCH_END           {0, NULL}

extern const OSSL_DISPATCH hornet_provider_chacha20_poly1305[];
extern const OSSL_DISPATCH hornet_provider_xchacha20_poly1305[];
extern const OSSL_DISPATCH hornet_provider_poly1305[];

#endif
