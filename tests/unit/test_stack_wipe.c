/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The data that a call leaves below its frame and in registers does not depend on keys, messages or
 * tags: every function is run twice on its own stack, under different secrets and otherwise identical
 * conditions, and no byte may differ, except in a copy of the ciphertext, which is public. So no byte
 * belongs to r, a pad, a round key, the accumulator, a power of r in any radix or a multiple of one, nor to
 * anything else that is computed from them.
 *
 *     test_stack_wipe              every function, on every kernel of Poly1305 and ChaCha20 of this CPU
 *     test_stack_wipe --few        the same on fewer lengths, for emulators
 *     test_stack_wipe leak WHERE   a function that leaves a word on the `stack` or in a vector `register`:
 *                                  the test must fail */
#define MESSAGES          64 /* so that a batch has all tags that it has room for */
#define MESSAGE_MAX_BYTES 16384

#include "../../src/core/cpu.h"
#include "../../src/core/tuning.h"
#include "../support/call_on.h"
#include "../support/chacha20_kernels.h"
#include "../support/pages.h"
#include "../support/secret_calls.h"

/* At -O0, clang's frames reach 1.3 MB, gcc's a quarter of that. */
#ifndef STACK_BYTES
#define STACK_BYTES (64 * 1024)
#endif

static uint8_t *stack;
static uint8_t stack_before[STACK_BYTES];
static struct registers registers_before;

static struct secrets secrets[SECRETS_KINDS];

/* Whether AES is to be chosen by the call itself, as by the first one of a process. */
static bool first_use;

/* Returns how many bytes at a position of the stack, up to `most`, are those of a ciphertext from byte
 * `from` on, or its end, which zeros or unused memory follow. */
static size_t ciphertext_at(size_t at, size_t from, size_t most)
{
    static const uint8_t zeros[64]; /* as in buffers that no call has written */
    for (size_t i = 0; i < MESSAGES; i++) {
        const size_t len_bytes = it.packets[i].len_bytes;
        const size_t n = len_bytes < from ? 0 : len_bytes - from < most ? len_bytes - from : most;
        if (memcmp(stack + at, it.sealed[i] + from, n) == 0 && memcmp(stack + at, zeros, n) != 0 &&
            (memcmp(stack + at + n, zeros, most - n) == 0 || stack[at + n] == 0xa5))
            return n;
    }
    return 0;
}

/* Where on the stack a function copies ciphertexts: always to the same place, so that of an earlier one
 * only what is beyond the last one may be left. STACK_BYTES if it leaves none. */
static size_t ciphertexts_at = STACK_BYTES;

/* Fewer bytes than this at the end of a ciphertext may be zeros, or what was there before, by chance. What
 * is such an end in one of two runs is compared in neither. */
enum { CERTAIN_BYTES = 4 };
static bool may_be_end[STACK_BYTES];

static void forget_ciphertexts(void)
{
    for (size_t i = 0; ciphertexts_at + i + 16 < STACK_BYTES; i += 16) {
        const size_t at = ciphertexts_at + i, n = ciphertext_at(at, i, 16);
        if (n < CERTAIN_BYTES)
            memset(may_be_end + at, 1, n);
        else
            memset(stack + at, 0, n);
        /* The probes of -fstack-clash-protection overwrite single words. */
        for (size_t word = 0; n == 0 && word < 16; word += 8)
            if (ciphertext_at(at + word, i + word, 8) == 8)
                memset(stack + at + word, 0, 8);
    }
}

static void forget_ends(void)
{
    for (size_t i = ciphertexts_at; i < STACK_BYTES; i++)
        if (may_be_end[i]) {
            may_be_end[i] = false;
            stack_before[i] = stack[i];
        }
}

static void run(const struct secret_call *function, size_t n, enum secrets_kind kind)
{
    set_up(function, n, &secrets[kind]);
    if (first_use)
        *hornet_aes_list.in_use = 0;
    else
        (void)hornet_kernel_in_use(HORNET_AES128);
    memset(stack, 0xa5, STACK_BYTES);
    call_on(function->call, n, stack + STACK_BYTES);
    /* A valid message takes another code path than a forgery. */
    check(function->makes_tag == NULL || it.ok == (kind < WRONG_FIRST_BYTE), "%s, %zu bytes: the verdict",
          function->name, n);
}

static void find_ciphertexts(const struct secret_call *function, size_t n)
{
    run(function, n, RANDOM);
    for (ciphertexts_at = 0; ciphertexts_at + 64 < STACK_BYTES; ciphertexts_at += 64)
        if (ciphertext_at(ciphertexts_at, 0, 64) == 64)
            return;
    ciphertexts_at = STACK_BYTES;
}

static size_t deepest;

/* Returns the number of bytes that differ, and sets *first and *last to their positions. */
static size_t differences(const void *a, const void *b, size_t len_bytes, size_t *first, size_t *last)
{
    size_t count = 0;
    if (memcmp(a, b, len_bytes) == 0)
        return 0;
    for (size_t i = 0; i < len_bytes; i++)
        if (((const uint8_t *)a)[i] != ((const uint8_t *)b)[i]) {
            *first = count++ == 0 ? i : *first;
            *last = i;
        }
    return count;
}

