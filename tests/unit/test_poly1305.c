/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Every kernel against the definition in GMP: all lengths, alignments and splits, and the inputs on
 * which other implementations have failed.
 *
 *     test_poly1305 [--batches | --huge | --if-supported] [KERNEL...]
 *
 * The default is all kernels that this CPU can run. It must be able to run those that are named, except
 * with --if-supported. --batches tests only what is about batches and verification. --huge instead tests
 * messages of more than 4 GiB, which take seconds each, and batches of 2^32 messages. */
#include <stdlib.h>
#include <string.h>

#include "../../src/poly1305/poly1305.h" /* first, because it declares the public functions in another way */

#include "../../include/hornet.h"
#include "../../include/hornet_poly1305_aes.h"
#include "../../src/poly1305/tag.h"
#include "../support/check.h"
#include "../support/crash.h"
#include "../support/inputs.h"
#include "../support/kernels.h"
#include "../support/pages.h"
#include "../support/reference.h"

enum { MAX_BYTES = 2304, MAX_SPLIT_BYTES = 600 };

typedef uint8_t tag_t[16];

/* Computes a tag with one call of the library, with this kernel. Short messages may go to the scalar
 * code. */
static void library_tag(tag_t tag, const struct hornet_poly1305_kernel *kernel, const uint8_t *msg,
                        size_t len_bytes, const uint8_t key[32])
{
    running_kernel = name_of(kernel);
    running_length = len_bytes;
    force_kernel(name_of(kernel));
    hornet_poly1305(tag, msg, len_bytes, key);
}

/* Uses the kernel's own code for the first `split_bytes` bytes, and that of `second` for the rest. */
static void kernels_tag(tag_t tag, const struct hornet_poly1305_kernel *first, size_t split_bytes,
                        const struct hornet_poly1305_kernel *second, const uint8_t *msg, size_t len_bytes,
                        const uint8_t key[32])
{
    hornet_poly1305_state state;
    struct poly1305 *p = (struct poly1305 *)&state;
    running_kernel = name_of(first);
    running_length = len_bytes;
    hornet_poly1305_init(&state, key);
    if (split_bytes != 0)
        first->absorb(p, msg, split_bytes);
    if (split_bytes != len_bytes)
        second->absorb(p, msg + split_bytes, len_bytes - split_bytes);
    ((struct poly1305_streaming *)&state)->absorbed = STREAMING_VALUE;
    check(p->h[2] <= HORNET_H2_MAX, "kernels %s, %s leave h[2] = %llu, length %zu, split %zu",
          name_of(first), name_of(second), (unsigned long long)p->h[2], len_bytes, split_bytes);
    hornet_poly1305_final(&state, tag);
}

/* Checks the message in a batch among shorter ones, with enough of them to fill the lanes. */
static void check_in_batch(const struct hornet_poly1305_kernel *kernel, const char *what,
                           const uint8_t *msg, size_t len_bytes, const uint8_t key[32],
                           const tag_t expected)
{
    enum { COUNT = 10, PLACE = 4 };
    const void *msgs[COUNT];
    size_t lens_bytes[COUNT];
    uint8_t keys[COUNT][32];
    tag_t tags[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        msgs[i] = msg;
        lens_bytes[i] = i == PLACE ? len_bytes : len_bytes - len_bytes * i / 30;
        memcpy(keys[i], key, 32);
    }
    hornet_poly1305_batch(tags, msgs, lens_bytes, (const uint8_t(*)[32])keys, COUNT);
    check(memcmp(tags[PLACE], expected, 16) == 0, "kernel %s, length %zu: %s, in a batch", name_of(kernel),
          len_bytes, what);
}

/* Checks the library and the kernel against the definition. */
static void check_message(const struct hornet_poly1305_kernel *kernel, const char *what, const uint8_t *msg,
                          size_t len_bytes, const uint8_t key[32])
{
    tag_t expected, tag;
    reference_tag(expected, msg, len_bytes, key);
    library_tag(tag, kernel, msg, len_bytes, key);
    check(memcmp(tag, expected, 16) == 0, "kernel %s, length %zu: %s, one call", name_of(kernel), len_bytes,
          what);
    kernels_tag(tag, kernel, len_bytes, kernel, msg, len_bytes, key);
    check(memcmp(tag, expected, 16) == 0, "kernel %s, length %zu: %s, kernel alone", name_of(kernel),
          len_bytes, what);
    check_in_batch(kernel, what, msg, len_bytes, key, expected);
}

/* RFC 8439, sections 2.5.2 and A.3. */
static void test_rfc8439(const struct hornet_poly1305_kernel *kernel)
{
    static const struct {
        const char *key, *msg, *tag;
    } vectors[] = {
#include "../vectors/rfc8439.h"
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint8_t key[32], msg[512];
        tag_t expected, tag;
        from_hex(key, vectors[i].key);
        from_hex(expected, vectors[i].tag);
        const size_t len_bytes = from_hex(msg, vectors[i].msg);
        library_tag(tag, kernel, msg, len_bytes, key);
        check(memcmp(tag, expected, 16) == 0, "kernel %s: RFC 8439 vector %zu", name_of(kernel), i);
        kernels_tag(tag, kernel, len_bytes, kernel, msg, len_bytes, key);
        check(memcmp(tag, expected, 16) == 0, "kernel %s: RFC 8439 vector %zu, kernel alone",
              name_of(kernel), i);
        check(hornet_poly1305_verify(expected, msg, len_bytes, key), "kernel %s: verify of vector %zu",
              name_of(kernel), i);
    }
}

static void test_lengths(const struct hornet_poly1305_kernel *kernel)
{
    uint8_t msg[MAX_BYTES], ones[MAX_BYTES], key[32];
    random_bytes(msg, sizeof msg);
    random_bytes(key, sizeof key);
    memset(ones, 255, sizeof ones);
    for (size_t n = 0; n <= MAX_BYTES; n++) {
        check_message(kernel, "random", msg, n, key);
        check_message(kernel, "random, largest key", msg, n, key_max);
        check_message(kernel, "all ones, largest key", ones, n, key_max);
    }
    const size_t long_bytes = 1300000;
    uint8_t *long_msg = malloc(long_bytes);
    memset(long_msg, 255, long_bytes);
    check_message(kernel, "all ones, largest key", long_msg, long_bytes, key_max);
    check_message(kernel, "all ones, largest key", long_msg, long_bytes - 1, key_max);
    random_bytes(long_msg, long_bytes);
    check_message(kernel, "random", long_msg, long_bytes - 100, key);
    tag_t expected;
    reference_tag(expected, long_msg, long_bytes, key);
    for (size_t cut = 0; cut <= long_bytes; cut += 325000) {
        hornet_poly1305_state state;
        hornet_poly1305_init(&state, key);
        hornet_poly1305_update(&state, long_msg, cut);
        hornet_poly1305_update(&state, long_msg + cut, long_bytes - cut);
        check(hornet_poly1305_final_verify(&state, expected),
              "kernel %s: %zu bytes in two pieces, cut at %zu", name_of(kernel), long_bytes, cut);
    }
    free(long_msg);
}

