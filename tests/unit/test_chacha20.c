/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20: every kernel against the RFC's description and its vectors, the memory that it may write,
 * and counters close to 2^32; HChaCha20. Needs no library except GMP, for the header of the definition. */
#include <stdlib.h>
#include <string.h>

#include "../../include/hornet.h"
#include "../../src/core/tuning.h"
#include "../../src/poly1305/kernel.h"
#include "../../src/poly1305/tag.h"
#include "../support/chacha20_kernels.h"
#include "../support/check.h"
#include "../support/crash.h"
#include "../support/inputs.h"
#include "../support/reference_aead.h"

enum { MAX_BYTES = 4200, AROUND = 64, FILL = 0xa5 };

/* The kernel under test. */
static const struct hornet_chacha20_kernel *kernel;

static uint8_t key[32], nonce[12];

/* Whether all bytes still have the value with which memory is filled before a call. */
static bool untouched(const uint8_t *bytes, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes; i++)
        if (bytes[i] != FILL)
            return false;
    return true;
}

static void test_vectors(void)
{
    static const struct {
        const char *key;
        uint32_t counter;
        const char *nonce, *in, *out;
    } vectors[] = {
#include "../vectors/chacha20.h"
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint8_t k[32], n[12], in[400], expected[400], out[400];
        from_hex(k, vectors[i].key);
        from_hex(n, vectors[i].nonce);
        from_hex(expected, vectors[i].out);
        const size_t len_bytes = from_hex(in, vectors[i].in);
        reference_chacha20(out, in, len_bytes, k, vectors[i].counter, n);
        check(memcmp(out, expected, len_bytes) == 0, "the definition: vector %zu", i);
        memset(out, FILL, sizeof out);
        check(hornet_chacha20(out, in, len_bytes, vectors[i].counter, n, k), "vector %zu refused", i);
        check(memcmp(out, expected, len_bytes) == 0 && untouched(out + len_bytes, sizeof out - len_bytes),
              "%s: vector %zu", chacha20_name(kernel), i);
    }
}

/* draft-irtf-cfrg-xchacha-03, section 2.2.1, followed by random inputs, which are compared with the
 * definition. */
