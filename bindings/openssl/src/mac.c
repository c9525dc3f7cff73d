/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* POLY1305 as an EVP_MAC (provider-mac(7)). */
#include <hornet.h>

#include <string.h>

#include "params.h"
#include "provider.h"

typedef struct {
    const hornet_provider *provider;
    bool live;    /* a key is set, and final has not been called */
    bool updated; /* the key has been used, and is for one message only */
    hornet_poly1305_state state;
} mac_context;

static void *mac_new(void *provider)
{
    mac_context *const c = hornet_provider_new(provider, sizeof *c);
    if (c != NULL)
        c->provider = provider;
    return c;
}

static void mac_free(void *context)
{
    mac_context *const c = context;
    if (c != NULL)
        hornet_provider_free(c->provider, c, sizeof *c);
}

static void *mac_copy(void *context)
{
    mac_context *const c = context;
    return hornet_provider_copy(c->provider, c, sizeof *c);
}

static int mac_set_key(mac_context *c, const uint8_t *key, size_t key_bytes)
{
    if (key == NULL || key_bytes != HORNET_POLY1305_KEY_BYTES)
        return RAISE(c->provider, PROV_R_INVALID_KEY_LENGTH, "%zu bytes instead of %d",
                     key == NULL ? (size_t)0 : key_bytes, HORNET_POLY1305_KEY_BYTES);
    hornet_poly1305_init(&c->state, key);
    c->live = true;
    c->updated = false;
    return 1;
}

static int mac_set_params(void *context, const OSSL_PARAM params[])
{
    mac_context *const c = context;
    for (; params != NULL && params->key != NULL; params++) {
        if (strcmp(params->key, OSSL_MAC_PARAM_KEY) != 0)
            continue;
        if (params->data_type != OSSL_PARAM_OCTET_STRING)
            return RAISE(c->provider, PROV_R_FAILED_TO_GET_PARAMETER, "the key is no octet string");
        if (!mac_set_key(c, params->data, params->data_size))
            return 0;
    }
    return 1;
}

static int mac_init(void *context, const unsigned char *key, size_t key_bytes, const OSSL_PARAM params[])
{
    mac_context *const c = context;
    if (PROVIDER_FAILS || !mac_set_params(c, params))
        return 0;
    if (key != NULL)
        return mac_set_key(c, key, key_bytes);
    return !c->updated || RAISE(c->provider, PROV_R_NO_KEY_SET, "the key has been used");
}

static int mac_update(void *context, const unsigned char *data, size_t len_bytes)
{
    mac_context *const c = context;
    if (!c->live)
        return RAISE(c->provider, PROV_R_NO_KEY_SET, "no key, or it has been used");
    c->updated = true;
    hornet_poly1305_update(&c->state, data, len_bytes);
    return 1;
}

static int mac_final(void *context, unsigned char *out, size_t *out_bytes, size_t out_room_bytes)
{
    mac_context *const c = context;
    if (!c->live)
        return RAISE(c->provider, PROV_R_NO_KEY_SET, "no key, or it has been used");
    if (out_room_bytes < HORNET_POLY1305_TAG_BYTES)
        return RAISE(c->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL, "%zu bytes instead of %d", out_room_bytes,
                     HORNET_POLY1305_TAG_BYTES);
    c->live = false;
    c->updated = true;
    hornet_poly1305_final(&c->state, out);
    *out_bytes = HORNET_POLY1305_TAG_BYTES;
    return 1;
}

static const OSSL_PARAM *mac_gettable_params(void *provider)
{
    static const OSSL_PARAM params[] = {
        {OSSL_MAC_PARAM_SIZE, OSSL_PARAM_UNSIGNED_INTEGER, NULL, sizeof(size_t), 0},
        {NULL, 0, NULL, 0, 0},
    };
    (void)provider;
    return params;
}

static int mac_get_params(OSSL_PARAM params[])
{
    for (; params != NULL && params->key != NULL; params++)
        if (strcmp(params->key, OSSL_MAC_PARAM_SIZE) == 0 &&
            !hornet_params_set_size(params, HORNET_POLY1305_TAG_BYTES))
            return 0;
    return 1;
}

static const OSSL_PARAM *mac_settable_params(void *context, void *provider)
{
    static const OSSL_PARAM params[] = {
        {OSSL_MAC_PARAM_KEY, OSSL_PARAM_OCTET_STRING, NULL, 0, 0},
        {NULL, 0, NULL, 0, 0},
    };
    (void)context;
    (void)provider;
    return params;
}

const OSSL_DISPATCH hornet_provider_poly1305[] = {
    DISPATCH(OSSL_FUNC_MAC_NEWCTX, mac_new),
    DISPATCH(OSSL_FUNC_MAC_DUPCTX, mac_copy),
    DISPATCH(OSSL_FUNC_MAC_FREECTX, mac_free),
    DISPATCH(OSSL_FUNC_MAC_INIT, mac_init),
    DISPATCH(OSSL_FUNC_MAC_UPDATE, mac_update),
    DISPATCH(OSSL_FUNC_MAC_FINAL, mac_final),
    DISPATCH(OSSL_FUNC_MAC_GETTABLE_PARAMS, mac_gettable_params),
    DISPATCH(OSSL_FUNC_MAC_GET_PARAMS, mac_get_params),
    DISPATCH(OSSL_FUNC_MAC_SETTABLE_CTX_PARAMS, mac_settable_params),
    DISPATCH(OSSL_FUNC_MAC_SET_CTX_PARAMS, mac_set_params),
    DISPATCH_END,
};