/* Lengths at which more groups begin to share a reduction, and the remainders. */
static void test_long_lengths(const struct hornet_poly1305_kernel *kernel)
{
    enum { LONGEST = 40000 };
    static uint8_t msg[LONGEST], ones[LONGEST];
    uint8_t key[32];
    random_bytes(msg, sizeof msg);
    random_bytes(key, sizeof key);
    memset(ones, 255, sizeof ones);
    for (size_t n = MAX_BYTES; n <= LONGEST; n += n < 10000 ? 61 : 1009) {
        check_message(kernel, "random", msg, n, key);
        check_message(kernel, "random, largest key", msg, n, key_max);
        check_message(kernel, "all ones, largest key", ones, n, key_max);
    }
}

static void test_alignments(const struct hornet_poly1305_kernel *kernel)
{
    uint8_t buffer[MAX_BYTES + 64], key_buffer[32 + 64], tag_buffer[16 + 64];
    random_bytes(buffer, sizeof buffer);
    random_bytes(key_buffer, sizeof key_buffer);
    for (size_t n = 0; n <= MAX_BYTES; n = n < 80 ? n + 1 : n + 61)
        for (size_t offset = 0; offset < 64; offset++) {
            const uint8_t *msg = buffer + offset, *key = key_buffer + 63 - offset;
            tag_t expected;
            reference_tag(expected, msg, n, key);
            library_tag(tag_buffer + offset, kernel, msg, n, key);
            check(memcmp(tag_buffer + offset, expected, 16) == 0,
                  "kernel %s, length %zu, message at offset %zu", name_of(kernel), n, offset);
            kernels_tag(tag_buffer + offset, kernel, n, kernel, msg, n, key);
            check(memcmp(tag_buffer + offset, expected, 16) == 0,
                  "kernel %s, length %zu, message at offset %zu, kernel alone", name_of(kernel), n, offset);
        }
}

/* Tests every cut in two, with this kernel before it and every other after it, and some cuts in three. */
static void test_splits(const struct hornet_poly1305_kernel *kernel)
{
    uint8_t msg[MAX_SPLIT_BYTES], key[32];
    random_bytes(key, sizeof key);
    random_bytes(msg, sizeof msg);
    memset(msg, 255, 200);
    for (size_t n = 0; n <= MAX_SPLIT_BYTES; n++) {
        tag_t expected, tag;
        hornet_poly1305_state state;
        reference_tag(expected, msg, n, key);
        for (size_t split = 0; split <= n; split++)
            for (int k = 0; k < KERNEL_COUNT; k++) {
                const struct hornet_poly1305_kernel *second = all_kernels[k];
                if (!kernel_runs_here(second))
                    continue;
                if (split % 16 == 0) {
                    kernels_tag(tag, kernel, split, second, msg, n, key);
                    check(memcmp(tag, expected, 16) == 0,
                          "kernel %s, then %s alone, length %zu, split at %zu", name_of(kernel),
                          name_of(second), n, split);
                }
                if (second == kernel || (n + split) % 16 == (size_t)k) {
                    hornet_poly1305_init(&state, key);
                    force_kernel(name_of(kernel));
                    hornet_poly1305_update(&state, msg, split);
                    force_kernel(name_of(second));
                    hornet_poly1305_update(&state, msg + split, n - split);
                    hornet_poly1305_final(&state, tag);
                    check(memcmp(tag, expected, 16) == 0, "kernel %s, then %s, length %zu, split at %zu",
                          name_of(kernel), name_of(second), n, split);
                }
            }
        force_kernel(name_of(kernel));
        for (int i = 0; i < 40; i++) {
            const size_t a = random_word() % (n + 1), b = a + random_word() % (n - a + 1);
            hornet_poly1305_init(&state, key);
            hornet_poly1305_update(&state, msg, a);
            hornet_poly1305_update(&state, msg + a, b - a);
            hornet_poly1305_update(&state, msg + b, n - b);
            hornet_poly1305_final(&state, tag);
            check(memcmp(tag, expected, 16) == 0, "kernel %s, length %zu, splits at %zu and %zu",
                  name_of(kernel), n, a, b);
        }
        hornet_poly1305_init(&state, key);
        for (size_t i = 0; i < n; i++)
            hornet_poly1305_update(&state, msg + i, 1);
        check(hornet_poly1305_final_verify(&state, expected), "kernel %s, length %zu, byte by byte",
              name_of(kernel), n);
    }
}

/* Tests states with the largest numbers that the contract allows, and keys at the ends of the range. */
static void test_injected_states(const struct hornet_poly1305_kernel *kernel)
{
    static const uint64_t largest = UINT64_MAX;
    static const uint64_t hs[][3] = {
        {largest, largest, HORNET_H2_MAX},
        {0, 0, HORNET_H2_MAX},
        {largest, largest, 3},
        {largest - 4, largest, 3},
        {largest, 0, 4},
        {0, largest, 4},
        {largest, largest, 0},
        {1, 0, 0},
        {0, 0, 0},
    };
    static const uint64_t rs[][2] = {
        {UINT64_C(0x0ffffffc0fffffff), UINT64_C(0x0ffffffc0ffffffc)},
        {UINT64_C(0x0ffffffc0fffffff), 0},
        {0, UINT64_C(0x0ffffffc0ffffffc)},
        {1, 0},
        {2, 0},
        {0, 0},
        {0, 4},
    };
    uint8_t msg[800 * 16];
    mpz_t p, r, h, expected;
    mpz_inits(p, r, h, expected, NULL);
    reference_prime(p);
    for (int fill = 0; fill < 3; fill++) {
        memset(msg, fill == 0 ? 255 : 0, sizeof msg);
        if (fill == 2)
            random_bytes(msg, sizeof msg);
        for (size_t i = 0; i < sizeof hs / sizeof hs[0]; i++)
            for (size_t j = 0; j < sizeof rs / sizeof rs[0]; j++)
                for (size_t n = 1; n <= sizeof msg; n += n > 48 * 16 ? 1713 : n % 16 == 1 ? 14 : 1) {
                    struct poly1305 state = {.r = {rs[j][0], rs[j][1]},
                                             .h = {hs[i][0], hs[i][1], hs[i][2]}};
                    mpz_import(r, 2, -1, 8, 0, 0, state.r);
                    mpz_import(expected, 3, -1, 8, 0, 0, state.h);
                    reference_absorb(expected, r, msg, n);
                    kernel->absorb(&state, msg, n);
                    mpz_import(h, 3, -1, 8, 0, 0, state.h);
                    mpz_mod(h, h, p);
                    check(mpz_cmp(h, expected) == 0,
                          "kernel %s, length %zu, injected h %zu, r %zu, fill %d", name_of(kernel), n, i, j,
                          fill);
                    check(state.h[2] <= HORNET_H2_MAX, "kernel %s, length %zu: leaves h[2] = %llu",
                          name_of(kernel), n, (unsigned long long)state.h[2]);
                }
    }
    mpz_clears(p, r, h, expected, NULL);
}

