/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Partial evaluations against the definition in GMP: all cuts, combined in every order, replaced
 * segments, zeros, segments in one call and joined in one, and values and lengths at their limits. */
#include <stdlib.h>
#include <string.h>

#include "../../include/hornet.h"
#include "../../include/hornet_poly1305_aes.h"
#include "../support/check.h"
#include "../support/inputs.h"
#include "../support/kernels.h"
#include "../support/reference.h"

enum { MAX_BYTES = 20 * 16 };

typedef uint8_t tag_t[16];

/* Builds a partial evaluation from its parts: its value, which is three words, and its length. */
static hornet_poly1305_partial partial_of(const mpz_t value, uint64_t len_bytes)
{
    hornet_poly1305_partial partial = {{0}};
    mpz_export(partial.opaque, NULL, -1, 8, 0, 0, value);
    partial.opaque[3] = len_bytes;
    return partial;
}

/* Whether it represents the value modulo p, reduced as far as required. */
static bool has_value(const hornet_poly1305_partial *partial, const mpz_t value, uint64_t len_bytes)
{
    mpz_t difference, p;
    mpz_inits(difference, p, NULL);
    reference_prime(p);
    mpz_import(difference, 3, -1, 8, 0, 0, partial->opaque);
    mpz_sub(difference, difference, value);
    const bool holds = mpz_divisible_p(difference, p) && partial->opaque[2] <= HORNET_H2_MAX &&
                       hornet_poly1305_partial_len_bytes(partial) == len_bytes;
    mpz_clears(difference, p, NULL);
    return holds;
}

static hornet_poly1305_partial compute(const uint8_t *msg, size_t len_bytes, const uint8_t *r)
{
    hornet_poly1305_partial result;
    memset(&result, 0x5a, sizeof result);
    check(hornet_poly1305_partial_compute(&result, msg, len_bytes, r), "partial of %zu bytes", len_bytes);
    return result;
}

static hornet_poly1305_partial combined(hornet_poly1305_partial left, const hornet_poly1305_partial *right,
                                        const uint8_t *r)
{
    check(hornet_poly1305_partial_append(&left, right, r), "append %llu bytes",
          (unsigned long long)hornet_poly1305_partial_len_bytes(right));
    return left;
}

static void check_tag(const hornet_poly1305_partial *whole, const uint8_t *msg, size_t len_bytes,
                      const uint8_t key[32], const char *what)
{
    tag_t expected, tag;
    reference_tag(expected, msg, len_bytes, key);
    hornet_poly1305_partial_tag(tag, whole, key + 16);
    check(memcmp(tag, expected, 16) == 0, "length %zu: %s", len_bytes, what);
    check(hornet_poly1305_partial_verify(expected, whole, key + 16), "length %zu: %s, verify", len_bytes,
          what);
    /* A bit is wrong, or the highest of both words: their sum, and their exclusive or, do not show that. */
    expected[len_bytes % 2 ? 7 : 15] ^= 0x80;
    check(!hornet_poly1305_partial_verify(expected, whole, key + 16),
          "length %zu: %s, verify of a wrong tag", len_bytes, what);
    expected[len_bytes % 2 ? 15 : 7] ^= 0x80;
    check(!hornet_poly1305_partial_verify(expected, whole, key + 16),
          "length %zu: %s, verify of a tag that is wrong twice", len_bytes, what);
    expected[7] ^= 0x80, expected[15] ^= 0x80, expected[len_bytes % 16] ^= 4;
    check(!hornet_poly1305_partial_verify(expected, whole, key + 16),
          "length %zu: %s, verify of a tag with another bit", len_bytes, what);
}

/* Tests every message length, with every cut at block boundaries into two and three, combined from the
 * left and from the right. */
