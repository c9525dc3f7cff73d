/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Compares tags and ciphertexts with a reference, on ordinary inputs and on edge cases of the arithmetic.
 */
#include "measure.h"

#include <stdarg.h>
#include <stdio.h>

#include "../../tests/support/reference.h"
#include "../../tests/support/reference_aead.h"

enum { MOST = 20000, NAME_BYTES = 96 };

/* An input, and the expected result. */
struct input {
    char name[NAME_BYTES];
    uint8_t key[KEY_BYTES], nonce[16], tag[TAG_BYTES];
    uint8_t *msg, *ciphertext, *aad;
    size_t len_bytes, aad_bytes;
};

struct inputs {
    struct input all[MOST];
    size_t count;
};

static struct inputs macs, packets;
static uint64_t noise = 1305;

__attribute__((format(printf, 2, 3))) static void name(struct input *input, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(input->name, sizeof input->name, format, arguments);
    va_end(arguments);
}

static void *allocated(size_t len_bytes)
{
    void *memory = calloc(len_bytes + 1, 1);
    if (memory == NULL)
        abort();
    return memory;
}

/* Returns a new input with a random key and message. */
static struct input *add(struct inputs *to, size_t len_bytes, size_t aad_bytes)
{
    if (to->count == MOST)
        abort();
    struct input *const input = &to->all[to->count++];
    input->len_bytes = len_bytes;
    input->aad_bytes = aad_bytes;
    input->msg = allocated(len_bytes);
    input->ciphertext = allocated(len_bytes);
    input->aad = allocated(aad_bytes);
    random_fill(input->msg, len_bytes, random_number(&noise));
    random_fill(input->aad, aad_bytes, random_number(&noise));
    random_fill(input->key, sizeof input->key, random_number(&noise));
    random_fill(input->nonce, sizeof input->nonce, random_number(&noise));
    return input;
}

/* Changes the last block so that the polynomial has this value at the key's r. Returns false if no full
 * block does that. */
static bool end_in(struct input *input, const mpz_t value)
{
    mpz_t r, p, sum, so_far;
    mpz_inits(r, p, sum, so_far, NULL);
    reference_prime(p);
    reference_clamped(r, input->key);
    bool found = mpz_invert(sum, r, p) != 0;
    if (found) {
        mpz_mul(sum, sum, value); /* what is multiplied by r in the end */
        reference_absorb(so_far, r, input->msg, input->len_bytes - 16);
        mpz_sub(sum, sum, so_far);
        mpz_mod(sum, sum, p);
        mpz_set_ui(so_far, 1);
        mpz_mul_2exp(so_far, so_far, 128);
        mpz_sub(sum, sum, so_far); /* the bit above the bytes */
        found = mpz_sgn(sum) >= 0 && mpz_cmp(sum, so_far) < 0;
        if (found)
            reference_to_bytes(input->msg + input->len_bytes - 16, 16, sum);
    }
    mpz_clears(r, p, sum, so_far, NULL);
    return found;
}

/* r and s are 0, 1, 4, all ones, or the highest bit that clamping keeps. */
static const char *extreme_half(uint8_t half[16], int which)
{
    static const char *const names[] = {"0", "1", "4", "all ones", "the highest bit"};
    memset(half, which == 3 ? 0xff : 0, 16);
    if (which == 1 || which == 2)
        half[0] = which == 1 ? 1 : 4;
    if (which == 4)
        half[15] = 8;
    return names[which];
}

static const size_t more_lengths[] = {511,  512,  513,  767,  1023, 1024,  1025,  1350,  1500,
                                      2047, 2048, 2049, 4096, 4111, 16384, 65536, 65551, 100003};
static const size_t extreme_lengths[] = {0,   1,   15,  16,  17,  31,  32,  48,   64,
                                         127, 128, 240, 256, 257, 512, 960, 1024, 5000};
static const size_t block_counts[] = {1,  2,  3,  4,  5,  8,  9,   15,  16, 17,
                                      24, 32, 33, 48, 64, 65, 128, 129, 144};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Values of the polynomial at limb boundaries, at 0 and around the prime; with s all ones, sums on both
 * sides of 2^128. */
