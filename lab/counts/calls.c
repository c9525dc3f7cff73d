/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* calls PRIMITIVE WHAT LEN_BYTES CALLS [MIDR]: makes calls for instructions.py to count and call_cycles.py
 * to trace, the latter until call_nothing begins. PRIMITIVE is `poly1305`, `chacha20` or `seal`, with 13
 * bytes of associated data. WHAT is `nothing`, `chosen`, the name of a kernel of the primitive (for `seal`
 * of ChaCha20), or, if compiled with COUNT_OPENSSL, `openssl` or, for Poly1305, `openssl_evp`; with
 * COUNT_BORINGSSL `boringssl`, for seal. A kernel of Poly1305 may be one outside the library
 * (COUNTED_KERNELS, a list of COUNTED(name)). On 64-bit Arm, MIDR in hexadecimal is the number of the core
 * for which the library chooses, instead of that of qemu's; 0 stands for an unknown core. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef COUNT_OPENSSL
#include <openssl/evp.h>
#elif !defined(COUNT_BORINGSSL)
#include "../../include/hornet.h"
#include "../../include/hornet_kernels.h"
#include "../../src/poly1305/kernel.h"

#ifndef COUNTED_KERNELS
#define COUNTED_KERNELS
#endif
#define COUNTED(name) extern const struct hornet_poly1305_kernel hornet_poly1305_kernel_##name;
COUNTED_KERNELS
#undef COUNTED
#define COUNTED(name) &hornet_poly1305_kernel_##name,
static const struct hornet_poly1305_kernel *const others[] = {COUNTED_KERNELS NULL};
#endif