static void test_cuts(const uint8_t key[32], const uint8_t *msg)
{
    for (size_t n = 0; n <= MAX_BYTES; n++)
        for (size_t first = 0; first <= n; first += 16) {
            const hornet_poly1305_partial a = compute(msg, first, key),
                                          rest = compute(msg + first, n - first, key);
            hornet_poly1305_partial whole = combined(a, &rest, key);
            check_tag(&whole, msg, n, key, "cut in two");
            for (size_t second = first; second <= n && n % 5 == 0; second += 16) {
                const hornet_poly1305_partial b = compute(msg + first, second - first, key);
                const hornet_poly1305_partial c = compute(msg + second, n - second, key);
                const hornet_poly1305_partial ab = combined(a, &b, key), bc = combined(b, &c, key);
                whole = combined(ab, &c, key);
                check_tag(&whole, msg, n, key, "cut in three, from the left");
                whole = combined(a, &bc, key);
                check_tag(&whole, msg, n, key, "cut in three, from the right");
            }
        }
}

/* Replaces every segment of blocks, and puts it back. */
static void test_replacements(const uint8_t key[32], const uint8_t *msg)
{
    uint8_t changed[MAX_BYTES];
    for (size_t n = 0; n <= MAX_BYTES; n += n % 16 == 0 ? 7 : 9)
        for (size_t from = 0; from <= n; from += 16)
            for (size_t to = from; to <= n; to = to + 16 <= n || to == n ? to + 16 : n) {
                memcpy(changed, msg, n);
                random_bytes(changed + from, to - from);
                const hornet_poly1305_partial before = compute(msg + from, to - from, key);
                const hornet_poly1305_partial after = compute(changed + from, to - from, key);
                hornet_poly1305_partial whole = compute(msg, n, key);
                check(hornet_poly1305_partial_replace(&whole, &before, &after, n - to, key),
                      "length %zu, segment from %zu to %zu", n, from, to);
                check_tag(&whole, changed, n, key, "a segment replaced");
                check(hornet_poly1305_partial_replace(&whole, &after, &before, n - to, key), "put back");
                check_tag(&whole, msg, n, key, "a segment put back");
            }
    /* The arguments may be the same object. */
    const hornet_poly1305_partial one = compute(msg, 100, key), other = compute(msg + 1, 100, key);
    hornet_poly1305_partial whole = one;
    check(hornet_poly1305_partial_replace(&whole, &whole, &other, 0, key), "the whole for another");
    check_tag(&whole, msg + 1, 100, key, "the whole replaced");
    check(hornet_poly1305_partial_replace(&whole, &one, &whole, 0, key) &&
              hornet_poly1305_partial_replace(&whole, &other, &one, 0, key) &&
              hornet_poly1305_partial_replace(&whole, &whole, &whole, 0, key),
          "the whole for a segment");
    check_tag(&whole, msg + 1, 100, key, "replaced by itself");
}

/* Tests every position of every segment in messages of up to 120 bytes. Only a segment that begins at a
 * block boundary and ends at one, or at the end of the message, can be replaced. */
static void test_places(const uint8_t r[16])
{
    for (uint64_t all = 0; all <= 120; all++)
        for (uint64_t bytes = 0; bytes <= all; bytes++)
            for (uint64_t after = 0; after <= all - bytes; after++) {
                hornet_poly1305_partial whole = {{0, 0, 0, all}};
                const hornet_poly1305_partial segment = {{0, 0, 0, bytes}};
                const bool aligned = (all - after - bytes) % 16 == 0 && (after == 0 || bytes % 16 == 0);
                check(hornet_poly1305_partial_replace(&whole, &segment, &segment, after, r) == aligned,
                      "%d bytes of %d with %d after them", (int)bytes, (int)all, (int)after);
            }
}

/* Tests left * r^n + right and whole + (replacement - replaced) r^n, for values at every limb boundary
 * and the largest allowed value, and for n up to 2^60. */
