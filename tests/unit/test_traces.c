/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The executed instructions do not depend on secrets: every public function is traced, and the addresses of
 * the instructions must be the same for every key, message, nonce and tag. On x86-64 it is single-stepped,
 * which covers code that memcheck does not support, such as AVX-512, in the code as it is compiled for use.
 * On other architectures, a plugin of the emulator (tests/cross/traces_plugin.c) records the traces that
 * this program marks, loads and stores too, and test_traces.py compares those of each comparison that this
 * program prints.
 *
 *     test_traces              on every kernel of this CPU; of x86-64, on what no tool records
 *     test_traces leak         a function that leaks: the test must fail
 *
 * On x86-64, loads and stores are compared by test_traces.py, with a tool that records them, in separate
 * processes:
 *
 *     test_traces secrets N    writes secrets of kind N
 *     test_traces once         reads them, and calls each function once
 *     test_traces once leak    the same for the function that leaks
 *
 * For test_forwarding.py, it writes what it steps through, of one call of each function on each kernel:
 *
 *     test_traces steps        a line "KERNEL, FUNCTION, BYTES, STEPS", and each step as struct step */
#define _GNU_SOURCE /* the names of registers */
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include "../support/chacha20_kernels.h"
#include "../support/secret_calls.h"
#include "../support/trace_marks.h"

static volatile uint64_t hash, steps;

/* The number of a comparison, of which all traces must be the same. */
static int comparison;

#ifdef __x86_64__

enum { TRAP_FLAG = 0x100 };

/* The general-purpose registers before an instruction, as the system has them, and its first bytes. */
struct step {
    greg_t registers[REG_RIP + 1];
    uint8_t code[16];
};

enum { STEPS_MAX = 150000 };
static struct step *recorded;

/* Between these two, every instruction traps. */
__attribute__((noinline)) static void begin_trace(void)
{
    hash = UINT64_C(0xcbf29ce484222325);
    steps = 0;
    __asm__ volatile("pushfq\n\torq %0, (%%rsp)\n\tpopfq" : : "i"(TRAP_FLAG) : "memory", "cc");
}

__attribute__((noinline)) static void end_trace(void) { __asm__ volatile("nop"); }

static void trap(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint64_t address = (uint64_t)registers[REG_RIP];
    if (address == (uintptr_t)end_trace) {
        registers[REG_EFL] &= ~(greg_t)TRAP_FLAG;
        return;
    }
    hash = (hash ^ address) * UINT64_C(0x100000001b3); /* FNV-1a */
    if (recorded != NULL && steps < STEPS_MAX) {
        memcpy(recorded[steps].registers, registers, sizeof recorded[0].registers);
        memcpy(recorded[steps].code, (const void *)address, sizeof recorded[0].code);
    }
    steps++;
}

static bool prepare(void)
{
    const struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
    return sigaction(SIGTRAP, &action, NULL) == 0;
}

#else

/* Between these two, the plugin records. */
static void begin_trace(void) { (void)close(TRACE_BEGINS + comparison); }
static void end_trace(void) { (void)close(TRACE_ENDS); }
static bool prepare(void) { return true; }

#endif

static void begin_comparison(const char *kernel, const struct secret_call *function, size_t n)
{
    comparison++;
#ifndef __x86_64__
    printf("comparison %d: %s, %s, %zu bytes\n", comparison, kernel, function->name, n);
#else
    (void)kernel, (void)function, (void)n;
#endif
}

static uint64_t all_steps;
static unsigned long traces;

/* Must not be duplicated in each caller, where it would have other addresses. */
#ifdef __clang__
__attribute__((noinline))
#else
__attribute__((noinline, noclone))
#endif
static uint64_t
trace(const struct secret_call *function, size_t n, const struct secrets *secrets)
{
    /* Nonces are public, but no instruction depends on them either. */
    memcpy(it.nonces, secrets->msg, sizeof it.nonces);
    memcpy(aead_nonce, secrets->msg, sizeof aead_nonce);
    set_up(function, n, secrets);
    begin_trace();
    function->call(n);
    end_trace();
    all_steps += steps;
    traces++;
    return hash;
}

/* A function that opens a message decrypts it or writes zeros, depending on the verdict, which the
 * caller learns anyway. */
