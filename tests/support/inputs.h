/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Inputs of test programs. */
#ifndef HORNET_TESTS_INPUTS_H
#define HORNET_TESTS_INPUTS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A generator with a fixed seed, so that a failure can be reproduced: SplitMix64. */
static uint64_t random_state = 1;

__attribute__((unused)) static uint64_t random_word(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

__attribute__((unused)) static void random_bytes(uint8_t *bytes, size_t len_bytes)
{
    for (size_t i = 0; i < len_bytes; i++)
        bytes[i] = (uint8_t)random_word();
}

/* The largest clamped r, and the largest s. */
__attribute__((unused)) static const uint8_t key_max[32] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

/* Decodes hexadecimal digits, and returns the number of bytes. */
__attribute__((unused)) static size_t from_hex(uint8_t *bytes, const char *hex)
{
    size_t n = 0;
    for (; *hex != 0; hex += 2)
        sscanf(hex, "%2hhx", &bytes[n++]);
    return n;
}

#endif
