/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Prints tags that depend on everything a kernel does, for machines without GMP; check_answers says
 * elsewhere whether they are correct.
 *
 *     answers [KERNEL...]     default: all that this CPU can run, each printing the same lines
 */
#include "answers.h"

#include <stdio.h>
#include <string.h>

#include "../../include/hornet.h"
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

int main(int argc, char **argv)
{
    for (int k = 0; k < KERNEL_COUNT; k++) {
        int wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            wanted |= strcmp(argv[i], name_of(all_kernels[k])) == 0;
        if (wanted && hornet_kernel_force(name_of(all_kernels[k]))) {
            printf("kernel %s\n", name_of(all_kernels[k]));
            print_answers(all_kernels[k]);
        }
    }
    return fflush(stdout) != 0;
}
