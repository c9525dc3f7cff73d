/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Texts in chunks: one is sealed, and its bytes and chunks are changed, cut, doubled, moved and appended
 * to. Opened at once, chunk after chunk, and in ranges, only chunks that are as they were, and where they
 * were, may open. One input of 32 has chunks of 65536 bytes, which take most of the time: which ones, a
 * hash decides, so that the fuzzer cannot prefer them. */
#include "../../../include/hornet_stream.h"
#include "../../support/chacha20_kernels.h"
#include "fuzz.h"

enum {
    CHUNK = HORNET_STREAM_CHUNK_BYTES,
    SEALED = HORNET_STREAM_SEALED_CHUNK_BYTES,
    TAG = SEALED - CHUNK,
    MOST_WHOLE = 3,
    MOST_TAIL = 600,
    MOST_CHANGES = 3,
    MOST_APPENDED = 40,
    MOST_TEXT = MOST_WHOLE * CHUNK + MOST_TAIL,
    /* Each change at most doubles it. */
    MOST_CHANGED = (MOST_TEXT + 4 * TAG) << MOST_CHANGES,
};

static const uint8_t key[32] = "the key of the text in chunks...";
static const uint8_t zeros[MOST_CHANGED];
static uint8_t text[MOST_TEXT], whole_chunks[2][MOST_WHOLE][SEALED];

/* A sealed text: as it was, or changed. */
struct sealed {
    uint8_t *bytes;
    size_t len_bytes;
};

/* Seals the chunks of 65536 bytes, each as one that is not the last, and as the last. */
static void prepare(void)
{
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (uint8_t)(i * UINT32_C(0x9e3779b9) >> 13);
    for (size_t i = 0; i < MOST_WHOLE; i++)
        for (int last = 0; last < 2; last++)
            must(hornet_stream_seal(whole_chunks[last][i], text + i * CHUNK, CHUNK, i, last != 0, key),
                 "a chunk", "");
}

