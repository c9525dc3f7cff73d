/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The AEAD over many packets. */
#include "aead.h"

bool hornet_chacha20_poly1305_seal_batch(const hornet_packet *packets, size_t count)
{
    bool all = true;
    for (size_t i = 0; i < count; i++) {
        const hornet_packet *p = &packets[i];
        all &= hornet_chacha20_poly1305_seal(p->out, p->tag, p->in, p->len_bytes, p->aad, p->aad_bytes,
                                             p->nonce, p->key);
    }
    return all;
}

bool hornet_chacha20_poly1305_open_batch(bool *valid, const hornet_packet *packets, size_t count)
{
    bool all = true;
    for (size_t i = 0; i < count; i++) {
        const hornet_packet *p = &packets[i];
        valid[i] = hornet_chacha20_poly1305_open(p->out, p->in, p->len_bytes, p->tag, p->aad, p->aad_bytes,
                                                 p->nonce, p->key);
        all &= valid[i];
    }
    return all;
}