static void add_edge_values(void)
{
    mpz_t value, p;
    mpz_inits(value, p, NULL);
    reference_prime(p);
    for (int which = -1; which < 0 || reference_edge_value(value, which, 0); which++)
        for (int offset = which < 0 ? 0 : -4; offset <= 5; offset++) {
            if (which < 0)
                mpz_set_ui(value, (unsigned)offset);
            else
                reference_edge_value(value, which, offset);
            mpz_mod(value, value, p);
            for (size_t i = 0; i < COUNT(block_counts) * 4; i++) {
                const size_t blocks = block_counts[i / 4];
                struct input *const input = add(&macs, 16 * blocks, 0);
                if (i % 4 >= 2)
                    memset(input->key + 16, 0xff, 16);
                if (i % 2 == 1)
                    extreme_half(input->key, 1);
                gmp_snprintf(input->name, sizeof input->name, "%zu blocks, polynomial %#Zx", blocks, value);
                bool ends = false;
                for (int attempt = 0; attempt < 64 && !(ends = end_in(input, value)); attempt++)
                    random_fill(input->msg, input->len_bytes, random_number(&noise));
                macs.count -= !ends; /* r is 1, and the value too far from that of other blocks */
            }
        }
    mpz_clears(value, p, NULL);
}

static void make_inputs(void)
{
    for (size_t i = 0; i <= 2304 + COUNT(more_lengths); i++) {
        struct input *const input = add(&macs, i <= 2304 ? i : more_lengths[i - 2305], 0);
        name(input, "%zu random bytes", input->len_bytes);
    }
    for (int r = 0; r < 5; r++)
        for (int s = 0; s < 5; s++)
            for (size_t i = 0; i < COUNT(extreme_lengths) * 2; i++) {
                struct input *const input = add(&macs, extreme_lengths[i / 2], 0);
                const int fill = i % 2 == 0 ? 0 : 0xff;
                memset(input->msg, fill, input->len_bytes);
                const char *const name_of_r = extreme_half(input->key, r);
                name(input, "%zu bytes of %#04x, r %s, s %s", input->len_bytes, (unsigned)fill, name_of_r,
                     extreme_half(input->key + 16, s));
            }
    add_edge_values();
    for (size_t i = 0; i < macs.count; i++)
        reference_tag(macs.all[i].tag, macs.all[i].msg, macs.all[i].len_bytes, macs.all[i].key);

    /* Every length up to 300, then of every remainder; lengths around which peers choose other code. */
    static const size_t aads[] = {0, 16, 5, 13, 17, 63, 64, 65, 100};
    static const size_t around[] = {447,  449,  511,  512,  513,  959,   961,   1023,
                                    1024, 1025, 1350, 1420, 1500, 2047,  2048,  2049,
                                    4095, 4096, 4097, 8191, 8193, 16383, 16384, 65537};
    for (size_t len_bytes = 0; len_bytes < 4300; len_bytes += len_bytes < 300 ? 1 : 7)
        add(&packets, len_bytes, len_bytes < 300 ? aads[len_bytes % COUNT(aads)] : 16);
    for (size_t i = 0; i < COUNT(around) * COUNT(aads); i++)
        add(&packets, around[i / COUNT(aads)], aads[i % COUNT(aads)]);
    for (size_t i = 0; i < COUNT(extreme_lengths) * 2; i++) {
        struct input *const input = add(&packets, extreme_lengths[i / 2], 13);
        memset(input->msg, i % 2 == 0 ? 0 : 0xff, input->len_bytes);
        memset(input->key, i % 2 == 0 ? 0xff : 0, sizeof input->key);
        memset(input->nonce, 0xff, sizeof input->nonce);
    }
    for (size_t i = 0; i < packets.count; i++) {
        struct input *const input = &packets.all[i];
        name(input, "%zu bytes, %zu of associated data", input->len_bytes, input->aad_bytes);
        reference_aead(input->ciphertext, input->tag, input->msg, input->len_bytes, input->aad,
                       input->aad_bytes, input->nonce, NONCE_BYTES, input->key);
    }
}

/* The tag that remains if a peer writes none. */
static void reset(uint8_t *tag) { memset(tag, 0x5a, TAG_BYTES); }