static bool acts_on_verdict(const struct secret_call *function)
{
    return function->call == call_open || function->call == call_xopen || function->call == call_ssh_open ||
           function->call == call_stream_open || is_of_packets(function->call, true);
}

static void compare_traces(const char *kernel, const struct secret_call *function, size_t n)
{
    static struct secrets secrets[SECRETS_KINDS];
    if (traces == 0)
        for (enum secrets_kind kind = 0; kind < SECRETS_KINDS; kind++)
            make_secrets(&secrets[kind], kind);
    set_up(function, n, &secrets[ALL_ZERO]);
    function->call(n); /* the very first call chooses the implementations */
    begin_comparison(kernel, function, n);
    const uint64_t expected = trace(function, n, &secrets[ALL_ZERO]);
    const bool acts = acts_on_verdict(function);
    const enum secrets_kind end = function->makes_tag != NULL && !acts ? SECRETS_KINDS : RANDOM_TOO;
    for (enum secrets_kind kind = ALL_ZERO + 1; kind < end; kind++) {
        /* These kinds set r. Where r is derived from a key, they are like the others. */
        if (function->encrypts && (kind == R_IS_1 || kind == SMALL_R))
            continue;
        check(trace(function, n, &secrets[kind]) == expected,
              "kernel %s, %s, %zu bytes: other instructions under secrets %d", kernel, function->name, n,
              kind);
    }
    if (!acts)
        return;
    begin_comparison(kernel, function, n);
    check(trace(function, n, &secrets[WRONG_FIRST_BYTE]) == trace(function, n, &secrets[WRONG_LAST_BYTE]),
          "kernel %s, %s, %zu bytes: other instructions for another forgery", kernel, function->name, n);
}

/* Calls each function once, for a tool that records everything from here on. */
void begin_record(void);
__attribute__((noinline)) void begin_record(void) { __asm__ volatile(""); }

static struct secrets given;

static void call_once(const char *kernel, const struct secret_call *function, size_t n)
{
    (void)kernel;
    if (!acts_on_verdict(function)) {
        set_up(function, n, &given);
        function->call(n);
        return;
    }
    /* Both verdicts, under any secrets. */
    static struct secrets other;
    other = given;
    for (uint8_t difference = 0; difference < 2; difference++) {
        memset(other.tag_difference, difference, 16);
        set_up(function, n, &other);
        function->call(n);
    }
}

#ifdef __x86_64__
static void write_steps(const char *kernel, const struct secret_call *function, size_t n)
{
    set_up(function, n, &given);
    function->call(n); /* the very first call chooses the implementations */
    (void)trace(function, n, &given);
    printf("%s, %s, %zu, %llu\n", kernel, function->name, n, (unsigned long long)steps);
    if (steps > STEPS_MAX || fwrite(recorded, sizeof *recorded, steps, stdout) != steps) {
        fprintf(stderr, "cannot write %llu steps\n", (unsigned long long)steps);
        exit(2);
    }
}
#endif

/* The first has no group of blocks. The second has groups, blocks before them and bytes after them. The
 * last uses powers from a table; only hornet_poly1305, on kernels with few instructions, and the first
 * function that seals are tested with it. Functions that encrypt run with each ChaCha20 kernel, and one
 * Poly1305 kernel; those of Poly1305-AES also with each AES, and one Poly1305 kernel. */
static const size_t lengths[] = {17, 187, 3997};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

static bool takes_many(const char *kernel)
{
#ifndef __x86_64__
    return false; /* a plugin takes a fraction of the time of single steps */
#endif
    return strncmp(kernel, "portable", 8) == 0 || strncmp(kernel, "scalar", 6) == 0;
}

/* Single steps take 2 us each, so they are for kernels whose instructions test_traces.py cannot record:
 * those of AVX-512 and AVX-IFMA; and for the shortest, for CPUs that have neither. */
static bool is_traced(void (*do_it)(const char *kernel, const struct secret_call *function, size_t n),
                      const char *kernel)
{
#ifdef __x86_64__
    return do_it == call_once || do_it == write_steps || strstr(kernel, "avx512") ||
           strstr(kernel, "ifma") || strcmp(kernel, "scalar64") == 0;
#else
    (void)do_it, (void)kernel;
    return true;
#endif
}

