/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Replaces one segment of a long message, and computes the new tag, under a new nonce, from the partial
 * evaluations of the segments; or computes the tag of the whole message. A message of 1 TiB repeats that
 * message, and is never in memory. */
#include <hornet.h>
#if __has_include(<hornet_poly1305_aes.h>)
#include <hornet_poly1305_aes.h>
#endif

#include "peer.h"

enum { SEGMENT_BYTES = 4096 };

/* What is known of a segment that is to be replaced. */
struct place {
    hornet_poly1305_partial *of, *segment;
    uint64_t bytes_after;
};

static uint8_t *message, replacements[2][SEGMENT_BYTES], key[32], nonce[16], tag[16];
static size_t segments;
static hornet_poly1305_partial *partials, whole, tebibyte, of_tebibyte[3];
/* The first, the middle and the last segment of the message, and of the tebibyte. */
static struct place places[6];

#define R (key + 16)

static bool tag_made(uint8_t made[16], const hornet_poly1305_partial *value)
{
    uint8_t pad[16];
    if (!hornet_poly1305_aes(pad, NULL, 0, nonce, key))
        return false;
    hornet_poly1305_partial_tag(made, value, pad);
    return true;
}

static bool edit(const struct place *place, size_t which)
{
    hornet_poly1305_partial partial;
    nonce[0]++;
    if (!hornet_poly1305_partial_compute(&partial, replacements[which], SEGMENT_BYTES, R) ||
        !hornet_poly1305_partial_replace(place->of, place->segment, &partial, place->bytes_after, R))
        return false;
    *place->segment = partial;
    return tag_made(tag, place->of);
}

static bool tag_is_that_of_the_message(void)
{
    uint8_t expected[16];
    return hornet_poly1305_aes(expected, message, segments * SEGMENT_BYTES, nonce, key) &&
           memcmp(tag, expected, sizeof expected) == 0;
}

/* Joins what is not edited of the tebibyte with the three segments that are. */
static bool tag_is_that_of_the_tebibyte(size_t copies)
{
    const hornet_poly1305_partial *const edited = of_tebibyte;
    hornet_poly1305_partial value, all_but_the_first, all_but_the_last;
    if (!hornet_poly1305_partial_compute(&value, NULL, 0, R))
        return false;
    all_but_the_first = all_but_the_last = value;
    bool ok = true;
    for (size_t i = 0; i < segments; i++) {
        ok = ok && (i == 0 || hornet_poly1305_partial_append(&all_but_the_first, &partials[i], R));
        ok =
            ok && (i + 1 == segments || hornet_poly1305_partial_append(&all_but_the_last, &partials[i], R));
    }
    for (size_t i = 0; i < copies; i++) {
        const bool ends_edited = i + 1 == copies / 2 || i + 1 == copies;
        const hornet_poly1305_partial *const copy = i == 0        ? &all_but_the_first
                                                    : ends_edited ? &all_but_the_last
                                                                  : &whole;
        ok = ok && (i != 0 || hornet_poly1305_partial_append(&value, &edited[0], R));
        ok = ok && hornet_poly1305_partial_append(&value, copy, R);
        ok = ok &&
             (!ends_edited || hornet_poly1305_partial_append(&value, &edited[i + 1 == copies ? 2 : 1], R));
    }
    uint8_t expected[16];
    return ok && hornet_poly1305_partial_len_bytes(&value) == 1ull << 40 && tag_made(expected, &value) &&
           memcmp(tag, expected, sizeof expected) == 0;
}

PEER const char *peer_init(void)
{
    const char *const mib = getenv("EDIT_MIB");
    segments = (size_t)(mib != NULL ? atoi(mib) : 1024) << 8;
    message = malloc(segments * SEGMENT_BYTES);
    partials = malloc(segments * sizeof *partials);
    if (message == NULL || partials == NULL)
        return "not enough memory";
    for (size_t i = 0; i < sizeof key; i++)
        key[i] = (uint8_t)(7 * i + 1);
    hornet_poly1305_clamp(R);
    for (size_t i = 0; i < segments * SEGMENT_BYTES; i++)
        message[i] = (uint8_t)(i * i >> 7);
    memset(replacements[1], 0xff, SEGMENT_BYTES);
    if (!hornet_poly1305_partial_compute(&whole, NULL, 0, R))
        return "no empty message";
    for (size_t i = 0; i < segments; i++)
        if (!hornet_poly1305_partial_compute(&partials[i], message + i * SEGMENT_BYTES, SEGMENT_BYTES, R) ||
            !hornet_poly1305_partial_append(&whole, &partials[i], R))
            return "a segment cannot be appended";
    const size_t edited[] = {0, (segments - 1) / 2, segments - 1};
    for (size_t i = 0; i < 3; i++)
        places[i] =
            (struct place){&whole, &partials[edited[i]], (segments - 1 - edited[i]) * SEGMENT_BYTES};
    for (size_t i = 0; i < 6; i++) {
        memcpy(message + edited[i % 3] * SEGMENT_BYTES, replacements[i / 3], SEGMENT_BYTES);
        if (!edit(&places[i % 3], i / 3) || !tag_is_that_of_the_message())
            return "the tag after an edit is wrong";
    }

    tebibyte = whole;
    const uint64_t tebibyte_bytes = 1ull << 40, message_bytes = segments * SEGMENT_BYTES;
    while (hornet_poly1305_partial_len_bytes(&tebibyte) < tebibyte_bytes)
        if (!hornet_poly1305_partial_append(&tebibyte, &tebibyte, R))
            return "the tebibyte cannot be appended";
    const uint64_t after[] = {tebibyte_bytes - SEGMENT_BYTES, tebibyte_bytes / 2, 0};
    for (size_t i = 0; i < 3; i++) {
        of_tebibyte[i] = partials[edited[i == 0 ? 0 : 2]];
        places[3 + i] = (struct place){&tebibyte, &of_tebibyte[i], after[i]};
    }
    for (size_t i = 0; i < 6; i++)
        if (!edit(&places[3 + i % 3], i / 3) ||
            !tag_is_that_of_the_tebibyte(tebibyte_bytes / message_bytes))
            return "the tag after an edit of a tebibyte is wrong";
    return NULL;
}

/* 0, 1 and 2 edit the first, the middle and the last segment; 3 computes the tag of the whole message; 4, 5
 * and 6 edit the tebibyte. */
PEER void peer_run(size_t which, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (which == 3 ? !hornet_poly1305_aes(tag, message, segments * SEGMENT_BYTES, nonce, key)
                       : !edit(&places[which < 3 ? which : which - 1], i % 2))
            abort();
}
