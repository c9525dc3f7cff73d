/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Compiled into each build of Hornet, so that hornet_kernel can change without changes to the
 * bench. */
#include <string.h>

#include "../../include/hornet.h"
#include "../../include/hornet_kernels.h"
#include "../../include/hornet_poly1305_aes.h"

#include "peer.h"

/* KernelRecord in src/peers/hornet.rs. */
struct hornet_bench_kernel {
    const char *name;
    size_t min_bytes;
    size_t min_batch_bytes;
    bool supported;
};

HORNET_API bool hornet_bench_kernel_at(hornet_primitive primitive, size_t index,
                                       struct hornet_bench_kernel *kernel)
{
    hornet_kernel info;
    if (!hornet_kernel_at(&info, primitive, index))
        return false;
    kernel->name = info.name;
    kernel->min_bytes = info.min_bytes;
    kernel->min_batch_bytes = info.min_batch_bytes;
    kernel->supported = info.supported;
    return true;
}

/* The family of cores that this CPU belongs to, named as in kernels.def without CPU_, or "ANY". In
 * x86.def, the families follow no_zmm_downclock. */
HORNET_API const char *hornet_bench_family(void)
{
    hornet_cpu_feature feature;
    bool is_family = false;
    for (size_t i = 0; hornet_cpu_feature_at(&feature, i); i++) {
        if (is_family && feature.usable)
            return feature.name;
        is_family |= strcmp(feature.name, "no_zmm_downclock") == 0;
    }
    return "ANY";
}

PEER_VERSION { return "this tree"; }

/* Contexts, which Hornet's functions do not need. */
static char none;

PEER_OPEN(hornet_bench_aes) { return &none; }
PEER_MAC(hornet_bench_aes)
{
    (void)context;
    if (hornet_poly1305_aes(tag, msg, len_bytes, key + 32, key))
        PEER_NEXT_NONCE(key);
}

/* A state for messages in pieces, with its size in this version of Hornet, and aligned like OpenSSL's
 * context. */
PEER_OPEN(hornet_bench) { return aligned_alloc(64, (sizeof(hornet_poly1305_state) + 63) / 64 * 64); }

PEER_AEAD(hornet_bench) { return &none; }

/* The key is passed with each packet. */
PEER_AEAD_KEY(hornet_bench) { (void)context, (void)key; }

PEER_AEAD_SEAL(hornet_bench)
{
    (void)context;
    return hornet_chacha20_poly1305_seal(packet->out, packet->tag, packet->in, packet->len_bytes,
                                         packet->aad, packet->aad_bytes, packet->nonce, packet->key);
}

PEER_AEAD_OPEN(hornet_bench)
{
    (void)context;
    return hornet_chacha20_poly1305_open(packet->out, packet->in, packet->len_bytes, packet->tag,
                                         packet->aad, packet->aad_bytes, packet->nonce, packet->key);
}
