/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Long texts in chunks (hornet_stream.h) against their definition, one chunk at a time: lengths around
 * those of chunks, numbers around those that a byte more holds, what is refused, and what is then written.
 */
#include <string.h>

#include "../../include/hornet_stream.h"
#include "../support/check.h"
#include "../support/inputs.h"
#include "../support/reference_aead.h"

enum { CHUNK = 65536, SEALED = CHUNK + 16, CHUNKS = 4, LONGEST = CHUNKS * CHUNK, AROUND = 32, FILL = 0xa5 };

static uint8_t text[LONGEST], key[32];
static uint8_t expected[CHUNKS * SEALED + AROUND], output[CHUNKS * SEALED + AROUND];

/* Sets `expected` to chunks of the text, and returns their length. */
static size_t seal_each(size_t len_bytes, uint64_t first, bool last)
{
    size_t at = 0, done = 0;
    memset(expected, FILL, sizeof expected);
    do {
        const size_t n = len_bytes - done < CHUNK ? len_bytes - done : CHUNK;
        uint8_t nonce[12] = {0};
        for (int i = 0; i < 8; i++)
            nonce[3 + i] = (uint8_t)((first + done / CHUNK) >> (56 - 8 * i));
        nonce[11] = last && done + n == len_bytes;
        reference_aead(expected + at, expected + at + n, text + done, n, NULL, 0, nonce, 12, key);
        done += n;
        at += n + 16;
    } while (done != len_bytes);
    return at;
}