static bool same(const void *a, const void *b, size_t len_bytes) { return memcmp(a, b, len_bytes) == 0; }

static bool mac_is_right(const struct peer *peer, struct input *input)
{
    uint8_t tag[TAG_BYTES];
    reset(tag);
    if (peer->mac_loop != NULL) {
        const struct message message = {
            .in = input->msg, .len_bytes = input->len_bytes, .key = input->key, .tag = tag};
        peer->mac_loop(&message, 0, 1, false);
    } else {
        peer->mac(tag, input->msg, input->len_bytes, input->key);
    }
    return same(tag, input->tag, TAG_BYTES);
}

static bool pieces_are_right(const struct peer *peer, struct input *input)
{
    static const size_t cuts[][2] = {{1, 1},     {7, 7},     {16, 16},   {23, 23},     {64, 64},
                                     {100, 100}, {256, 256}, {333, 333}, {1024, 1024}, {16, 4096}};
    for (size_t i = 0; i < COUNT(cuts); i++) {
        uint8_t tag[TAG_BYTES];
        reset(tag);
        const struct message message = {
            .in = input->msg, .len_bytes = input->len_bytes, .key = input->key, .tag = tag};
        in_pieces(peer, &message, cuts[i][0], cuts[i][1]);
        if (!same(tag, input->tag, TAG_BYTES))
            return false;
    }
    return true;
}

/* With s as the AES key. The pad is the tag of the empty message; the sum of pad and polynomial is checked
 * here, and that all peers have the same pads. */
static bool aes_is_right(const struct peer *peer, struct input *input)
{
    uint8_t key[KEY_BYTES], pad[TAG_BYTES], tag[TAG_BYTES], one_time[KEY_BYTES], expected[TAG_BYTES];
    memcpy(key, input->key + 16, 16);
    memcpy(key + 16, input->key, 16);
    for (size_t i = 16; i < 32; i++)
        key[i] &= i % 4 == 3 ? 15 : i % 4 == 0 && i > 16 ? 252 : 255;
    reset(tag);
    if (!peer->aes(pad, NULL, 0, input->nonce, key) ||
        !peer->aes(tag, input->msg, input->len_bytes, input->nonce, key))
        return false;
    memcpy(one_time, key + 16, 16);
    memcpy(one_time + 16, pad, 16);
    reference_tag(expected, input->msg, input->len_bytes, one_time);
    static struct {
        bool known;
        uint8_t pad[TAG_BYTES];
    } pads[MOST];
    const size_t which = (size_t)(input - macs.all);
    if (!pads[which].known)
        memcpy(pads[which].pad, pad, sizeof pad);
    pads[which].known = true;
    return same(tag, expected, TAG_BYTES) && same(pad, pads[which].pad, sizeof pad);
}

static bool seal_is_right(const struct peer *peer, struct input *input)
{
    uint8_t tag[TAG_BYTES], *out = allocated(input->len_bytes);
    reset(tag);
    if (peer->key != NULL)
        peer->key(input->key);
    const bool right = peer->seal(out, tag, input->msg, input->len_bytes, input->aad, input->aad_bytes,
                                  input->nonce, input->key) &&
                       same(tag, input->tag, TAG_BYTES) && same(out, input->ciphertext, input->len_bytes);
    free(out);
    return right;
}

/* The packet is opened, and refused with a changed tag. */
static bool open_is_right(const struct peer *peer, struct input *input)
{
    uint8_t forged[TAG_BYTES], *out = allocated(input->len_bytes);
    memcpy(forged, input->tag, TAG_BYTES);
    forged[input->len_bytes % TAG_BYTES] ^= (uint8_t)(1U << input->aad_bytes % 8);
    if (peer->key != NULL)
        peer->key(input->key);
    const bool right = peer->open(out, input->ciphertext, input->len_bytes, input->tag, input->aad,
                                  input->aad_bytes, input->nonce, input->key) &&
                       same(out, input->msg, input->len_bytes) &&
                       !peer->open(out, input->ciphertext, input->len_bytes, forged, input->aad,
                                   input->aad_bytes, input->nonce, input->key);
    free(out);
    return right;
}

