/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Prints tags that depend on everything a kernel does, for machines without GMP. check_answers checks
 * them on another machine.
 *
 *     answers [KERNEL...]     the named Poly1305 kernels, by default all that this CPU can run, each
 *                             printing the same lines; then all ChaCha20 kernels */
#include "answers.h"

#include <stdio.h>
#include <string.h>

#include "../../include/hornet.h"
#include "../../include/hornet_kernels.h"
#include "../../include/hornet_ssh.h"
#include "../support/chacha20_kernels.h"
#include "../support/kernels.h"

static void print_answers(const struct hornet_poly1305_kernel *kernel)
{
    static uint8_t msg[ANSWER_MAX_BYTES];
    uint8_t key[32];
    for (int kind = 0; kind < ANSWER_KINDS; kind++) {
        answer_input(kind, msg, key);
        for (size_t n = 0; n <= ANSWER_MAX_BYTES; n++) {
            /* Through the kernel alone in two parts, then through the library. */
            uint8_t tag[16], library_tag[16];
            const size_t split = n / 32 * 16;
            hornet_poly1305_state state;
            hornet_poly1305_init(&state, key);
            if (split != 0)
                kernel->absorb((struct poly1305 *)&state, msg, split);
            if (split != n)
                kernel->absorb((struct poly1305 *)&state, msg + split, n - split);
            hornet_poly1305_final(&state, tag);
            hornet_poly1305(library_tag, msg, n, key);
            for (int i = 0; i < 16; i++)
                printf("%02x", tag[i]);
            printf("%s\n", memcmp(tag, library_tag, 16) == 0 ? "" : " but not in one call");
        }
    }
}

static uint8_t sealed[ANSWER_PACKETS][ANSWER_MAX_BYTES], outs[ANSWER_PACKETS][ANSWER_MAX_BYTES];

/* Seals a packet with the ChaCha20 kernel in use. Sets the tag, which depends on every byte of the
 * ciphertext, and returns a description of the error, or "". */
static const char *seal_one(const hornet_packet *p, uint8_t *out, int number)
{
    uint8_t tag[16];
    const size_t n = p->len_bytes, cut = (size_t)number * 37 % (n + 1);
    hornet_aead_state state;
    if (!hornet_chacha20_poly1305_seal(p->out, p->tag, p->in, n, p->aad, p->aad_bytes, p->nonce, p->key))
        return " but refused";
    if (!hornet_chacha20(out, p->in, n, 1, p->nonce, p->key) || memcmp(out, p->out, n) != 0)
        return " but not by ChaCha20 alone";
    if (!hornet_chacha20_poly1305_open(out, out, n, p->tag, p->aad, p->aad_bytes, p->nonce, p->key) ||
        memcmp(out, p->in, n) != 0)
        return " but not opened";
    hornet_chacha20_poly1305_init(&state, p->nonce, p->key);
    if (!hornet_aead_aad(&state, p->aad, p->aad_bytes) || !hornet_aead_encrypt(&state, out, p->in, cut) ||
        !hornet_aead_encrypt(&state, out + cut, (const uint8_t *)p->in + cut, n - cut) ||
        !hornet_aead_final(&state, tag) || memcmp(tag, p->tag, 16) != 0 || memcmp(out, p->out, n) != 0)
        return " but not in pieces";
    return "";
}

/* Seals packets with nonces of 24 bytes, alone and in a batch, and notes those that differ. */
static void seal_extended(const hornet_packet *packets, const char **notes, size_t count)
{
    uint8_t tag[16];
    const bool all = hornet_xchacha20_poly1305_seal_batch(packets, count);
    for (size_t i = 0; i < count; i++) {
        const hornet_packet *const p = &packets[i];
        static uint8_t alone[ANSWER_MAX_BYTES];
        if (!all ||
            !hornet_xchacha20_poly1305_seal(alone, tag, p->in, p->len_bytes, p->aad, p->aad_bytes, p->nonce,
                                            p->key) ||
            memcmp(alone, p->out, p->len_bytes) != 0 || memcmp(tag, p->tag, 16) != 0)
            notes[i] = " but not in a batch of XChaCha20-Poly1305";
    }
}

/* Seals the texts as SSH packets, alone and in a batch, and notes those that differ from what the library's
 * ChaCha20 and Poly1305 compute. */
