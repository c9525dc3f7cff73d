/* Compiled into each build of Hornet, so that hornet_kernel_info may grow without the bench's knowing. */
#include "../../include/hornet.h"

#include "peer.h"

HORNET_API bool hornet_bench_kernel_at(size_t index, const char **name, size_t *lanes, bool *supported)
{
    hornet_kernel_info info;
    if (!hornet_kernel_info_at(index, &info))
        return false;
    *name = info.name;
    *lanes = info.lanes;
    *supported = info.supported;
    return true;
}

PEER_MAC(hornet_bench_aes)
{
    (void)context;
    if (hornet_poly1305_aes(tag, msg, len_bytes, key + 32, key))
        PEER_NEXT_NONCE(key);
}
