/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The provider itself: its parameters and its algorithms (provider(7), provider-base(7)). */
#include "provider.h"

#include <hornet.h>
#include <openssl/err.h>

#include <stdarg.h>
#include <string.h>

#include "params.h"

int hornet_provider_raise(const hornet_provider *provider, const char *file, int line, const char *function,
                          int reason, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    provider->new_error(provider->handle);
    provider->set_error_debug(provider->handle, file, line, function);
    provider->vset_error(provider->handle, (uint32_t)ERR_PACK(ERR_LIB_PROV, 0, reason), format, arguments);
    va_end(arguments);
    return 0;
}

void *hornet_provider_new(const hornet_provider *provider, size_t size_bytes)
{
    return provider->zalloc(size_bytes, __FILE__, __LINE__);
}

void *hornet_provider_copy(const hornet_provider *provider, const void *context, size_t size_bytes)
{
    void *const copy = hornet_provider_new(provider, size_bytes);
    if (copy != NULL)
        memcpy(copy, context, size_bytes);
    return copy;
}

void hornet_provider_free(const hornet_provider *provider, void *context, size_t size_bytes)
{
    provider->clear_free(context, size_bytes, __FILE__, __LINE__);
}

static const OSSL_PARAM *provider_gettable_params(void *provider)
{
    static const OSSL_PARAM params[] = {
        {OSSL_PROV_PARAM_NAME, OSSL_PARAM_UTF8_PTR, NULL, 0, 0},
        {OSSL_PROV_PARAM_VERSION, OSSL_PARAM_UTF8_PTR, NULL, 0, 0},
        {OSSL_PROV_PARAM_BUILDINFO, OSSL_PARAM_UTF8_PTR, NULL, 0, 0},
        {OSSL_PROV_PARAM_STATUS, OSSL_PARAM_INTEGER, NULL, sizeof(int), 0},
        {NULL, 0, NULL, 0, 0},
    };
    (void)provider;
    return params;
}

static int provider_get_params(void *provider, OSSL_PARAM params[])
{
    static const char *const texts[][2] = {
        {OSSL_PROV_PARAM_NAME, "Hornet ChaCha20-Poly1305 Provider"},
        {OSSL_PROV_PARAM_VERSION, HORNET_VERSION},
        {OSSL_PROV_PARAM_BUILDINFO, HORNET_VERSION BUILD},
    };
    (void)provider;
    for (; params != NULL && params->key != NULL; params++) {
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
            if (strcmp(params->key, texts[i][0]) == 0 && !hornet_params_set_text(params, texts[i][1]))
                return 0;
        if (strcmp(params->key, OSSL_PROV_PARAM_STATUS) == 0 && !hornet_params_set_size(params, 1))
            return 0;
    }
    return 1;
}

#define PROPERTIES "provider=hornet"

static const OSSL_ALGORITHM *provider_query(void *provider, int operation, int *no_cache)
{
    static const OSSL_ALGORITHM ciphers[] = {
        {"ChaCha20-Poly1305", PROPERTIES, hornet_provider_chacha20_poly1305,
         "ChaCha20-Poly1305 (RFC 8439)"},
        {"XChaCha20-Poly1305", PROPERTIES, hornet_provider_xchacha20_poly1305,
         "XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03)"},
        {NULL, NULL, NULL, NULL},
    };
    static const OSSL_ALGORITHM macs[] = {
        {"POLY1305", PROPERTIES, hornet_provider_poly1305, "Poly1305 (RFC 8439), one key for one message"},
        {NULL, NULL, NULL, NULL},
    };
    (void)provider;
    *no_cache = 0;
    switch (operation) {
    case OSSL_OP_CIPHER:
        return ciphers;
    case OSSL_OP_MAC:
        return macs;
    default:
        return NULL;
    }
}

static void provider_teardown(void *provider)
{
    hornet_provider_free(provider, provider, sizeof(hornet_provider));
}

__attribute__((visibility("default"))) OSSL_provider_init_fn OSSL_provider_init;

int OSSL_provider_init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
                       void **context)
{
    static const OSSL_DISPATCH functions[] = {
        DISPATCH(OSSL_FUNC_PROVIDER_TEARDOWN, provider_teardown),
        DISPATCH(OSSL_FUNC_PROVIDER_GETTABLE_PARAMS, provider_gettable_params),
        DISPATCH(OSSL_FUNC_PROVIDER_GET_PARAMS, provider_get_params),
        DISPATCH(OSSL_FUNC_PROVIDER_QUERY_OPERATION, provider_query),
        DISPATCH_END,
    };
    hornet_provider from_core = {.handle = handle};
    for (; in->function_id != 0; in++) {
        switch (in->function_id) {
        case OSSL_FUNC_CORE_NEW_ERROR:
            from_core.new_error = OSSL_FUNC_core_new_error(in);
            break;
        case OSSL_FUNC_CORE_SET_ERROR_DEBUG:
            from_core.set_error_debug = OSSL_FUNC_core_set_error_debug(in);
            break;
        case OSSL_FUNC_CORE_VSET_ERROR:
            from_core.vset_error = OSSL_FUNC_core_vset_error(in);
            break;
        case OSSL_FUNC_CRYPTO_ZALLOC:
            from_core.zalloc = OSSL_FUNC_CRYPTO_zalloc(in);
            break;
        case OSSL_FUNC_CRYPTO_CLEAR_FREE:
            from_core.clear_free = OSSL_FUNC_CRYPTO_clear_free(in);
            break;
        default:
            break;
        }
    }
    if (from_core.new_error == NULL || from_core.set_error_debug == NULL || from_core.vset_error == NULL ||
        from_core.zalloc == NULL || from_core.clear_free == NULL)
        return 0;
    *context = hornet_provider_copy(&from_core, &from_core, sizeof from_core);
    *out = functions;
    return *context != NULL;
}