static void test_edge_values(const uint8_t r_bytes[16])
{
    static const uint64_t after_bytes[] = {
        0, 1, 16, 17, 32, 4096, (UINT64_C(1) << 32) - 16, UINT64_C(1) << 40, UINT64_C(0xfffffffffffff000)};
    mpz_t a, b, c, r, p, power, expected, product;
    mpz_inits(a, b, c, r, p, power, expected, product, NULL);
    reference_prime(p);
    reference_from_bytes(r, r_bytes, 16);
    for (size_t i = 0; i < sizeof after_bytes / sizeof after_bytes[0]; i++) {
        const uint64_t blocks = after_bytes[i] / 16 + (after_bytes[i] % 16 != 0);
        mpz_import(power, 1, -1, sizeof blocks, 0, 0, &blocks);
        mpz_powm(power, r, power, p);
        for (int j = 0; reference_edge_value(a, j, 0); j++)
            for (int offset = -8; offset <= 8; offset++) {
                reference_edge_value(a, j, offset);
                reference_edge_value(b, (3 * j + 5) % 13, -offset);
                /* 5 * 2^128 - 1, the largest. */
                mpz_set_ui(c, 5);
                mpz_mul_2exp(c, c, 128);
                mpz_sub_ui(c, c, (unsigned)(1 + (offset & 7)));

                const mpz_t *const orders[3][3] = {{&a, &b, &c}, {&c, &a, &b}, {&b, &c, &a}};
                for (int order = 0; order < 3; order++) {
                    const mpz_t *x = orders[order][0], *y = orders[order][1], *z = orders[order][2];
                    const uint64_t len = 48;
                    hornet_poly1305_partial left = partial_of(*x, len),
                                            right = partial_of(*y, after_bytes[i]);
                    mpz_mul(expected, *x, power);
                    mpz_add(expected, expected, *y);
                    left = combined(left, &right, r_bytes);
                    check(has_value(&left, expected, len + after_bytes[i]),
                          "append, value %d %+d, order %d, length %zu", j, offset, order, i);

                    /* After two segments of the same length. */
                    left = partial_of(*z, 16);
                    const hornet_poly1305_partial both[2] = {partial_of(*x, len), partial_of(*y, len)};
                    check(hornet_poly1305_partial_join(&left, both, 2, r_bytes), "join");
                    mpz_powm_ui(expected, r, 3, p);
                    mpz_mul(product, *z, expected);
                    mpz_add(product, product, *x);
                    mpz_mul(expected, product, expected);
                    mpz_add(expected, expected, *y);
                    check(has_value(&left, expected, 16 + 2 * len), "join, value %d %+d, order %d", j,
                          offset, order);

                    hornet_poly1305_partial whole = partial_of(*x, len + after_bytes[i]),
                                            before = partial_of(*y, len);
                    const hornet_poly1305_partial after = partial_of(*z, len);
                    mpz_sub(expected, *z, *y);
                    mpz_mul(expected, expected, power);
                    mpz_add(expected, expected, *x);
                    check(hornet_poly1305_partial_replace(&whole, &before, &after, after_bytes[i], r_bytes),
                          "replace");
                    check(has_value(&whole, expected, len + after_bytes[i]),
                          "replace, value %d %+d, order %d, length %zu", j, offset, order, i);
                }
            }
    }
    mpz_clears(a, b, c, r, p, power, expected, product, NULL);
}

/* Appends a partial evaluation to itself repeatedly: 2^59 equal blocks, whose value has a closed form. */
static void test_doubling(const uint8_t r_bytes[16])
{
    static const uint8_t ones[16] = {255, 255, 255, 255, 255, 255, 255, 255,
                                     255, 255, 255, 255, 255, 255, 255, 255};
    mpz_t value, power, r, p;
    mpz_inits(value, power, r, p, NULL);
    reference_prime(p);
    reference_from_bytes(r, r_bytes, 16);
    reference_absorb(value, r, ones, 16);
    mpz_set(power, r);
    hornet_poly1305_partial whole = compute(ones, 16, r_bytes);
    for (uint64_t len_bytes = 16; len_bytes != 0; len_bytes *= 2) {
        check(has_value(&whole, value, len_bytes), "doubled to %llu bytes", (unsigned long long)len_bytes);
        const bool possible = hornet_poly1305_partial_append(&whole, &whole, r_bytes);
        check(possible == (len_bytes < UINT64_C(1) << 63), "doubling %llu bytes",
              (unsigned long long)len_bytes);
        mpz_addmul(value, value, power);
        mpz_mod(value, value, p);
        mpz_mul(power, power, power);
        mpz_mod(power, power, p);
    }
    mpz_clears(value, power, r, p, NULL);
}