/* Tests the final subtraction alone: every edge value as h, and as h + p if the contract allows it. */
static void test_final_subtraction(const struct hornet_poly1305_kernel *kernel)
{
    mpz_t value, h, p;
    mpz_inits(value, h, p, NULL);
    reference_prime(p);
    force_kernel(name_of(kernel));
    for (int i = 0; reference_edge_value(value, i, 0); i++)
        for (int offset = -8; offset <= 8; offset++)
            for (int twice = 0; twice < 2; twice++) {
                reference_edge_value(h, i, offset);
                if (twice)
                    mpz_add(h, h, p);
                hornet_poly1305_state opaque;
                struct poly1305 *state = (struct poly1305 *)&opaque;
                hornet_poly1305_init(&opaque, key_max);
                mpz_export(state->h, NULL, -1, 8, 0, 0, h);
                if (mpz_sizeinbase(h, 2) > 192 || state->h[2] > HORNET_H2_MAX)
                    continue;
                tag_t expected, tag;
                mpz_t sum;
                mpz_init(sum);
                mpz_mod(sum, h, p);
                mpz_set_ui(value, 1);
                mpz_mul_2exp(value, value, 128);
                mpz_sub_ui(value, value, 1); /* s of key_max */
                mpz_add(sum, sum, value);
                reference_to_bytes(expected, 16, sum);
                mpz_clear(sum);
                hornet_poly1305_final(&opaque, tag);
                check(memcmp(tag, expected, 16) == 0, "final subtraction at edge %d %+d%s", i, offset,
                      twice ? " + p" : "");
            }
    mpz_clears(value, h, p, NULL);
}

/* Solves for the last block so that the polynomial takes an edge value. With r = 1 and r = 2, the sums
 * reach it without any intermediate reduction. */
static void test_solved_last_blocks(const struct hornet_poly1305_kernel *kernel)
{
    mpz_t value, target, p, r, r_inverse, h, c;
    mpz_inits(value, target, p, r, r_inverse, h, c, NULL);
    reference_prime(p);
    for (int key_index = 0; key_index < 4; key_index++) {
        uint8_t key[32] = {0};
        if (key_index < 2)
            key[0] = (uint8_t)(1 + key_index);
        else
            memset(key, 255, key_index == 2 ? 16 : 32);
        reference_clamped(r, key);
        mpz_invert(r_inverse, r, p);

        for (int i = 0; reference_edge_value(value, i, 0); i++)
            for (int offset = -8; offset <= 8; offset++)
                for (size_t nblocks = 1; nblocks <= 34; nblocks += nblocks < 18 ? 1 : 5)
                    for (int attempt = 0; attempt < 24; attempt++) {
                        uint8_t msg[34 * 16];
                        size_t len_bytes = 16 * (nblocks - 1);
                        random_bytes(msg, len_bytes);
                        if (attempt % 3 == 0)
                            memset(msg, 255, len_bytes);
                        if (attempt % 3 == 0 && nblocks > 1)
                            random_bytes(msg, 16);
                        mpz_set_ui(h, 0);
                        reference_absorb(h, r, msg, len_bytes);
                        reference_edge_value(target, i, offset);
                        mpz_mul(c, target, r_inverse);
                        mpz_sub(c, c, h);
                        mpz_mod(c, c, p);
                        /* A block has its appended 1 at bit 128, or at the lowest bit of a byte. */
                        const size_t top = mpz_sizeinbase(c, 2) - 1;
                        if (mpz_sgn(c) == 0 || top % 8 != 0 || top > 128 || top == 0)
                            continue;
                        mpz_clrbit(c, top);
                        reference_to_bytes(msg + len_bytes, top / 8, c);
                        check_message(kernel, "last block solved for an edge value", msg,
                                      len_bytes + top / 8, key);
                        break;
                    }
    }
    mpz_clears(value, target, p, r, r_inverse, h, c, NULL);
}

/* Keys for which some power is within a few units of 0 or p, and may therefore exceed 2^130 while
 * partially reduced. They were found by taking roots of small numbers until a root was clamped. */
static void test_powers_at_the_edge(const struct hornet_poly1305_kernel *kernel)
{
    static const struct {
        const char *r; /* big-endian */
        unsigned power;
        long value; /* r^power mod p, or the same minus p */
    } keys[] = {
#include "../vectors/edge_keys.h"
    };
    uint8_t msg[1200];
    mpz_t r, p, power;
    mpz_inits(r, p, power, NULL);
    reference_prime(p);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        uint8_t key[32];
        mpz_set_str(r, keys[i].r, 16);
        mpz_powm_ui(power, r, keys[i].power, p);
        if (keys[i].value < 0)
            mpz_sub(power, power, p);
        check(mpz_cmp_si(power, keys[i].value) == 0, "edge key %zu is not what it claims", i);
        memset(key, 255, sizeof key);
        reference_to_bytes(key, 16, r);
        for (size_t n = 1; n <= sizeof msg; n += n % 16 == 0 ? 1 : 15) {
            memset(msg, 255, sizeof msg);
            check_message(kernel, "power of r at the edge, all ones", msg, n, key);
            random_bytes(msg, sizeof msg);
            check_message(kernel, "power of r at the edge, random", msg, n, key);
        }
    }
    mpz_clears(r, p, power, NULL);
}

/* Tests distinct blocks, and a single nonzero block among zeros at each position, which detects swapped
 * lanes. */
static void test_lane_order(const struct hornet_poly1305_kernel *kernel)
{
    uint8_t key[32], msg[80 * 16];
    random_bytes(key, sizeof key);
    for (size_t nblocks = 1; nblocks <= 80; nblocks += nblocks < 40 ? 1 : 13)
        for (size_t place = 0; place < nblocks; place++) {
            memset(msg, 0, sizeof msg);
            random_bytes(msg + 16 * place, 16);
            check_message(kernel, "one block among zeros", msg, 16 * nblocks, key);
        }
    for (size_t i = 0; i < sizeof msg; i++)
        msg[i] = (uint8_t)(i / 16);
    for (size_t n = 0; n <= sizeof msg; n++)
        check_message(kernel, "blocks numbered", msg, n, key);
}

