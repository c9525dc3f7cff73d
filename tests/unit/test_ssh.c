/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* SSH's cipher against its definition and its published example: single packets and batches; every ChaCha20
 * kernel with every Poly1305 kernel; forgeries, and what is then written; packets at the edges of memory.
 *
 *     test_ssh [--few|--huge]
 *
 * --few tests only some of the lengths, for emulators, which are slow. --huge instead tests the longest
 * packet, which takes seconds and 4 GiB of memory, and the largest batches. */
#define _DEFAULT_SOURCE /* mmap's flags */
#include <stdlib.h>
#include <string.h>

#include "../../include/hornet.h"
#include "../../include/hornet_kernels.h"
#include "../../include/hornet_ssh.h"
#include "../support/chacha20_kernels.h"
#include "../support/check.h"
#include "../support/crash.h"
#include "../support/inputs.h"
#include "../support/kernels.h"
#include "../support/pages.h"
#include "../support/reference_aead.h"

enum { LENGTH = HORNET_SSH_LENGTH_BYTES, TAG = HORNET_SSH_TAG_BYTES, OVERHEAD = LENGTH + TAG };
enum { EVERY_BYTES = 2200, LONGEST = 300000, AROUND = 64, FILL = 0xa5 };

/* Only every step-th case of the most numerous ones is tested. */
static size_t step = 1;

/* A packet: what is encrypted, and the result according to the definition. */
struct message {
    const uint8_t *text;
    uint8_t *sealed; /* 4 + len_bytes + 16 bytes */
    uint32_t len_bytes, sequence;
    uint8_t key[64];
};

static uint8_t random_text[LONGEST + 64], sealed_memory[LONGEST + OVERHEAD];

/* A packet, with bytes on both sides that must not change. */
static uint8_t packet_memory[AROUND + LONGEST + OVERHEAD + AROUND];
#define PACKET (packet_memory + AROUND)

/* Ends the program if something cannot be set up. */
static void must(bool holds, const char *what)
{
    if (holds)
        return;
    printf("FAILED: %s\n", what);
    exit(1);
}

static bool all_are(const uint8_t *bytes, size_t len_bytes, uint8_t value)
{
    for (size_t i = 0; i < len_bytes; i++)
        if (bytes[i] != value)
            return false;
    return true;
}

static struct message make_message(uint32_t len_bytes)
{
    struct message m = {.text = random_text + random_word() % 64,
                        .sealed = sealed_memory,
                        .len_bytes = len_bytes,
                        .sequence = (uint32_t)random_word()};
    random_bytes(m.key, sizeof m.key);
    if (random_word() % 16 == 0) /* the largest tags and words */
        memset(m.key, 255, sizeof m.key);
    reference_ssh(m.sealed, m.text, len_bytes, m.sequence, m.key);
    return m;
}

static const char *names(void)
{
    static char both[80];
    snprintf(both, sizeof both, "%s, %s", chacha20_name(chacha20_in_use()),
             hornet_kernel_in_use(HORNET_POLY1305));
    return both;
}

/* Writes a packet that is yet to be sealed. */
static void put_text(uint8_t *packet, const struct message *m)
{
    memset(packet, FILL, LENGTH);
    memcpy(packet + LENGTH, m->text, m->len_bytes);
    memset(packet + LENGTH + m->len_bytes, FILL, TAG);
}

static void put_sealed(uint8_t *packet, const struct message *m)
{
    memcpy(packet, m->sealed, (size_t)m->len_bytes + OVERHEAD);
}

static bool is_sealed(const uint8_t *packet, const struct message *m)
{
    return memcmp(packet, m->sealed, (size_t)m->len_bytes + OVERHEAD) == 0;
}

/* Returns whether text, length and tag are those of a packet that was opened. */
static bool is_opened(const uint8_t *packet, const struct message *m)
{
    const size_t end = LENGTH + (size_t)m->len_bytes;
    return memcmp(packet, m->sealed, LENGTH) == 0 && memcmp(packet + LENGTH, m->text, m->len_bytes) == 0 &&
           memcmp(packet + end, m->sealed + end, TAG) == 0;
}

