/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* wolfSSL: the functions that its TLS calls for each record, under a key that is set once. Compiled for
 * each section, each with its own copy of wolfSSL, which is told that the CPU has no AVX-512 (NO_AVX512),
 * or no IFMA and newer (NO_IFMA). */
#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/version.h>
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>
#include <wolfssl/wolfcrypt/cpuid.h>

#include "peer.h"

PEER_VERSION { return LIBWOLFSSL_VERSION_STRING; }

enum {
    IFMA = CPUID_AVX512_IFMA | CPUID_AVX512_VBMI | CPUID_AVX512_VBMI2,
    AVX512 = CPUID_AVX512 | CPUID_AVX512_VL | CPUID_AVX512_DQ | CPUID_AVX512_BW | IFMA,
};

static void choose_instructions(void)
{
    cpuid_get_flags(); /* sets them */
#ifdef NO_AVX512
    cpuid_clear_flag(AVX512);
#endif
#ifdef NO_IFMA
    cpuid_clear_flag(IFMA);
#endif
}

static void *allocated(size_t bytes) { return aligned_alloc(64, (bytes + 63) / 64 * 64); }

PEER_OPEN(wolfssl)
{
    choose_instructions();
    return allocated(sizeof(Poly1305));
}

PEER_MAC(wolfssl)
{
    wc_Poly1305SetKey(context, key, 32);
    wc_Poly1305Update(context, msg, (word32)len_bytes);
    wc_Poly1305Final(context, tag);
}

struct aead {
    ChaCha chacha;
    Poly1305 poly; /* of one packet */
};

PEER_AEAD(wolfssl)
{
    choose_instructions();
    return allocated(sizeof(struct aead));
}

PEER_AEAD_KEY(wolfssl)
{
    struct aead *const aead = context;
    wc_Chacha_SetKey(&aead->chacha, key, 32);
}

PEER_AEAD_SEAL(wolfssl)
{
    struct aead *const aead = context;
    return wc_ChaCha20Poly1305_Encrypt_ex(&aead->chacha, &aead->poly, packet->out, packet->in,
                                          (word32)packet->len_bytes, packet->nonce, packet->tag,
                                          packet->aad, (word32)packet->aad_bytes) == 0;
}

PEER_AEAD_OPEN(wolfssl)
{
    struct aead *const aead = context;
    return wc_ChaCha20Poly1305_Decrypt_ex(&aead->chacha, &aead->poly, packet->out, packet->in,
                                          (word32)packet->len_bytes, packet->nonce, packet->tag,
                                          packet->aad, (word32)packet->aad_bytes) == 0;
}