/* Tests the kernel's own batch code, where the library may choose a kernel with fewer lanes. */
static void check_own_batch(const struct hornet_poly1305_kernel *kernel, const void **msgs,
                            const size_t *lens_bytes, uint8_t (*keys)[32], size_t count, tag_t *expected)
{
    uint8_t order[256];
    tag_t tags[256];
    if (kernel->batch == NULL)
        return;
    size_t n = 0;
    for (size_t len = HORNET_BATCH_MAX_BYTES + 1; len-- != 0 && n < count;) /* the longest first */
        for (size_t i = 0; i < count; i++)
            if (lens_bytes[i] == len)
                order[n++] = (uint8_t)i;
    const struct hornet_batch batch = {tags, msgs, lens_bytes, (const uint8_t(*)[32])keys};
    const size_t done = kernel->batch(&batch, order, n, 0);
    check(done <= n, "kernel %s: %zu tags of a batch of %zu", name_of(kernel), done, n);
    for (size_t i = 0; i < done; i++)
        check(memcmp(tags[order[i]], expected[order[i]], 16) == 0,
              "kernel %s, own batch of %zu: message %zu, length %zu", name_of(kernel), n, (size_t)order[i],
              lens_bytes[order[i]]);
}

/* Tests batches with lengths that 15 and 16 bits do not count, each length in each place. */
static void test_long_batches(const struct hornet_poly1305_kernel *kernel)
{
    enum { COUNT = 7 };
    static const size_t lengths[COUNT] = {(1 << 16) + 300, 100, 1 << 15, 9000, 1 << 16, 0, 8000};
    static uint8_t msg[(1 << 16) + 300], keys[COUNT][32];
    const void *msgs[COUNT];
    size_t lens_bytes[COUNT];
    tag_t expected[COUNT], tags[COUNT];
    force_kernel(name_of(kernel));
    running_kernel = name_of(kernel);
    random_bytes(msg, sizeof msg);
    memset(keys, 255, sizeof keys);
    for (size_t i = 0; i < COUNT; i++) {
        reference_tag(expected[i], msg, lengths[i], keys[i]);
        msgs[i] = msg;
    }
    for (size_t first = 0; first < COUNT; first++) {
        for (size_t i = 0; i < COUNT; i++)
            lens_bytes[i] = lengths[(first + i) % COUNT];
        hornet_poly1305_batch(tags, msgs, lens_bytes, (const uint8_t(*)[32])keys, COUNT);
        for (size_t i = 0; i < COUNT; i++)
            check(memcmp(tags[i], expected[(first + i) % COUNT], 16) == 0,
                  "kernel %s, long messages in a batch: message %zu, length %zu", name_of(kernel), i,
                  lens_bytes[i]);
    }
}

/* Tests batches of every size, with equal and mixed lengths, including empty and long messages. Each
 * wrong tag must be found at its position. */
static void test_batches(const struct hornet_poly1305_kernel *kernel)
{
    enum { MOST = 150 };
    static uint8_t msg[20000], keys[MOST][32];
    static const void *msgs[MOST];
    static size_t lens_bytes[MOST];
    static tag_t tags[MOST], expected[MOST];
    bool valid[MOST];
    force_kernel(name_of(kernel));
    running_kernel = name_of(kernel);
    for (size_t count = 0; count <= MOST; count += count < 36 ? 1 : 19)
        for (int kind = 0; kind < 8; kind++) {
            random_bytes(msg, sizeof msg);
            if (kind % 2 == 1)
                memset(msg, 255, sizeof msg);
            for (size_t i = 0; i < count; i++) {
                const size_t lengths[] = {64,
                                          77,
                                          16 * (random_word() % 90),
                                          random_word() % 300,
                                          random_word() % 3 * 8190 + i,
                                          0,
                                          i,
                                          random_word() % (1 + random_word() % 9000)};
                lens_bytes[i] = running_length = lengths[kind];
                msgs[i] = lengths[kind] == 0 && i % 2 == 0 ? NULL : msg + random_word() % 64;
                random_bytes(keys[i], 32);
                if (i % 3 == 0)
                    memset(keys[i], 255, 32);
                reference_tag(expected[i], msgs[i], lens_bytes[i], keys[i]);
            }
            const uint8_t(*const const_keys)[32] = (const uint8_t(*)[32])keys;
            const uint8_t(*const const_tags)[16] = (const uint8_t(*)[16])tags;
            memset(tags, 0xaa, sizeof tags);
            hornet_poly1305_batch(tags, msgs, lens_bytes, const_keys, count);
            for (size_t i = 0; i < count; i++)
                check(memcmp(tags[i], expected[i], 16) == 0,
                      "kernel %s, message %zu of a batch of %zu, length %zu", name_of(kernel), i, count,
                      lens_bytes[i]);
            for (size_t i = count; i < MOST; i++)
                check(tags[i][0] == 0xaa && tags[i][15] == 0xaa, "kernel %s, batch of %zu: tag %zu written",
                      name_of(kernel), count, i);
            check_own_batch(kernel, msgs, lens_bytes, keys, count, expected);
            check(hornet_poly1305_verify_batch(valid, const_tags, msgs, lens_bytes, const_keys, count),
                  "kernel %s, batch of %zu refused", name_of(kernel), count);
            if (count == 0)
                continue;
            const size_t wrong = random_word() % count;
            tags[wrong][random_word() % 16] ^= (uint8_t)(1 << random_word() % 8);
            check(!hornet_poly1305_verify_batch(valid, const_tags, msgs, lens_bytes, const_keys, count),
                  "kernel %s, batch of %zu: wrong tag %zu taken", name_of(kernel), count, wrong);
            for (size_t i = 0; i < count; i++)
                check(valid[i] == (i != wrong), "kernel %s, batch of %zu: wrong tag %zu, verdict on %zu",
                      name_of(kernel), count, wrong, i);
        }
    hornet_poly1305_batch(NULL, NULL, NULL, NULL, 0);
    check(hornet_poly1305_verify_batch(NULL, NULL, NULL, NULL, NULL, 0), "an empty batch is valid");
}