static void compare(const char *kernel, const struct secret_call *function, size_t n, enum secrets_kind one,
                    enum secrets_kind other)
{
    first_use = !first_use; /* the same in both runs */
    run(function, n, one);
    forget_ciphertexts();
    memcpy(stack_before, stack, STACK_BYTES);
    registers_before = registers;
    run(function, n, other);
    forget_ciphertexts();
    forget_ends();
    size_t first = 0, last = 0, count = differences(stack_before, stack, STACK_BYTES, &first, &last);
    check(count == 0, "kernel %s, %s, %zu bytes: %zu bytes of the stack differ, %zu to %zu below the frame",
          kernel, function->name, n, count, STACK_BYTES - last - 1, STACK_BYTES - first - 1);
    count = differences(&registers_before, &registers, sizeof registers, &first, &last);
    check(count == 0, "kernel %s, %s, %zu bytes: %zu bytes of vector registers differ, %zu to %zu", kernel,
          function->name, n, count, first, last);
    for (size_t i = 0; i < STACK_BYTES - deepest; i += 8)
        if (memcmp(stack + i, &(uint64_t){UINT64_C(0xa5a5a5a5a5a5a5a5)}, 8) != 0)
            deepest = STACK_BYTES - i;
}

/* The option --few. */
static bool few_lengths;

/* Returns the length that is tested after n; in messages of few blocks, `rarely` skips most of them. */
static size_t next_length(size_t n, bool rarely)
{
    if (n >= 150)
        return n + 1 + n / (few_lengths ? 2 : 8);
    if (few_lengths)
        return n + (rarely ? 31 : 7);
    return rarely ? n + 16 - n % 16 + n / 16 % 2 : n + 1;
}

/* Compares every function on these kernels. Functions that encrypt are tested with fewer lengths for a
 * Poly1305 kernel. */
static void compare_all(const char *kernel, bool of_chacha20)
{
    deepest = 0;
    for (size_t f = 0; f < SECRET_CALLS; f++) {
        const struct secret_call *function = &secret_calls[f];
        if (of_chacha20 && !function->encrypts)
            continue;
        ciphertexts_at = STACK_BYTES;
        if (function->leaves_ciphertext) {
            find_ciphertexts(function, AEAD_COPIED_BYTES - 96);
            if (ciphertexts_at == STACK_BYTES)
                find_ciphertexts(function, 4000);
        }
        for (size_t n = 0; n <= (function->one_length ? 0 : 12000);
             n = next_length(n, function->encrypts && !of_chacha20)) {
            compare(kernel, function, n, RANDOM, RANDOM_TOO);
            if (n % 16 == 0)
                compare(kernel, function, n, ALL_ONE, RANDOM);
            if (n % 16 == 1)
                compare(kernel, function, n, WRONG_FIRST_BYTE, WRONG_LAST_BYTE);
        }
    }
    printf("%s%s: %zu bytes of stack\n", of_chacha20 ? "ChaCha20 by " : "", kernel, deepest);
}

/* The AES implementations, alone. */
static const struct hornet_aes *aes;
static void call_encrypt(size_t n) { aes->encrypt(it.tags, IT_NONCES, IT_AES_KEYS, n); }

/* Examples of what the test must detect: a word of a key in a dead frame, and one in a vector register,
 * which may be that of a result. */
static void leak(size_t n)
{
    volatile uint8_t bytes[4];
    call_mac(n);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = it.keys[0][5 + i];
}

static double leak_in_register(size_t n)
{
    double word;
    call_mac(n);
    memcpy(&word, it.keys[0] + 5, sizeof word);
    return word;
}

int main(int argc, char **argv)
{
    static const struct secret_call encrypt = {.name = "AES", .call = call_encrypt, .one_length = true};
    static const struct secret_call leaks = {.name = "a function that leaves a word", .call = leak};
    static const struct secret_call leaks_in_register = {
        .name = "a function that leaves a register",
        .call = (void (*)(size_t))(void (*)(void))leak_in_register};
    stack = reserve_pages(STACK_BYTES);
    if (stack == NULL || !allow_pages(stack, STACK_BYTES)) {
        printf("FAILED: no memory for a stack\n");
        return 2;
    }
    for (enum secrets_kind kind = 0; kind < SECRETS_KINDS; kind++)
        make_secrets(&secrets[kind], kind);
    if (argc > 2 && strcmp(argv[1], "leak") == 0) {
        compare("any", strcmp(argv[2], "stack") == 0 ? &leaks : &leaks_in_register, 100, RANDOM,
                RANDOM_TOO);
        return check_report("test_stack_wipe");
    }
    few_lengths = argc > 1 && strcmp(argv[1], "--few") == 0;

    static const struct hornet_aes *const implementations[] = {
#define HORNET_AES(name) &hornet_aes_##name,
#include "../../src/aes/aes.def"
    };
    for (size_t i = 0; i < sizeof implementations / sizeof implementations[0]; i++) {
        aes = implementations[i];
        for (size_t count = 1; count <= 9 && hornet_can_run(&aes->implementation, hornet_cpu()); count++)
            compare(aes->implementation.name, &encrypt, count, RANDOM, RANDOM_TOO);
    }
    hornet_kernel at;
    for (size_t k = 0; hornet_kernel_at(&at, HORNET_POLY1305, k); k++) {
        const char *const kernel = at.name;
        if (!at.supported)
            continue;
        check(hornet_kernel_force(HORNET_POLY1305, kernel), "kernel %s", kernel);
        compare_all(kernel, false);
    }
    check(hornet_kernel_force(HORNET_POLY1305, NULL), "the automatic choice");
    for (size_t k = 0; k < CHACHA20_KERNELS; k++)
        if (chacha20_runs_here(chacha20_kernels[k])) {
            force_chacha20(chacha20_kernels[k]);
            compare_all(chacha20_name(chacha20_kernels[k]), true);
        }
    return check_report("test_stack_wipe");
}
