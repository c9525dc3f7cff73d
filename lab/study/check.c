/* SPDX-License-Identifier: Apache-2.0 OR MIT */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    LENGTHS = 521,    /* every length from 0 on */
    MOST_BLOCKS = 64, /* of sums around p */
    OFFSETS = 17,     /* p - 8 to p + 8 */
    LONG = 40,        /* lengths up to LONG_BYTES */
    LONG_BYTES = 65536,
    MOST_INPUTS = 2 * LENGTHS + MOST_BLOCKS / 2 * OFFSETS + LONG,
    GUARD_BYTES = 16,
    GUARD = 0xA5,
    SECONDS = 60,
};

const char *const check_class_names[CHECK_CLASSES] = {
    "random bytes",
    "all bits set, of message and key",
    "random bytes, long messages",
    "sums from p - 8 to p + 8, r = 1",
};

struct input {
    char name[CHECK_NAME];
    enum check_class of;
    size_t len_bytes;
    uint8_t key[32];
};

static uint8_t message[LONG_BYTES + 1], expected[MOST_INPUTS][16];
/* Shared with the child: what it found, and the input that it is at. */
static struct {
    struct check found;
    struct input at;
} *shared;
static uint64_t random_state;

static void fill(uint8_t *bytes, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes; i++) {
        random_state ^= random_state << 13;
        random_state ^= random_state >> 7;
        random_state ^= random_state << 17;
        bytes[i] = (uint8_t)(random_state >> 24);
    }
}

/* Makes the message, at `msg`, and key whose evaluation at r = 1 is a multiple of p, plus `offset`:
 * nblocks, an even number, of the largest block, 2^129 - 1, have the sum 3 nblocks / 2 modulo p. */
static bool around_p(struct input *input, uint8_t *msg, size_t nblocks, int offset)
{
    const long less = 3 * (long)nblocks / 2 - offset;
    if (less < 0 || less > 255)
        return false;
    memset(msg, 0xFF, 16 * nblocks);
    msg[16 * (nblocks - 1)] = (uint8_t)(0xFF - less);
    input->key[0] = 1;
    input->len_bytes = 16 * nblocks;
    (void)snprintf(input->name, sizeof input->name, "%zu blocks with the sum p%+d, r = 1", nblocks, offset);
    return true;
}

/* Makes input number i. Returns false if it does not exist. */
static bool make(struct input *input, uint8_t *msg, int i)
{
    static const size_t long_lens[] = {LONG_BYTES, 8205, 16384 + 129};
    const int of_ones = i - LENGTHS, of_long = of_ones - LENGTHS, of_sums = of_long - LONG;
    memset(input, 0, sizeof *input);
    random_state = 88172645463325252U + (uint64_t)i * 1305;
    input->of = of_sums >= 0   ? CHECK_SUMS
                : of_long >= 0 ? CHECK_LONG
                : of_ones >= 0 ? CHECK_ONES
                               : CHECK_RANDOM;
    if (of_sums >= 0)
        return around_p(input, msg, 2 + 2 * (size_t)(of_sums / OFFSETS), of_sums % OFFSETS - OFFSETS / 2);
    if (of_long >= 0)
        input->len_bytes = of_long < 3 ? long_lens[of_long] : 700 + 97 * (size_t)of_long;
    else
        input->len_bytes = (size_t)(of_ones >= 0 ? of_ones : i);
    if (input->of == CHECK_ONES) {
        memset(msg, 0xFF, input->len_bytes);
        memset(input->key, 0xFF, sizeof input->key);
    } else {
        fill(msg, input->len_bytes);
        fill(input->key, sizeof input->key);
    }
    (void)snprintf(input->name, sizeof input->name, "%zu bytes%s", input->len_bytes,
                   input->of == CHECK_ONES ? ", all bits set" : "");
    return true;
}

bool check_begin(check_mac *reference)
{
    static const uint8_t text[] = "Cryptographic Forum Research Group";
    static const uint8_t key[32] = {0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52,
                                    0xfe, 0x42, 0xd5, 0x06, 0xa8, 0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d,
                                    0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b};
    static const uint8_t known[16] = {0xa8, 0x06, 0x1d, 0xc1, 0x30, 0x51, 0x36, 0xc6,
                                      0xc2, 0x2b, 0x8b, 0xaf, 0x0c, 0x01, 0x27, 0xa9};
    uint8_t tag[16];
    reference(tag, text, sizeof text - 1, key);
    for (int i = 0; i < MOST_INPUTS; i++) {
        struct input input;
        if (make(&input, message, i))
            reference(expected[i], message, input.len_bytes, input.key);
    }
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memcmp(tag, known, sizeof tag) == 0 && shared != MAP_FAILED;
}

static void add(struct check_count *count, const struct input *input, bool right)
{
    count->inputs++;
    if (!right && count->wrong++ == 0)
        memcpy(count->example, input->name, sizeof count->example);
}

static void add_to_all(struct check *found, const struct input *input, bool right)
{
    add(&found->all, input, right);
    add(&found->classes[input->of], input, right);
}

static void compare(check_mac *mac)
{
    struct check *found = &shared->found;
    for (int i = 0; i < MOST_INPUTS; i++) {
        struct input input;
        uint8_t *msg = message + i % 2; /* aligned, and not */
        uint8_t tag[16 + GUARD_BYTES];
        if (!make(&input, msg, i))
            continue;
        shared->at = input;
        memset(tag, GUARD, sizeof tag);
        mac(tag, msg, input.len_bytes, input.key);
        bool overruns = false;
        for (int k = 16; k < 16 + GUARD_BYTES; k++)
            overruns = overruns || tag[k] != GUARD;
        found->overruns += overruns;
        add_to_all(found, &input, !overruns && memcmp(tag, expected[i], 16) == 0);
    }
}

struct check check_kernel(check_mac *mac)
{
    memset(shared, 0, sizeof *shared);
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(SECONDS);
        compare(mac);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    struct check *found = &shared->found;
    if (WIFSIGNALED(status) || WEXITSTATUS(status) != 0) {
        found->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        add_to_all(found, &shared->at, false);
    }
    return *found;
}

bool check_write_inputs(FILE *file)
{
    for (int i = 0; i < MOST_INPUTS; i++) {
        struct input input;
        uint8_t len[8];
        if (!make(&input, message, i))
            continue;
        for (size_t k = 0; k < sizeof len; k++)
            len[k] = (uint8_t)((uint64_t)input.len_bytes >> 8 * k);
        (void)fwrite(input.name, sizeof input.name, 1, file);
        (void)fwrite(len, sizeof len, 1, file);
        (void)fwrite(input.key, sizeof input.key, 1, file);
        (void)fwrite(expected[i], sizeof expected[i], 1, file);
        (void)fwrite(message, 1, input.len_bytes, file);
    }
    return fflush(file) == 0 && !ferror(file);
}