/* Tests batches in which all messages but one or two have the same length. */
static void test_nearly_equal_batches(const struct hornet_poly1305_kernel *kernel)
{
    enum { MOST = 70, LENGTHS = 6 };
    static const size_t lengths[LENGTHS][2] = {{64, 32},   {33, 49},     {80, 9000},
                                               {512, 480}, {1007, 1008}, {0, 40}};
    static uint8_t msg[9000], keys[MOST][32];
    static const void *msgs[MOST];
    size_t lens_bytes[MOST];
    tag_t tags[MOST], expected[2];
    random_bytes(msg, sizeof msg);
    for (size_t i = 0; i < MOST; i++) {
        memcpy(keys[i], key_max, 32);
        msgs[i] = msg;
    }
    force_kernel(name_of(kernel));
    running_kernel = name_of(kernel);
    for (size_t l = 0; l < LENGTHS; l++) {
        for (size_t which = 0; which < 2; which++)
            reference_tag(expected[which], msg, lengths[l][which], key_max);
        for (size_t count = 1; count <= MOST; count += count < 18 ? 1 : 13)
            for (size_t i = 0; i < count; i++)
                for (size_t j = i; j < count; j += count < 18 ? 1 : 5) {
                    for (size_t k = 0; k < count; k++)
                        lens_bytes[k] = lengths[l][k == i || k == j];
                    hornet_poly1305_batch(tags, msgs, lens_bytes, (const uint8_t(*)[32])keys, count);
                    bool right = true;
                    for (size_t k = 0; k < count; k++)
                        right &= memcmp(tags[k], expected[k == i || k == j], 16) == 0;
                    check(right, "kernel %s: %zu messages of %zu bytes, but %zu and %zu of %zu",
                          name_of(kernel), count, lengths[l][0], i, j, lengths[l][1]);
                }
    }
}

/* Compares a message in pieces of all lengths, including empty ones, with the same message in one piece. */
static void test_pieces(const struct hornet_poly1305_kernel *kernel)
{
    static uint8_t msg[5000];
    uint8_t key[32];
    random_bytes(msg, sizeof msg);
    random_bytes(key, sizeof key);
    force_kernel(name_of(kernel));
    for (int round = 0; round < 200; round++) {
        hornet_piece pieces[12];
        size_t total = 0;
        const size_t count = random_word() % 13;
        for (size_t i = 0; i < count; i++) {
            const size_t n = random_word() % 4 == 0 ? 0 : random_word() % (random_word() % 400 + 1);
            pieces[i] = (hornet_piece){.in = n == 0 ? NULL : msg + total, .len_bytes = n};
            total += n;
        }
        tag_t expected, tag;
        hornet_poly1305_state state;
        reference_tag(expected, msg, total, key);
        hornet_poly1305_init(&state, key);
        hornet_poly1305_updatev(&state, count == 0 ? NULL : pieces, count);
        hornet_poly1305_final(&state, tag);
        check(memcmp(tag, expected, 16) == 0, "kernel %s: %zu pieces, %zu bytes", name_of(kernel), count,
              total);
        hornet_poly1305_updatev(&state, pieces, count);
        hornet_poly1305_final(&state, tag);
        memset(expected, 0, 16);
        check(memcmp(tag, expected, 16) == 0, "kernel %s: pieces after the end", name_of(kernel));
    }
}

/* Tests pieces that are long enough for lanes and powers to be kept from one to the next, with every
 * combination of buffer and piece, starting at values as large as the contract allows. Forcing another
 * kernel in between must change nothing. The state ends as zeros if it was zero before. */
static void test_streaming(const struct hornet_poly1305_kernel *kernel)
{
    static const size_t lengths[] = {257,  300,  320,  384,  512,  639,  640,
                                     1024, 1350, 2048, 4096, 4511, 9000, 20000};
    enum { LENGTHS = sizeof lengths / sizeof lengths[0], LONGEST_BYTES = 64000 };
    static const uint8_t zeros[sizeof(hornet_poly1305_state)];
    static uint8_t msg[LONGEST_BYTES];
    const struct hornet_poly1305_kernel *fallback = hornet_poly1305_fallback;
    uint8_t key[32];
    memset(msg, 255, sizeof msg);
    random_bytes(msg + 30000, 10000);
    for (int round = 0; round < 4 * LENGTHS * 18; round++) {
        const bool extreme = round % 2 == 0;
        hornet_poly1305_state state;
        struct poly1305_streaming *p = (struct poly1305_streaming *)&state;
        memset(&state, 0, sizeof state);
        memcpy(key, key_max, sizeof key);
        if (round % 3 == 0)
            random_bytes(key, sizeof key);
        hornet_poly1305_init(&state, key);
        if (extreme) {
            p->value.h[0] = p->value.h[1] = UINT64_MAX;
            p->value.h[2] = HORNET_H2_MAX;
            p->absorbed = STREAMING_VALUE;
        }
        struct poly1305 expected = p->value;
        force_kernel(name_of(kernel));
        running_kernel = name_of(kernel);
        /* A small piece of 0 to 255 bytes before each large one. */
        const uint8_t *at = msg + round % 64;
        size_t len_bytes = 0, small_bytes = (size_t)round / LENGTHS * 15 % 256;
        for (int piece = 0; piece < 6; piece++) {
            const size_t large_bytes = lengths[((size_t)round + 5 * (size_t)piece) % LENGTHS];
            if (len_bytes + small_bytes + large_bytes > sizeof msg - 64)
                break;
            running_length = large_bytes;
            hornet_poly1305_update(&state, at + len_bytes, small_bytes);
            len_bytes += small_bytes;
            hornet_poly1305_update(&state, at + len_bytes, large_bytes);
            len_bytes += large_bytes;
            small_bytes = (small_bytes * 7 + 16) % 256;
            if (round % 5 == 0)
                force_kernel(name_of(fallback));
        }
        if (kernel->lanes_absorb != NULL && round % 5 != 0)
            check(p->lanes_used != 0, "kernel %s keeps no lanes", name_of(kernel));
        tag_t tag, expected_tag;
        fallback->absorb(&expected, at, len_bytes);
        const struct tag_words words = tag_of_value(expected.h, expected.s);
        store_tag(expected_tag, words);
        hornet_poly1305_final(&state, tag);
        check(memcmp(tag, expected_tag, 16) == 0, "kernel %s, round %d, %zu bytes in pieces",
              name_of(kernel), round, len_bytes);
        check(memcmp(&state, zeros, sizeof state) == 0, "kernel %s, round %d: state not wiped",
              name_of(kernel), round);
        if (!extreme) {
            reference_tag(expected_tag, at, len_bytes, key);
            check(memcmp(tag, expected_tag, 16) == 0, "kernel %s, round %d, against GMP", name_of(kernel),
                  round);
        }
    }
    force_kernel(name_of(kernel));
}

/* Places message, key and tag each at the very end, and then at the very start, of accessible memory. */
/* Pieces stay in the lanes of an entry, whatever its place in the list is, also if it does not run well
 * here. */
