/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* wolfSSL: the functions that its TLS calls for each record, under a key that is set once. It is told that
 * the CPU has no AVX-512 (NO_AVX512), or no IFMA and newer (NO_IFMA). */
#include <wolfssl/wolfcrypt/settings.h>

#include <wolfssl/version.h>
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>
#include <wolfssl/wolfcrypt/cpuid.h>

#include "peer.h"

static ChaCha chacha __attribute__((aligned(64)));
static Poly1305 poly __attribute__((aligned(64)));

PEER const char *peer_init(void)
{
    const word32 ifma = CPUID_AVX512_IFMA | CPUID_AVX512_VBMI | CPUID_AVX512_VBMI2;
    cpuid_get_flags(); /* sets them */
#ifdef NO_AVX512
    cpuid_clear_flag(CPUID_AVX512 | CPUID_AVX512_VL | CPUID_AVX512_DQ | CPUID_AVX512_BW | ifma);
#elif defined NO_IFMA
    cpuid_clear_flag(ifma);
#endif
    (void)ifma;
    return NULL;
}

PEER const char *peer_version(void) { return LIBWOLFSSL_VERSION_STRING; }

PEER_MAC
{
    wc_Poly1305SetKey(&poly, key, 32);
    wc_Poly1305Update(&poly, msg, (word32)len_bytes);
    wc_Poly1305Final(&poly, tag);
}

PEER void peer_key(const uint8_t *key) { wc_Chacha_SetKey(&chacha, key, 32); }

PEER_SEAL
{
    return wc_ChaCha20Poly1305_Encrypt_ex(&chacha, &poly, out, in, (word32)len_bytes, nonce, tag, aad,
                                          (word32)aad_bytes) == 0;
}

PEER_OPEN
{
    return wc_ChaCha20Poly1305_Decrypt_ex(&chacha, &poly, out, in, (word32)len_bytes, nonce, tag, aad,
                                          (word32)aad_bytes) == 0;
}