/* The value of len_bytes zeros, from the sum of a geometric series. */
static void value_of_zeros(mpz_t value, uint64_t len_bytes, const mpz_t r)
{
    mpz_t n, p, last;
    mpz_inits(n, p, last, NULL);
    reference_prime(p);
    const uint64_t blocks = len_bytes / 16;
    mpz_import(n, 1, -1, sizeof blocks, 0, 0, &blocks);
    if (mpz_cmp_ui(r, 1) == 0) {
        mpz_set(value, n);
    } else { /* r (r^n - 1) / (r - 1) */
        mpz_powm(value, r, n, p);
        mpz_sub_ui(value, value, 1);
        mpz_sub_ui(last, r, 1);
        mpz_invert(last, last, p);
        mpz_mul(value, value, last);
        mpz_mul(value, value, r);
    }
    mpz_mul_2exp(value, value, 128);
    if (len_bytes % 16 != 0) {
        mpz_set_ui(last, 1);
        mpz_mul_2exp(last, last, 8 * (len_bytes % 16));
        mpz_add(value, value, last);
        mpz_mul(value, value, r);
    }
    mpz_clears(n, p, last, NULL);
}

static void check_zeros(uint64_t len_bytes, const mpz_t r, const uint8_t r_bytes[16])
{
    mpz_t expected;
    mpz_init(expected);
    hornet_poly1305_partial zeros;
    memset(&zeros, 0x5a, sizeof zeros);
    check(hornet_poly1305_partial_zeros(&zeros, len_bytes, r_bytes), "zeros");
    value_of_zeros(expected, len_bytes, r);
    check(has_value(&zeros, expected, len_bytes), "%llu zeros", (unsigned long long)len_bytes);
    mpz_clear(expected);
}

/* Tests zeros of all short lengths, of those around each power of 2, and of random ones. */
static void test_zeros(const uint8_t r_bytes[16])
{
    static const uint8_t nothing[MAX_BYTES] = {0};
    mpz_t r, value;
    mpz_inits(r, value, NULL);
    reference_from_bytes(r, r_bytes, 16);
    for (size_t n = 0; n <= MAX_BYTES; n++) {
        mpz_set_ui(value, 0);
        reference_absorb(value, r, nothing, n);
        hornet_poly1305_partial zeros = {{1, 2, 3, 4}};
        check(hornet_poly1305_partial_zeros(&zeros, n, r_bytes) && has_value(&zeros, value, n), "%zu zeros",
              n);
        check_zeros(n, r, r_bytes);
    }
    for (int bits = 8; bits <= 64; bits++)
        for (uint64_t offset = 0; offset <= 36; offset++)
            check_zeros((bits < 64 ? UINT64_C(1) << bits : 0) + (bits < 64 ? offset - 18 : offset - 37), r,
                        r_bytes);
    for (int i = 0; i < 200; i++)
        check_zeros(random_word() >> i % 60, r, r_bytes);
    mpz_clears(r, value, NULL);
}

/* Tests zeros under r of which some power is next to 0 or p, around that power. */
static void test_zeros_at_the_edge(void)
{
    static const struct {
        const char *r; /* big-endian */
        unsigned power;
        long value;
    } keys[] = {
#include "../vectors/edge_keys.h"
    };
    mpz_t r;
    mpz_init(r);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        uint8_t r_bytes[16];
        mpz_set_str(r, keys[i].r, 16);
        reference_to_bytes(r_bytes, 16, r);
        for (uint64_t blocks = 0; blocks <= 4 * keys[i].power + 2; blocks++)
            for (uint64_t bytes = 0; bytes <= 16; bytes += 5)
                check_zeros(16 * blocks + bytes, r, r_bytes);
    }
    mpz_clear(r);
}

