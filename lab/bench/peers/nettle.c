/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Nettle. Its public interface has Poly1305 only with AES. peer_mac uses the internal functions to do what
 * chacha-poly1305.c does, without AES, but without copying into blocks. */
#include <nettle/nettle-types.h>
#include <nettle/poly1305.h>
#include <nettle/version.h>

#include "peer.h"

#define STRING_OF(x) #x
#define STRING(x)    STRING_OF(x)

/* poly1305-internal.h, which is not installed. */
void _nettle_poly1305_set_key(struct poly1305_ctx *context, const uint8_t key[16]);
void _nettle_poly1305_block(struct poly1305_ctx *context, const uint8_t *block, unsigned high);
void _nettle_poly1305_digest(struct poly1305_ctx *context, union nettle_block16 *s);

PEER const char *peer_version(void)
{
    return STRING(NETTLE_VERSION_MAJOR) "." STRING(NETTLE_VERSION_MINOR);
}

PEER_MAC
{
    static struct poly1305_ctx context;
    union nettle_block16 s;
    const uint8_t *block = msg;
    _nettle_poly1305_set_key(&context, key);
    for (; len_bytes >= 16; len_bytes -= 16, block += 16)
        _nettle_poly1305_block(&context, block, 1);
    if (len_bytes > 0) {
        uint8_t last[16] = {0};
        memcpy(last, block, len_bytes);
        last[len_bytes] = 1;
        _nettle_poly1305_block(&context, last, 0);
    }
    memcpy(s.b, key + 16, 16);
    _nettle_poly1305_digest(&context, &s);
    memcpy(tag, s.b, 16);
}

PEER_AES
{
    static struct poly1305_aes_ctx context;
    poly1305_aes_set_key(&context, key);
    poly1305_aes_set_nonce(&context, nonce);
    poly1305_aes_update(&context, len_bytes, msg);
    poly1305_aes_digest(&context, 16, tag);
    return true;
}