static void test_entries(const struct hornet_poly1305_kernel *kernel)
{
    static const size_t pieces[] = {300, 700, 20, 1500, 16};
    static uint8_t msg[3000];
    uint8_t key[32];
    random_bytes(msg, sizeof msg);
    random_bytes(key, sizeof key);
    uint32_t fallback = 1; /* its bit */
    for (size_t i = 0; hornet_poly1305_entries[i].implementation != hornet_poly1305_list.fallback; i++)
        fallback <<= 1;
    for (uint32_t i = 0; UINT32_C(1) << i < fallback; i++) {
        const struct hornet_entry *const entry = &hornet_poly1305_entries[i];
        if (strcmp(entry->implementation->name, name_of(kernel)) != 0)
            continue;
        const uint32_t in_use = UINT32_C(1) << i | fallback | HORNET_FALLBACK_IN_USE;
        hornet_poly1305_state state;
        size_t len_bytes = 0;
        hornet_poly1305_init(&state, key);
        for (size_t piece = 0; piece < sizeof pieces / sizeof pieces[0]; piece++) {
            hornet_poly1305_update_using(&state, msg + len_bytes, pieces[piece], in_use);
            len_bytes += pieces[piece];
        }
        const struct poly1305_streaming *const p = (const struct poly1305_streaming *)&state;
        const bool keeps = entry->min <= HORNET_STREAMING_KERNEL_BYTES && kernel->lanes_absorb != NULL;
        check(p->absorbed == (keeps ? STREAMING_ENTRY + i : STREAMING_VALUE),
              "entry %u of %s: absorbed by %d", i, name_of(kernel), (int)p->absorbed);
        tag_t tag, expected;
        hornet_poly1305_final_using(&state, tag, in_use);
        reference_tag(expected, msg, len_bytes, key);
        check(memcmp(tag, expected, 16) == 0, "entry %u of %s, in pieces", i, name_of(kernel));
    }
}

static void test_guard_pages(const struct hornet_poly1305_kernel *kernel)
{
    const size_t page = page_bytes();
    uint8_t *pages[3];
    for (int i = 0; i < 3; i++) {
        uint8_t *reserved = reserve_pages(3 * page);
        check(reserved != NULL && allow_pages(reserved + page, page), "no memory for guard pages");
        pages[i] = reserved + page;
    }
    random_bytes(pages[0], page);
    for (size_t n = 0; n <= MAX_BYTES; n++)
        for (size_t offset = 0; offset < 128; offset += n > 300 ? 64 : offset < 64 ? 1 : 64) {
            /* Ends within 63 bytes of the page's end, or starts within 63 bytes of its start. */
            const bool at_end = offset < 64;
            uint8_t *msg = at_end ? pages[0] + page - n - offset : pages[0] + offset - 64;
            uint8_t *key = at_end ? pages[1] + page - 32 : pages[1];
            uint8_t *tag = at_end ? pages[2] + page - 16 : pages[2];
            tag_t expected;
            memcpy(key, key_max, 32);
            reference_tag(expected, msg, n, key);
            library_tag(tag, kernel, msg, n, key);
            check(memcmp(tag, expected, 16) == 0, "kernel %s, length %zu, guard pages, offset %zu",
                  name_of(kernel), n, offset);
            check(hornet_poly1305_verify(tag, msg, n, key),
                  "kernel %s, length %zu, guard pages, offset %zu: verify", name_of(kernel), n, offset);
            kernels_tag(tag, kernel, n, kernel, msg, n, key);
            check(memcmp(tag, expected, 16) == 0,
                  "kernel %s, length %zu, guard pages, offset %zu, kernel alone", name_of(kernel), n,
                  offset);
            check_in_batch(kernel, "guard pages", msg, n, key, expected);
        }
    for (int i = 0; i < 3; i++)
        release_pages(pages[i] - page, 3 * page);
}

/* The tag may overlap the message and the key. */
static void test_overlap(const struct hornet_poly1305_kernel *kernel)
{
    for (size_t n = 0; n <= 700; n += 7)
        for (size_t offset = 0; offset < 40; offset += 3) {
            uint8_t memory[800];
            tag_t expected;
            random_bytes(memory, sizeof memory);
            reference_tag(expected, memory, n, memory + 20); /* the key overlaps the message too */
            library_tag(memory + offset, kernel, memory, n, memory + 20);
            check(memcmp(memory + offset, expected, 16) == 0, "kernel %s, length %zu, tag at %zu overlaps",
                  name_of(kernel), n, offset);
        }
}

/* Tests empty messages, with and without a pointer, and with and without an update. */
static void test_empty(const struct hornet_poly1305_kernel *kernel)
{
    uint8_t key[32];
    tag_t tag;
    hornet_poly1305_state state;
    random_bytes(key, sizeof key);
    library_tag(tag, kernel, NULL, 0, key);
    check(memcmp(tag, key + 16, 16) == 0, "kernel %s: the tag of nothing is s", name_of(kernel));
    check(hornet_poly1305_verify(key + 16, NULL, 0, key), "kernel %s: verify of nothing", name_of(kernel));
    hornet_poly1305_init(&state, key);
    hornet_poly1305_final(&state, tag);
    check(memcmp(tag, key + 16, 16) == 0, "kernel %s: no update", name_of(kernel));
    hornet_poly1305_init(&state, key);
    hornet_poly1305_update(&state, NULL, 0);
    hornet_poly1305_update(&state, key, 0);
    check(hornet_poly1305_final_verify(&state, key + 16), "kernel %s: empty updates", name_of(kernel));

    tag_t expected;
    reference_tag(expected, key, 20, key);
    hornet_poly1305_init(&state, key);
    hornet_poly1305_update(&state, key, 5);
    hornet_poly1305_update(&state, NULL, 0);
    hornet_poly1305_update(&state, key + 5, 15);
    check(hornet_poly1305_final_verify(&state, expected), "kernel %s: an empty update between",
          name_of(kernel));
}

