/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Libgcrypt. Compiled twice, each with its own copy of Libgcrypt: with NO_AVX512, it is told that the CPU
 * has no AVX-512. It uses none either on a CPU without IFMA. */
#include <gcrypt.h>

#include "peer.h"

static void initialize(void)
{
#ifdef NO_AVX512
    gcry_control(GCRYCTL_DISABLE_HWF, "intel-avx512", NULL);
#endif
    gcry_check_version(NULL); /* must be called before the others */
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

PEER_VERSION
{
    initialize();
    return gcry_check_version(NULL);
}

static gcry_mac_hd_t opened(int algorithm)
{
    gcry_mac_hd_t context;
    initialize();
    return gcry_mac_open(&context, algorithm, 0, NULL) == 0 ? context : NULL;
}

PEER_OPEN(libgcrypt) { return opened(GCRY_MAC_POLY1305); }

PEER_MAC(libgcrypt)
{
    size_t tag_bytes = 16;
    gcry_mac_setkey(context, key, 32);
    gcry_mac_write(context, msg, len_bytes);
    gcry_mac_read(context, tag, &tag_bytes);
}

PEER_OPEN(libgcrypt_aes) { return opened(GCRY_MAC_POLY1305_AES); }

PEER_MAC(libgcrypt_aes)
{
    size_t tag_bytes = 16;
    gcry_mac_setkey(context, key, 32);
    gcry_mac_setiv(context, key + 32, 16);
    gcry_mac_write(context, msg, len_bytes);
    gcry_mac_read(context, tag, &tag_bytes);
    PEER_NEXT_NONCE(key);
}

/* One handle for all packets, which keeps the key. */
PEER_AEAD(libgcrypt)
{
    gcry_cipher_hd_t context;
    initialize();
    return gcry_cipher_open(&context, GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_POLY1305, 0) == 0 ? context
                                                                                               : NULL;
}

PEER_AEAD_KEY(libgcrypt) { gcry_cipher_setkey(context, key, 32); }

/* Before the text. */
static bool start(gcry_cipher_hd_t context, const struct peer_packet *packet)
{
    return gcry_cipher_setiv(context, packet->nonce, 12) == 0 &&
           gcry_cipher_authenticate(context, packet->aad, packet->aad_bytes) == 0;
}

PEER_AEAD_SEAL(libgcrypt)
{
    return start(context, packet) &&
           gcry_cipher_encrypt(context, packet->out, packet->len_bytes, packet->in, packet->len_bytes) ==
               0 &&
           gcry_cipher_gettag(context, packet->tag, 16) == 0;
}

PEER_AEAD_OPEN(libgcrypt)
{
    return start(context, packet) &&
           gcry_cipher_decrypt(context, packet->out, packet->len_bytes, packet->in, packet->len_bytes) ==
               0 &&
           gcry_cipher_checktag(context, packet->tag, 16) == 0;
}
