/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Botan, through its C interface. */
#include <botan/ffi.h>

#include "peer.h"

PEER_VERSION { return botan_version_string(); }

PEER_OPEN(botan)
{
    botan_mac_t context;
    return botan_mac_init(&context, "Poly1305", 0) == 0 ? context : NULL;
}

PEER_MAC(botan)
{
    botan_mac_set_key(context, key, 32);
    botan_mac_update(context, msg, len_bytes);
    botan_mac_final(context, tag);
}
