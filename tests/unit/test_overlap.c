/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* In a build with HORNET_DEBUG, every public function that encrypts or decrypts traps if its output and
 * input overlap without being the same memory. It works if they are the same, or adjacent. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "../../include/hornet_stream.h"
#include "../support/check.h"
#include "../support/inputs.h"

#ifndef HORNET_DEBUG
#error "The library and this test are compiled with HORNET_DEBUG."
#endif

enum { LONGEST = 70000, PACKETS = 20, PIECES = 3 };

static uint8_t nonce[24], key[32], tag[16];

/* The calls. Their return values are tested elsewhere. */

static void seal(uint8_t *out, const uint8_t *in, size_t n)
{
    (void)!hornet_chacha20_poly1305_seal(out, tag, in, n, NULL, 0, nonce, key);
}

static void open(uint8_t *out, const uint8_t *in, size_t n)
{
    (void)!hornet_chacha20_poly1305_open(out, in, n, tag, NULL, 0, nonce, key);
}

static void seal_extended(uint8_t *out, const uint8_t *in, size_t n)
{
    (void)!hornet_xchacha20_poly1305_seal(out, tag, in, n, NULL, 0, nonce, key);
}

static void open_extended(uint8_t *out, const uint8_t *in, size_t n)
{
    (void)!hornet_xchacha20_poly1305_open(out, in, n, tag, NULL, 0, nonce, key);
}

static void encrypt(uint8_t *out, const uint8_t *in, size_t n)
{
    hornet_aead_state state;
    hornet_chacha20_poly1305_init(&state, nonce, key);
    (void)!hornet_aead_encrypt(&state, out, in, n);
}

static void decrypt(uint8_t *out, const uint8_t *in, size_t n)
{
    hornet_aead_state state;
    hornet_xchacha20_poly1305_init(&state, nonce, key);
    (void)!hornet_aead_decrypt(&state, out, in, n);
}

/* One of several pieces, the last; the others are elsewhere. */
static const hornet_piece *pieces_with(uint8_t *out, const uint8_t *in, size_t n)
{
    static hornet_piece pieces[PIECES];
    static uint8_t outs[PIECES][10];
    for (size_t i = 0; i < PIECES - 1; i++)
        pieces[i] = (hornet_piece){outs[i], key, sizeof outs[i]};
    pieces[PIECES - 1] = (hornet_piece){out, in, n};
    return pieces;
}

static void encrypt_pieces(uint8_t *out, const uint8_t *in, size_t n)
{
    hornet_aead_state state;
    hornet_xchacha20_poly1305_init(&state, nonce, key);
    (void)!hornet_aead_encryptv(&state, pieces_with(out, in, n), PIECES);
}

static void decrypt_pieces(uint8_t *out, const uint8_t *in, size_t n)
{
    hornet_aead_state state;
    hornet_chacha20_poly1305_init(&state, nonce, key);
    (void)!hornet_aead_decryptv(&state, pieces_with(out, in, n), PIECES);
}

/* One of many packets of the same length, so that they may share lanes; the others are elsewhere. */
static const hornet_packet *packets_with(uint8_t *out, const uint8_t *in, size_t n)
{
    static hornet_packet packets[PACKETS];
    static uint8_t ins[LONGEST], outs[PACKETS][LONGEST], tags[PACKETS][16];
    for (size_t i = 0; i < PACKETS; i++)
        packets[i] = (hornet_packet){outs[i], ins, n, NULL, 0, nonce, key, tags[i]};
    packets[PACKETS - 3].out = out;
    packets[PACKETS - 3].in = in;
    return packets;
}

static void seal_batch(uint8_t *out, const uint8_t *in, size_t n)
{
    (void)!hornet_chacha20_poly1305_seal_batch(packets_with(out, in, n), PACKETS);
}

static void open_batch(uint8_t *out, const uint8_t *in, size_t n)
{
    bool valid[PACKETS];
    (void)!hornet_chacha20_poly1305_open_batch(valid, packets_with(out, in, n), PACKETS);
}

static void seal_extended_batch(uint8_t *out, const uint8_t *in, size_t n)
{
    (void)!hornet_xchacha20_poly1305_seal_batch(packets_with(out, in, n), PACKETS);
}

static void open_extended_batch(uint8_t *out, const uint8_t *in, size_t n)
{
    bool valid[PACKETS];
    (void)!hornet_xchacha20_poly1305_open_batch(valid, packets_with(out, in, n), PACKETS);
}

static void seal_stream(uint8_t *out, const uint8_t *in, size_t n)
{
    (void)!hornet_stream_seal(out, in, n, 0, true, key);
}