/* Zeros that follow a segment, and that replace one. */
static void test_zeros_in_a_message(const uint8_t key[32], const uint8_t *msg)
{
    uint8_t changed[MAX_BYTES];
    hornet_poly1305_partial zeros;
    for (size_t n = 0; n <= MAX_BYTES; n += 13)
        for (size_t from = 0; from <= n; from += 16) {
            memcpy(changed, msg, n);
            memset(changed + from, 0, n - from);
            check(hornet_poly1305_partial_zeros(&zeros, n - from, key), "zeros");
            hornet_poly1305_partial whole = compute(msg, from, key);
            whole = combined(whole, &zeros, key);
            check_tag(&whole, changed, n, key, "zeros appended");
            const hornet_poly1305_partial old = compute(msg + from, n - from, key);
            whole = compute(msg, n, key);
            check(hornet_poly1305_partial_replace(&whole, &old, &zeros, 0, key), "zeros for a segment");
            check_tag(&whole, changed, n, key, "a segment punched");
        }
}

/* Cuts messages of every length into segments of every size, and joins them. */
static void test_segments(const uint8_t key[32], const uint8_t *msg)
{
    hornet_poly1305_partial segments[MAX_BYTES / 16 + 1], untouched;
    memset(&untouched, 0x5a, sizeof untouched);
    for (size_t n = 0; n <= MAX_BYTES; n++)
        for (size_t segment = 16; segment <= MAX_BYTES + 16; segment += 16) {
            const size_t count = n / segment + (n % segment != 0);
            memset(segments, 0x5a, sizeof segments);
            check(hornet_poly1305_partial_segments(segments, segment, n == 0 ? NULL : msg, n, key),
                  "segments of %zu of %zu bytes", segment, n);
            hornet_poly1305_partial whole = {{0}};
            for (size_t i = 0; i < count; i++) {
                const size_t bytes = n - i * segment < segment ? n - i * segment : segment;
                const hornet_poly1305_partial alone = compute(msg + i * segment, bytes, key);
                check(memcmp(&segments[i], &alone, sizeof alone) == 0, "segment %zu of %zu of %zu bytes", i,
                      segment, n);
            }
            for (size_t i = count; i < sizeof segments / sizeof segments[0]; i++)
                check(memcmp(&segments[i], &untouched, sizeof untouched) == 0,
                      "segment %zu of %zu is written", i, count);
            check(hornet_poly1305_partial_join(&whole, segments, count, key), "join %zu segments", count);
            check_tag(&whole, msg, n, key, "segments joined");
        }
    check(hornet_poly1305_partial_segments(segments, SIZE_MAX - 15, msg, MAX_BYTES, key) &&
              hornet_poly1305_partial_len_bytes(segments) == MAX_BYTES,
          "one segment, which could be larger");
}

/* A size that is no multiple of 16 is refused, and nothing is written; r that is not clamped gives as many
 * empty segments. */
static void test_segments_refused(const uint8_t key[32], const uint8_t *msg)
{
    static const size_t sizes[] = {0, 1, 8, 15, 17, 24, 31, 33, SIZE_MAX, SIZE_MAX - 7};
    hornet_poly1305_partial segments[4], before[4];
    memset(segments, 0x5a, sizeof segments);
    memcpy(before, segments, sizeof before);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check(!hornet_poly1305_partial_segments(segments, sizes[i], msg, 48, key) &&
                  !hornet_poly1305_partial_segments(segments, sizes[i], msg, 0, key),
              "segments of %zu bytes", sizes[i]);
        check(memcmp(segments, before, sizeof before) == 0, "refused, and something is written");
    }
    uint8_t r[16];
    memcpy(r, key, 16);
    r[3] |= 0x10;
    memset(before, 0, 3 * sizeof before[0]);
    check(!hornet_poly1305_partial_segments(segments, 16, msg, 41, r), "segments under r not clamped");
    check(memcmp(segments, before, sizeof before) == 0, "no segments under r not clamped");
}

