/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Intel's Multi-Buffer Crypto for IPsec: its jobs, and the internal functions that they call. */
#include <intel-ipsec-mb.h>

#include "peer.h"

/* Not declared in any installed header. They only use the message, the key and the tag of the job. */
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

/* ChaCha20-Poly1305. The library leaves the comparison of tags to the caller. */
struct aead {
    IMB_MGR *manager;
    uint8_t key[32];
};

static struct aead *opened(void (*init)(IMB_MGR *))
{
    struct aead *aead = calloc(1, sizeof *aead);
    if (aead == NULL || (aead->manager = alloc_mb_mgr(0)) == NULL)
        return NULL;
    init(aead->manager);
    return aead;
}

static void init_auto(IMB_MGR *manager) { init_mb_mgr_auto(manager, NULL); }

static void set_key(struct aead *aead, const uint8_t *key) { memcpy(aead->key, key, sizeof aead->key); }

static bool same_tag(const uint8_t *a, const uint8_t *b)
{
    uint64_t x[2], y[2];
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1])) == 0;
}

PEER_AEAD(ipsec_mb) { return opened(init_auto); }
PEER_AEAD_KEY(ipsec_mb) { set_key(context, key); }

PEER_AEAD_SEAL(ipsec_mb)
{
    struct aead *const aead = context;
    struct chacha20_poly1305_context_data data;
    IMB_CHACHA20_POLY1305_INIT(aead->manager, aead->key, &data, packet->nonce, packet->aad,
                               packet->aad_bytes);
    IMB_CHACHA20_POLY1305_ENC_UPDATE(aead->manager, aead->key, &data, packet->out, packet->in,
                                     packet->len_bytes);
    IMB_CHACHA20_POLY1305_ENC_FINALIZE(aead->manager, &data, packet->tag, 16);
    return true;
}

PEER_AEAD_OPEN(ipsec_mb)
{
    struct aead *const aead = context;
    struct chacha20_poly1305_context_data data;
    uint8_t expected[16];
    IMB_CHACHA20_POLY1305_INIT(aead->manager, aead->key, &data, packet->nonce, packet->aad,
                               packet->aad_bytes);
    IMB_CHACHA20_POLY1305_DEC_UPDATE(aead->manager, aead->key, &data, packet->out, packet->in,
                                     packet->len_bytes);
    IMB_CHACHA20_POLY1305_DEC_FINALIZE(aead->manager, &data, expected, sizeof expected);
    return same_tag(expected, packet->tag);
}

static void run_job(struct aead *aead, const struct peer_packet *packet, uint8_t *tag,
                    IMB_CIPHER_DIRECTION direction, IMB_CHAIN_ORDER order)
{
    IMB_JOB *job = IMB_GET_NEXT_JOB(aead->manager);
    job->cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
    job->hash_alg = IMB_AUTH_CHACHA20_POLY1305;
    job->cipher_direction = direction;
    job->chain_order = order;
    job->enc_keys = aead->key;
    job->dec_keys = aead->key;
    job->key_len_in_bytes = sizeof aead->key;
    job->iv = packet->nonce;
    job->iv_len_in_bytes = 12;
    job->src = packet->in;
    job->dst = packet->out;
    job->cipher_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = packet->len_bytes;
    job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_hash_in_bytes = packet->len_bytes;
    job->u.CHACHA20_POLY1305.aad = packet->aad;
    job->u.CHACHA20_POLY1305.aad_len_in_bytes = packet->aad_bytes;
    job->auth_tag_output = tag;
    job->auth_tag_output_len_in_bytes = 16;
    if (IMB_SUBMIT_JOB_NOCHECK(aead->manager) == NULL)
        IMB_FLUSH_JOB(aead->manager);
}

PEER_AEAD(ipsec_mb_job) { return opened(init_auto); }
PEER_AEAD_KEY(ipsec_mb_job) { set_key(context, key); }

PEER_AEAD_SEAL(ipsec_mb_job)
{
    run_job(context, packet, packet->tag, IMB_DIR_ENCRYPT, IMB_ORDER_CIPHER_HASH);
    return true;
}

PEER_AEAD_OPEN(ipsec_mb_job)
{
    uint8_t expected[16];
    run_job(context, packet, expected, IMB_DIR_DECRYPT, IMB_ORDER_HASH_CIPHER);
    return same_tag(expected, packet->tag);
}

/* The same functions with managers that use no AVX-512. */
#define AVX2_ONLY(name)                                                                                    \
    PEER_AEAD(name##_avx2) { return opened(init_mb_mgr_avx2); }                                            \
    PEER_AEAD_KEY(name##_avx2) { set_key(context, key); }                                                  \
    PEER_AEAD_SEAL(name##_avx2) { return name##_aead_seal(packet, context); }                              \
    PEER_AEAD_OPEN(name##_avx2) { return name##_aead_open(packet, context); }
AVX2_ONLY(ipsec_mb)
AVX2_ONLY(ipsec_mb_job)