static uint8_t *make_buffer(size_t len_bytes)
{
    uint8_t *buffer = malloc(len_bytes + (len_bytes == 0));
    if (buffer == NULL)
        exit(1);
    return buffer;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t take_number(struct input *input)
{
    uint8_t bytes[3];
    take(input, bytes, sizeof bytes);
    return bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16;
}

/* Seals the text of some whole chunks and a tail. */
static struct sealed seal(size_t whole, size_t tail)
{
    const bool ends = tail == 0 && whole != 0;
    struct sealed sealed = {make_buffer(whole * SEALED + tail + TAG), whole * SEALED};
    for (size_t i = 0; i < whole; i++)
        memcpy(sealed.bytes + i * SEALED, whole_chunks[ends && i + 1 == whole][i], SEALED);
    if (ends)
        return sealed;
    must(hornet_stream_seal(sealed.bytes + whole * SEALED, text + whole * CHUNK, tail, whole, true, key),
         "the last chunk", "");
    sealed.len_bytes += tail + TAG;
    return sealed;
}

/* Makes room for n bytes at `at`. */
static void insert(struct sealed *sealed, size_t at, size_t n)
{
    memmove(sealed->bytes + at + n, sealed->bytes + at, sealed->len_bytes - at);
    sealed->len_bytes += n;
}

static void take_out(struct sealed *sealed, size_t at, size_t n)
{
    memmove(sealed->bytes + at, sealed->bytes + at + n, sealed->len_bytes - at - n);
    sealed->len_bytes -= n;
}

static void change(struct sealed *sealed, struct input *input)
{
    const size_t kind = take_byte(input) % 8, n = sealed->len_bytes, chunks = (n + SEALED - 1) / SEALED;
    const size_t at = take_number(input) % (n + 1), more = take_number(input) % (n - at + 1),
                 one = chunks == 0 ? 0 : at % chunks, other = chunks == 0 ? 0 : more % chunks,
                 chunk_bytes = least(SEALED, n - one * SEALED);
    static uint8_t moved[SEALED];
    switch (kind) {
    case 0: /* flipped */
        if (at < n)
            sealed->bytes[at] ^= (uint8_t)(1 << more % 8);
        break;
    case 1: /* cut off */
        sealed->len_bytes = at;
        break;
    case 2: /* left out */
        take_out(sealed, at, more);
        break;
    case 3: /* doubled */
        insert(sealed, at, more);
        memcpy(sealed->bytes + at, sealed->bytes + at + more, more);
        break;
    case 4: /* appended */
        insert(sealed, n, more % MOST_APPENDED);
        take(input, sealed->bytes + n, more % MOST_APPENDED);
        break;
    case 5: /* a chunk left out */
        take_out(sealed, one * SEALED, chunk_bytes);
        break;
    case 6: /* a chunk doubled */
        memcpy(moved, sealed->bytes + one * SEALED, chunk_bytes);
        insert(sealed, one * SEALED, chunk_bytes);
        memcpy(sealed->bytes + one * SEALED, moved, chunk_bytes);
        break;
    default: /* a chunk moved */
        memcpy(moved, sealed->bytes + one * SEALED, chunk_bytes);
        take_out(sealed, one * SEALED, chunk_bytes);
        insert(sealed, least(other * SEALED, sealed->len_bytes), chunk_bytes);
        memcpy(sealed->bytes + least(other * SEALED, sealed->len_bytes - chunk_bytes), moved, chunk_bytes);
    }
}

/* Returns whether a chunk is as it was sealed, and whether it is where it was, and last if it was. */
static bool is_good(const struct sealed *changed, const struct sealed *whole, size_t number)
{
    const size_t begin = number * SEALED;
    if (begin > changed->len_bytes || begin > whole->len_bytes)
        return false;
    const size_t left = changed->len_bytes - begin, before = whole->len_bytes - begin;
    return (left <= SEALED) == (before <= SEALED) && least(left, SEALED) == least(before, SEALED) &&
           memcmp(changed->bytes + begin, whole->bytes + begin, least(left, SEALED)) == 0;
}

/* Opens consecutive chunks, of which `good` says whether they are as they were. */
static void open(const struct sealed *sealed, size_t first, size_t count, size_t first_bad)
{
    const size_t begin = first * SEALED, n = least(count * SEALED, sealed->len_bytes - begin);
    const bool last = begin + n == sealed->len_bytes;
    uint64_t text_bytes, failed = 7;
    const bool can_be = hornet_stream_text_bytes(&text_bytes, n) && !(text_bytes == 0 && first != 0);
    uint8_t *const sealed_here = make_buffer(n), *const out = make_buffer(can_be ? (size_t)text_bytes : 0);
    memcpy(sealed_here, sealed->bytes + begin, n);
    memset(out, 0xa5, (size_t)text_bytes);
    const bool opened = hornet_stream_open(out, &failed, sealed_here, n, first, last, key);
    if (opened) {
        must(first_bad >= first + count && can_be, "a change is accepted", "");
        must(memcmp(out, text + first * CHUNK, (size_t)text_bytes) == 0, "another text", "");
    } else {
        must(first_bad < first + count || !can_be, "what is unchanged is refused", "");
        must(failed == (can_be ? first_bad : first), "which chunk failed", "");
        must(!can_be || memcmp(out, zeros, (size_t)text_bytes) == 0, "something is released", "");
    }
    free(out);
    free(sealed_here);
}

/* A chunk with any number is AEAD with the nonce that c2sp.org/age defines, and opens with no other. */
static void test_number(size_t tail, struct input *input)
{
    uint8_t number_bytes[8], nonce[12] = {0}, expected[MOST_TAIL + TAG];
    take(input, number_bytes, 8);
    uint64_t first = 0, failed;
    for (int i = 0; i < 8; i++)
        first = first << 8 | number_bytes[i];
    memcpy(nonce + 3, number_bytes, 8);
    nonce[11] = 1;
    uint8_t *const sealed = make_buffer(tail + TAG), *const out = make_buffer(tail);
    const bool can_be = tail != 0 || first == 0;
    must(hornet_stream_seal(sealed, text, tail, first, true, key) == can_be, "whether it is sealed", "");
    if (can_be) {
        must(hornet_chacha20_poly1305_seal(expected, expected + tail, text, tail, NULL, 0, nonce, key) &&
                 memcmp(sealed, expected, tail + TAG) == 0,
             "the definition", "");
        must(hornet_stream_open(out, &failed, sealed, tail + TAG, first, true, key) &&
                 memcmp(out, text, tail) == 0,
             "opened", "");
        const uint64_t other = first ^ UINT64_C(1) << tail % 64;
        must(!hornet_stream_open(out, &failed, sealed, tail + TAG, other, true, key) && failed == other,
             "opened with another number", "");
        must(!hornet_stream_open(out, NULL, sealed, tail + TAG, first, false, key), "opened as not last",
             "");
    }
    free(sealed);
    free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t input_bytes)
{
    static bool prepared;
    static uint8_t changed_bytes[MOST_CHANGED];
    if (!prepared)
        prepare();
    prepared = true;
    struct input input = {bytes, input_bytes};
    uint32_t hash = UINT32_C(0x811c9dc5);
    for (size_t i = 0; i < input_bytes; i++)
        hash = (hash ^ bytes[i]) * UINT32_C(0x01000193);
    hash ^= hash >> 15;
    const size_t whole = hash % 32 == 0 ? 1 + hash / 32 % MOST_WHOLE : 0,
                 tail = take_number(&input) % (MOST_TAIL + 1),
                 changes = take_byte(&input) % (MOST_CHANGES + 1);
    force_chacha20(nth_chacha20(take_byte(&input)));
    const struct sealed sealed = seal(whole, tail);
    struct sealed changed = {changed_bytes, sealed.len_bytes};
    memcpy(changed_bytes, sealed.bytes, sealed.len_bytes);
    for (size_t i = 0; i < changes; i++)
        change(&changed, &input);

    const size_t chunks = changed.len_bytes / SEALED + (changed.len_bytes % SEALED != 0);
    size_t first_bad = 0;
    while (first_bad < chunks && is_good(&changed, &sealed, first_bad))
        first_bad++;
    /* At once, which the changed text may not be. */
    open(&changed, 0, chunks, first_bad);
    /* Chunk after chunk, as a reader, which stops at the first that does not open. */
    for (size_t i = 0; i < chunks && i <= first_bad; i++)
        open(&changed, i, 1, first_bad);
    /* A range. */
    if (chunks > 1) {
        const size_t first = take_byte(&input) % chunks, count = 1 + take_byte(&input) % (chunks - first);
        size_t bad = first;
        while (bad < first + count && is_good(&changed, &sealed, bad))
            bad++;
        open(&changed, first, count, bad);
    }
    if (whole == 0)
        test_number(tail, &input);
    free(sealed.bytes);
    return 0;
}
