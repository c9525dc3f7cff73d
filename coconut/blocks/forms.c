/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Runs instructions at their own addresses on states from standard input, and writes what they leave, for
 * coconut/lift/compare.py.
 *
 * Behind an instruction, and at the target of a jump, are jumps to code that saves all registers. A signal
 * is an outcome, too. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "state.h"

enum { CODE_MAX = 16, PAGE = 4096, PAGES_MAX = 1 << 14, TRAP_FLAG = 0x100 };

/* target, data, stack: addresses, or 0. */
struct job {
    uint64_t at, code_bytes, target, data, stack, states;
    uint8_t code[CODE_MAX];
};

/* In assembly. enter runs the instruction, and returns after it has saved all registers. */
void enter(void *state);
void landing_after(void);
void landing_target(void);
void landing_signal(void);
void forms_begin_at(uint64_t address);
void *state_in_use;

static int signal_caught;

static void on_signal(int number, siginfo_t *information, void *context)
{
    (void)information;
    ucontext_t *interrupted = context;
    signal_caught = number;
#ifdef __x86_64__
    interrupted->uc_mcontext.gregs[REG_RIP] = (greg_t)(uintptr_t)landing_signal;
    /* An instruction that sets it would be followed by a signal after each other one. */
    interrupted->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
#else
    interrupted->uc_mcontext.pc = (uintptr_t)landing_signal;
#endif
}

static void catch_signals(void)
{
    static char stack[1 << 16];
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    static const int caught[] = {SIGSEGV, SIGILL, SIGFPE, SIGBUS, SIGTRAP};
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
        sigaction(caught[i], &action, NULL);
}

/* Maps the pages of a range, unless they are mapped. Returns whether they can be used. */
static int map(uint64_t at, uint64_t bytes)
{
    static uint64_t pages[PAGES_MAX];
    static size_t count;
    for (uint64_t page = at / PAGE; page <= (at + bytes - 1) / PAGE; page++) {
        size_t i = 0;
        while (i < count && pages[i] != page)
            i++;
        if (i < count)
            continue;
        void *wanted = (void *)(uintptr_t)(page * PAGE);
        if (count == PAGES_MAX || mmap(wanted, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != wanted)
            return 0;
        pages[count++] = page;
    }
    return 1;
}

/* Writes a jump, and returns its length. */
static size_t put_jump(uint64_t at, uint64_t to)
{
    uint8_t *place = (uint8_t *)(uintptr_t)at;
#ifdef __x86_64__
    int32_t offset = (int32_t)(to - at - 5);
    place[0] = 0xe9;
    memcpy(place + 1, &offset, sizeof offset);
    return 5;
#else
    uint32_t jump = 0x14000000u | ((uint32_t)((to - at) >> 2) & 0x3ffffffu);
    memcpy(place, &jump, sizeof jump);
    return sizeof jump;
#endif
}

static int prepare(const struct job *job)
{
    uint64_t after = job->at + job->code_bytes;
    if (!map(job->at, job->code_bytes + CODE_MAX) || (job->target && !map(job->target, CODE_MAX)) ||
        (job->data && !map(job->data, STATE_MEMORY)) || (job->stack && !map(job->stack, STATE_MEMORY)))
        return 0;
    memcpy((void *)(uintptr_t)job->at, job->code, job->code_bytes);
    size_t bytes = put_jump(after, (uintptr_t)landing_after);
    __builtin___clear_cache((char *)(uintptr_t)job->at, (char *)(uintptr_t)after + bytes);
    if (job->target) {
        bytes = put_jump(job->target, (uintptr_t)landing_target);
        __builtin___clear_cache((char *)(uintptr_t)job->target, (char *)(uintptr_t)job->target + bytes);
    }
    forms_begin_at(job->at);
    return 1;
}

static void run(const struct job *job, uint8_t *state)
{
    void *data = (void *)(uintptr_t)job->data, *stack = (void *)(uintptr_t)job->stack;
    if (data)
        memcpy(data, state + STATE_DATA, STATE_MEMORY);
    if (stack)
        memcpy(stack, state + STATE_STACK, STATE_MEMORY);
    signal_caught = 0;
    enter(state_in_use = state);
    if (data)
        memcpy(state + STATE_DATA, data, STATE_MEMORY);
    if (stack)
        memcpy(state + STATE_STACK, stack, STATE_MEMORY);
    uint64_t outcome = OUTCOME_SIGNAL + (uint64_t)signal_caught;
    if (signal_caught)
        memcpy(state + STATE_OUTCOME, &outcome, sizeof outcome);
}

int main(void)
{
    struct job job;
    static uint8_t state[STATE_BYTES] __attribute__((aligned(64)));
    catch_signals();
    while (fread(&job, sizeof job, 1, stdin) == 1) {
        if (job.code_bytes > CODE_MAX)
            return 1;
        int can_run = prepare(&job);
        for (uint64_t i = 0; i < job.states; i++) {
            if (fread(state, sizeof state, 1, stdin) != 1)
                return 1;
            if (can_run)
                run(&job, state);
            if (fwrite(state, sizeof state, 1, stdout) != 1)
                return 1;
        }
    }
    return 0;
}
