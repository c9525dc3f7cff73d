/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Intel's Multi-Buffer Crypto for IPsec. With JOB, by jobs, flushed if they are not done at once; else by
 * MAC_FUNCTION, an internal one that jobs call, for a CPU that has FEATURES, and by the direct functions.
 * MANAGER sets up what chooses the instructions. The comparison of tags is left to the caller. */
#include <intel-ipsec-mb.h>

#include "peer.h"

static IMB_MGR *manager;
static uint8_t its_key[32];

PEER const char *peer_init(void)
{
    manager = alloc_mb_mgr(0);
    if (manager == NULL || (FEATURES & ~manager->features) != 0)
        return "does not run on this CPU";
    MANAGER;
    return NULL;
}

PEER const char *peer_version(void) { return IMB_VERSION_STR; }
PEER void peer_key(const uint8_t *key) { memcpy(its_key, key, sizeof its_key); }

static bool same_tag(const uint8_t *a, const uint8_t *b)
{
    uint64_t x[2], y[2];
    memcpy(x, a, sizeof x);
    memcpy(y, b, sizeof y);
    return ((x[0] ^ y[0]) | (x[1] ^ y[1])) == 0;
}

#ifdef JOB

static void submit(IMB_JOB *job, uint8_t *tag)
{
    job->auth_tag_output = tag;
    job->auth_tag_output_len_in_bytes = 16;
    if (IMB_SUBMIT_JOB_NOCHECK(manager) == NULL)
        IMB_FLUSH_JOB(manager);
}

PEER_MAC
{
    IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
    job->src = msg;
    job->msg_len_to_hash_in_bytes = len_bytes;
    job->u.POLY1305._key = key;
    job->cipher_mode = IMB_CIPHER_NULL;
    job->cipher_direction = IMB_DIR_ENCRYPT;
    job->chain_order = IMB_ORDER_HASH_CIPHER;
    job->hash_alg = IMB_AUTH_POLY1305;
    job->hash_start_src_offset_in_bytes = 0;
    submit(job, tag);
}

static void run(uint8_t *out, uint8_t *tag, const void *in, size_t len_bytes, const void *aad,
                size_t aad_bytes, const uint8_t *nonce, IMB_CIPHER_DIRECTION direction,
                IMB_CHAIN_ORDER order)
{
    IMB_JOB *job = IMB_GET_NEXT_JOB(manager);
    job->cipher_mode = IMB_CIPHER_CHACHA20_POLY1305;
    job->hash_alg = IMB_AUTH_CHACHA20_POLY1305;
    job->cipher_direction = direction;
    job->chain_order = order;
    job->enc_keys = job->dec_keys = its_key;
    job->key_len_in_bytes = sizeof its_key;
    job->iv = nonce;
    job->iv_len_in_bytes = 12;
    job->src = in;
    job->dst = out;
    job->cipher_start_src_offset_in_bytes = job->hash_start_src_offset_in_bytes = 0;
    job->msg_len_to_cipher_in_bytes = job->msg_len_to_hash_in_bytes = len_bytes;
    job->u.CHACHA20_POLY1305.aad = aad;
    job->u.CHACHA20_POLY1305.aad_len_in_bytes = aad_bytes;
    submit(job, tag);
}

PEER_SEAL
{
    run(out, tag, in, len_bytes, aad, aad_bytes, nonce, IMB_DIR_ENCRYPT, IMB_ORDER_CIPHER_HASH);
    return true;
}

PEER_OPEN
{
    uint8_t expected[16];
    run(out, expected, in, len_bytes, aad, aad_bytes, nonce, IMB_DIR_DECRYPT, IMB_ORDER_HASH_CIPHER);
    return same_tag(expected, tag);
}

#else

#ifdef MAC_FUNCTION
/* Not declared in any installed header; it uses only the message, the key and the tag of the job. */
void MAC_FUNCTION(IMB_JOB *job);

PEER_MAC
{
    static IMB_JOB job;
    job.src = msg;
    job.msg_len_to_hash_in_bytes = len_bytes;
    job.auth_tag_output = tag;
    job.u.POLY1305._key = key;
    MAC_FUNCTION(&job);
}
#endif

#ifndef MAC_ONLY
PEER_SEAL
{
    struct chacha20_poly1305_context_data data;
    IMB_CHACHA20_POLY1305_INIT(manager, its_key, &data, nonce, aad, aad_bytes);
    IMB_CHACHA20_POLY1305_ENC_UPDATE(manager, its_key, &data, out, in, len_bytes);
    IMB_CHACHA20_POLY1305_ENC_FINALIZE(manager, &data, tag, 16);
    return true;
}

PEER_OPEN
{
    struct chacha20_poly1305_context_data data;
    uint8_t expected[16];
    IMB_CHACHA20_POLY1305_INIT(manager, its_key, &data, nonce, aad, aad_bytes);
    IMB_CHACHA20_POLY1305_DEC_UPDATE(manager, its_key, &data, out, in, len_bytes);
    IMB_CHACHA20_POLY1305_DEC_FINALIZE(manager, &data, expected, sizeof expected);
    return same_tag(expected, tag);
}
#endif

#endif
