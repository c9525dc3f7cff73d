/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* chosen KERNEL "TESTED..."|all: checks that this CPU is given KERNEL, or any kernel if it is -; that
 * each of the others, whose names it prints, runs when it is forced, and then processes long messages;
 * and that public functions preserve the callee-saved registers, with each ChaCha20 kernel as well. */
#ifdef _WIN32
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#endif
#include <string.h>

#include "../../include/hornet.h"
#include "../../include/hornet_kernels.h"
#include "../../include/hornet_poly1305_aes.h"
#include "../../include/hornet_ssh.h"
#include "../support/chacha20_kernels.h"
#include "../support/check.h"
#include "../support/inputs.h"
#include "saved_registers.h"

enum { MESSAGES = 20, LONGEST = 5000 };

static uint8_t message[LONGEST], key[32], tags[MESSAGES][16], keys[MESSAGES][32], nonce[16];

static uint8_t outs[MESSAGES][LONGEST];

/* SSH packets with texts of n bytes and fewer. */
static void call_ssh(size_t n)
{
    static uint8_t all[MESSAGES][4 + LONGEST + 16];
    const uint8_t *const ssh_key = message;
    hornet_ssh_packet packets[MESSAGES];
    bool valid[MESSAGES];
    for (size_t m = 0; m < MESSAGES; m++)
        packets[m] = (hornet_ssh_packet){all[m], (uint32_t)(n > m ? n - m : 0), (uint32_t)m, ssh_key + m};
    hornet_ssh_seal(all[0], (uint32_t)n, 0, ssh_key);
    (void)!hornet_ssh_packet_length(all[0], 0, ssh_key);
    (void)!hornet_ssh_open(all[0], (uint32_t)n, 0, ssh_key);
    hornet_ssh_seal_batch(packets, MESSAGES);
    (void)!hornet_ssh_open_batch(valid, packets, MESSAGES);
}

/* The AEAD functions: a single call, pieces, packets; and SSH's. */
static void call_aead(void)
{
    static const size_t lens_bytes[] = {0, 1, 17, 64, 150, 192, 300, 500, 960, 1500, 1984, LONGEST};
    static const uint8_t aead_nonce[24] = {1};
    hornet_aead_state state;
    for (size_t i = 0; i < sizeof lens_bytes / sizeof lens_bytes[0]; i++) {
        const size_t n = lens_bytes[i];
        hornet_packet packets[MESSAGES];
        bool valid[MESSAGES];
        (void)!hornet_chacha20_poly1305_seal(outs[0], tags[0], message, n, key, 13, aead_nonce, key);
        (void)!hornet_chacha20_poly1305_open(outs[1], outs[0], n, tags[0], key, 13, aead_nonce, key);
        (void)!hornet_xchacha20_poly1305_seal(outs[0], tags[0], message, n, message, 90, aead_nonce, key);
        (void)!hornet_xchacha20_poly1305_open(outs[0], outs[0], n, tags[1], message, 90, aead_nonce, key);
        for (int decrypts = 0; decrypts < 2; decrypts++) {
            hornet_chacha20_poly1305_init(&state, aead_nonce, key);
            (void)!hornet_aead_aad(&state, message, n);
            for (size_t at = 0; at < n; at += 300)
                (void)!(decrypts ? hornet_aead_decrypt : hornet_aead_encrypt)(&state, outs[0], message + at,
                                                                              n - at < 300 ? n - at : 300);
            if (decrypts)
                (void)!hornet_aead_final_verify(&state, tags[0]);
            else
                (void)!hornet_aead_final(&state, tags[0]);
        }
        for (size_t m = 0; m < MESSAGES; m++)
            packets[m] = (hornet_packet){outs[m], message + m, n > m ? n - m : 0, message,
                                         m,       aead_nonce,  keys[m],           tags[m]};
        (void)!hornet_chacha20_poly1305_seal_batch(packets, MESSAGES);
        (void)!hornet_chacha20_poly1305_open_batch(valid, packets, MESSAGES);
        (void)!hornet_xchacha20_poly1305_seal_batch(packets, MESSAGES);
        (void)!hornet_xchacha20_poly1305_open_batch(valid, packets, MESSAGES);
        (void)!hornet_chacha20(outs[0], message, n, 5, aead_nonce, key);
        call_ssh(n);
    }
}