/* Returns whether a bit of the packet as it was sealed is another, and the text is zeros. */
static bool is_refused(const uint8_t *packet, const struct message *m, size_t bit)
{
    const size_t end = LENGTH + (size_t)m->len_bytes;
    bool refused = all_are(packet + LENGTH, m->len_bytes, 0);
    for (size_t i = 0; i < end + TAG; i += i == LENGTH - 1 ? 1 + m->len_bytes : 1)
        refused = refused && packet[i] == (m->sealed[i] ^ (i == bit / 8 ? 1 << bit % 8 : 0));
    return refused;
}

static void flip(uint8_t *packet, size_t bit) { packet[bit / 8] ^= (uint8_t)(1 << bit % 8); }

static void begin_packet(const struct message *m)
{
    running_kernel = chacha20_name(chacha20_in_use());
    running_length = m->len_bytes;
    memset(packet_memory, FILL, AROUND);
    memset(PACKET + m->len_bytes + OVERHEAD, FILL, AROUND);
}

static bool nothing_around(const struct message *m)
{
    return all_are(packet_memory, AROUND, FILL) && all_are(PACKET + m->len_bytes + OVERHEAD, AROUND, FILL);
}

static void check_forged(const struct message *m, size_t bit)
{
    begin_packet(m);
    put_sealed(PACKET, m);
    flip(PACKET, bit);
    check(!hornet_ssh_open(PACKET, m->len_bytes, m->sequence, m->key) && is_refused(PACKET, m, bit) &&
              nothing_around(m),
          "%s: %u bytes, bit %zu is forged", names(), m->len_bytes, bit);
}

/* Seals and opens the packet with the kernels in use. */
static void check_message(const struct message *m)
{
    static size_t number;
    begin_packet(m);
    put_text(PACKET, m);
    hornet_ssh_seal(PACKET, m->len_bytes, m->sequence, m->key);
    check(is_sealed(PACKET, m) && nothing_around(m), "%s: %u bytes sealed", names(), m->len_bytes);
    check(hornet_ssh_packet_length(PACKET, m->sequence, m->key) == m->len_bytes && is_sealed(PACKET, m),
          "%s: the length of %u bytes", names(), m->len_bytes);
    put_sealed(PACKET, m);
    check(hornet_ssh_open(PACKET, m->len_bytes, m->sequence, m->key) && is_opened(PACKET, m) &&
              nothing_around(m),
          "%s: %u bytes opened", names(), m->len_bytes);
    /* Somewhere in the packet, and in the tag. */
    number++;
    check_forged(m, number * 7919 % (8 * ((size_t)m->len_bytes + OVERHEAD)));
    check_forged(m, 8 * ((size_t)m->len_bytes + LENGTH) + number % 128);
    put_sealed(PACKET, m);
    check(!hornet_ssh_open(PACKET, m->len_bytes, m->sequence ^ UINT32_C(1) << number % 32, m->key) &&
              all_are(PACKET + LENGTH, m->len_bytes, 0),
          "%s: %u bytes, another sequence number", names(), m->len_bytes);
}

static void check_on_every_chacha20(const struct message *m)
{
    for (int k = 0; k < CHACHA20_KERNELS; k++) {
        if (!chacha20_runs_here(chacha20_kernels[k]))
            continue;
        force_chacha20(chacha20_kernels[k]);
        check_message(m);
    }
    force_chacha20(NULL);
}

/* The packets of a batch. */
enum { MOST_PACKETS = 200, PACKET_BYTES = 2000 };
static uint8_t outs[MOST_PACKETS][PACKET_BYTES + OVERHEAD + 1],
    sealed[MOST_PACKETS][PACKET_BYTES + OVERHEAD];
static struct message messages[MOST_PACKETS];
static hornet_ssh_packet calls[MOST_PACKETS];
static bool valid[MOST_PACKETS];

