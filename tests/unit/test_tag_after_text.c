/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The tag may directly follow the text: every function that writes or reads a tag gets the same results as
 * from buffers of their own, and changes no byte after the tag. On every kernel of ChaCha20. */
#include <stdlib.h>
#include <string.h>

#include "../../include/hornet.h"
#include "../support/chacha20_kernels.h"
#include "../support/check.h"

enum { LONGEST = 70000, TAG = 16, AROUND = 64, FILL = 0xa5, AAD_BYTES = 13, PACKETS = 40 };

static uint8_t msg[LONGEST], expected[LONGEST + TAG], buffer[LONGEST + TAG + AROUND], other[LONGEST];
static uint8_t key[32], nonce[24], aad[AAD_BYTES];
static const char *kernel;

/* Sets the buffer to a text of n bytes and a tag, which may be NULL. */
static void fill(const uint8_t *text, const uint8_t *tag, size_t n)
{
    memset(buffer, FILL, n + TAG + AROUND);
    memcpy(buffer, text, n);
    if (tag != NULL)
        memcpy(buffer + n, tag, TAG);
}

static void check_buffer(const uint8_t *text, const uint8_t *tag, size_t n, const char *what)
{
    bool same = memcmp(buffer, text, n) == 0 && memcmp(buffer + n, tag, TAG) == 0;
    for (size_t i = 0; i < AROUND; i++)
        same = same && buffer[n + TAG + i] == FILL;
    check(same, "%s, %zu bytes: %s", kernel, n, what);
}

typedef bool seal_function(void *, uint8_t *, const void *, size_t, const void *, size_t, const uint8_t *,
                           const uint8_t *);
typedef bool open_function(void *, const void *, size_t, const uint8_t *, const void *, size_t,
                           const uint8_t *, const uint8_t *);

static void test_call(seal_function *seal, open_function *open, size_t n)
{
    uint8_t wrong[TAG];
    check(seal(expected, expected + LONGEST, msg, n, aad, AAD_BYTES, nonce, key), "sealed");
    const uint8_t *const tag = expected + LONGEST;
    for (int in_place = 0; in_place < 2; in_place++) {
        fill(msg, NULL, n);
        check(seal(buffer, buffer + n, in_place ? buffer : msg, n, aad, AAD_BYTES, nonce, key), "sealed");
        check_buffer(expected, tag, n, in_place ? "sealed in place" : "sealed");
        check(open(in_place ? buffer : other, buffer, n, buffer + n, aad, AAD_BYTES, nonce, key),
              "%s, %zu bytes: refused", kernel, n);
        check_buffer(in_place ? msg : expected, tag, n, in_place ? "opened in place" : "opened");
        check(in_place || memcmp(other, msg, n) == 0, "%s, %zu bytes: opened", kernel, n);
    }
    memcpy(wrong, tag, TAG);
    wrong[n % TAG] ^= 1;
    fill(expected, wrong, n);
    check(!open(buffer, buffer, n, buffer + n, aad, AAD_BYTES, nonce, key), "a forgery");
    memset(other, 0, n);
    check_buffer(other, wrong, n, "forged, in place");
}

/* In pieces, where the tag and the text of hornet_xchacha20_poly1305_seal are expected. */
static void test_pieces(size_t n)
{
    const uint8_t *const tag = expected + LONGEST;
    const size_t cut = n * 3 / 7;
    hornet_aead_state state;
    fill(msg, NULL, n);
    hornet_xchacha20_poly1305_init(&state, nonce, key);
    bool ok = hornet_aead_aad(&state, aad, AAD_BYTES) && hornet_aead_encrypt(&state, buffer, buffer, cut) &&
              hornet_aead_encrypt(&state, buffer + cut, buffer + cut, n - cut) &&
              hornet_aead_final(&state, buffer + n);
    check_buffer(expected, tag, n, "in pieces");
    hornet_xchacha20_poly1305_init(&state, nonce, key);
    ok = ok && hornet_aead_aad(&state, aad, AAD_BYTES) &&
         hornet_aead_decrypt(&state, buffer, buffer, cut) &&
         hornet_aead_decrypt(&state, buffer + cut, buffer + cut, n - cut) &&
         hornet_aead_final_verify(&state, buffer + n);
    check(ok, "%s, %zu bytes, in pieces: refused", kernel, n);
    check_buffer(msg, tag, n, "decrypted in pieces");
}

static void test_mac(size_t n)
{
    uint8_t tag[TAG];
    hornet_poly1305(tag, msg, n, key);
    fill(msg, NULL, n);
    hornet_poly1305(buffer + n, buffer, n, key);
    check_buffer(msg, tag, n, "authenticated");
    check(hornet_poly1305_verify(buffer + n, buffer, n, key), "%zu bytes: refused", n);
}

/* Packets one after another, each with its tag, in place. */
static void test_packets(size_t n)
{
    hornet_packet packets[PACKETS];
    bool valid[PACKETS];
    uint8_t *at = buffer, *want = expected;
    memset(buffer, FILL, sizeof buffer);
    for (size_t i = 0; i < PACKETS; i++) {
        const size_t len_bytes = i % 5 == 4 ? n / 2 : n;
        memcpy(at, msg + i, len_bytes);
        check(hornet_chacha20_poly1305_seal(want, want + len_bytes, msg + i, len_bytes, aad, AAD_BYTES,
                                            nonce + i % 12, key),
              "sealed");
        packets[i] =
            (hornet_packet){at, at, len_bytes, aad, AAD_BYTES, nonce + i % 12, key, at + len_bytes};
        at += len_bytes + TAG;
        want += len_bytes + TAG;
    }
    const size_t all = (size_t)(at - buffer);
    check(hornet_chacha20_poly1305_seal_batch(packets, PACKETS) && memcmp(buffer, expected, all) == 0 &&
              *at == FILL,
          "%s, %zu bytes: packets", kernel, n);
    check(hornet_chacha20_poly1305_open_batch(valid, packets, PACKETS) && *at == FILL,
          "%s, %zu bytes: packets refused", kernel, n);
    for (size_t i = 0; i < PACKETS; i++) {
        const hornet_packet *const p = &packets[i];
        const size_t from = (size_t)(p->tag - buffer);
        check(memcmp(p->out, msg + i, p->len_bytes) == 0 && memcmp(p->tag, expected + from, TAG) == 0,
              "%s, %zu bytes: packet %zu", kernel, n, i);
    }
}

int main(void)
{
    srand(1);
    for (size_t i = 0; i < LONGEST; i++)
        msg[i] = (uint8_t)(rand() >> 7);
    memcpy(key, msg, 32);
    memcpy(nonce, msg + 32, 24);
    for (size_t k = 0; k < CHACHA20_KERNELS; k++) {
        if (!chacha20_runs_here(chacha20_kernels[k]))
            continue;
        force_chacha20(chacha20_kernels[k]);
        kernel = chacha20_name(chacha20_kernels[k]);
        for (size_t n = 0; n <= LONGEST; n += n < 150 ? 1 : n / 9) {
            test_call(hornet_chacha20_poly1305_seal, hornet_chacha20_poly1305_open, n);
            test_call(hornet_xchacha20_poly1305_seal, hornet_xchacha20_poly1305_open, n);
            test_pieces(n);
            test_mac(n);
            if (n <= 1600)
                test_packets(n);
        }
    }
    return check_report("test_tag_after_text");
}
