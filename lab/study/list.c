/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "list.h"

#include <string.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "../../include/hornet.h"
#include "../../include/hornet_poly1305_aes.h"
#include "../../src/aes/aes.h"
#include "../../src/core/constant_time.h"
#include "../../src/poly1305/kernel.h"

#define STUDY_KERNEL(name, ...) extern const struct hornet_poly1305_kernel hornet_poly1305_kernel_##name;
#include "kernels.def"

static void hornet_mac(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t key[32])
{
    hornet_poly1305(tag, msg, len_bytes, key);
}

static const struct {
    const struct hornet_poly1305_kernel *kernel;
    const char *paper, *label;
} listed[] = {
#define STUDY_KERNEL(name, paper, label) {&hornet_poly1305_kernel_##name, #paper, label},
#include "kernels.def"
    {NULL, "library", "Hornet"},
#define HORNET_ENTRY(name, ...) {&hornet_poly1305_kernel_##name, "library", #name},
#include "../../src/poly1305/kernels.def"
};

enum { LISTED = sizeof listed / sizeof listed[0] };

size_t study_entries(const struct study_entry **entries)
{
    static struct study_entry all[LISTED];
    for (size_t i = 0; i < LISTED; i++) {
        const struct hornet_poly1305_kernel *kernel = listed[i].kernel;
        all[i] =
            kernel == NULL
                ? (struct study_entry){"hornet", listed[i].paper, listed[i].label, hornet_mac, true}
                : (struct study_entry){kernel->implementation.name, listed[i].paper, listed[i].label,
                                       kernel->mac, hornet_can_run(&kernel->implementation, hornet_cpu())};
    }
    *entries = all;
    return LISTED;
}

bool study_verify_aes(const struct study_entry *entry, const uint8_t tag[16], const uint8_t *msg,
                      size_t len_bytes, const uint8_t nonce[16], const uint8_t key[32])
{
    if (entry->mac == hornet_mac)
        return hornet_poly1305_aes_verify(tag, msg, len_bytes, nonce, key);
    uint8_t one_time[32], expected[16];
    memcpy(one_time, key + 16, 16);
    hornet_aes_for(1, hornet_aes_entries_in_use())
        ->encrypt((uint8_t(*)[16])(one_time + 16), (const uint8_t(*)[16])nonce, (const uint8_t(*)[32])key,
                  1);
    entry->mac(expected, msg, len_bytes, one_time);
    return tags_equal(tag, expected);
}

void study_tag_aes(uint8_t tag[16], const uint8_t *msg, size_t len_bytes, const uint8_t nonce[16],
                   const uint8_t key[32])
{
    if (!hornet_poly1305_aes(tag, msg, len_bytes, nonce, key))
        memset(tag, 0, 16);
}

static uint8_t aes_key[1][32] = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}};
static uint8_t aes_nonce[1][16] = {{16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1}},
               aes_block[1][16];

static void aes_of_key(void)
{
    hornet_aes_for(1, hornet_aes_entries_in_use())
        ->encrypt(aes_block, (const uint8_t(*)[16])aes_nonce, (const uint8_t(*)[32])aes_key, 1);
}

#ifdef __x86_64__
static __m128i round_keys[AES_ROUNDS + 1];

/* FIPS 197, section 5.2: `word` is the last one after RotWord, SubWord and Rcon, in all lanes. */
static __m128i next_round_key(__m128i key, __m128i word)
{
    for (int i = 0; i < 2; i++)
        key = _mm_xor_si128(key, i == 0 ? _mm_slli_si128(key, 4) : _mm_slli_si128(key, 8));
    return _mm_xor_si128(key, word);
}

__attribute__((target("aes"))) static void expand_aes_key(void)
{
    round_keys[0] = _mm_loadu_si128((const __m128i *)aes_key);
#define ROUND_KEY(i, constant)                                                                             \
    round_keys[i] =                                                                                        \
        next_round_key(round_keys[(i) - 1],                                                                \
                       _mm_shuffle_epi32(_mm_aeskeygenassist_si128(round_keys[(i) - 1], constant), 0xFF))
    ROUND_KEY(1, 0x01);
    ROUND_KEY(2, 0x02);
    ROUND_KEY(3, 0x04);
    ROUND_KEY(4, 0x08);
    ROUND_KEY(5, 0x10);
    ROUND_KEY(6, 0x20);
    ROUND_KEY(7, 0x40);
    ROUND_KEY(8, 0x80);
    ROUND_KEY(9, 0x1B);
    ROUND_KEY(10, 0x36);
#undef ROUND_KEY
}

__attribute__((target("aes"))) static void aes_of_round_keys(void)
{
    __m128i block = _mm_xor_si128(_mm_loadu_si128((const __m128i *)aes_nonce), round_keys[0]);
    for (int i = 1; i < AES_ROUNDS; i++)
        block = _mm_aesenc_si128(block, round_keys[i]);
    _mm_storeu_si128((__m128i *)aes_block, _mm_aesenclast_si128(block, round_keys[AES_ROUNDS]));
}

static bool aes_agrees(void)
{
    uint8_t of_key[16];
    expand_aes_key();
    aes_of_key();
    memcpy(of_key, aes_block, 16);
    aes_of_round_keys();
    return memcmp(of_key, aes_block, 16) == 0;
}
#endif

void (*study_aes(bool expanded))(void)
{
    if (!expanded)
        return aes_of_key;
#ifdef __x86_64__
    if (__builtin_cpu_supports("aes") && aes_agrees())
        return aes_of_round_keys;
#endif
    return NULL;
}

uint64_t study_z14_phase(bool parallel, enum study_phase phase, const uint8_t *groups, size_t ngroups)
{
#if HORNET_INT128
    return parallel ? study_phase_z14_parallel(phase, groups, ngroups)
                    : study_phase_z14_serial(phase, groups, ngroups);
#else
    return (void)parallel, (void)phase, (void)groups, ngroups;
#endif
}