/* Makes the calls, which seal texts, or open sealed packets. */
static void make_calls(size_t count, bool opens)
{
    for (size_t i = 0; i < count; i++) {
        const struct message *const m = &messages[i];
        (opens ? put_sealed : put_text)(outs[i], m);
        outs[i][m->len_bytes + OVERHEAD] = FILL;
        calls[i] = (hornet_ssh_packet){outs[i], m->len_bytes, m->sequence, m->key};
        valid[i] = !opens;
    }
    running_kernel = chacha20_name(chacha20_in_use());
    running_length = count;
}

/* Seals and opens messages[0 .. count), and opens them with a forged one among them. */
static void check_batch(size_t count)
{
    make_calls(count, false);
    hornet_ssh_seal_batch(calls, count);
    for (size_t i = 0; i < count; i++)
        check(is_sealed(outs[i], &messages[i]) && outs[i][messages[i].len_bytes + OVERHEAD] == FILL,
              "%s: packet %zu of %zu, %u bytes, sealed", names(), i, count, messages[i].len_bytes);
    make_calls(count, true);
    check(hornet_ssh_open_batch(valid, calls, count), "%s: %zu packets refused", names(), count);
    for (size_t i = 0; i < count; i++)
        check(valid[i] && is_opened(outs[i], &messages[i]) &&
                  outs[i][messages[i].len_bytes + OVERHEAD] == FILL,
              "%s: packet %zu of %zu, %u bytes, opened", names(), i, count, messages[i].len_bytes);
    if (count == 0)
        return;
    const size_t forged = random_word() % count;
    const size_t bit = random_word() % (8 * ((size_t)messages[forged].len_bytes + OVERHEAD));
    make_calls(count, true);
    flip(outs[forged], bit);
    valid[forged] = true;
    check(!hornet_ssh_open_batch(valid, calls, count), "%s: one forged packet of %zu, and all are valid",
          names(), count);
    for (size_t i = 0; i < count; i++)
        check(
            valid[i] == (i != forged) &&
                (i == forged ? is_refused(outs[i], &messages[i], bit) : is_opened(outs[i], &messages[i])) &&
                outs[i][messages[i].len_bytes + OVERHEAD] == FILL,
            "%s: packet %zu of %zu, where %zu is forged", names(), i, count, forged);
}

static void make_messages(size_t count, size_t kind)
{
    for (size_t i = 0; i < count; i++) {
        const size_t lengths[] = {
            48,
            1400,
            random_word() % 300,
            random_word() % 1600,
            i,
            random_word() % 8 == 0 ? 0 : random_word() % (1 + random_word() % PACKET_BYTES),
            i % 2 == 0 ? 1540 : 16, /* more than share passes */
        };
        struct message m = make_message((uint32_t)lengths[kind % (sizeof lengths / sizeof lengths[0])]);
        memcpy(sealed[i], m.sealed, (size_t)m.len_bytes + OVERHEAD);
        m.sealed = sealed[i];
        messages[i] = m;
    }
}

static void test_vectors(void)
{
    static const struct {
        const char *key;
        uint32_t sequence;
        const char *text, *sealed;
    } vectors[] = {
#include "../vectors/ssh.h"
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        uint8_t text[400], expected[400];
        struct message m = {.text = text, .sealed = expected, .sequence = vectors[i].sequence};
        from_hex(m.key, vectors[i].key);
        m.len_bytes = (uint32_t)from_hex(text, vectors[i].text);
        from_hex(expected, vectors[i].sealed);
        reference_ssh(PACKET, text, m.len_bytes, m.sequence, m.key);
        check(is_sealed(PACKET, &m), "the definition: vector %zu", i);
        check_on_every_chacha20(&m);
        for (size_t k = 0; k < 17; k++)
            messages[k] = m;
        check_batch(17);
    }
}

static void test_lengths(void)
{
    for (uint32_t n = 0; n <= EVERY_BYTES; n += (uint32_t)step) {
        const struct message m = make_message(n);
        check_on_every_chacha20(&m);
    }
}