static void seal_ssh(const hornet_packet *texts, const char **notes, size_t count)
{
    static uint8_t alone[ANSWER_MAX_BYTES + 20], together[ANSWER_PACKETS][ANSWER_MAX_BYTES + 20];
    static uint8_t expected[ANSWER_MAX_BYTES];
    hornet_ssh_packet packets[ANSWER_PACKETS];
    uint8_t keys[64];
    for (size_t i = 0; i < 64; i++)
        keys[i] = (uint8_t)(i * i + 3);
    for (size_t i = 0; i < count; i++) {
        memcpy(together[i] + 4, texts[i].in, texts[i].len_bytes);
        packets[i] = (hornet_ssh_packet){together[i], (uint32_t)texts[i].len_bytes, (uint32_t)i << 8, keys};
    }
    hornet_ssh_seal_batch(packets, count);
    for (size_t i = 0; i < count; i++) {
        const size_t n = packets[i].len_bytes;
        uint8_t one_time[32] = {0}, tag[16], nonce[12] = {[10] = (uint8_t)i};
        memcpy(alone + 4, texts[i].in, n);
        hornet_ssh_seal(alone, packets[i].len_bytes, packets[i].sequence, keys);
        const bool done = hornet_chacha20(one_time, one_time, 32, 0, nonce, keys) &&
                          hornet_chacha20(expected, texts[i].in, n, 1, nonce, keys);
        hornet_poly1305(tag, alone, 4 + n, one_time);
        if (!done || memcmp(alone + 4, expected, n) != 0 || memcmp(alone + 4 + n, tag, 16) != 0 ||
            memcmp(together[i], alone, 4 + n + 16) != 0 ||
            hornet_ssh_packet_length(alone, packets[i].sequence, keys) != n)
            notes[i] = " but not as an SSH packet";
        bool valid;
        if (!hornet_ssh_open_batch(&valid, &packets[i], 1) || !valid ||
            memcmp(together[i] + 4, texts[i].in, n) != 0)
            notes[i] = " but not opened as an SSH packet";
    }
}

static void print_sealed_answers(void)
{
    static uint8_t msg[ANSWER_MAX_BYTES], key[32], nonces[ANSWER_PACKETS][24];
    static uint8_t tags[ANSWER_PACKETS][16], batch_tags[ANSWER_PACKETS][16];
    answer_input(ANSWER_KINDS - 1, msg, key);
    for (int first = 0; first < ANSWER_SEALED; first += ANSWER_PACKETS) {
        const int count = ANSWER_SEALED - first < ANSWER_PACKETS ? ANSWER_SEALED - first : ANSWER_PACKETS;
        hornet_packet packets[ANSWER_PACKETS];
        const char *notes[ANSWER_PACKETS];
        for (int i = 0; i < count; i++) {
            const int number = first + i;
            answer_nonce(number, nonces[i]);
            answer_nonce(number + 1, nonces[i] + 12);
            packets[i] = (hornet_packet){
                sealed[i], msg,    answer_sealed_bytes(number), msg, answer_aad_bytes(number), nonces[i],
                key,       tags[i]};
            notes[i] = seal_one(&packets[i], outs[i], number);
            packets[i].out = outs[i];
            packets[i].tag = batch_tags[i];
        }
        seal_extended(packets, notes, (size_t)count);
        seal_ssh(packets, notes, (size_t)count);
        const bool all = hornet_chacha20_poly1305_seal_batch(packets, (size_t)count);
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < 16; k++)
                printf("%02x", tags[i][k]);
            if (!all || memcmp(batch_tags[i], tags[i], 16) != 0 ||
                memcmp(outs[i], sealed[i], packets[i].len_bytes) != 0)
                notes[i] = " but not in a batch";
            printf("%s\n", notes[i]);
        }
    }
}

int main(int argc, char **argv)
{
    for (int k = 0; k < KERNEL_COUNT; k++) {
        int wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], name_of(all_kernels[k])) == 0;
        if (wanted && hornet_kernel_force(HORNET_POLY1305, name_of(all_kernels[k]))) {
            printf("kernel %s\n", name_of(all_kernels[k]));
            print_answers(all_kernels[k]);
        }
    }
    (void)!hornet_kernel_force(HORNET_POLY1305, NULL); /* never fails */
    for (int k = 0; k < CHACHA20_KERNELS; k++)
        if (chacha20_runs_here(chacha20_kernels[k])) {
            force_chacha20(chacha20_kernels[k]);
            printf("ChaCha20 %s\n", chacha20_name(chacha20_kernels[k]));
            print_sealed_answers();
        }
    return fflush(stdout) != 0 || checks_failed != 0;
}