/* Batches are checked as one batch of all inputs: `right` gets the result of each. */
static void check_batch(const struct peer *peer, enum operation operation, bool right[MOST])
{
    static uint8_t tags[MOST][TAG_BYTES], keys[MOST][KEY_BYTES];
    static const void *msgs[MOST];
    static size_t lens_bytes[MOST];
    static struct message messages[MOST];
    struct inputs *const inputs = operation == BATCH ? &macs : &packets;
    for (size_t i = 0; i < inputs->count; i++) {
        struct input *const input = &inputs->all[i];
        reset(tags[i]);
        memcpy(keys[i], input->key, KEY_BYTES);
        msgs[i] = input->msg;
        lens_bytes[i] = input->len_bytes;
        messages[i] = (struct message){allocated(input->len_bytes),
                                       operation == OPEN_BATCH ? input->ciphertext : input->msg,
                                       input->len_bytes,
                                       input->aad,
                                       input->aad_bytes,
                                       input->nonce,
                                       input->key,
                                       operation == OPEN_BATCH ? input->tag : tags[i]};
    }
    bool done = true;
    if (operation == BATCH)
        peer->batch(tags, msgs, lens_bytes, (const uint8_t(*)[KEY_BYTES])keys, inputs->count);
    else
        done = operation == SEAL_BATCH ? peer->seal_batch(messages, inputs->count)
                                       : peer->open_batch(right, messages, inputs->count);
    for (size_t i = 0; i < inputs->count; i++) {
        const struct input *const input = &inputs->all[i];
        const bool tag_is_right = operation == OPEN_BATCH ? right[i] : same(tags[i], input->tag, TAG_BYTES);
        const uint8_t *const expected = operation == OPEN_BATCH ? input->msg : input->ciphertext;
        right[i] = done && tag_is_right &&
                   (operation == BATCH || same(messages[i].out, expected, input->len_bytes));
    }
    if (operation == OPEN_BATCH) { /* with every third tag changed */
        static bool opened[MOST];
        for (size_t i = 0; i < inputs->count; i++) {
            memcpy(tags[i], inputs->all[i].tag, TAG_BYTES);
            tags[i][i % TAG_BYTES] ^= i % 3 == 0;
            messages[i].tag = tags[i];
        }
        (void)peer->open_batch(opened, messages, inputs->count);
        for (size_t i = 0; i < inputs->count; i++)
            right[i] = right[i] && opened[i] == (i % 3 != 0);
    }
    for (size_t i = 0; i < inputs->count; i++)
        free(messages[i].out);
}

int check_all(struct peer *peers, size_t count)
{
    static bool right[MOST];
    int found = 0;
    make_inputs();
    for (struct peer *peer = peers; peer < peers + count; peer++)
        for (enum operation operation = 0; operation < RUN; operation++) {
            if (!has(peer, operation))
                continue;
            prepare(peer);
            bool (*const is_right[OPERATIONS])(const struct peer *, struct input *) = {
                [MAC] = mac_is_right,   [AES] = aes_is_right,   [PIECES] = pieces_are_right,
                [SEAL] = seal_is_right, [OPEN] = open_is_right,
            };
            struct inputs *const inputs = operation <= BATCH ? &macs : &packets;
            if (is_right[operation] == NULL)
                check_batch(peer, operation, right);
            size_t wrong = 0, first = 0;
            for (size_t i = 0; i < inputs->count; i++)
                if (is_right[operation] != NULL ? !is_right[operation](peer, &inputs->all[i]) : !right[i])
                    if (wrong++ == 0)
                        first = i;
            printf(
                "{\"check\": \"%s\", \"op\": \"%s\", \"inputs\": %zu, \"wrong\": %zu, \"first\": \"%s\"}\n",
                peer->name, operation_names[operation], inputs->count, wrong,
                wrong != 0 ? inputs->all[first].name : "");
            peer->wrong[operation] = wrong > inputs->count / 2;
            if (wrong != 0)
                fprintf(stderr, "measure: %s: %s is wrong for %zu of %zu inputs, first for %s\n",
                        peer->name, operation_names[operation], wrong, inputs->count,
                        inputs->all[first].name);
            found += wrong != 0;
        }
    return found;
}