/* Around the lengths where passes and parts of 64 KiB end, of which Poly1305's blocks begin 4 bytes before.
 */
static void test_long_lengths(void)
{
    static const uint32_t ends[] = {4096, 8192, 32768, 65536, 131072, 262144},
                          after[] = {0, 64, 512, 960, 1024, 1984, 2048};
    for (size_t e = 0; e < sizeof ends / sizeof ends[0]; e++)
        for (size_t a = 0; a < sizeof after / sizeof after[0]; a++)
            for (uint32_t n = ends[e] + after[a] - 17; n <= ends[e] + after[a] + 17; n += 1 + n % 5) {
                const struct message m = make_message(n);
                force_chacha20(nth_chacha20(e + a + n));
                check_message(&m);
                n += (uint32_t)step - 1;
            }
    /* A part, and few bytes more: the block of Poly1305 that begins in the part is the last, or there is
     * none. */
    for (int k = 0; k < CHACHA20_KERNELS; k++) {
        if (!chacha20_runs_here(chacha20_kernels[k]))
            continue;
        force_chacha20(chacha20_kernels[k]);
        const chacha20_layout *const first = chacha20_layout_for(chacha20_kernels[k], true, LONGEST);
        for (uint32_t n = 0; n < 32; n += step == 1 ? 1 : 12) {
            const struct message m = make_message(64 * ((uint32_t)first->nblocks - 1) + 65536 + n);
            check_message(&m);
        }
    }
    force_chacha20(NULL);
    for (uint32_t n = 65536 + 960; n < LONGEST; n += 77777) {
        const struct message m = make_message(n);
        check_on_every_chacha20(&m);
    }
}

/* Lengths at which a call changes its code path, and their neighbours. */
static const uint32_t edges[] = {0,   1,   11,  12,  13,   27,   28,   48,   59,   60,   61,   63,   64,
                                 65,  127, 128, 192, 193,  256,  316,  320,  448,  449,  512,  513,  956,
                                 960, 961, 988, 989, 1024, 1350, 1472, 1984, 1985, 2048, 2049, 4200, 70000};
enum { EDGES = sizeof edges / sizeof edges[0] };

/* Every ChaCha20 kernel with every Poly1305 kernel. */
static void test_pairs(void)
{
    for (size_t e = 0; e < EDGES; e++) {
        const struct message m = make_message(edges[e]);
        for (int k = 0; k < KERNEL_COUNT; k++) {
            if (!kernel_runs_here(all_kernels[k]))
                continue;
            force_kernel(name_of(all_kernels[k]));
            check_on_every_chacha20(&m);
        }
    }
    force_kernel(NULL);
}

/* Sequence numbers and keys of zeros, of ones, and of one bit that differs. */
static void test_special_numbers(void)
{
    for (size_t kind = 0; kind < 66; kind++)
        for (size_t key = 0; key < 4; key++) {
            struct message m = make_message(40 + (uint32_t)kind % 30);
            m.sequence = kind % 2 == 0 ? 0 : UINT32_MAX;
            if (kind >= 2)
                m.sequence ^= UINT32_C(1) << (kind / 2 - 1);
            if (key == 0)
                memset(m.key, 0, 64);
            else if (key == 1)
                memset(m.key, 255, 64);
            else if (key == 2)
                memcpy(m.key + 32, m.key, 32); /* the same for texts and lengths */
            reference_ssh(m.sealed, m.text, m.len_bytes, m.sequence, m.key);
            force_chacha20(nth_chacha20(kind + key));
            check_message(&m);
        }
    force_chacha20(NULL);
}

