/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Counts the AVX-512 instructions that a peer's ChaCha20-Poly1305 executes, step by step, outside the C
 * library, whose memcpy chooses its own instructions:
 *
 *     instructions LIBRARY    prints two numbers: of all, and of those that are vpmadd52 (IFMA) */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer.h"

/* Either side of where the peers change their method. */
static const size_t lengths[] = {0, 64, 100, 200, 500, 1500, 4100};

/* Seals and opens, step by step after the first stop. The first calls are made before, which choose the
 * instructions. */
static void run(const char *path)
{
    static uint8_t in[4100], sealed[4100], opened[4100], tag[16];
    static const uint8_t key[32] = {1};
    void *const library = dlopen(path, RTLD_NOW);
    __typeof__(&peer_init) init = NULL;
    __typeof__(&peer_key) set_key = NULL;
    __typeof__(&peer_seal) seal = NULL;
    __typeof__(&peer_open) open = NULL;
    if (library != NULL) {
        *(void **)&init = dlsym(library, "peer_init");
        *(void **)&set_key = dlsym(library, "peer_key");
        *(void **)&seal = dlsym(library, "peer_seal");
        *(void **)&open = dlsym(library, "peer_open");
    }
    if (seal == NULL || open == NULL || set_key == NULL || init() != NULL)
        _exit(2);
    set_key(key);
    bool ok = true;
    for (int round = 0; round < 2; round++) {
        if (round == 1) {
            ptrace(PTRACE_TRACEME, 0, NULL, NULL);
            raise(SIGSTOP);
        }
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            ok &= seal(sealed, tag, in, lengths[i], key, 16, key, key) &&
                  open(opened, sealed, lengths[i], tag, key, 16, key, key) &&
                  memcmp(in, opened, lengths[i]) == 0;
    }
    _exit(ok ? 0 : 2);
}

/* Returns where the code of the C library is. */
static void libc_of(pid_t process, unsigned long *from, unsigned long *to)
{
    char name[64], line[512], access[8];
    snprintf(name, sizeof name, "/proc/%d/maps", (int)process);
    FILE *maps = fopen(name, "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        if (strstr(line, "/libc.so") != NULL && sscanf(line, "%lx-%lx %7s", from, to, access) == 3 &&
            access[2] == 'x')
            break;
    if (maps != NULL)
        fclose(maps);
}

int main(int count, char **words)
{
    if (count != 2)
        return 2;
    const pid_t process = fork();
    if (process == 0)
        run(words[1]);
    int status;
    waitpid(process, &status, 0);
    unsigned long from = 0, to = 0;
    if (WIFSTOPPED(status))
        libc_of(process, &from, &to);
    long all = 0, ifma = 0;
    while (WIFSTOPPED(status)) {
        struct user_regs_struct registers;
        ptrace(PTRACE_GETREGS, process, NULL, &registers);
        errno = 0;
        const unsigned long bytes = (unsigned long)ptrace(PTRACE_PEEKTEXT, process, registers.rip, NULL);
        /* EVEX: 62, three bytes, of which the first contains the opcode's map, and the opcode. 62 is
         * nothing else in 64-bit code. */
        if (errno == 0 && (bytes & 0xff) == 0x62 && (registers.rip < from || registers.rip >= to)) {
            const unsigned opcode = bytes >> 32 & 0xff;
            all++;
            ifma += (bytes >> 8 & 7) == 2 && (opcode == 0xb4 || opcode == 0xb5);
        }
        ptrace(PTRACE_SINGLESTEP, process, NULL, NULL);
        waitpid(process, &status, 0);
    }
    printf("%ld %ld\n", all, ifma);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}