static void for_each(void (*do_it)(const char *kernel, const struct secret_call *function, size_t n))
{
    hornet_kernel at;
    for (size_t k = 0; hornet_kernel_at(&at, HORNET_POLY1305, k); k++) {
        const char *const kernel = at.name;
        if (!at.supported || !is_traced(do_it, kernel))
            continue;
        check(hornet_kernel_force(HORNET_POLY1305, kernel), "kernel %s", kernel);
        for (size_t f = 0; f < SECRET_CALLS; f++)
            for (size_t i = 0; i < (secret_calls[f].one_length ? 1 : LENGTHS); i++)
                if (!secret_calls[f].encrypts && (i == 0 || (!takes_many(kernel) && (i == 1 || f == 0))))
                    do_it(kernel, &secret_calls[f], lengths[i]);
    }
    check(hornet_kernel_force(HORNET_POLY1305, NULL), "the automatic choice");
    for (size_t k = 0; k < CHACHA20_KERNELS; k++) {
        if (!chacha20_runs_here(chacha20_kernels[k]) ||
            !is_traced(do_it, chacha20_name(chacha20_kernels[k])))
            continue;
        force_chacha20(chacha20_kernels[k]);
        for (size_t f = 0; f < SECRET_CALLS; f++) {
            const struct secret_call *function = &secret_calls[f];
            const bool seals = function->call == call_seal, batch = is_of_packets(function->call, false);
            for (size_t i = 0; i < LENGTHS && function->encrypts; i++)
                if (i == 0 || (!function->one_length && !batch && i == 1) || seals)
                    do_it(chacha20_name(chacha20_kernels[k]), function, lengths[i]);
        }
    }
    force_chacha20(NULL);
    for (size_t k = 0; hornet_kernel_at(&at, HORNET_AES128, k); k++) {
        if (!at.supported)
            continue;
        check(hornet_kernel_force(HORNET_AES128, at.name), "AES %s", at.name);
        for (size_t f = 0; f < SECRET_CALLS; f++)
            if (strncmp(secret_calls[f].name, "hornet_poly1305_aes", 19) == 0)
                do_it(at.name, &secret_calls[f], lengths[0]);
    }
    check(hornet_kernel_force(HORNET_AES128, NULL), "the automatic choice of AES");
}

/* An example of what the test must detect. */
static void leak(size_t n)
{
    static volatile uint8_t table[256];
    call_mac(n);
    it.ok = table[it.tags[0][0]] != 0; /* through an address */
    for (uint8_t i = 0; i < it.keys[0][0]; i++)
        __asm__ volatile(""); /* and through the number of instructions */
}

int main(int argc, char **argv)
{
    static const struct secret_call leaking = {.name = "a function that leaks", .call = leak};
    if (argc == 3 && strcmp(argv[1], "secrets") == 0) {
        make_secrets(&given, (enum secrets_kind)(strtol(argv[2], NULL, 10) % SECRETS_KINDS));
        return fwrite(&given, sizeof given, 1, stdout) != 1;
    }
    if (argc >= 2 && strcmp(argv[1], "once") == 0) {
        if (fread(&given, sizeof given, 1, stdin) != 1)
            return 2;
        begin_record();
        if (argc == 3)
            call_once("any", &leaking, 100);
        else
            for_each(call_once);
        return 0;
    }

    if (!prepare()) {
        perror("sigaction");
        return 2;
    }
#ifdef __x86_64__
    if (argc == 2 && strcmp(argv[1], "steps") == 0) {
        if ((recorded = calloc(STEPS_MAX, sizeof *recorded)) == NULL)
            return 2;
        make_secrets(&given, RANDOM);
        for_each(write_steps);
        return fflush(stdout) != 0;
    }
#endif
    if (argc == 2 && strcmp(argv[1], "leak") == 0)
        compare_traces("any", &leaking, 100);
    else
        for_each(compare_traces);
#ifdef __x86_64__
    check(all_steps > 100 * traces, "hardly any instructions");
    printf("%lu traces, %llu instructions\n", traces, (unsigned long long)all_steps);
#endif
    return check_report("test_traces");
}
