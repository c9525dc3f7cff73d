/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The two providers that are compared, in one program, as after a configuration that enables this one. */
#ifndef HORNET_TESTS_PROVIDERS_H
#define HORNET_TESTS_PROVIDERS_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <stdlib.h>

#include "../../support/check.h"

enum { DEFAULT, HORNET, PROVIDERS };
static const char *const properties[PROVIDERS] = {"provider=default", "provider=hornet"};

static OSSL_PROVIDER *loaded[PROVIDERS];
static EVP_CIPHER *ciphers[PROVIDERS], *extended;
static EVP_MAC *macs[PROVIDERS];

/* Returns the reason of the newest error, or 0 if there is none, and empties the queue. */
static int last_reason(void)
{
    const int reason = ERR_GET_REASON(ERR_peek_last_error());
    ERR_clear_error();
    return reason;
}

static EVP_CIPHER_CTX *new_context(void)
{
    EVP_CIPHER_CTX *const c = EVP_CIPHER_CTX_new();
    if (c == NULL)
        abort();
    return c;
}

/* Fetches all algorithms. Returns false if one is missing. */
static bool load_providers(void)
{
    loaded[DEFAULT] = OSSL_PROVIDER_load(NULL, "default");
    loaded[HORNET] = OSSL_PROVIDER_load(NULL, "hornet");
    if (loaded[DEFAULT] == NULL || loaded[HORNET] == NULL) {
        ERR_print_errors_fp(stderr);
        return false;
    }
    for (int i = 0; i < PROVIDERS; i++) {
        ciphers[i] = EVP_CIPHER_fetch(NULL, "ChaCha20-Poly1305", properties[i]);
        macs[i] = EVP_MAC_fetch(NULL, "POLY1305", properties[i]);
        check(ciphers[i] != NULL && macs[i] != NULL, "fetch with %s", properties[i]);
    }
    extended = EVP_CIPHER_fetch(NULL, "XChaCha20-Poly1305", NULL);
    check(extended != NULL, "fetch XChaCha20-Poly1305");
    check(EVP_CIPHER_get0_provider(ciphers[HORNET]) == loaded[HORNET], "the provider's own cipher");
    return checks_failed == 0;
}

static void unload_providers(void)
{
    for (int i = 0; i < PROVIDERS; i++) {
        EVP_CIPHER_free(ciphers[i]);
        EVP_MAC_free(macs[i]);
    }
    EVP_CIPHER_free(extended);
    /* Unload in this order: nothing may need the module after it is unloaded. */
    check(OSSL_PROVIDER_unload(loaded[HORNET]), "unload");
    OSSL_PROVIDER_unload(loaded[DEFAULT]);
}

#endif
