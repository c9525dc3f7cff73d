/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Libgcrypt, through handles that are kept for all messages. With NO_AVX512, it is told that the CPU has no
 * AVX-512. It uses none either on a CPU without IFMA. */
#include <gcrypt.h>

#include "peer.h"

static gcry_mac_hd_t mac, aes;
static gcry_cipher_hd_t cipher;

PEER const char *peer_init(void)
{
#ifdef NO_AVX512
    gcry_control(GCRYCTL_DISABLE_HWF, "intel-avx512", NULL);
#endif
    gcry_check_version(NULL); /* must be called before the others */
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    const bool opened = gcry_mac_open(&mac, GCRY_MAC_POLY1305, 0, NULL) == 0 &&
                        gcry_mac_open(&aes, GCRY_MAC_POLY1305_AES, 0, NULL) == 0 &&
                        gcry_cipher_open(&cipher, GCRY_CIPHER_CHACHA20, GCRY_CIPHER_MODE_POLY1305, 0) == 0;
    return opened ? NULL : "cannot be initialized";
}

PEER const char *peer_version(void) { return gcry_check_version(NULL); }

PEER_MAC
{
    size_t tag_bytes = 16;
    gcry_mac_setkey(mac, key, 32);
    gcry_mac_write(mac, msg, len_bytes);
    gcry_mac_read(mac, tag, &tag_bytes);
}

PEER_AES
{
    size_t tag_bytes = 16;
    return gcry_mac_setkey(aes, key, 32) == 0 && gcry_mac_setiv(aes, nonce, 16) == 0 &&
           gcry_mac_write(aes, msg, len_bytes) == 0 && gcry_mac_read(aes, tag, &tag_bytes) == 0;
}

PEER void peer_key(const uint8_t *key) { gcry_cipher_setkey(cipher, key, 32); }

PEER_SEAL
{
    return gcry_cipher_setiv(cipher, nonce, 12) == 0 &&
           gcry_cipher_authenticate(cipher, aad, aad_bytes) == 0 &&
           gcry_cipher_encrypt(cipher, out, len_bytes, in, len_bytes) == 0 &&
           gcry_cipher_gettag(cipher, tag, 16) == 0;
}

PEER_OPEN
{
    return gcry_cipher_setiv(cipher, nonce, 12) == 0 &&
           gcry_cipher_authenticate(cipher, aad, aad_bytes) == 0 &&
           gcry_cipher_decrypt(cipher, out, len_bytes, in, len_bytes) == 0 &&
           gcry_cipher_checktag(cipher, tag, 16) == 0;
}