static void test_alignments(void)
{
    static uint8_t key[64 + 64];
    for (size_t e = 0; e < EDGES; e++)
        for (size_t offset = 0; offset < 64; offset += edges[e] > 4200 ? 7 : 1) {
            const struct message m = make_message(edges[e]);
            uint8_t *const packet = PACKET + offset, *const k = key + offset * 5 % 64;
            memcpy(k, m.key, 64);
            force_chacha20(nth_chacha20(e + offset));
            running_length = m.len_bytes;
            put_text(packet, &m);
            hornet_ssh_seal(packet, m.len_bytes, m.sequence, k);
            check(is_sealed(packet, &m), "%s: %u bytes at offset %zu, sealed", names(), m.len_bytes,
                  offset);
            check(hornet_ssh_packet_length(packet, m.sequence, k) == m.len_bytes &&
                      hornet_ssh_open(packet, m.len_bytes, m.sequence, k) && is_opened(packet, &m),
                  "%s: %u bytes at offset %zu, opened", names(), m.len_bytes, offset);
        }
    force_chacha20(NULL);
}

static void test_batches(void)
{
    for (size_t count = 0; count <= MOST_PACKETS; count += step) {
        force_chacha20(nth_chacha20(count));
        make_messages(count, count);
        check_batch(count);
    }
    /* All kernels, with full and partial bundles. */
    for (size_t kind = 0; kind < 7; kind++) {
        make_messages(35 + kind, kind);
        for (int k = 0; k < CHACHA20_KERNELS; k++)
            for (int p = 0; p < KERNEL_COUNT; p++) {
                if (!chacha20_runs_here(chacha20_kernels[k]) || !kernel_runs_here(all_kernels[p]))
                    continue;
                force_chacha20(chacha20_kernels[k]);
                force_kernel(name_of(all_kernels[p]));
                check_batch(35 + kind);
            }
    }
    force_kernel(NULL);
    force_chacha20(NULL);
    hornet_ssh_seal_batch(NULL, 0);
    check(hornet_ssh_open_batch(NULL, NULL, 0), "no packets");
}

/* Every bit of some packets, of the number and of the key; alone, and some in a batch. */
static void test_every_bit(void)
{
    static const uint32_t lengths[] = {0, 1, 16, 100, 193, 500, 1000, 2100};
    for (size_t e = 0; e < sizeof lengths / sizeof lengths[0]; e++) {
        struct message m = make_message(lengths[e]);
        const size_t bits = 8 * ((size_t)m.len_bytes + OVERHEAD);
        for (size_t bit = 0; bit < bits; bit += step * (bit > 3000 ? 13 : 1))
            check_forged(&m, bit);
        for (size_t bit = 0; bit < 32 + 8 * 32; bit++) {
            put_sealed(PACKET, &m);
            m.sequence ^= bit < 32 ? UINT32_C(1) << bit : 0;
            if (bit >= 32)
                flip(m.key, bit - 32);
            check(!hornet_ssh_open(PACKET, m.len_bytes, m.sequence, m.key) &&
                      all_are(PACKET + LENGTH, m.len_bytes, 0),
                  "%u bytes: bit %zu of sequence number and key ignored", m.len_bytes, bit);
            m.sequence ^= bit < 32 ? UINT32_C(1) << bit : 0;
            if (bit >= 32)
                flip(m.key, bit - 32);
        }
        if (m.len_bytes > PACKET_BYTES)
            continue;
        for (size_t k = 0; k < 17; k++)
            messages[k] = m;
        for (size_t bit = 0; bit < bits; bit += 8 * step + 1) {
            make_calls(17, true);
            for (size_t k = 0; k < 17; k++)
                flip(outs[k], (bit + k) % bits);
            check(!hornet_ssh_open_batch(valid, calls, 17), "a batch of forgeries");
            for (size_t k = 0; k < 17; k++)
                check(!valid[k] && is_refused(outs[k], &m, (bit + k) % bits), "%u bytes: bit %zu ignored",
                      m.len_bytes, (bit + k) % bits);
        }
    }
    /* The length is authenticated: another one than that of the packet. */
    const struct message m = make_message(500);
    for (uint32_t n = 0; n < 500; n++) {
        put_sealed(PACKET, &m);
        check(!hornet_ssh_open(PACKET, n, m.sequence, m.key), "%u bytes of 500", n);
    }
}

