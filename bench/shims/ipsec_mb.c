/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Intel's Multi-Buffer Crypto for IPsec: the internal functions that its jobs call, and the jobs. */
#include <intel-ipsec-mb.h>

#include "peer.h"

/* Not declared in any installed header. They use only the message, the key and the tag of the job. */
void poly1305_mac_scalar(IMB_JOB *job);
void poly1305_mac_plain_avx512(IMB_JOB *job);
void poly1305_mac_fma_avx512(IMB_JOB *job);

PEER_VERSION { return IMB_VERSION_STR; }

static IMB_JOB *describe(IMB_JOB *job, uint8_t *tag, const void *msg, size_t len_bytes, const uint8_t *key)
{
    job->src = msg;
    job->msg_len_to_hash_in_bytes = len_bytes;
    job->auth_tag_output = tag;
    job->u.POLY1305._key = key;
    return job;
}

static IMB_JOB *job_if_cpu_has(uint64_t features)
{
    IMB_MGR *manager = alloc_mb_mgr(0);
    const uint64_t has = manager != NULL ? manager->features : 0;
    free_mb_mgr(manager);
    return (features & ~has) == 0 ? calloc(1, sizeof(IMB_JOB)) : NULL;
}

PEER_OPEN(ipsec_mb_scalar) { return job_if_cpu_has(0); }
PEER_MAC(ipsec_mb_scalar) { poly1305_mac_scalar(describe(context, tag, msg, len_bytes, key)); }

PEER_OPEN(ipsec_mb_avx512f) { return job_if_cpu_has(IMB_FEATURE_AVX512_SKX); }
PEER_MAC(ipsec_mb_avx512f) { poly1305_mac_plain_avx512(describe(context, tag, msg, len_bytes, key)); }

PEER_OPEN(ipsec_mb) { return job_if_cpu_has(IMB_FEATURE_AVX512_SKX | IMB_FEATURE_AVX512_IFMA); }
PEER_MAC(ipsec_mb) { poly1305_mac_fma_avx512(describe(context, tag, msg, len_bytes, key)); }

PEER_OPEN(ipsec_mb_job)
{
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (manager != NULL)
        init_mb_mgr_auto(manager, NULL);
    return manager;
}
PEER_MAC(ipsec_mb_job)
{
    IMB_MGR *manager = context;
    IMB_JOB *job = describe(IMB_GET_NEXT_JOB(manager), tag, msg, len_bytes, key);
    job->cipher_mode = IMB_CIPHER_NULL;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->hash_alg = IMB_AUTH_POLY1305;
    job->hash_start_src_offset_in_bytes = 0;
    job->auth_tag_output_len_in_bytes = 16;
    if (IMB_SUBMIT_JOB_NOCHECK(manager) == NULL)
        IMB_FLUSH_JOB(manager);
}

PEER_OPEN(ipsec_mb_job_avx2)
{
    IMB_MGR *manager = alloc_mb_mgr(0);
    if (manager != NULL)
        init_mb_mgr_avx2(manager);
    return manager;
}
PEER_MAC(ipsec_mb_job_avx2) { ipsec_mb_job_mac(tag, msg, len_bytes, key, context); }
