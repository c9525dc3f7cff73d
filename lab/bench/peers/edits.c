/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Replaces one segment of a long message, and computes the new tag, under a new nonce, from the partial
 * evaluations of the segments; or computes the tag of the whole message. */
#include <hornet.h>
#if __has_include(<hornet_poly1305_aes.h>)
#include <hornet_poly1305_aes.h>
#endif

#include "peer.h"

enum { SEGMENT_BYTES = 4096 };

static uint8_t *message, replacements[2][SEGMENT_BYTES], key[32], nonce[16], tag[16];
static size_t segments;
static hornet_poly1305_partial *partials, whole;

#define R (key + 16)

static bool edit(size_t segment, size_t which)
{
    hornet_poly1305_partial partial;
    nonce[0]++;
    if (!hornet_poly1305_partial_compute(&partial, replacements[which], SEGMENT_BYTES, R) ||
        !hornet_poly1305_partial_replace(&whole, &partials[segment], &partial,
                                         (segments - 1 - segment) * SEGMENT_BYTES, R))
        return false;
    partials[segment] = partial;
    uint8_t pad[16];
    if (!hornet_poly1305_aes(pad, NULL, 0, nonce, key))
        return false;
    hornet_poly1305_partial_tag(tag, &whole, pad);
    return true;
}

static bool tag_is_that_of_the_message(void)
{
    uint8_t expected[16];
    return hornet_poly1305_aes(expected, message, segments * SEGMENT_BYTES, nonce, key) &&
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
    const size_t places[] = {0, (segments - 1) / 2, segments - 1};
    for (size_t i = 0; i < 6; i++) {
        memcpy(message + places[i % 3] * SEGMENT_BYTES, replacements[i / 3], SEGMENT_BYTES);
        if (!edit(places[i % 3], i / 3) || !tag_is_that_of_the_message())
            return "the tag after an edit is wrong";
    }
    return NULL;
}

/* 0, 1 and 2 edit the first, the middle and the last segment; 3 computes the tag of the whole message. */
PEER void peer_run(size_t which, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (which == 3 ? !hornet_poly1305_aes(tag, message, segments * SEGMENT_BYTES, nonce, key)
                       : !edit((segments - 1) * which / 2, i % 2))
            abort();
}