/* Places packet, key and verdicts at the very end, and then at the very start, of accessible memory. */
static void test_guard_pages(void)
{
    enum { AT_PACKET, AT_KEY, AT_LENGTH, BUFFERS };
    const size_t page = page_bytes();
    uint8_t *pages[BUFFERS], *at[BUFFERS];
    for (int i = 0; i < BUFFERS; i++) {
        uint8_t *reserved = reserve_pages(3 * page);
        must(reserved != NULL && allow_pages(reserved + page, page), "memory for guard pages");
        pages[i] = reserved + page;
    }
    for (uint32_t n = 0; n <= PACKET_BYTES; n += (uint32_t)step)
        for (size_t offset = 0; offset < 128; offset += n > 300 ? 64 : offset < 64 ? 1 + n % 7 : 64) {
            const struct message m = make_message(n);
            const size_t sizes[BUFFERS] = {(size_t)n + OVERHEAD, 64, LENGTH};
            for (int i = 0; i < BUFFERS; i++) {
                const size_t shift = i == AT_PACKET ? offset % 64 : 0;
                at[i] = offset < 64 ? pages[i] + page - sizes[i] - shift : pages[i] + shift;
            }
            uint8_t *const packet = at[AT_PACKET], *const key = memcpy(at[AT_KEY], m.key, 64);
            force_chacha20(nth_chacha20(n + offset));
            running_kernel = chacha20_name(chacha20_in_use());
            running_length = n;
            put_text(packet, &m);
            hornet_ssh_seal(packet, n, m.sequence, key);
            check(is_sealed(packet, &m), "%s: %u bytes, guard pages, sealed", names(), n);
            memcpy(at[AT_LENGTH], packet, LENGTH);
            check(hornet_ssh_packet_length(at[AT_LENGTH], m.sequence, key) == n, "guard pages, length");
            check(hornet_ssh_open(packet, n, m.sequence, key) && is_opened(packet, &m),
                  "%s: %u bytes, guard pages, opened", names(), n);
            if (n > 130 && n % 9 != 0)
                continue;
            /* Among others, of which some are shorter. */
            for (size_t i = 0; i < 17; i++) {
                messages[i] = make_message(n - n * (uint32_t)i / 30);
                memcpy(sealed[i], messages[i].sealed, (size_t)messages[i].len_bytes + OVERHEAD);
                messages[i].sealed = sealed[i];
            }
            for (int opens = 0; opens < 2; opens++) {
                make_calls(17, opens != 0);
                (opens ? put_sealed : put_text)(packet, &messages[5]);
                calls[5].packet = packet;
                calls[5].key = memcpy(key, messages[5].key, 64);
                if (!opens)
                    hornet_ssh_seal_batch(calls, 17);
                check(opens ? hornet_ssh_open_batch(valid, calls, 17) && is_opened(packet, &messages[5])
                            : is_sealed(packet, &messages[5]),
                      "%s: %u bytes, guard pages, in a batch, opens %d", names(), n, opens);
            }
        }
    force_chacha20(NULL);
    for (int i = 0; i < BUFFERS; i++)
        release_pages(pages[i] - page, 3 * page);
}

/* Batches of 2^32 packets begin with the first, and do not end before what is readable of them. */
enum { READABLE = 256 };
#if !defined(_WIN32) && SIZE_MAX > UINT32_MAX
static const hornet_ssh_packet *many;
static bool many_valid[READABLE];

static void seal_many(void) { hornet_ssh_seal_batch(many, (size_t)1 << 32); }
static void open_many(void) { (void)!hornet_ssh_open_batch(many_valid, many, (size_t)1 << 32); }

