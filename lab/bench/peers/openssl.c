/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* OpenSSL: ChaCha20-Poly1305 through EVP as libssl calls it for a record of TLS 1.3, with one context for
 * each direction that keeps the key; Poly1305 by the internal functions that its ChaCha20-Poly1305 calls,
 * or, with EVP, through the public interface. With PROVIDER, Hornet's provider is linked with this file,
 * and the context is of that. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "peer.h"

static EVP_CIPHER *cipher;
static EVP_CIPHER_CTX *seals, *opens;

#ifdef PROVIDER

extern OSSL_provider_init_fn OSSL_provider_init;

static OSSL_LIB_CTX *library(void)
{
    OSSL_LIB_CTX *const context = OSSL_LIB_CTX_new();
    const bool loaded = context != NULL &&
                        OSSL_PROVIDER_add_builtin(context, "hornet", OSSL_provider_init) &&
                        OSSL_PROVIDER_load(context, "hornet") != NULL;
    return loaded ? context : NULL;
}

#else

#define library() NULL

#ifdef EVP

static EVP_MAC_CTX *mac;

PEER_MAC
{
    size_t tag_bytes;
    if (mac == NULL)
        mac = EVP_MAC_CTX_new(EVP_MAC_fetch(NULL, "POLY1305", NULL));
    EVP_MAC_init(mac, key, 32, NULL);
    EVP_MAC_update(mac, msg, len_bytes);
    EVP_MAC_final(mac, tag, &tag_bytes, 16);
}

#else

/* include/crypto/poly1305.h, which is not installed. There, the context is a struct; here it is opaque. */
size_t Poly1305_ctx_size(void);
void Poly1305_Init(void *context, const unsigned char key[32]);
void Poly1305_Update(void *context, const void *input, size_t len_bytes);
void Poly1305_Final(void *context, unsigned char tag[16]);

PEER const struct peer_pieces peer_pieces = {Poly1305_Init, Poly1305_Update, Poly1305_Final};

PEER_MAC
{
    static uint8_t context[1024] __attribute__((aligned(64)));
    Poly1305_Init(context, key);
    Poly1305_Update(context, msg, len_bytes);
    Poly1305_Final(context, tag);
}

#endif
#endif

PEER const char *peer_version(void) { return OpenSSL_version(OPENSSL_VERSION_STRING); }

PEER const char *peer_init(void)
{
    OPENSSL_init_crypto(0, NULL); /* reads the CPU's features */
    cipher = EVP_CIPHER_fetch(library(), "ChaCha20-Poly1305", NULL);
    seals = EVP_CIPHER_CTX_new();
    opens = EVP_CIPHER_CTX_new();
    return cipher != NULL && seals != NULL && opens != NULL ? NULL : "cannot be initialized";
}

PEER void peer_key(const uint8_t *key)
{
    EVP_EncryptInit_ex2(seals, cipher, key, NULL, NULL);
    EVP_DecryptInit_ex2(opens, cipher, key, NULL, NULL);
}

PEER_SEAL
{
    int written;
    return EVP_EncryptInit_ex2(seals, NULL, NULL, nonce, NULL) &&
           (aad_bytes == 0 || EVP_EncryptUpdate(seals, NULL, &written, aad, (int)aad_bytes)) &&
           (len_bytes == 0 || EVP_EncryptUpdate(seals, out, &written, in, (int)len_bytes)) &&
           EVP_EncryptFinal_ex(seals, NULL, &written) &&
           EVP_CIPHER_CTX_ctrl(seals, EVP_CTRL_AEAD_GET_TAG, 16, tag);
}

PEER_OPEN
{
    int written;
    /* TLS sets the tag first; some other programs set it just before the end. */
    return EVP_DecryptInit_ex2(opens, NULL, NULL, nonce, NULL) &&
           EVP_CIPHER_CTX_ctrl(opens, EVP_CTRL_AEAD_SET_TAG, 16, (void *)tag) &&
           (aad_bytes == 0 || EVP_DecryptUpdate(opens, NULL, &written, aad, (int)aad_bytes)) &&
           (len_bytes == 0 || EVP_DecryptUpdate(opens, out, &written, in, (int)len_bytes)) &&
           EVP_DecryptFinal_ex(opens, NULL, &written);
}
