/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Shared by the fuzz targets: reading an input, and checking conditions. */
#ifndef HORNET_FUZZ_H
#define HORNET_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../include/hornet.h"
#include "../../../include/hornet_kernels.h"
#include "../../../include/hornet_poly1305_aes.h"
#include "../../support/kernels.h"
#include "../../support/reference.h"

/* An input, taken from its beginning; past the end, zeros are returned. */
struct input {
    const uint8_t *bytes;
    size_t left;
};

static inline void take(struct input *input, void *to, size_t len_bytes)
{
    const size_t n = input->left < len_bytes ? input->left : len_bytes;
    memset(to, 0, len_bytes);
    if (n != 0)
        memcpy(to, input->bytes, n);
    input->bytes += n;
    input->left -= n;
}

static inline uint8_t take_byte(struct input *input)
{
    uint8_t byte;
    take(input, &byte, 1);
    return byte;
}

/* Ends the program if `holds` is false, which the fuzzer reports together with the input. */
static inline void must(bool holds, const char *what, const char *kernel)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", kernel, what);
    abort();
}

/* Iterates over the kernels that run here: returns the next one at or after *k, or NULL. */
static inline const struct hornet_poly1305_kernel *next_kernel(int *k)
{
    while (*k < KERNEL_COUNT && !kernel_runs_here(all_kernels[*k]))
        ++*k;
    return *k < KERNEL_COUNT ? all_kernels[(*k)++] : NULL;
}

/* Makes a message from the rest of the input, repeated up to a length that lanes need, in memory of exactly
 * its size, so that the sanitizer notices reads beyond it. */
static inline uint8_t *take_message(struct input *input, size_t *len_bytes)
{
    uint8_t length[2];
    take(input, length, 2);
    *len_bytes = (size_t)(length[0] | length[1] << 8) % 9000;
    uint8_t *msg = malloc(*len_bytes + (*len_bytes == 0));
    if (msg == NULL)
        exit(1);
    for (size_t i = 0; i < *len_bytes; i++)
        msg[i] = input->left == 0 ? 0xff : input->bytes[i % input->left];
    return msg;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len_bytes);

#endif
