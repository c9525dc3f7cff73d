/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A long message in segments: processed by several threads, and tagged again after one segment has changed,
 * without reading the others. */
#include <hornet.h>
#include <hornet_poly1305_aes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEGMENTS = 64, SEGMENT_BYTES = 64 << 10, THREADS = 4 }; /* segments of whole blocks of 16 bytes */

struct segments {
    uint8_t *message, r[16];
    hornet_poly1305_partial partial[SEGMENTS];
};

struct work {
    struct segments *segments;
    size_t first;
    bool done;
};

/* Processes every THREADS-th segment. */
static void *compute(void *argument)
{
    struct work *work = argument;
    struct segments *s = work->segments;
    work->done = true;
    for (size_t i = work->first; i < SEGMENTS; i += THREADS)
        work->done &= hornet_poly1305_partial_compute(&s->partial[i], s->message + i * SEGMENT_BYTES,
                                                      SEGMENT_BYTES, s->r);
    return NULL;
}

int main(void)
{
    static struct segments s;
    uint8_t key[HORNET_POLY1305_AES_KEY_BYTES], nonce[16] = {1}, pad[16], tag[16];
    memset(key, 7, sizeof key); /* an example; real keys are random */
    hornet_poly1305_clamp(key + 16);
    memcpy(s.r, key + 16, 16);
    s.message = calloc(SEGMENTS, SEGMENT_BYTES);
    if (s.message == NULL)
        return 2;

    pthread_t threads[THREADS];
    struct work work[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        work[i] = (struct work){&s, i, false};
        if (pthread_create(&threads[i], NULL, compute, &work[i]) != 0)
            return 2;
    }
    bool ok = true;
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        ok &= work[i].done;
    }

    hornet_poly1305_partial whole = {{0}}; /* the empty message */
    for (size_t i = 0; i < SEGMENTS; i++)
        ok &= hornet_poly1305_partial_append(&whole, &s.partial[i], s.r);
    /* With Poly1305-AES, the pad is the tag of an empty message. */
    ok &= hornet_poly1305_aes(pad, NULL, 0, nonce, key);
    hornet_poly1305_partial_tag(tag, &whole, pad);
    const size_t all_bytes = (size_t)SEGMENTS * SEGMENT_BYTES;
    ok &= hornet_poly1305_aes_verify(tag, s.message, all_bytes, nonce, key);

    /* Segment 3 changes. The changed message is a new message, so it needs a new nonce. */
    uint8_t *changed = s.message + (size_t)3 * SEGMENT_BYTES;
    memset(changed, 1, SEGMENT_BYTES);
    hornet_poly1305_partial replacement;
    ok &= hornet_poly1305_partial_compute(&replacement, changed, SEGMENT_BYTES, s.r);
    ok &= hornet_poly1305_partial_replace(&whole, &s.partial[3], &replacement,
                                          (uint64_t)(SEGMENTS - 4) * SEGMENT_BYTES, s.r);
    s.partial[3] = replacement;
    nonce[0] = 2;
    ok &= hornet_poly1305_aes(pad, NULL, 0, nonce, key);
    hornet_poly1305_partial_tag(tag, &whole, pad);
    ok &= hornet_poly1305_aes_verify(tag, s.message, all_bytes, nonce, key);
    printf("%zu bytes in %d segments: %s\n", all_bytes, SEGMENTS,
           ok ? "the tags agree" : "the tags differ");

    hornet_wipe(&s.partial, sizeof s.partial); /* they are secret, like r */
    hornet_wipe(&replacement, sizeof replacement);
    hornet_wipe(&whole, sizeof whole);
    hornet_wipe(key, sizeof key);
    hornet_wipe(s.r, sizeof s.r);
    free(s.message);
    return ok ? 0 : 1;
}
