/* Prints tags that depend on everything a kernel does, for machines without GMP: the output must be the
 * same everywhere, and test_poly1305 says on one machine that it is right.
 *
 *     answers [KERNEL...]           default: all that this CPU can run; each prints the same lines
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../include/hornet.h"
#include "kernels.h"

enum { MAX_BYTES = 2304 };

static void print_answers(const struct hornet_kernel *kernel)
{
    static uint8_t msg[MAX_BYTES];
    for (int kind = 0; kind < 3; kind++) {
        uint8_t key[32];
        for (int i = 0; i < MAX_BYTES; i++)
            msg[i] = (uint8_t)(kind == 0 ? 255 : i * i * 7 + i / 5 + kind);
        for (int i = 0; i < 32; i++)
            key[i] = (uint8_t)(kind == 2 ? i * 97 + 5 : 255);
        for (size_t n = 0; n <= MAX_BYTES; n++) {
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
            printf("%d %4zu ", kind, n);
            for (int i = 0; i < 16; i++)
                printf("%02x", tag[i]);
            printf("%s\n", memcmp(tag, library_tag, 16) == 0 ? "" : " but one call differs");
        }
    }
}

int main(int argc, char **argv)
{
    for (int k = 0; k < KERNEL_COUNT; k++) {
        int wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], all_kernels[k]->name) == 0;
        if (wanted && hornet_kernel_force(all_kernels[k]->name))
            print_answers(all_kernels[k]);
    }
    return fflush(stdout) != 0;
}
