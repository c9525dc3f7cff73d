/* Libgcrypt. */
#include <gcrypt.h>

#include "peer.h"

PEER_VERSION { return gcry_check_version(NULL); }

PEER_OPEN(libgcrypt)
{
    gcry_mac_hd_t context;
    gcry_check_version(NULL); /* must be called first */
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
    return gcry_mac_open(&context, GCRY_MAC_POLY1305, 0, NULL) == 0 ? context : NULL;
}

PEER_MAC(libgcrypt)
{
    size_t tag_bytes = 16;
    gcry_mac_setkey(context, key, 32);
    gcry_mac_write(context, msg, len_bytes);
    gcry_mac_read(context, tag, &tag_bytes);
}