/* Joins segments of mixed lengths, empty ones among them, also onto one of themselves. */
static void test_joins(const uint8_t key[32], const uint8_t *msg)
{
    enum { MOST = 12 };
    for (int round = 0; round < 1000; round++) {
        const size_t count = random_word() % (MOST + 1);
        hornet_poly1305_partial segments[MOST + 1], whole = compute(msg, 16 * (round % 3), key);
        size_t end = 16 * (size_t)(round % 3);
        hornet_poly1305_partial expected = whole;
        for (size_t i = 0; i < count; i++) {
            size_t bytes = 16 * (random_word() % 3);
            if (i + 1 == count)
                bytes = random_word() % (MAX_BYTES - end + 1);
            if (bytes > MAX_BYTES - end)
                bytes = (MAX_BYTES - end) / 16 * 16;
            segments[i] = compute(msg + end, bytes, key);
            expected = combined(expected, &segments[i], key);
            end += bytes;
        }
        check(hornet_poly1305_partial_join(&whole, count == 0 ? NULL : segments, count, key),
              "join %zu segments", count);
        check_tag(&whole, msg, end, key, "segments joined");
        check(hornet_poly1305_partial_len_bytes(&whole) == end, "the length of all");
    }
    for (size_t left = 0; left < MOST; left++) {
        hornet_poly1305_partial segments[MOST], expected = {{0}};
        check(hornet_poly1305_partial_segments(segments, 16, msg, 16 * MOST, key), "segments");
        expected = segments[left];
        for (size_t i = 0; i < MOST; i++)
            expected = combined(expected, &segments[i], key);
        check(hornet_poly1305_partial_join(&segments[left], segments, MOST, key) &&
                  memcmp(&segments[left], &expected, sizeof expected) == 0,
              "segments joined onto segment %zu of themselves", left);
    }
}

static void test_joins_refused(const uint8_t key[32], const uint8_t *msg)
{
    static const struct {
        uint64_t left, segments[3];
        bool fits;
    } joins[] = {
        {0, {16, 32, 5}, true},
        {0, {16, 5, 0}, true},
        {5, {0, 0, 0}, true},
        {5, {0, 0, 1}, false},
        {16, {5, 0, 16}, false},
        {16, {16, 5, 16}, false},
        {16, {16, 5, 5}, false},
        {16, {UINT64_MAX - 63, 32, 15}, true},
        {16, {UINT64_MAX - 63, 32, 16}, false},
        {16, {16, UINT64_MAX - 31, 0}, false},
        {(uint64_t)1 << 63, {(uint64_t)1 << 62, (uint64_t)1 << 62, 0}, false},
        {(uint64_t)1 << 32, {(uint64_t)1 << 32, (uint64_t)1 << 32, 1}, true},
        {((uint64_t)1 << 32) + 1, {0, 0, (uint64_t)1 << 32}, false},
    };
    for (size_t i = 0; i < sizeof joins / sizeof joins[0]; i++) {
        hornet_poly1305_partial left = {{7, 8, 1, joins[i].left}}, segments[3], after[3];
        const hornet_poly1305_partial before = left;
        hornet_poly1305_partial expected = left;
        bool fits = true;
        for (size_t k = 0; k < 3; k++) {
            segments[k] = (hornet_poly1305_partial){{0, 0, 0, joins[i].segments[k]}};
            fits = fits && hornet_poly1305_partial_append(&expected, &segments[k], key);
        }
        memcpy(after, segments, sizeof after);
        check(hornet_poly1305_partial_join(&left, segments, 3, key) == joins[i].fits &&
                  fits == joins[i].fits,
              "join %zu", i);
        check(memcmp(&left, fits ? &expected : &before, sizeof left) == 0 &&
                  memcmp(segments, after, sizeof after) == 0,
              "what join %zu leaves", i);
    }
    hornet_poly1305_partial left = compute(msg, 32, key);
    const hornet_poly1305_partial before = left;
    uint8_t r[16];
    memcpy(r, key, 16);
    r[8] |= 1;
    check(!hornet_poly1305_partial_join(&left, &before, 1, r) &&
              !hornet_poly1305_partial_join(&left, NULL, 0, r),
          "a join under r not clamped");
    check(hornet_poly1305_partial_join(&left, NULL, 0, key), "a join of nothing");
    check(memcmp(&left, &before, sizeof left) == 0, "a join that is refused, or of nothing, changes it");
}