static void test_hchacha20(void)
{
    uint8_t n[24], expected[32];
    chacha20_state state;
    for (int i = 0; i < 200; i++) {
        random_bytes(key, sizeof key);
        random_bytes(n, sizeof n);
        reference_hchacha20(expected, key, n);
        if (i == 0) {
            from_hex(key, "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
            from_hex(n, "000000090000004a0000000031415927");
            from_hex(expected, "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc");
        }
        const uint32_t counter = (uint32_t)random_word();
        hornet_xchacha20_begin(&state, key, counter, n);
        for (size_t w = 0; w < 8; w++)
            check(state.word[4 + w] == reference_load32(expected + 4 * w), "HChaCha20 %d: word %zu", i, w);
        uint8_t subkey[33];
        memset(subkey, FILL, sizeof subkey);
        hornet_hchacha20(subkey, n, key);
        check(memcmp(subkey, expected, 32) == 0 && subkey[32] == FILL, "HChaCha20 %d: the subkey", i);
        memcpy(subkey, key, 32);
        hornet_hchacha20(subkey, n, subkey);
        check(memcmp(subkey, expected, 32) == 0, "HChaCha20 %d: over the key", i);
        check(state.word[12] == counter && state.word[13] == 0 &&
                  state.word[14] == reference_load32(n + 16) && state.word[15] == reference_load32(n + 20),
              "XChaCha20 %d: counter and nonce", i);
    }
}

/* Counters at which a carry or a wrap could occur. */
static const uint32_t counters[] = {
    0,          1,          2,          UINT32_MAX - 64, UINT32_MAX - 31, UINT32_MAX - 16, UINT32_MAX - 8,
    0x7fffffff, 0x7ffffff0, UINT32_MAX, UINT32_MAX - 1,  UINT32_MAX - 3,  UINT32_MAX - 15, UINT32_MAX - 7};
enum { COUNTERS = sizeof counters / sizeof counters[0] };

/* A call of a layout. */
typedef struct {
    size_t len_bytes, nblocks; /* of the message, and of its companion, Poly1305 */
    bool keyed, copies, in_place;
    size_t offset; /* of the message from a multiple of 64 bytes */
    uint32_t counter;
} pass_call;

enum { MAX_PASS_BYTES = 33 * 64, PASS_ROOM = MAX_PASS_BYTES + 64 };

/* Returns whether both are the same number modulo p. */
static bool has_value(const struct poly1305 *a, const struct poly1305 *b)
{
    uint8_t of_a[16], of_b[16];
    store_tag(of_a, tag_of_value(a->h, a->s));
    store_tag(of_b, tag_of_value(b->h, b->s));
    return memcmp(of_a, of_b, 16) == 0;
}

/* Compares a pass with the reference. No byte may be written beyond what chacha20.h allows. */
static void test_pass(const chacha20_layout *layout, const pass_call *c)
{
    _Alignas(64) static uint8_t copy[PASS_ROOM + 2 * AROUND];
    static uint8_t in[PASS_ROOM + 64], out[PASS_ROOM + 64 + 2 * AROUND], stream[PASS_ROOM + 64];
    static uint8_t expected[PASS_ROOM + 64], msg[16 * 128];
    static const uint8_t zeros[PASS_ROOM + 64];
    const size_t room = 64 * (size_t)(layout->nblocks - c->keyed);
    const size_t n = c->len_bytes < room ? c->len_bytes : room;
    uint8_t given[32];
    chacha20_state state;
    struct poly1305 poly, poly_expected;
    random_bytes(key, sizeof key);
    random_bytes(nonce, sizeof nonce);
    random_bytes(in, sizeof in);
    random_bytes(msg, sizeof msg);
    memset(out, FILL, sizeof out);
    memset(copy, FILL, sizeof copy);
    memset(given, FILL, sizeof given);
    reference_chacha20(stream, zeros, 64 * (size_t)layout->nblocks, key, c->counter, nonce);
    const uint8_t *const blocks = stream + (c->keyed ? 64 : 0);
    uint8_t *const to = out + AROUND + 64 - c->offset;
    const uint8_t *const from = c->in_place ? memcpy(to, in + c->offset, n) : in + c->offset;
    memset(expected, 0, sizeof expected);
    for (size_t i = 0; i < n; i++)
        expected[i] = from[i] ^ blocks[i];

    random_bytes(given, sizeof given);
    if (c->len_bytes % 5 == 0) {
        memset(given, 255, sizeof given);
        memset(msg, 255, sizeof msg);
    }
    load_r(poly.r, given);
    load_s(poly.s, given);
    poly.h[0] = random_word();
    poly.h[1] = random_word();
    poly.h[2] = random_word() % (HORNET_H2_MAX + 1);
    poly_expected = poly;
    if (c->nblocks != 0)
        hornet_poly1305_fallback->absorb(&poly_expected, msg, 16 * c->nblocks);

    hornet_chacha20_begin(&state, key, c->counter, nonce);
    const chacha20_state before = state;
    running_length = c->len_bytes;
    layout->run(&(chacha20_work){.out = to,
                                 .in = from,
                                 .len_bytes = c->len_bytes,
                                 .copy = c->copies ? copy + AROUND : NULL,
                                 .key = c->keyed ? given : NULL,
                                 .state = &state,
                                 .companion = {&poly, msg, c->nblocks}});
    const int number = (int)(layout - kernel->layouts);
#define CHECK_PASS(condition, what)                                                                        \
    check(condition,                                                                                       \
          "%s, layout %d, %zu bytes from %x, keyed %d, copies %d, in place %d, %zu blocks: " what,         \
          chacha20_name(kernel), number, c->len_bytes, c->counter, c->keyed, c->copies, c->in_place,       \
          c->nblocks)
    CHECK_PASS(memcmp(to, expected, n) == 0, "the output");
    CHECK_PASS(untouched(to - AROUND, AROUND) && untouched(to + n, AROUND), "writes beside the output");
    CHECK_PASS(!c->copies || memcmp(copy + AROUND, expected, (n + 15) / 16 * 16) == 0, "the copy");
    CHECK_PASS(untouched(copy, AROUND) &&
                   untouched(copy + AROUND + (c->copies ? (n + 63) / 64 * 64 : 0), AROUND),
               "writes beside the copy");
    CHECK_PASS(!c->keyed || memcmp(given, stream, 32) == 0, "the key");
    CHECK_PASS(memcmp(&state, &before, sizeof state) == 0, "changes the state");
    CHECK_PASS(memcmp(poly.r, poly_expected.r, sizeof poly.r) == 0 && has_value(&poly, &poly_expected),
               "Poly1305");
#undef CHECK_PASS
}

/* Tests every layout, with lengths around all multiples of 16 bytes, counters, alignments and numbers of
 * blocks of Poly1305 in rotation. */
static void test_passes(void)
{
    for (size_t i = 0; i < kernel->nlayouts; i++) {
        const chacha20_layout *const layout = &kernel->layouts[i];
        const size_t most_stitched = (size_t)layout->stitched * CHACHA20_DOUBLE_ROUNDS;
        for (size_t n = 0; n <= 64 * (size_t)layout->nblocks + 65; n++) {
            if (n > 130 && (n + 1) % 16 > 2) /* the rest of a block is processed in one place */
                continue;
            for (size_t way = 0; way < 4; way++)
                test_pass(layout, &(pass_call){.len_bytes = n,
                                               .nblocks = layout->keyed || most_stitched == 0
                                                              ? 0
                                                              : (n + 13 * way) % (most_stitched + 1),
                                               .keyed = layout->keyed || (n + way / 2) % 2 == 0,
                                               .copies = way % 2 == 0,
                                               .in_place = way < 2,
                                               .offset = (n + way) % 3 == 0 ? 1 + n % 63 : 0,
                                               .counter = counters[(n + way) % COUNTERS]});
        }
    }
}

/* Every pass table names layouts that exist, computes every number of blocks, and gives the key exactly
 * once. */
static void test_plan(void)
{
    const chacha20_pass_table *const table = &kernel->pass_table;
    check(table->period != 0 && (table->period & (table->period - 1)) == 0 &&
              table->count % table->period == 0,
          "%s: period %d of %d", chacha20_name(kernel), table->period, table->count);
    for (size_t nblocks = 0; nblocks <= table->count; nblocks++) {
        check(64 * (size_t)kernel->layouts[table->first[nblocks]].nblocks <= AEAD_COPIED_BYTES,
              "%s: the first pass for %zu blocks does not fit into its copy", chacha20_name(kernel),
              nblocks);
        check(table->first[nblocks] < kernel->nlayouts && table->next[nblocks] < kernel->nlayouts,
              "%s: the layouts for %zu blocks", chacha20_name(kernel), nblocks);
        check(!kernel->layouts[table->next[nblocks]].keyed, "%s: a later key, %zu blocks",
              chacha20_name(kernel), nblocks);
        check(nblocks == 0 || kernel->layouts[table->first[nblocks]].nblocks > 1 || kernel->lanes == 1,
              "%s: only the key, %zu blocks", chacha20_name(kernel), nblocks);
    }
}

/* Tests every length, with counters and alignments in rotation, in place and not. */
static void test_xor(void)
{
    static uint8_t in[MAX_BYTES + 64], out[MAX_BYTES + 64 + AROUND], expected[MAX_BYTES];
    chacha20_state state;
    for (size_t n = 0; n <= MAX_BYTES; n++)
        for (size_t in_place = 0; in_place < 2; in_place++) {
            const uint32_t counter = counters[(n + in_place) % COUNTERS];
            const size_t offset = n % 64;
            if (n % 16 == 0)
                random_bytes(in, sizeof in);
            random_bytes(key, sizeof key);
            random_bytes(nonce, sizeof nonce);
            memset(out, FILL, n + 64 + AROUND);
            uint8_t *to = out + 63 - offset;
            const uint8_t *from = in + offset;
            reference_chacha20(expected, from, n, key, counter, nonce);
            if (in_place != 0)
                from = memcpy(to, from, n);
            hornet_chacha20_begin(&state, key, counter, nonce);
            running_length = n;
            hornet_chacha20_xor(kernel, to, from, n, &state);
            check(memcmp(to, expected, n) == 0, "%s: %zu bytes from block %x", chacha20_name(kernel), n,
                  counter);
            check(untouched(out, 63 - offset) && untouched(to + n, AROUND),
                  "%s: %zu bytes from block %x: writes beside them", chacha20_name(kernel), n, counter);
        }
}

/* The public function goes up to block 2^32 - 1, and otherwise refuses before it writes anything. */
static void test_last_block(void)
{
    static uint8_t in[MAX_BYTES], out[MAX_BYTES + 1], expected[MAX_BYTES];
    random_bytes(in, sizeof in);
    for (size_t n = 0; n < MAX_BYTES; n++) {
        const uint32_t nblocks = (uint32_t)((n + 63) / 64);
        /* The last counter for which nblocks blocks fit. */
        const uint32_t counter = nblocks == 0 ? UINT32_MAX : UINT32_MAX - nblocks + 1;
        memset(out, FILL, sizeof out);
        reference_chacha20(expected, in, n, key, counter, nonce);
        check(hornet_chacha20(out, in, n, counter, nonce, key) && memcmp(out, expected, n) == 0 &&
                  out[n] == FILL,
              "%s: %zu bytes up to the last block", chacha20_name(kernel), n);
        if (nblocks == 0 || counter == UINT32_MAX)
            continue;
        memset(out, FILL, sizeof out);
        check(!hornet_chacha20(out, in, n, counter + 1, nonce, key) && untouched(out, sizeof out),
              "%s: %zu bytes beyond the last block", chacha20_name(kernel), n);
    }
    check(hornet_chacha20(NULL, NULL, 0, UINT32_MAX, nonce, key), "no bytes from the last block");
    memset(out, FILL, sizeof out);
    check(!hornet_chacha20(out, in, 65, UINT32_MAX, nonce, key) && untouched(out, sizeof out),
          "65 bytes from the last block");
#if SIZE_MAX > UINT32_MAX
    check(!hornet_chacha20(NULL, NULL, ((size_t)1 << 38) + 1, 0, nonce, key), "2^38 + 1 bytes");
    check(!hornet_chacha20(NULL, NULL, (size_t)1 << 38, 1, nonce, key), "2^38 bytes from block 1");
    check(!hornet_chacha20(NULL, NULL, SIZE_MAX, 0, nonce, key), "SIZE_MAX bytes");
#endif
}

/* RFC 9001, section A.5. */
static const char *const quic_key = "25a282b9e82f06f21f488917a4fc8f1b73573685608597d0efcb076b0ab7a7a4";
static const char *const quic_sample = "5e5cd55c41f69080575d7999c25a5bfb";
static const uint8_t quic_mask[5] = {0xae, 0xfe, 0xfe, 0x7d, 0x03};

/* Every number of samples up to more than two passes, at addresses in no order; the first is the RFC's, and
 * counters are of any value. Kernels get up to as many as they have lanes, whatever the library gives them.
 */
static void test_header_masks(void)
{
    enum { MOST = 2 * CHACHA20_PACKETS_MAX + 6 };
    static const uint8_t zeros[5];
    static uint8_t memory[MOST][16 + 3];
    uint8_t masks[MOST + 1][5], expected[MOST][5];
    const uint8_t *samples[MOST];
    chacha20_state state;
    from_hex(key, quic_key);
    random_bytes(memory[0], sizeof memory);
    for (size_t i = 0; i < MOST; i++) {
        uint8_t *const sample = memory[i * 29 % MOST] + i % 4;
        if (i == 0)
            from_hex(sample, quic_sample);
        else if (i % 3 == 0)
            reference_store32(sample, counters[i % COUNTERS]);
        samples[i] = sample;
        reference_chacha20(expected[i], zeros, 5, key, reference_load32(sample), sample + 4);
    }
    check(memcmp(expected[0], quic_mask, 5) == 0, "the definition: a mask");
    for (size_t count = 0; count <= MOST; count++)
        for (size_t first = 0; first < 2 && first + count <= MOST; first++) {
            memset(masks, FILL, sizeof masks);
            hornet_chacha20_header_masks(masks, count == 0 ? NULL : samples + first, key, count);
            check(memcmp(masks, expected[first], 5 * count) == 0 &&
                      untouched(masks[count], 5 * (MOST + 1 - count)),
                  "%s: %zu header masks", chacha20_name(kernel), count);
        }
    hornet_chacha20_begin(&state, key, 9, nonce);
    check((kernel->masks == NULL) == (kernel->packets == NULL), "%s: no masks", chacha20_name(kernel));
    for (size_t count = 1; kernel->masks != NULL && count <= kernel->lanes; count++) {
        memset(masks, FILL, sizeof masks);
        const uint8_t *only[MOST + 1] = {NULL}; /* no sample follows */
        memcpy(only, samples, count * sizeof only[0]);
        kernel->masks(masks, only, count, &state);
        check(memcmp(masks, expected, 5 * count) == 0 && untouched(masks[count], 5 * (MOST + 1 - count)),
              "%s: %zu masks in its lanes", chacha20_name(kernel), count);
    }
}

int main(void)
{
    report_crashes();
    test_hchacha20();
    for (int k = 0; k < CHACHA20_KERNELS; k++) {
        kernel = chacha20_kernels[k];
        printf("ChaCha20 by %s: %s\n", chacha20_name(kernel), chacha20_runs_here(kernel) ? "runs" : "no");
        if (!chacha20_runs_here(kernel))
            continue;
        running_kernel = chacha20_name(kernel);
        force_chacha20(kernel);
        test_vectors();
        test_plan();
        test_passes();
        test_xor();
        test_last_block();
        test_header_masks();
    }
    return check_report("test_chacha20");
}