/* Calls every public function that uses vectors, at lengths that reach all its parts. */
static void call_everything(void)
{
    call_aead();
    static const size_t lens_bytes[] = {0, 1, 15, 16, 17, 64, 100, 191, 256, 700, 1500, LONGEST};
    hornet_poly1305_state state;
    for (size_t i = 0; i < sizeof lens_bytes / sizeof lens_bytes[0]; i++) {
        const size_t n = lens_bytes[i];
        const void *msgs[MESSAGES];
        size_t lens[MESSAGES];
        bool valid[MESSAGES];
        hornet_poly1305(tags[0], message, n, key);
        (void)!hornet_poly1305_verify(tags[0], message, n, key);
        hornet_poly1305_init(&state, key);
        for (size_t at = 0; at < n; at += 300)
            hornet_poly1305_update(&state, message + at, n - at < 300 ? n - at : 300);
        hornet_poly1305_final(&state, tags[1]);
        for (size_t m = 0; m < MESSAGES; m++) {
            msgs[m] = message + m;
            lens[m] = n > m ? n - m : 0;
        }
        hornet_poly1305_batch(tags, msgs, lens, (const uint8_t(*)[32])keys, MESSAGES);
        (void)!hornet_poly1305_verify_batch(valid, (const uint8_t(*)[16])tags, msgs, lens,
                                            (const uint8_t(*)[32])keys, MESSAGES);
        (void)!hornet_poly1305_aes(tags[0], message, n, nonce, key);
    }
}

static void check_saved_registers(const char *kernel, void (*function)(void))
{
    for (int place = 0; place < STACK_PLACES; place++) {
        for (int i = 0; i < SAVED_REGISTERS; i++)
            saved_before[i] = UINT64_C(0x0123456789abcdef) * (uint64_t)(2 * i + 1);
        call_with_saved_registers(function, place);
        for (int i = 0; i < SAVED_REGISTERS; i++)
            check(saved_after[i] == saved_before[i], "%s: saved register %d was changed", kernel, i);
    }
}

static void test_kernel(const char *name)
{
    printf("kernel %s\n", name);
    check(hornet_kernel_force(HORNET_POLY1305, name), "%s cannot be forced", name);
    const char *const in_use = hornet_kernel_in_use(HORNET_POLY1305);
    check(strcmp(in_use, name) == 0, "%s is forced, %s runs", name, in_use);
    check_saved_registers(name, call_everything);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    const char *const chosen = hornet_kernel_in_use(HORNET_POLY1305);
    check(strcmp(argv[1], "-") == 0 || strcmp(chosen, argv[1]) == 0, "%s is chosen, not %s", chosen,
          argv[1]);
#if defined(_WIN32) && defined(PF_AVX2_INSTRUCTIONS_AVAILABLE)
    check(hornet_kernel_force(HORNET_POLY1305, "avx2") ==
              IsProcessorFeaturePresent(PF_AVX2_INSTRUCTIONS_AVAILABLE),
          "AVX2 is not there as Windows says it is");
#endif
    random_bytes(message, sizeof message);
    random_bytes(key, sizeof key);
    random_bytes(keys[0], sizeof keys);
    hornet_poly1305_clamp(key + 16);
    hornet_kernel kernel;
    if (strcmp(argv[2], "all") == 0) {
        for (size_t i = 0; hornet_kernel_at(&kernel, HORNET_POLY1305, i); i++)
            if (kernel.supported)
                test_kernel(kernel.name);
    } else {
        for (char *name = strtok(argv[2], " "); name != NULL; name = strtok(NULL, " "))
            test_kernel(name);
    }
    check(hornet_kernel_force(HORNET_POLY1305, NULL), "the automatic choice");
    for (size_t k = 0; k < CHACHA20_KERNELS; k++)
        if (chacha20_runs_here(chacha20_kernels[k])) {
            force_chacha20(chacha20_kernels[k]);
            check_saved_registers(chacha20_name(chacha20_kernels[k]), call_aead);
        }
    return check_report("chosen");
}