/* Checks that every bit of a tag is compared. */
static void test_verify(const struct hornet_poly1305_kernel *kernel)
{
    uint8_t key[32], msg[400];
    random_bytes(key, sizeof key);
    random_bytes(msg, sizeof msg);
    for (size_t n = 0; n <= sizeof msg; n += 25) {
        tag_t tag;
        library_tag(tag, kernel, msg, n, key);
        check(hornet_poly1305_verify(tag, msg, n, key), "kernel %s, length %zu: verify", name_of(kernel),
              n);
        for (int bit = 0; bit < 128; bit++) {
            hornet_poly1305_state state;
            tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
            check(!hornet_poly1305_verify(tag, msg, n, key), "kernel %s, length %zu: bit %d ignored",
                  name_of(kernel), n, bit);
            hornet_poly1305_init(&state, key);
            hornet_poly1305_update(&state, msg, n);
            check(!hornet_poly1305_final_verify(&state, tag), "kernel %s, length %zu: bit %d ignored",
                  name_of(kernel), n, bit);
            tag[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
    }
}

/* Differences between tags do not cancel: any two bits, and a bit after some bytes of which every bit is
 * wrong, where a sum of words may be zero; in one call, in pieces and in a batch. */
static void test_forged_tags(const struct hornet_poly1305_kernel *kernel)
{
    enum { MOST = 128 * 127 / 2 + 128 * 17 };
    static tag_t tags[MOST];
    static uint8_t keys[MOST][32];
    static const void *msgs[MOST];
    static size_t lens_bytes[MOST];
    static bool valid[MOST];
    uint8_t msg[40];
    size_t count = 0;
    random_bytes(msg, sizeof msg);
    memset(tags, 0, sizeof tags);
    for (size_t i = 0; i < 128; i++) {
        for (size_t j = 0; j < i; j++, count++)
            tags[count][j / 8] ^= (uint8_t)(1 << j % 8), tags[count][i / 8] ^= (uint8_t)(1 << i % 8);
        for (size_t wrong = 0; wrong <= i / 8; wrong++, count++) {
            memset(tags[count], 255, wrong);
            tags[count][i / 8] ^= (uint8_t)(1 << i % 8);
        }
    }
    tag_t tag;
    library_tag(tag, kernel, msg, sizeof msg, key_max);
    for (size_t i = 0; i < count; i++) {
        for (size_t byte = 0; byte < 16; byte++)
            tags[i][byte] ^= tag[byte];
        memcpy(keys[i], key_max, 32);
        msgs[i] = msg;
        lens_bytes[i] = sizeof msg;
        check(!hornet_poly1305_verify(tags[i], msg, sizeof msg, key_max), "kernel %s: forged tag %zu",
              name_of(kernel), i);
        hornet_poly1305_state state;
        hornet_poly1305_init(&state, key_max);
        hornet_poly1305_update(&state, msg, sizeof msg);
        check(!hornet_poly1305_final_verify(&state, tags[i]), "kernel %s: forged tag %zu in pieces",
              name_of(kernel), i);
    }
    check(!hornet_poly1305_verify_batch(valid, (const uint8_t(*)[16])tags, msgs, lens_bytes,
                                        (const uint8_t(*)[32])keys, count),
          "kernel %s: a batch of forged tags", name_of(kernel));
    for (size_t i = 0; i < count; i++)
        check(!valid[i], "kernel %s: forged tag %zu of a batch", name_of(kernel), i);
}

/* Calls in an invalid order are harmless, and ending a state wipes it. */
static void test_ended_states(const struct hornet_poly1305_kernel *kernel)
{
    static const uint8_t zeros[sizeof(hornet_poly1305_state)];
    uint8_t msg[300];
    tag_t tag, expected;
    hornet_poly1305_state state;
    memset(&state, 0, sizeof state);
    memset(msg, 1, sizeof msg);
    library_tag(expected, kernel, msg, sizeof msg, key_max);

    for (int by_verify = 0; by_verify < 2; by_verify++)
        for (int updated = 0; updated < 2; updated++) {
            hornet_poly1305_init(&state, key_max);
            hornet_poly1305_update(&state, msg, sizeof msg);
            if (by_verify)
                check(hornet_poly1305_final_verify(&state, expected), "streamed tag");
            else
                hornet_poly1305_final(&state, tag);
            check(memcmp(&state, zeros, sizeof state) == 0, "kernel %s: state not wiped", name_of(kernel));
            if (updated)
                hornet_poly1305_update(&state, msg, sizeof msg);
            check(memcmp(&state, zeros, sizeof state) == 0, "kernel %s: ended state updated",
                  name_of(kernel));
            check(!hornet_poly1305_final_verify(&state, expected), "an ended state accepts the last tag");
            check(!hornet_poly1305_final_verify(&state, zeros), "an ended state accepts zeros");
            memset(tag, 1, sizeof tag);
            hornet_poly1305_final(&state, tag);
            check(memcmp(tag, zeros, 16) == 0, "an ended state gives a tag");
        }

    /* Zeros that never were a state. */
    memset(&state, 0, sizeof state);
    hornet_poly1305_update(&state, msg, sizeof msg);
    check(!hornet_poly1305_final_verify(&state, expected), "a state of zeros accepts a tag");

    /* After init, a live state is like a new one. */
    hornet_poly1305_init(&state, key_max);
    hornet_poly1305_update(&state, msg, 77);
    hornet_poly1305_init(&state, key_max);
    hornet_poly1305_update(&state, msg, sizeof msg);
    check(hornet_poly1305_final_verify(&state, expected), "init of a live state");
}

/* Returns the kernel of this name, or NULL. */
static const struct hornet_poly1305_kernel *kernel_named(const char *name)
{
    for (int k = 0; k < KERNEL_COUNT; k++)
        if (strcmp(name_of(all_kernels[k]), name) == 0)
            return all_kernels[k];
    return NULL;
}

/* Tests the functions of one call on such a message, whose tag is expected, and under which no other is
 * valid. */
static void test_calls_over_4_gib(const uint8_t *msg, size_t len_bytes, const uint8_t key[32],
                                  const uint8_t expected[16])
{
    tag_t tag;
    hornet_poly1305_partial partial;
    hornet_poly1305(tag, msg, len_bytes, key);
    check(memcmp(tag, expected, 16) == 0, "length %zu, one call", len_bytes);
    const uint32_t in_use = hornet_poly1305_in_use;
    hornet_poly1305_in_use = 0; /* the next call is the first */
    check(hornet_poly1305_verify(expected, msg, len_bytes, key), "length %zu, refused", len_bytes);
    hornet_poly1305_in_use = in_use;
    hornet_poly1305_state state;
    hornet_poly1305_init(&state, key);
    hornet_poly1305_updatev(&state, &(hornet_piece){.in = msg, .len_bytes = len_bytes}, 1);
    hornet_poly1305_final(&state, tag);
    check(memcmp(tag, expected, 16) == 0, "length %zu, one piece", len_bytes);
    check(hornet_poly1305_partial_compute(&partial, msg, len_bytes, key) &&
              hornet_poly1305_partial_len_bytes(&partial) == len_bytes &&
              hornet_poly1305_partial_verify(expected, &partial, key + 16),
          "length %zu, a partial evaluation", len_bytes);
}

/* Tests one update of more than 4 GiB, and messages of this length in batches, among others whose length
 * differs only in the upper half of a word. The messages are zeros except at their ends. */
static void test_over_4_gib(const struct hornet_poly1305_kernel *kernel)
{
    enum { COUNT = 8, SHORT_BYTES = 1013, END_BYTES = 21 };
    const size_t len_bytes = ((size_t)1 << 32) + SHORT_BYTES, zero_bytes = len_bytes - END_BYTES;
    uint8_t *msg = reserve_zeros(len_bytes);
    check(msg != NULL, "no address space for 4 GiB");
    if (msg == NULL)
        return;
    memset(msg + zero_bytes, 3, END_BYTES);

    static const uint8_t key[32] = {7, 6, 5, 4, 4, 2, 1};
    tag_t expected, expected_short, tags[COUNT];
    mpz_t r, h;
    mpz_inits(r, h, NULL);
    reference_from_bytes(r, key, 16);
    reference_absorb_zeros(h, r, zero_bytes / 16);
    reference_absorb(h, r, msg + zero_bytes, END_BYTES);
    reference_to_bytes(expected, 16, h);
    mpz_clears(r, h, NULL);
    reference_tag(expected_short, msg + len_bytes - SHORT_BYTES, SHORT_BYTES, key);

    hornet_poly1305_state state;
    force_kernel(name_of(kernel));
    hornet_poly1305_init(&state, key);
    hornet_poly1305_update(&state, msg, len_bytes);
    hornet_poly1305_final(&state, tags[0]);
    check(memcmp(tags[0], expected, 16) == 0, "kernel %s, length %zu, one update", name_of(kernel),
          len_bytes);
    static bool called; /* with one kernel, which is enough */
    if (!called)
        test_calls_over_4_gib(msg, len_bytes, key, expected);
    called = true;
    /* Which messages of the batch are long. */
    static const unsigned kinds[] = {1, 1 << 3, 1 | 1 << 7};
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        const void *msgs[COUNT];
        size_t lens_bytes[COUNT];
        uint8_t keys[COUNT][32];
        bool valid[COUNT];
        for (size_t i = 0; i < COUNT; i++) {
            lens_bytes[i] = (kinds[kind] >> i & 1) != 0 ? len_bytes : SHORT_BYTES;
            msgs[i] = msg + len_bytes - lens_bytes[i];
            memcpy(keys[i], key, 32);
        }
        hornet_poly1305_batch(tags, msgs, lens_bytes, (const uint8_t(*)[32])keys, COUNT);
        for (size_t i = 0; i < COUNT; i++)
            check(memcmp(tags[i], (kinds[kind] >> i & 1) != 0 ? expected : expected_short, 16) == 0,
                  "kernel %s, length %zu, in a batch", name_of(kernel), lens_bytes[i]);
        check(hornet_poly1305_verify_batch(valid, (const uint8_t(*)[16])tags, msgs, lens_bytes,
                                           (const uint8_t(*)[32])keys, COUNT),
              "kernel %s, a batch with length %zu refused", name_of(kernel), len_bytes);
    }
    release_pages(msg, len_bytes);
}

#if !defined(_WIN32) && SIZE_MAX > UINT32_MAX
/* Batches of 2^32 messages begin with the first, and do not end before what is readable of them. All
 * messages are empty, so that tags are pads, and of them only the first is not 0. */
enum { READABLE = 512 };
static const size_t *huge_lens_bytes;
static const void *const huge_msgs[READABLE];
static const uint8_t huge_keys[READABLE][32] = {{[16] = 7}};
static tag_t huge_tags[READABLE];
static bool huge_valid[READABLE];

static void compute_huge_batch(void)
{
    hornet_poly1305_batch(huge_tags, huge_msgs, huge_lens_bytes, huge_keys, (size_t)1 << 32);
}

static void verify_huge_batch(void)
{
    (void)!hornet_poly1305_verify_batch(huge_valid, (const uint8_t(*)[16])huge_tags, huge_msgs,
                                        huge_lens_bytes, huge_keys, (size_t)1 << 32);
}

static void update_with_huge_count(void)
{
    hornet_poly1305_state state;
    hornet_poly1305_init(&state, huge_keys[0]);
    hornet_poly1305_updatev(&state, (const hornet_piece *)(const void *)huge_lens_bytes, (size_t)1 << 32);
}

static void test_huge_batch(void)
{
    const size_t page = page_bytes();
    uint8_t *const pages = reserve_pages(2 * page);
    check(pages != NULL && allow_pages(pages, page), "no memory for guard pages");
    huge_lens_bytes = (const size_t *)(const void *)(pages + page - READABLE * sizeof(size_t));
    check(accesses_guard_page(compute_huge_batch), "a batch of 2^32 messages ends early");
    check(huge_tags[0][0] == 7, "the first of 2^32 messages has no tag");
    check(accesses_guard_page(verify_huge_batch), "a batch of 2^32 messages to verify ends early");
    check(huge_valid[0], "the first of 2^32 messages is not verified");
    check(accesses_guard_page(update_with_huge_count), "a message of 2^32 pieces ends early");
    release_pages(pages, 2 * page);
}
#else
static void test_huge_batch(void) {}
#endif

int main(int argc, char **argv)
{
    typedef void test(const struct hornet_poly1305_kernel *);
    static test *const of_batches[] = {test_nearly_equal_batches, test_batches, test_long_batches,
                                       test_verify, test_forged_tags};
    static test *const of_huge[] = {test_over_4_gib};
    static test *const all[] = {
        test_rfc8439,
        test_lengths,
        test_long_lengths,
        test_alignments,
        test_splits,
        test_injected_states,
        test_final_subtraction,
        test_lane_order,
        test_batches,
        test_long_batches,
        test_nearly_equal_batches,
        test_pieces,
        test_streaming,
        test_entries,
        test_guard_pages,
        test_overlap,
        test_empty,
        test_verify,
        test_forged_tags,
        test_ended_states,
        test_solved_last_blocks,
        test_powers_at_the_edge,
    };
    report_crashes();

    const char *const option = argc > 1 && argv[1][0] == '-' ? argv[1] : "";
    const bool huge = strcmp(option, "--huge") == 0, batches = strcmp(option, "--batches") == 0;
    const bool if_supported = strcmp(option, "--if-supported") == 0;
    const int first_name = 1 + (huge || batches || if_supported);
    test *const *const tests = huge ? of_huge : batches ? of_batches : all;
    const size_t count = huge      ? 1
                         : batches ? sizeof of_batches / sizeof of_batches[0]
                                   : sizeof all / sizeof all[0];
    for (int i = first_name; i < argc; i++) {
        const struct hornet_poly1305_kernel *kernel = kernel_named(argv[i]);
        if (!if_supported || kernel == NULL || kernel_runs_here(kernel))
            force_kernel(argv[i]); /* fails if there is no such kernel, or if it cannot run */
    }

    for (int k = 0; k < KERNEL_COUNT; k++) {
        const struct hornet_poly1305_kernel *kernel = all_kernels[k];
        bool wanted = argc == first_name;
        for (int i = first_name; i < argc; i++)
            wanted |= strcmp(argv[i], name_of(kernel)) == 0;
        if (!wanted || !kernel_runs_here(kernel)) {
            printf("kernel %s: %s\n", name_of(kernel), wanted ? "not on this CPU" : "not asked for");
            continue;
        }
        const unsigned long before = checks_done;
        for (size_t t = 0; t < count; t++)
            tests[t](kernel);
        printf("kernel %s: %lu checks\n", name_of(kernel), checks_done - before);
    }
    if (huge)
        test_huge_batch();
    return check_report("test_poly1305");
}
