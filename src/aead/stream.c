/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Long texts in chunks, as in the payload of age v1 files: c2sp.org/age, "Payload". */
#include "aead.h"

enum {
    CHUNK_BYTES = HORNET_STREAM_CHUNK_BYTES,
    TAG_BYTES = HORNET_CHACHA20_POLY1305_TAG_BYTES,
    SEALED_CHUNK_BYTES = HORNET_STREAM_SEALED_CHUNK_BYTES,
    NONCE_BYTES = HORNET_CHACHA20_POLY1305_NONCE_BYTES
};
_Static_assert(SEALED_CHUNK_BYTES == CHUNK_BYTES + TAG_BYTES, "a chunk and its tag");

/* Consecutive chunks. */
typedef struct {
    uint64_t first, count; /* the number of the first, and how many there are */
    size_t len_bytes;      /* of their text */
    bool last;             /* whether the text ends with them */
} chunks;

/* Sets *count to the number of chunks in len_bytes bytes of text, and returns whether they can begin with
 * number `first`: there is one, all have numbers, and only the last of a text is short, or empty if it is
 * the only one. */
static bool count_chunks(uint64_t *count, uint64_t len_bytes, uint64_t first, bool last)
{
    const bool ends_short = len_bytes % CHUNK_BYTES != 0, empty = len_bytes == 0;
    *count = len_bytes / CHUNK_BYTES + (ends_short || empty);
    return (last || !ends_short) && (!empty || (last && first == 0)) && *count - 1 <= UINT64_MAX - first;
}

/* Sets nonce to that of chunk i of a run, eleven bytes of its number, big-endian, and whether it is the
 * last, and returns the length of its text. */
static size_t chunk_at(uint8_t nonce[NONCE_BYTES], const chunks *run, uint64_t i)
{
    const bool ends = i == run->count - 1;
    uint64_t number = run->first + i;
    memset(nonce, 0, NONCE_BYTES);
    for (int k = 10; number != 0; k--, number >>= 8)
        nonce[k] = (uint8_t)number;
    nonce[11] = run->last && ends;
    return ends ? run->len_bytes - (size_t)i * CHUNK_BYTES : CHUNK_BYTES;
}

bool hornet_stream_sealed_bytes(uint64_t *sealed_bytes, uint64_t text_bytes)
{
    uint64_t count;
    const bool fits =
        count_chunks(&count, text_bytes, 0, true) && text_bytes <= UINT64_MAX - count * TAG_BYTES;
    *sealed_bytes = fits ? text_bytes + count * TAG_BYTES : 0;
    return fits;
}

bool hornet_stream_text_bytes(uint64_t *text_bytes, uint64_t sealed_bytes)
{
    const uint64_t last_bytes = sealed_bytes % SEALED_CHUNK_BYTES;
    const uint64_t count = sealed_bytes / SEALED_CHUNK_BYTES + (last_bytes != 0);
    const bool fits = last_bytes == 0 ? count != 0 : last_bytes > TAG_BYTES || sealed_bytes == TAG_BYTES;
    *text_bytes = fits ? sealed_bytes - count * TAG_BYTES : 0;
    return fits;
}

/* Traps in a debug build if the two overlap otherwise than as a single chunk may. */
static void check_places(const uint8_t *sealed, const uint8_t *text, const chunks *run)
{
    if (run->count > 1 || sealed != text)
        check_apart(sealed, run->len_bytes + (size_t)run->count * TAG_BYTES, text, run->len_bytes);
}

bool hornet_stream_seal(void *sealed, const void *text, size_t len_bytes, uint64_t first, bool last,
                        const uint8_t key[32])
{
    chunks run = {first, 0, len_bytes, last};
    if (!count_chunks(&run.count, len_bytes, first, last))
        return false;
    check_places(sealed, text, &run);
    bool all = true;
    uint8_t *out = sealed;
    for (uint64_t i = 0; i < run.count; i++, out += SEALED_CHUNK_BYTES) {
        uint8_t nonce[NONCE_BYTES];
        const size_t n = chunk_at(nonce, &run, i);
        /* Where there is no text, there may be no address. */
        const uint8_t *const in = n == 0 ? NULL : (const uint8_t *)text + i * CHUNK_BYTES;
        all &= hornet_chacha20_poly1305_seal(out, out + n, in, n, NULL, 0, nonce, key);
    }
    return all; /* no chunk is too long */
}

bool hornet_stream_open(void *text, uint64_t *failed, const void *sealed, size_t sealed_bytes,
                        uint64_t first, bool last, const uint8_t key[32])
{
    chunks run = {first, 0, 0, last};
    uint64_t text_bytes, i = 0;
    bool all = hornet_stream_text_bytes(&text_bytes, sealed_bytes) &&
               count_chunks(&run.count, text_bytes, first, last);
    if (all) {
        run.len_bytes = (size_t)text_bytes;
        check_places(sealed, text, &run);
        const uint8_t *in = sealed;
        for (; i < run.count; i++, in += SEALED_CHUNK_BYTES) {
            uint8_t nonce[NONCE_BYTES];
            const size_t n = chunk_at(nonce, &run, i);
            uint8_t *const out = n == 0 ? NULL : (uint8_t *)text + i * CHUNK_BYTES;
            all = hornet_chacha20_poly1305_open(out, in, n, in + n, NULL, 0, nonce, key);
            if (!all)
                break;
        }
        if (!all)
            zero_some(text, run.len_bytes);
    }
    if (!all && failed != NULL)
        *failed = first + i;
    return all;
}
