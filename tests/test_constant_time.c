/* Nothing depends on secrets but values: under valgrind's memcheck, with keys, messages and tags marked as
 * undefined, a branch or an address that depends on one is an error. Adam Langley's ctgrind.
 *
 *     valgrind --error-exitcode=9 test_constant_time        (must pass)
 *     valgrind --error-exitcode=9 test_constant_time leak   (must fail: shows that the method sees)
 */
#include <stdlib.h>
#include <string.h>
#include <valgrind/memcheck.h>

#include "../include/hornet.h"
#include "check.h"
#include "kernels.h"

enum { MAX_BYTES = 2304 };

static uint8_t msg[MAX_BYTES], key[32], tag[16];

static void secret(void *memory, size_t len_bytes) { VALGRIND_MAKE_MEM_UNDEFINED(memory, len_bytes); }

/* The result of a comparison, and nothing else, is made public. */
static bool public_bool(bool value)
{
    VALGRIND_MAKE_MEM_DEFINED(&value, sizeof value);
    return value;
}

int main(int argc, char **argv)
{
    secret(msg, sizeof msg);
    for (int k = 0; k < KERNEL_COUNT; k++) {
        if (!hornet_kernel_force(all_kernels[k]->name)) {
            printf("kernel %s: not on this CPU\n", all_kernels[k]->name);
            continue;
        }
        for (size_t n = 0; n <= MAX_BYTES; n += n < 600 ? 1 : 71) {
            hornet_poly1305_state state;
            memset(key, 0x5a, sizeof key);
            secret(key, sizeof key);
            hornet_poly1305(tag, msg, n, key);
            check(public_bool(hornet_poly1305_verify(tag, msg, n, key)), "kernel %s, length %zu: verify",
                  all_kernels[k]->name, n);
            hornet_poly1305_init(&state, key);
            hornet_poly1305_update(&state, msg, n / 3);
            hornet_poly1305_update(&state, msg + n / 3, n - n / 3);
            check(public_bool(hornet_poly1305_final_verify(&state, tag)), "kernel %s, length %zu: streamed",
                  all_kernels[k]->name, n);
            if (n != 0) {
                hornet_poly1305_init(&state, key);
                all_kernels[k]->absorb((struct poly1305 *)&state, msg, n);
                hornet_poly1305_final(&state, tag);
            }
        }
    }
    if (argc > 1 && strcmp(argv[1], "leak") == 0) {
        hornet_poly1305(tag, msg, sizeof msg, key);
        if (memcmp(tag, msg, 16) == 0)
            printf("a tag compared with memcmp\n");
    }
    return check_report("test_constant_time");
}