static void test_huge_counts(void)
{
    const size_t page = page_bytes(), packets_bytes = READABLE * sizeof(hornet_ssh_packet);
    const size_t readable = (packets_bytes + page - 1) / page * page;
    uint8_t *const pages = reserve_pages(readable + page);
    must(pages != NULL && allow_pages(pages, readable), "memory for guard pages");
    hornet_ssh_packet *const all = (hornet_ssh_packet *)(void *)(pages + readable - packets_bytes);
    many = all;
    for (int opens = 0; opens < 2; opens++) {
        make_messages(2, 0);
        make_calls(2, opens != 0);
        for (size_t i = 0; i < READABLE; i++)
            all[i] = calls[i != 0];
        check(accesses_guard_page(opens ? open_many : seal_many), "a batch of 2^32 packets ends early");
        check(opens ? many_valid[0] : is_sealed(outs[0], &messages[0]),
              "the first of 2^32 packets, opens %d", opens);
    }
    release_pages(pages, readable + page);
}
#endif

/* The longest packet, of zeros. The tag is compared with that of hornet_poly1305, of which another test
 * shows that it takes as many bytes, and the text by opening what was sealed. */
static void test_huge(void)
{
#if !defined(_WIN32) && SIZE_MAX > UINT32_MAX
    const size_t n = UINT32_MAX;
    uint8_t *const packet = reserve_pages(n + OVERHEAD + AROUND), nonce[12] = {0}, one_time[32] = {0},
                   tag[TAG];
    must(packet != NULL && allow_pages(packet, n + OVERHEAD + AROUND), "4 GiB of memory");
    const struct message m = make_message(0);
    for (int i = 0; i < 4; i++)
        nonce[8 + i] = (uint8_t)(m.sequence >> (24 - 8 * i));
    memset(packet + n + OVERHEAD, FILL, AROUND);
    hornet_ssh_seal(packet, UINT32_MAX, m.sequence, m.key);
    check(hornet_chacha20(one_time, one_time, 32, 0, nonce, m.key), "the key");
    hornet_poly1305(tag, packet, LENGTH + n, one_time);
    check(memcmp(packet + LENGTH + n, tag, TAG) == 0 && all_are(packet + n + OVERHEAD, AROUND, FILL),
          "the longest packet, sealed: its tag");
    check(hornet_ssh_packet_length(packet, m.sequence, m.key) == UINT32_MAX,
          "the length of 2^32 - 1 bytes");
    for (int forged = 1; forged >= 0; forged--) {
        const hornet_ssh_packet call = {packet, UINT32_MAX, m.sequence, m.key};
        bool is_valid = !forged;
        if (!forged) { /* it was refused before, so its text is zeros again */
            hornet_ssh_seal_batch(&call, 1);
            check(memcmp(packet + LENGTH + n, tag, TAG) == 0, "the longest packet, in a batch: its tag");
        }
        packet[LENGTH + n] ^= (uint8_t)forged;
        check(hornet_ssh_open_batch(&is_valid, &call, 1) == !forged && is_valid == !forged &&
                  all_are(packet + LENGTH, n, 0),
              "the longest packet, opened, forged %d", forged);
    }
    release_pages(packet, n + OVERHEAD + AROUND);
    test_huge_counts();
#else
    check(false, "no 4 GiB here");
#endif
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*test)(void);
    } tests[] = {
        {"vectors", test_vectors},
        {"lengths", test_lengths},
        {"long packets", test_long_lengths},
        {"pairs of kernels", test_pairs},
        {"special numbers", test_special_numbers},
        {"alignments", test_alignments},
        {"batches", test_batches},
        {"every bit", test_every_bit},
        {"guard pages", test_guard_pages},
    };
    report_crashes();
    random_bytes(random_text, sizeof random_text);
    if (argc > 1 && strcmp(argv[1], "--few") == 0) {
        step = 37;
    } else if (argc > 1) {
        must(strcmp(argv[1], "--huge") == 0, "--few or --huge");
        test_huge();
        return check_report("test_ssh");
    }
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        const unsigned long before = checks_done;
        tests[i].test();
        printf("%s: %lu checks\n", tests[i].name, checks_done - before);
    }
    return check_report("test_ssh");
}
