/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Libgcrypt. */
#include <gcrypt.h>

#include "peer.h"

PEER_VERSION { return gcry_check_version(NULL); }

static gcry_mac_hd_t opened(int algorithm)
{
    gcry_mac_hd_t context;
    gcry_check_version(NULL); /* must be called first */
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
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