static void open_stream(uint8_t *out, const uint8_t *in, size_t n)
{
    uint64_t sealed_bytes;
    (void)!hornet_stream_sealed_bytes(&sealed_bytes, n);
    (void)!hornet_stream_open(out, NULL, in, (size_t)sealed_bytes, 0, true, key);
}

static void chacha20(uint8_t *out, const uint8_t *in, size_t n)
{
    (void)!hornet_chacha20(out, in, n, 1, nonce, key);
}

static const struct {
    const char *name;
    void (*call)(uint8_t *out, const uint8_t *in, size_t n);
    bool writes_tags, reads_tags; /* among the chunks, of which only one may stay where it is */
} functions[] = {
    {.name = "hornet_chacha20_poly1305_seal", .call = seal},
    {.name = "hornet_chacha20_poly1305_open", .call = open},
    {.name = "hornet_xchacha20_poly1305_seal", .call = seal_extended},
    {.name = "hornet_xchacha20_poly1305_open", .call = open_extended},
    {.name = "hornet_aead_encrypt", .call = encrypt},
    {.name = "hornet_aead_decrypt", .call = decrypt},
    {.name = "hornet_aead_encryptv", .call = encrypt_pieces},
    {.name = "hornet_aead_decryptv", .call = decrypt_pieces},
    {.name = "hornet_chacha20_poly1305_seal_batch", .call = seal_batch},
    {.name = "hornet_chacha20_poly1305_open_batch", .call = open_batch},
    {.name = "hornet_xchacha20_poly1305_seal_batch", .call = seal_extended_batch},
    {.name = "hornet_xchacha20_poly1305_open_batch", .call = open_extended_batch},
    {.name = "hornet_stream_seal", .call = seal_stream, .writes_tags = true},
    {.name = "hornet_stream_open", .call = open_stream, .reads_tags = true},
    {.name = "hornet_chacha20", .call = chacha20},
};

/* Returns from a trap, which compilers make SIGILL or SIGTRAP. */
static sigjmp_buf before_call;

static void on_trap(int signal_number)
{
    (void)signal_number;
    siglongjmp(before_call, 1);
}

/* Calls function f with its input in the middle of memory, and its output `distance` bytes after it. */
static void check_call(size_t f, size_t n, ptrdiff_t distance, bool must_trap)
{
    static uint8_t memory[3 * LONGEST + 64];
    uint8_t *const in = memory + LONGEST + 32;
    volatile bool trapped = true;
    if (sigsetjmp(before_call, 1) == 0) {
        functions[f].call(in + distance, in, n);
        trapped = false;
    }
    check(trapped == must_trap, "%s: %zu bytes, output %td bytes after the input: %s", functions[f].name, n,
          distance, trapped ? "a trap" : "no trap");
}

int main(void)
{
    /* Lengths for which single calls, pieces and batches take different code paths. */
    static const size_t lengths[] = {2, 16, 64, 192, 300, 960, 1350, 1984, 5000, LONGEST};
    signal(SIGILL, on_trap);
    signal(SIGTRAP, on_trap);
    random_bytes(nonce, sizeof nonce);
    random_bytes(key, sizeof key);
    for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++) {
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            const size_t n = lengths[i];
            const ptrdiff_t overlaps[] = {1, (ptrdiff_t)n / 2, (ptrdiff_t)n - 1};
            for (size_t k = 0; k < sizeof overlaps / sizeof overlaps[0]; k++) {
                check_call(f, n, overlaps[k], true);
                check_call(f, n, -overlaps[k], true);
            }
            const ptrdiff_t tags = n > HORNET_STREAM_CHUNK_BYTES ? 2 * 16 : 16;
            const ptrdiff_t written = functions[f].writes_tags ? tags : 0;
            const ptrdiff_t read = functions[f].reads_tags ? tags : 0;
            check_call(f, n, 0, written + read > 16);
            check_call(f, n, (ptrdiff_t)n + read, false);
            check_call(f, n, -(ptrdiff_t)n - written, false);
            if (written + read != 0)
                check_call(f, n, read != 0 ? (ptrdiff_t)n + read - 1 : -(ptrdiff_t)n - written + 1, true);
        }
        check_call(f, 0, 1, false);
        check_call(f, 1, 0, false);
#if SIZE_MAX > UINT32_MAX
        /* Only the upper halves of a length show the overlap. In a batch, other packets come first. */
        if (strstr(functions[f].name, "batch") == NULL)
            check_call(f, ((size_t)1 << 32) + 16, (ptrdiff_t)1 << 31, true);
#endif
    }
    return check_report("test_overlap");
}
