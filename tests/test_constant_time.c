/* Nothing depends on secrets but values: with keys, messages and tags marked as undefined, a branch or an
 * address that depends on one is an error. Adam Langley's ctgrind, with one of two tools:
 *
 *     valgrind --error-exitcode=9 test_constant_time        memcheck, which does not know AVX-512
 *     test_constant_time                                    compiled by clang with -fsanitize=memory, which
 * does, but takes what comes out of asm as defined
 *
 * With the argument `leak` it must fail: shows that the method sees. */
#include <stdlib.h>
#include <string.h>

#include "../include/hornet.h"
#include "check.h"
#include "kernels.h"

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define MEMORY_SANITIZER
#endif
#endif

#ifdef MEMORY_SANITIZER
#include <sanitizer/msan_interface.h>
#define MAKE_UNDEFINED(memory, len_bytes) __msan_poison(memory, len_bytes)
#define MAKE_DEFINED(memory, len_bytes)   __msan_unpoison(memory, len_bytes)
#else
#include <valgrind/memcheck.h>
#define MAKE_UNDEFINED(memory, len_bytes) VALGRIND_MAKE_MEM_UNDEFINED(memory, len_bytes)
#define MAKE_DEFINED(memory, len_bytes)   VALGRIND_MAKE_MEM_DEFINED(memory, len_bytes)
#endif

enum { MAX_BYTES = 2304 };

static uint8_t msg[MAX_BYTES], key[32], tag[16];

static void secret(void *memory, size_t len_bytes) { MAKE_UNDEFINED(memory, len_bytes); }

/* The result of a comparison, and nothing else, is made public. */
static bool public_bool(bool value)
{
    MAKE_DEFINED(&value, sizeof value);
    return value;
}

/* Messages, keys and tags are secret; their lengths and addresses are not. */
static void batches(const char *kernel)
{
    enum { COUNT = 70 };
    static uint8_t tags[COUNT][16], keys[COUNT][32];
    static const void *msgs[COUNT];
    static size_t lens_bytes[COUNT];
    bool good[COUNT];
    memset(keys, 0x5a, sizeof keys);
    secret(keys, sizeof keys);
    for (size_t round = 0; round < 8; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            msgs[i] = msg + i;
            lens_bytes[i] = round < 4 ? 37 * round : i * i * (round - 3) % 1500;
        }
        hornet_poly1305_batch(tags, msgs, lens_bytes, (const uint8_t(*)[32])keys, COUNT);
        const bool all = hornet_poly1305_verify_batch(good, (const uint8_t(*)[16])tags, msgs, lens_bytes,
                                                      (const uint8_t(*)[32])keys, COUNT);
        check(public_bool(all), "kernel %s: batch %zu", kernel, round);
    }
}

int main(int argc, char **argv)
{
    secret(msg, sizeof msg);
    for (int k = 0; k < KERNEL_COUNT; k++) {
        if (!hornet_kernel_force(all_kernels[k]->name)) {
            printf("kernel %s: not on this CPU\n", all_kernels[k]->name);
            continue;
        }
        batches(all_kernels[k]->name);
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
