/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* OpenSSL: the internal functions that its ChaCha20-Poly1305 calls, and the public interface. */
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include "peer.h"

/* include/crypto/poly1305.h, which is not installed. There, the context is a struct; here it is opaque,
 * so the functions have the types in struct peer_pieces. */
size_t Poly1305_ctx_size(void);
void Poly1305_Init(void *context, const unsigned char key[32]);
void Poly1305_Update(void *context, const unsigned char *input, size_t len_bytes);
void Poly1305_Final(void *context, unsigned char tag[16]);

PEER_VERSION { return OpenSSL_version(OPENSSL_VERSION_STRING); }

PEER_OPEN(openssl)
{
    OPENSSL_init_crypto(0, NULL); /* reads the CPU's features */
    return aligned_alloc(64, (Poly1305_ctx_size() + 63) / 64 * 64);
}

PEER_MAC(openssl)
{
    Poly1305_Init(context, key);
    Poly1305_Update(context, msg, len_bytes);
    Poly1305_Final(context, tag);
}

PEER_PIECES(openssl)
{
    static const struct peer_pieces functions = {Poly1305_Init, Poly1305_Update, Poly1305_Final};
    return &functions;
}

PEER_OPEN(openssl_evp)
{
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "POLY1305", NULL);
    EVP_MAC_CTX *context = mac != NULL ? EVP_MAC_CTX_new(mac) : NULL;
    EVP_MAC_free(mac); /* the context holds a reference */
    return context;
}

PEER_MAC(openssl_evp)
{
    size_t tag_bytes;
    EVP_MAC_init(context, key, 32, NULL);
    EVP_MAC_update(context, msg, len_bytes);
    EVP_MAC_final(context, tag, &tag_bytes, 16);
}

/* ChaCha20-Poly1305 through the public interface: one context for each direction, which keeps the key. */
struct contexts {
    EVP_CIPHER *cipher;
    EVP_CIPHER_CTX *seals, *opens;
};

static struct contexts *open_contexts(OSSL_LIB_CTX *library)
{
    struct contexts *contexts = malloc(sizeof *contexts);
    if (contexts == NULL)
        return NULL;
    contexts->cipher = EVP_CIPHER_fetch(library, "ChaCha20-Poly1305", NULL);
    contexts->seals = EVP_CIPHER_CTX_new();
    contexts->opens = EVP_CIPHER_CTX_new();
    return contexts->cipher != NULL && contexts->seals != NULL && contexts->opens != NULL ? contexts : NULL;
}

PEER_AEAD(openssl) { return open_contexts(NULL); }

/* The same with another provider than the default one; init is its function that libcrypto calls. Each
 * provider has its own library context. */
__attribute__((visibility("default"))) void *openssl_provider_aead(OSSL_provider_init_fn *init);

void *openssl_provider_aead(OSSL_provider_init_fn *init)
{
    OSSL_LIB_CTX *const library = OSSL_LIB_CTX_new();
    return library != NULL && OSSL_PROVIDER_add_builtin(library, "measured", init) &&
                   OSSL_PROVIDER_load(library, "measured") != NULL
               ? open_contexts(library)
               : NULL;
}

PEER_AEAD_KEY(openssl)
{
    const struct contexts *contexts = context;
    EVP_EncryptInit_ex2(contexts->seals, contexts->cipher, key, NULL, NULL);
    EVP_DecryptInit_ex2(contexts->opens, contexts->cipher, key, NULL, NULL);
}

PEER_AEAD_SEAL(openssl)
{
    EVP_CIPHER_CTX *const seals = ((struct contexts *)context)->seals;
    int written;
    return EVP_EncryptInit_ex2(seals, NULL, NULL, packet->nonce, NULL) &&
           (packet->aad_bytes == 0 ||
            EVP_EncryptUpdate(seals, NULL, &written, packet->aad, (int)packet->aad_bytes)) &&
           (packet->len_bytes == 0 ||
            EVP_EncryptUpdate(seals, packet->out, &written, packet->in, (int)packet->len_bytes)) &&
           EVP_EncryptFinal_ex(seals, NULL, &written) &&
           EVP_CIPHER_CTX_ctrl(seals, EVP_CTRL_AEAD_GET_TAG, 16, packet->tag);
}

PEER_AEAD_OPEN(openssl)
{
    EVP_CIPHER_CTX *const opens = ((struct contexts *)context)->opens;
    int written;
    /* TLS sets the tag first; some other programs set it just before the end. */
    return EVP_DecryptInit_ex2(opens, NULL, NULL, packet->nonce, NULL) &&
           EVP_CIPHER_CTX_ctrl(opens, EVP_CTRL_AEAD_SET_TAG, 16, packet->tag) &&
           (packet->aad_bytes == 0 ||
            EVP_DecryptUpdate(opens, NULL, &written, packet->aad, (int)packet->aad_bytes)) &&
           (packet->len_bytes == 0 ||
            EVP_DecryptUpdate(opens, packet->out, &written, packet->in, (int)packet->len_bytes)) &&
           EVP_DecryptFinal_ex(opens, NULL, &written);
}
