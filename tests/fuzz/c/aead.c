/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20-Poly1305 in one call, cut at any position with other kernels after each cut, and in a batch; and
 * SSH's packets, alone and in a batch: every pair of kernels must compute what the definition says, and
 * reject it with one bit changed. */
#include "../../../include/hornet_ssh.h"
#include "../../support/chacha20_kernels.h"
#include "../../support/reference_aead.h"
#include "fuzz.h"

enum { MOST_CUTS = 6, MOST_PACKETS = 24 };

/* Allocates memory of exactly this size, for the sanitizer. */
static uint8_t *make_buffer(size_t len_bytes)
{
    uint8_t *buffer = malloc(len_bytes + (len_bytes == 0));
    if (buffer == NULL)
        exit(1);
    return buffer;
}

/* Parts of a text, from any byte on, as SSH packets: each alone, then as a batch, in which one is forged.
 */
static void test_ssh(const uint8_t *text, size_t len_bytes, const uint8_t *cuts, size_t count, size_t wrong,
                     const uint8_t key[64])
{
    hornet_ssh_packet packets[MOST_PACKETS];
    uint8_t *expected[MOST_PACKETS];
    bool valid[MOST_PACKETS];
    for (size_t i = 0; i < count; i++) {
        const size_t cut = cuts[i % MOST_CUTS], from = len_bytes * cut / 256 % (1 + wrong),
                     n = i == 0 ? len_bytes : (len_bytes - from) * (cut ^ i) / 256;
        const uint32_t sequence = (uint32_t)(cut * i * UINT32_C(0x9e3779b9));
        uint8_t *const packet = make_buffer(4 + n + 16);
        const uint8_t *const part = i == 0 ? text : text + from;
        expected[i] = make_buffer(4 + n + 16);
        reference_ssh(expected[i], part, (uint32_t)n, sequence, key);
        packets[i] = (hornet_ssh_packet){packet, (uint32_t)n, sequence, key};
        force_chacha20(nth_chacha20(wrong + i));
        memcpy(packet + 4, part, n);
        hornet_ssh_seal(packet, (uint32_t)n, sequence, key);
        must(memcmp(packet, expected[i], 4 + n + 16) == 0, "an SSH packet", "");
        must(hornet_ssh_packet_length(packet, sequence, key) == n, "an SSH packet's length", "");
        must(hornet_ssh_open(packet, (uint32_t)n, sequence, key) && memcmp(packet + 4, part, n) == 0,
             "an SSH packet opened", "");
    }
    hornet_ssh_seal_batch(packets, count);
    for (size_t i = 0; i < count; i++)
        must(memcmp(packets[i].packet, expected[i], 4 + (size_t)packets[i].len_bytes + 16) == 0,
             "SSH packets", "");
    if (count != 0) {
        const size_t bits = 8 * (4 + (size_t)packets[wrong % count].len_bytes + 16),
                     bit = wrong * 977 % bits;
        packets[wrong % count].packet[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    must(hornet_ssh_open_batch(valid, packets, count) == (count == 0), "SSH packets opened", "");
    for (size_t i = 0; i < count; i++) {
        const size_t n = packets[i].len_bytes;
        must(valid[i] == (i != wrong % count), "which SSH packet is forged", "");
        hornet_ssh_seal(packets[i].packet, (uint32_t)n, packets[i].sequence, key);
        must(!valid[i] || memcmp(packets[i].packet, expected[i], 4 + n + 16) == 0, "an opened SSH packet",
             "");
        free(packets[i].packet);
        free(expected[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t input_bytes)
{
    static uint8_t key[32], nonce[24], expected[16], tag[16], tags[MOST_PACKETS][16];
    struct input input = {bytes, input_bytes};
    uint8_t cuts[MOST_CUTS], *outs[MOST_PACKETS];
    hornet_packet packets[MOST_PACKETS];
    bool valid[MOST_PACKETS];
    size_t len_bytes;
    const size_t ncuts = take_byte(&input) % (MOST_CUTS + 1),
                 count = take_byte(&input) % (MOST_PACKETS + 1);
    const size_t aad_bytes = take_byte(&input), first = take_byte(&input), wrong = take_byte(&input);
    take(&input, cuts, sizeof cuts);
    take(&input, key, sizeof key);
    take(&input, nonce, sizeof nonce);
    uint8_t *aad = make_buffer(aad_bytes);
    take(&input, aad, aad_bytes);
    uint8_t *msg = take_message(&input, &len_bytes);
    uint8_t *sealed = make_buffer(len_bytes), *out = make_buffer(len_bytes);
    reference_aead(sealed, expected, msg, len_bytes, aad, aad_bytes, nonce, 12, key);

    /* One call with each kernel of either primitive, and in place. */
    for (size_t i = 0; i < (size_t)KERNEL_COUNT + CHACHA20_KERNELS; i++) {
        const struct hornet_poly1305_kernel *kernel = all_kernels[i % (size_t)KERNEL_COUNT];
        const struct hornet_chacha20_kernel *cipher = nth_chacha20(first + i);
        if (kernel_runs_here(kernel))
            must(hornet_kernel_force(HORNET_POLY1305, name_of(kernel)), "forced", name_of(kernel));
        force_chacha20(cipher);
        memset(out, 0, len_bytes);
        must(hornet_chacha20_poly1305_seal(out, tag, msg, len_bytes, aad, aad_bytes, nonce, key) &&
                 memcmp(out, sealed, len_bytes) == 0 && memcmp(tag, expected, 16) == 0,
             "sealed", chacha20_name(cipher));
        must(hornet_chacha20_poly1305_open(out, out, len_bytes, tag, aad, aad_bytes, nonce, key) &&
                 memcmp(out, msg, len_bytes) == 0,
             "opened", chacha20_name(cipher));
        tag[wrong % 16] ^= (uint8_t)(1 << wrong / 16 % 8);
        must(!hornet_chacha20_poly1305_open(out, sealed, len_bytes, tag, aad, aad_bytes, nonce, key),
             "a forgery is opened", chacha20_name(cipher));
        for (size_t b = 0; b < len_bytes; b++)
            must(out[b] == 0, "a forgery leaves text", chacha20_name(cipher));
    }

    /* In pieces, encrypted and decrypted; and with the long nonce, compared with one call. */
    for (int way = 0; way < 3; way++) {
        const bool decrypts = way == 1, extended = way == 2;
        const uint8_t *in = decrypts ? sealed : msg;
        hornet_aead_state state;
        size_t at = 0;
        if (extended) {
            hornet_xchacha20_poly1305_init(&state, nonce, key);
            reference_aead(sealed, expected, msg, len_bytes, aad, aad_bytes, nonce, 24, key);
        } else {
            hornet_chacha20_poly1305_init(&state, nonce, key);
        }
        const size_t aad_cut = aad_bytes * cuts[0] / 256;
        must(hornet_aead_aad(&state, aad, aad_cut) &&
                 hornet_aead_aad(&state, aad + aad_cut, aad_bytes - aad_cut),
             "associated data", "");
        for (size_t i = 0; i <= ncuts; i++) {
            const size_t n = i == ncuts ? len_bytes - at : (len_bytes - at) * cuts[i] / 256;
            force_chacha20(nth_chacha20(cuts[i % MOST_CUTS] + i));
            must((decrypts ? hornet_aead_decrypt : hornet_aead_encrypt)(&state, out + at, in + at, n),
                 "a piece", "");
            at += n;
        }
        must(memcmp(out, decrypts ? msg : sealed, len_bytes) == 0, "text in pieces", "");
        must(decrypts ? hornet_aead_final_verify(&state, expected)
                      : hornet_aead_final(&state, tag) && memcmp(tag, expected, 16) == 0,
             "the tag of pieces", "");
    }

    /* Parts of the message as packets, compared with single calls; with nonces of 12 or 24 bytes. */
    const bool extended = wrong % 2 != 0;
    for (size_t i = 0; i < count; i++) {
        const size_t n = len_bytes * (cuts[i % MOST_CUTS] ^ i) / 256;
        outs[i] = make_buffer(n);
        packets[i] =
            (hornet_packet){outs[i], msg, n, aad, aad_bytes * i / MOST_PACKETS, nonce, key, tags[i]};
    }
    must((extended ? hornet_xchacha20_poly1305_seal_batch : hornet_chacha20_poly1305_seal_batch)(packets,
                                                                                                 count),
         "packets", "");
    for (size_t i = 0; i < count; i++) {
        const hornet_packet *p = &packets[i];
        force_chacha20(nth_chacha20(first + i + 1));
        must((extended ? hornet_xchacha20_poly1305_seal : hornet_chacha20_poly1305_seal)(
                 out, tag, p->in, p->len_bytes, p->aad, p->aad_bytes, nonce, key) &&
                 memcmp(out, p->out, p->len_bytes) == 0 && memcmp(tag, p->tag, 16) == 0,
             "a packet", "");
        packets[i].in = packets[i].out;
    }
    if (count != 0)
        tags[wrong % count][wrong % 16] ^= 1;
    must((extended ? hornet_xchacha20_poly1305_open_batch
                   : hornet_chacha20_poly1305_open_batch)(valid, packets, count) == (count == 0),
         "packets opened", "");
    for (size_t i = 0; i < count; i++) {
        must(valid[i] == (i != wrong % count), "which packet is forged", "");
        for (size_t b = 0; b < packets[i].len_bytes; b++)
            must(outs[i][b] == (valid[i] ? msg[b] : 0), "a packet opened", "");
        free(outs[i]);
    }
    uint8_t both_keys[64];
    memcpy(both_keys, key, 32);
    memcpy(both_keys + 32, nonce, 24);
    memcpy(both_keys + 56, key, 8);
    test_ssh(msg, len_bytes, cuts, count, wrong, both_keys);

    /* The masks of QUIC's headers, of samples that may overlap, compared with one at a time. */
    const uint8_t *samples[MOST_PACKETS];
    uint8_t masks[MOST_PACKETS][5], mask[5];
    const size_t nmasks = len_bytes < 16 ? 0 : count;
    for (size_t i = 0; i < nmasks; i++)
        samples[i] = msg + (len_bytes - 16) * (cuts[i % MOST_CUTS] ^ i) / 256;
    force_chacha20(nth_chacha20(first));
    hornet_chacha20_header_masks(masks, samples, key, nmasks);
    for (size_t i = 0; i < nmasks; i++) {
        reference_chacha20(mask, (const uint8_t[5]){0}, 5, key, reference_load32(samples[i]),
                           samples[i] + 4);
        must(memcmp(mask, masks[i], 5) == 0, "the mask of a header", "");
    }
    free(out);
    free(sealed);
    free(msg);
    free(aad);
    return 0;
}