static bool zeros(const uint8_t *bytes, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Returns whether chunk `failed` is the first of `sealed` that is not authentic, and zeros are written. */
static bool refused(const uint8_t *sealed, size_t sealed_bytes, uint64_t first, bool last, uint64_t failed)
{
    uint64_t found = ~failed, text_bytes;
    memset(output, FILL, sizeof output);
    if (!hornet_stream_text_bytes(&text_bytes, sealed_bytes))
        return false;
    return !hornet_stream_open(output, &found, sealed, sealed_bytes, first, last, key) && found == failed &&
           zeros(output, (size_t)text_bytes) && output[text_bytes] == FILL &&
           !hornet_stream_open(output, NULL, sealed, sealed_bytes, first, last, key);
}

static void check_run(size_t len_bytes, uint64_t first, bool last)
{
    static uint8_t changed[sizeof expected];
    const size_t sealed_bytes = seal_each(len_bytes, first, last);
    const size_t count = sealed_bytes / SEALED + (sealed_bytes % SEALED != 0);
    uint64_t stated;
    check(hornet_stream_sealed_bytes(&stated, len_bytes) && stated == sealed_bytes, "%zu bytes sealed",
          len_bytes);
    check(hornet_stream_text_bytes(&stated, sealed_bytes) && stated == len_bytes, "%zu bytes opened",
          len_bytes);

    char run[80];
    snprintf(run, sizeof run, "%zu bytes from chunk %llu on%s", len_bytes, (unsigned long long)first,
             last ? ", last" : "");
    memset(output, FILL, sizeof output);
    check(hornet_stream_seal(output, len_bytes == 0 ? NULL : text, len_bytes, first, last, key) &&
              memcmp(output, expected, sizeof output) == 0,
          "sealed: %s", run);
    memset(output, FILL, sizeof output);
    check(hornet_stream_open(len_bytes == 0 ? NULL : output, NULL, expected, sealed_bytes, first, last,
                             key) &&
              memcmp(output, text, len_bytes) == 0 && output[len_bytes] == FILL,
          "opened: %s", run);
    if (count == 1) {
        memset(output, FILL, sizeof output);
        memcpy(output, text, len_bytes);
        check(hornet_stream_seal(output, output, len_bytes, first, last, key) &&
                  memcmp(output, expected, sizeof output) == 0,
              "sealed in place: %s", run);
        check(hornet_stream_open(output, NULL, output, sealed_bytes, first, last, key) &&
                  memcmp(output, text, len_bytes) == 0,
              "opened in place: %s", run);
    }

    for (size_t i = 0; i < count; i++) {
        const size_t begin = i * SEALED, n = i + 1 == count ? sealed_bytes - begin : SEALED;
        const size_t places[] = {0, n - 17, n - 16, n - 1};
        for (size_t k = n == 16 ? 2 : 0; k < 4; k++) {
            memcpy(changed, expected, sealed_bytes);
            changed[begin + places[k]] ^= 1;
            check(refused(changed, sealed_bytes, first, last, first + i), "byte %zu of chunk %zu: %s",
                  places[k], i, run);
        }
    }
    if (len_bytes % CHUNK == 0 && len_bytes != 0)
        check(refused(expected, sealed_bytes, first, !last, first + count - 1), "the other end: %s", run);
    if (first != UINT64_MAX - 3 && len_bytes != 0)
        check(refused(expected, sealed_bytes, first + 1, last, first + 1), "the next numbers: %s", run);
    key[9] ^= 1;
    check(refused(expected, sealed_bytes, first, last, first), "another key: %s", run);
    key[9] ^= 1;
    if (count == 1)
        return;
    memcpy(changed, expected, sealed_bytes);
    memcpy(changed, expected + SEALED, SEALED < sealed_bytes - SEALED ? SEALED : sealed_bytes - SEALED);
    check(refused(changed, sealed_bytes, first, last, first), "a chunk repeated: %s", run);
    check(refused(expected, SEALED * (count - 1), first, true, first + count - 2),
          "the last is cut off: %s", run);
    check(refused(expected + SEALED, sealed_bytes - SEALED, first, last, first), "the first is cut off: %s",
          run);
}

/* Returns whether nothing is written. */
static bool not_sealed(size_t len_bytes, uint64_t first, bool last)
{
    memset(output, FILL, sizeof output);
    memset(expected, FILL, sizeof expected);
    return !hornet_stream_seal(output, text, len_bytes, first, last, key) &&
           memcmp(output, expected, sizeof output) == 0;
}

static bool not_opened(size_t sealed_bytes, uint64_t first, bool last)
{
    uint64_t failed = ~first;
    memset(output, FILL, sizeof output);
    memset(expected, FILL, sizeof expected);
    return !hornet_stream_open(output, &failed, text, sealed_bytes, first, last, key) && failed == first &&
           memcmp(output, expected, sizeof output) == 0;
}

static void check_refused(void)
{
    const uint64_t most = UINT64_MAX;
    check(not_sealed(0, 0, false), "no chunk");
    check(not_sealed(0, 1, true), "an empty chunk after others");
    check(not_sealed(1, 0, false) && not_sealed(CHUNK + 1, 7, false), "a short chunk that is not the last");
    check(not_sealed(CHUNK + 1, most, true) && not_sealed(3 * CHUNK, most - 1, false), "no numbers");
    check(not_opened(0, 0, true) && not_opened(15, 0, true), "no tag");
    check(not_opened(SEALED + 15, 0, true), "no second tag");
    check(not_opened(SEALED + 16, 0, true), "an empty second chunk");
    check(not_opened(16, 0, false) && not_opened(16, 1, true), "an empty chunk");
    check(not_opened(17, 0, false) && not_opened(SEALED + 17, 3, false), "a short chunk");
    check(not_opened(SEALED + 17, most, true), "no numbers");

    uint64_t bytes = 1;
    const uint64_t longest = most / SEALED * CHUNK + most % SEALED - 16;
    check(hornet_stream_sealed_bytes(&bytes, longest) && bytes == most, "the longest text");
    check(!hornet_stream_sealed_bytes(&bytes, longest + 1) && bytes == 0, "a longer text");
    check(!hornet_stream_sealed_bytes(&bytes, most) && bytes == 0, "a much longer text");
    check(hornet_stream_text_bytes(&bytes, most) && bytes == longest, "the longest sealed text");
    for (uint64_t n = 0; n <= 16; n++)
        check(hornet_stream_text_bytes(&bytes, n) == (n == 16) && bytes == 0 &&
                  !hornet_stream_text_bytes(&bytes, n + 3 * SEALED) == (n != 0),
              "%d bytes after the last whole chunk", (int)n);
}

int main(void)
{
    static const uint64_t firsts[] = {0, 1, 254, 255, 65535, UINT32_MAX, UINT64_C(1) << 40, UINT64_MAX - 3};
    static const size_t lens[] = {
        0, 1, 15, 16, 17, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK - 1, 3 * CHUNK, 3 * CHUNK + 1};
    random_bytes(text, sizeof text);
    random_bytes(key, sizeof key);
    for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++)
        for (size_t k = 0; k < sizeof firsts / sizeof firsts[0]; k++)
            /* Not every number with every length: the definition is slow. */
            if ((i + k) % 3 == 0 || k == 0)
                for (int last = 0; last < 2; last++)
                    if (last ? lens[i] != 0 || k == 0 : lens[i] % CHUNK == 0 && lens[i] != 0)
                        check_run(lens[i], firsts[k], last);
    check_refused();
    return check_report("test_stream");
}