/* Checks that combinations that are not allowed are refused, and change nothing. */
static void test_refusals(const uint8_t key[32], const uint8_t *msg)
{
    const hornet_poly1305_partial nothing = {{0}}, block = compute(msg, 16, key),
                                  two = compute(msg, 32, key);
    const hornet_poly1305_partial bytes = compute(msg, 5, key), tail = compute(msg, 21, key);
    hornet_poly1305_partial whole = tail;
    check(!hornet_poly1305_partial_append(&whole, &block, key), "a block after 21 bytes");
    check(!hornet_poly1305_partial_append(&whole, &bytes, key), "5 bytes after 21");
    check(memcmp(&whole, &tail, sizeof whole) == 0, "a refused append changes something");
    check(hornet_poly1305_partial_append(&whole, &nothing, key), "nothing after 21 bytes");
    check_tag(&whole, msg, 21, key, "with nothing after it");
    whole = nothing;
    check(hornet_poly1305_partial_append(&whole, &tail, key), "21 bytes after nothing");
    check_tag(&whole, msg, 21, key, "after nothing");

    whole = two;
    check(!hornet_poly1305_partial_replace(&whole, &block, &two, 0, key), "one block for two");
    check(!hornet_poly1305_partial_replace(&whole, &two, &block, 0, key), "two blocks for one");
    check(!hornet_poly1305_partial_replace(&whole, &bytes, &bytes, 16, key),
          "5 bytes with a block after them");
    check(!hornet_poly1305_partial_replace(&whole, &block, &block, 17, key), "more after it than there is");
    check(!hornet_poly1305_partial_replace(&whole, &block, &block, UINT64_MAX, key), "much more after it");
    check(!hornet_poly1305_partial_replace(&whole, &(hornet_poly1305_partial){{0, 0, 0, 48}},
                                           &(hornet_poly1305_partial){{0, 0, 0, 48}}, 0, key),
          "a segment longer than the whole");
    check(memcmp(&whole, &two, sizeof whole) == 0, "a refused replacement changes something");
    tag_t tag;
    hornet_poly1305_partial_tag(tag, &nothing, key + 16);
    check(memcmp(tag, key + 16, 16) == 0, "the tag of nothing is the pad");
}

/* Tests lengths around 2^32 and 2^64 and at the ends of the whole: what does not fit is refused. */
static void test_long_lengths(const uint8_t r[16])
{
    static const struct {
        uint64_t left, right;
        bool fits;
    } appended[] = {
        {0, UINT64_MAX, true},
        {16, UINT64_MAX - 16, true},
        {16, UINT64_MAX - 15, false},
        {(uint64_t)1 << 63, UINT64_MAX >> 1, true},
        {(uint64_t)1 << 63, (uint64_t)1 << 63, false},
        {UINT64_MAX - 15, 15, true},
        {UINT64_MAX - 15, 16, false},
        {5, (uint64_t)1 << 32, false},
        {((uint64_t)1 << 32) + 5, 16, false},
    };
    for (size_t i = 0; i < sizeof appended / sizeof appended[0]; i++) {
        hornet_poly1305_partial left = {{0, 0, 0, appended[i].left}};
        const hornet_poly1305_partial right = {{0, 0, 0, appended[i].right}};
        check(hornet_poly1305_partial_append(&left, &right, r) == appended[i].fits &&
                  left.opaque[3] == appended[i].left + (appended[i].fits ? appended[i].right : 0),
              "%llx bytes after %llx", (unsigned long long)appended[i].right,
              (unsigned long long)appended[i].left);
    }
    static const struct {
        uint64_t whole, old, new, after;
        bool fits;
    } replaced[] = {
        {(uint64_t)3 << 32, (uint64_t)1 << 32, (uint64_t)1 << 32, (uint64_t)1 << 32, true},
        {48, ((uint64_t)1 << 32) + 16, 16, 0, false},
        {48, 16, ((uint64_t)1 << 32) + 16, 0, false},
        {48, ((uint64_t)1 << 32) + 16, ((uint64_t)1 << 32) + 16, 0, false},
        {48, 16, 16, (uint64_t)1 << 32, false},
        {32, 16, 16, 32, false},
        {31, 32, 32, 15, false},
    };
    for (size_t i = 0; i < sizeof replaced / sizeof replaced[0]; i++) {
        hornet_poly1305_partial whole = {{0, 0, 0, replaced[i].whole}};
        const hornet_poly1305_partial old = {{0, 0, 0, replaced[i].old}},
                                      new = {{0, 0, 0, replaced[i].new}};
        check(hornet_poly1305_partial_replace(&whole, &old, &new, replaced[i].after, r) ==
                      replaced[i].fits &&
                  whole.opaque[3] == replaced[i].whole,
              "%llx bytes for %llx of %llx, %llx after them", (unsigned long long)replaced[i].new,
              (unsigned long long)replaced[i].old, (unsigned long long)replaced[i].whole,
              (unsigned long long)replaced[i].after);
    }
}