static uint8_t tag[16], message[16384], out[16384];
static const uint8_t key[32] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
static const uint8_t nonce[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, aad[13] = {1, 2, 3};

typedef void mac_function(uint8_t *tag, const void *msg, size_t len_bytes, const uint8_t *key,
                          void *context);
typedef void call_function(size_t len_bytes);

static mac_function *volatile mac;
static void *context;

static void call_nothing(size_t len_bytes) { (void)len_bytes; }

static void call_mac(size_t len_bytes) { mac(tag, message, len_bytes, key, context); }

static const char *core;

#ifdef COUNT_OPENSSL

/* What OpenSSL's ChaCha20-Poly1305 calls (include/crypto/poly1305.h and chacha.h, which are not installed).
 */
size_t Poly1305_ctx_size(void);
void Poly1305_Init(void *context, const unsigned char key[32]);
void Poly1305_Update(void *context, const unsigned char *input, size_t len_bytes);
void Poly1305_Final(void *context, unsigned char tag[16]);
void ChaCha20_ctr32(uint8_t *to, const uint8_t *in, size_t len_bytes, const uint32_t key_words[8],
                    const uint32_t last_row[4]);

static uint32_t word_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static void openssl_cipher(uint8_t *to, const uint8_t *in, size_t len_bytes, uint32_t counter)
{
    uint32_t words[8], last_row[4] = {counter};
    for (int i = 0; i < 8; i++)
        words[i] = word_at(key + 4 * i);
    for (int i = 0; i < 3; i++)
        last_row[1 + i] = word_at(nonce + 4 * i);
    ChaCha20_ctr32(to, in, len_bytes, words, last_row);
}

static void call_chacha20(size_t len_bytes) { openssl_cipher(out, message, len_bytes, 1); }

/* The steps of RFC 8439, section 2.8, by OpenSSL's internal functions. */
static void call_seal(size_t len_bytes)
{
    static const uint8_t zeros[64];
    uint8_t block[64], lengths[16] = {sizeof aad};
    openssl_cipher(block, zeros, sizeof block, 0);
    Poly1305_Init(context, block);
    Poly1305_Update(context, aad, sizeof aad);
    Poly1305_Update(context, zeros, -sizeof aad & 15);
    openssl_cipher(out, message, len_bytes, 1);
    Poly1305_Update(context, out, len_bytes);
    Poly1305_Update(context, zeros, -len_bytes & 15);
    for (int i = 0; i < 4; i++)
        lengths[8 + i] = (uint8_t)(len_bytes >> 8 * i);
    Poly1305_Update(context, lengths, sizeof lengths);
    Poly1305_Final(context, tag);
}

static void openssl_mac(uint8_t *to, const void *msg, size_t len_bytes, const uint8_t *with, void *of)
{
    Poly1305_Init(of, with);
    Poly1305_Update(of, msg, len_bytes);
    Poly1305_Final(of, to);
}

/* The same context for all calls. */
static void openssl_evp_mac(uint8_t *to, const void *msg, size_t len_bytes, const uint8_t *with, void *of)
{
    size_t tag_bytes;
    EVP_MAC_init(of, with, 32, NULL);
    EVP_MAC_update(of, msg, len_bytes);
    EVP_MAC_final(of, to, &tag_bytes, 16);
}

static bool choose(const char *primitive, const char *what)
{
    (void)primitive;
    OPENSSL_init_crypto(0, NULL); /* reads the CPU's features */
    if (strcmp(what, "openssl_evp") == 0) {
        EVP_MAC *const poly1305 = EVP_MAC_fetch(NULL, "POLY1305", NULL);
        context = poly1305 != NULL ? EVP_MAC_CTX_new(poly1305) : NULL;
        mac = openssl_evp_mac;
    } else {
        context = aligned_alloc(64, (Poly1305_ctx_size() + 63) / 64 * 64);
        mac = openssl_mac;
    }
    return context != NULL;
}

#elif defined(COUNT_BORINGSSL)

/* What its e_chacha20poly1305.c passes to its assembly (crypto/cipher_extra/internal.h). */
union sealed {
    struct {
        _Alignas(16) uint8_t key[32];
        uint32_t counter;
        uint8_t nonce[12];
        const uint8_t *more_ciphertext;
        size_t more_ciphertext_bytes;
    } in;
    uint8_t tag[16];
};
void chacha20_poly1305_seal(uint8_t *to, const uint8_t *msg, size_t len_bytes, const uint8_t *data,
                            size_t data_bytes, union sealed *sealed);

static void call_chacha20(size_t len_bytes) { (void)len_bytes; }

static void call_seal(size_t len_bytes)
{
    union sealed sealed = {.in.counter = 0};
    memcpy(sealed.in.key, key, sizeof key);
    memcpy(sealed.in.nonce, nonce, sizeof nonce);
    chacha20_poly1305_seal(out, message, len_bytes, aad, sizeof aad, &sealed);
    memcpy(tag, sealed.tag, sizeof tag);
    /* It is cleared, as by OPENSSL_cleanse. */
    memset(&sealed, 0, sizeof sealed);
    __asm__ volatile("" : : "r"(&sealed) : "memory");
}

static bool choose(const char *primitive, const char *what)
{
    return strcmp(primitive, "seal") == 0 && strcmp(what, "boringssl") == 0;
}

#else

static void call_chacha20(size_t len_bytes)
{
    (void)!hornet_chacha20(out, message, len_bytes, 1, nonce, key);
}

static void call_seal(size_t len_bytes)
{
    (void)!hornet_chacha20_poly1305_seal(out, tag, message, len_bytes, aad, sizeof aad, nonce, key);
}

#ifdef __aarch64__
#include "../../src/core/cpu/arm.h"

uint32_t __wrap_hornet_arm_properties(uint32_t midr, bool has_sve);
uint32_t __real_hornet_arm_properties(uint32_t midr, bool has_sve);

uint32_t __wrap_hornet_arm_properties(uint32_t midr, bool has_sve)
{
    return __real_hornet_arm_properties(core != NULL ? (uint32_t)strtoul(core, NULL, 16) : midr, has_sve);
}
#endif

static bool choose(const char *primitive, const char *what)
{
    mac = (mac_function *)(void (*)(void))hornet_poly1305; /* both ignore the context */
    if (strcmp(what, "chosen") == 0)
        return true;
    if (strcmp(primitive, "poly1305") != 0)
        return hornet_kernel_force(HORNET_CHACHA20, what);
    for (size_t i = 0; others[i] != NULL; i++)
        if (strcmp(what, others[i]->implementation.name) == 0) {
            mac = (mac_function *)(void (*)(void))others[i]->mac;
            return true;
        }
    return hornet_kernel_force(HORNET_POLY1305, what);
}

#endif

int main(int argc, char **argv)
{
    if (argc != 5 && argc != 6)
        return 2;
    core = argv[5]; /* or NULL */
    const char *const primitive = argv[1], *const what = argv[2];
    const size_t len_bytes = strtoul(argv[3], NULL, 10);
    call_function *call = strcmp(primitive, "poly1305") == 0   ? call_mac
                          : strcmp(primitive, "chacha20") == 0 ? call_chacha20
                                                               : call_seal;
    if (strcmp(what, "nothing") == 0)
        call = call_nothing;
    else if (!choose(primitive, what))
        return 1;
    call_function *volatile function = call;
    for (unsigned long calls = strtoul(argv[4], NULL, 10); calls != 0; calls--)
        function(len_bytes);
    function = call_nothing;
    function(len_bytes);
    for (size_t i = 0; i < sizeof tag; i++)
        printf("%02x", tag[i]);
    if (strcmp(primitive, "poly1305") != 0)
        for (size_t i = 0; i < len_bytes; i++)
            printf("%02x", out[i]);
    printf("\n");
    return 0;
}
