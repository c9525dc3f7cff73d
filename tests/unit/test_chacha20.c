/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20: every kernel against the RFC's description and its vectors, the memory that it may write,
 * and counters close to 2^32; HChaCha20. Needs no library except GMP, for the header of the definition. */
#include <stdlib.h>
#include <string.h>

#include "../../include/hornet.h"
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

/* Tests every number of blocks. No byte may be written beyond what chacha20.h allows. Messages in pieces
 * keep their keystream in a state of arbitrary alignment. */
static void test_stream(void)
{
    _Alignas(64) static uint8_t memory[CHACHA20_STREAM_BYTES + AROUND + 64];
    static uint8_t expected[CHACHA20_STREAM_BYTES];
    static const uint8_t zeros[CHACHA20_STREAM_BYTES];
    chacha20_state state;
    for (size_t nblocks = 1; nblocks <= CHACHA20_STREAM_BLOCKS; nblocks++)
        for (size_t c = 0; c < COUNTERS; c++) {
            const size_t offset = (nblocks + c) % 3 == 0 ? 8 : 0;
            uint8_t *stream = memory + offset;
            size_t room = 4;
            while (room < nblocks)
                room *= 2;
            random_bytes(key, sizeof key);
            random_bytes(nonce, sizeof nonce);
            memset(memory, FILL, sizeof memory);
            hornet_chacha20_begin(&state, key, counters[c], nonce);
            const chacha20_state before = state;
            running_length = nblocks;
            kernel->stream(stream, nblocks, &state);
            reference_chacha20(expected, zeros, 64 * nblocks, key, counters[c], nonce);
            check(memcmp(stream, expected, 64 * nblocks) == 0, "%s: %zu blocks from %x",
                  chacha20_name(kernel), nblocks, counters[c]);
            check(untouched(memory, offset) && untouched(stream + 64 * room, AROUND),
                  "%s: %zu blocks: writes beside them", chacha20_name(kernel), nblocks);
            check(memcmp(&state, &before, sizeof state) == 0, "%s: changes the state",
                  chacha20_name(kernel));
        }
}

/* Tests every length, in place and not, with and without a copy. */
static void test_apply(void)
{
    enum { MAX_APPLY = 600, ROOM = (MAX_APPLY + 63) / 64 * 64 + 64 };
    _Alignas(64) static uint8_t stream[ROOM], copy[ROOM + AROUND];
    static uint8_t in[MAX_APPLY + 64], out[MAX_APPLY + 64 + AROUND], expected[ROOM];
    random_bytes(stream, sizeof stream);
    for (size_t n = 0; n <= MAX_APPLY; n++)
        for (int way = 0; way < 8; way++) {
            const bool copies = way & 1, in_place = way & 2;
            const size_t offset = way & 4 ? 1 + n % 63 : 0;
            random_bytes(in, sizeof in);
            memset(out, FILL, sizeof out);
            memset(copy, FILL, sizeof copy);
            memset(expected, 0, sizeof expected);
            uint8_t *to = out + 64 - offset;
            const uint8_t *from = in + offset;
            if (in_place)
                from = memcpy(to, in + offset, n);
            for (size_t i = 0; i < n; i++)
                expected[i] = from[i] ^ stream[i];
            running_length = n;
            if (copies)
                kernel->apply_twice(to, copy, from, stream, n);
            else
                kernel->apply(to, from, stream, n);
            check(memcmp(to, expected, n) == 0, "%s: apply to %zu bytes, way %d", chacha20_name(kernel), n,
                  way);
            check(untouched(out, 64 - offset) && untouched(to + n, AROUND),
                  "%s: apply to %zu bytes, way %d: writes beside them", chacha20_name(kernel), n, way);
            check(!copies || memcmp(copy, expected, (n + 15) / 16 * 16) == 0,
                  "%s: apply to %zu bytes, way %d: the copy", chacha20_name(kernel), n, way);
            check(untouched(copy + (copies ? (n + 63) / 64 * 64 : 0), AROUND),
                  "%s: apply to %zu bytes, way %d: writes beside the copy", chacha20_name(kernel), n, way);
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
            kernel->xor_stream(to, from, n, &state);
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
        test_stream();
        test_apply();
        test_xor();
        test_last_block();
    }
    return check_report("test_chacha20");
}