static void test_wipe(void)
{
    for (size_t n = 0; n < 300; n++) {
        uint8_t bytes[302];
        memset(bytes, 7, sizeof bytes);
        hornet_wipe(bytes + 1, n);
        size_t zeros = 0;
        for (size_t i = 1; i <= n; i++)
            zeros += bytes[i] == 0;
        check(zeros == n && bytes[0] == 7 && bytes[n + 1] == 7, "wipe %zu bytes", n);
    }
    hornet_wipe(NULL, 0);
}

static void test_equal(void)
{
    uint8_t a[42], b[42];
    random_bytes(a, sizeof a);
    check(hornet_equal(NULL, NULL, 0) && hornet_equal(a, a, sizeof a), "equal to itself");
    for (size_t n = 0; n <= 40; n++)
        for (size_t at = 0; at < 2; at++) {
            memset(b, 0, sizeof b);
            memcpy(b + at, a + 1, n); /* differs from a before and after these bytes */
            b[at + n] = (uint8_t)~a[1 + n];
            check(hornet_equal(a + 1, b + at, n), "%zu equal bytes differ", n);
            for (size_t bit = 0; bit < 8 * n; bit++) {
                b[at + bit / 8] ^= (uint8_t)(1 << bit % 8);
                check(!hornet_equal(a + 1, b + at, n), "%zu bytes are equal in spite of bit %zu", n, bit);
                b[at + bit / 8] ^= (uint8_t)(1 << bit % 8);
            }
        }
}

int main(void)
{
    static uint8_t msg[MAX_BYTES], ones[MAX_BYTES];
    uint8_t key[32], largest[32];
    random_bytes(msg, sizeof msg);
    memset(ones, 255, sizeof ones);
    random_bytes(key, sizeof key);
    memcpy(largest, key_max, sizeof largest);
    hornet_poly1305_clamp(key);
    hornet_poly1305_clamp(largest);
    for (int k = 0; k < KERNEL_COUNT; k++) {
        if (!kernel_runs_here(all_kernels[k]))
            continue;
        force_kernel(name_of(all_kernels[k]));
        test_cuts(key, msg);
        test_cuts(largest, ones);
        test_segments(key, msg);
        test_segments(largest, ones);
    }
    for (uint8_t small = 0; small < 4; small++) {
        uint8_t r[16] = {small};
        test_zeros(r);
    }
    test_zeros(key);
    test_zeros(largest);
    test_zeros_at_the_edge();
    test_zeros_in_a_message(key, msg);
    test_segments_refused(key, msg);
    test_joins(key, msg);
    test_joins(largest, ones);
    test_joins_refused(key, msg);
    test_replacements(key, msg);
    test_replacements(largest, ones);
    test_places(key);
    test_edge_values(key);
    test_edge_values(largest);
    test_doubling(key);
    test_doubling(largest);
    test_refusals(key, msg);
    test_long_lengths(key);
    test_wipe();
    test_equal();
    return check_report("test_partial");
}
