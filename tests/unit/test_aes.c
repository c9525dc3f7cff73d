/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* AES with published answers, on every implementation that runs here, and Poly1305-AES with those of the
 * paper. Needs no other library, so it also runs in emulators of other CPUs. */
#include <string.h>

#include "../../include/hornet.h"
#include "../../include/hornet_kernels.h"
#include "../../include/hornet_poly1305_aes.h"
#include "../../src/aes/aes.h"
#include "../../src/core/cpu.h"
#include "../support/check.h"
#include "../support/inputs.h"

static const struct hornet_aes *const implementations[] = {
#define HORNET_AES(name) &hornet_aes_##name,
#include "../../src/aes/aes.def"
};

enum { IMPLEMENTATIONS = sizeof implementations / sizeof implementations[0], MOST_BLOCKS = 19 };

static const struct {
    const char *key, *block, *encrypted;
} vectors[] = {
#include "../vectors/aes.h"
};

enum { VECTORS = sizeof vectors / sizeof vectors[0] };

static const char *name_of(const struct hornet_aes *aes) { return aes->implementation.name; }

static bool runs_here(const struct hornet_aes *aes)
{
    return hornet_can_run(&aes->implementation, hornet_cpu());
}

/* Tests every vector, together with 0 to MOST_BLOCKS - 1 others under their own keys. Bytes after the
 * last block, and after each key's 16 bytes, must not matter. */
static void test_known_answers(const struct hornet_aes *aes)
{
    for (size_t count = 1; count <= MOST_BLOCKS; count++)
        for (size_t first = 0; first < VECTORS; first++) {
            uint8_t keys[MOST_BLOCKS][32], in[MOST_BLOCKS][16], out[MOST_BLOCKS + 1][16], expected[16];
            memset(keys, (int)count, sizeof keys);
            memset(out, 0xa5, sizeof out);
            for (size_t i = 0; i < count; i++) {
                from_hex(keys[i], vectors[(first + i) % VECTORS].key);
                from_hex(in[i], vectors[(first + i) % VECTORS].block);
            }
            aes->encrypt(out, (const uint8_t(*)[16])in, (const uint8_t(*)[32])keys, count);
            for (size_t i = 0; i < count; i++) {
                from_hex(expected, vectors[(first + i) % VECTORS].encrypted);
                check(memcmp(out[i], expected, 16) == 0, "%s: vector %zu, the %zuth of %zu", name_of(aes),
                      (first + i) % VECTORS, i, count);
            }
            for (size_t i = 0; i < 16; i++)
                check(out[count][i] == 0xa5, "%s: %zu blocks: writes after them", name_of(aes), count);
        }
}

/* NIST AESAVS, section 6.4.1: generates inputs like the Monte Carlo test, and compares each
 * implementation with the last one. Each result is the next block, and each thousandth changes the key. */
static void test_chains(const struct hornet_aes *aes)
{
    const struct hornet_aes *other = implementations[IMPLEMENTATIONS - 1];
    uint8_t key[1][32] = {{0}}, block[1][16] = {{0}}, other_block[1][16];
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 1000; i++) {
            uint8_t next[1][16];
            aes->encrypt(next, (const uint8_t(*)[16])block, (const uint8_t(*)[32])key, 1);
            other->encrypt(other_block, (const uint8_t(*)[16])block, (const uint8_t(*)[32])key, 1);
            memcpy(block, next, sizeof block);
            if (memcmp(block, other_block, 16) != 0)
                break;
        }
        check(memcmp(block, other_block, 16) == 0, "%s and %s part in round %d", name_of(aes),
              name_of(other), round);
        for (int i = 0; i < 16; i++)
            key[0][i] ^= block[0][i];
    }
}

/* The best implementation that runs here must be in use. */
static void test_choice(void)
{
    int best = 0;
    while (!runs_here(implementations[best]))
        best++;
    const char *const in_use = hornet_kernel_in_use(HORNET_AES128);
    check(strcmp(in_use, name_of(implementations[best])) == 0, "in use: %s", in_use);
}

/* Bernstein 2005, appendix B. */
static void test_appendix_b(void)
{
    static const struct {
        const char *k, *r, *nonce, *pad, *msg, *tag;
    } examples[] = {
#include "../vectors/poly1305_aes.h"
    };
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        uint8_t key[32], nonce[16], pad[16], expected[16], msg[64], tag[16];
        from_hex(key, examples[i].k);
        from_hex(key + 16, examples[i].r);
        from_hex(nonce, examples[i].nonce);
        from_hex(pad, examples[i].pad);
        from_hex(expected, examples[i].tag);
        const size_t len_bytes = from_hex(msg, examples[i].msg);
        check(hornet_poly1305_aes(tag, NULL, 0, nonce, key) && memcmp(tag, pad, 16) == 0,
              "appendix B, example %zu: the pad", i);
        check(hornet_poly1305_aes(tag, msg, len_bytes, nonce, key) && memcmp(tag, expected, 16) == 0,
              "appendix B, example %zu: the tag", i);
        check(hornet_poly1305_aes_verify(expected, msg, len_bytes, nonce, key),
              "appendix B, example %zu: verify", i);
        check(hornet_poly1305_pad(tag, msg, len_bytes, key + 16, pad) && memcmp(tag, expected, 16) == 0,
              "appendix B, example %zu: with its pad", i);
    }
}

int main(void)
{
    for (int i = 0; i < IMPLEMENTATIONS; i++) {
        printf("%s: %s\n", name_of(implementations[i]), runs_here(implementations[i]) ? "runs here" : "no");
        if (!runs_here(implementations[i]))
            continue;
        test_known_answers(implementations[i]);
        test_chains(implementations[i]);
    }
    test_choice();
    test_appendix_b();
    return check_report("test_aes");
}
