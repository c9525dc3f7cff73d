/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Many short messages at once, each under its own one-time key: faster than one after another. */
#include <hornet.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 100, LONGEST = 200 };

int main(void)
{
    static uint8_t messages[COUNT][LONGEST], keys[COUNT][32], tags[COUNT][16];
    const void *msgs[COUNT];
    size_t lens_bytes[COUNT];
    bool valid[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        memset(messages[i], (int)i, LONGEST);
        memset(keys[i], (int)(i + 1), 32); /* an example; real keys are derived or random */
        msgs[i] = messages[i];
        lens_bytes[i] = i * 37 % LONGEST;
    }

    hornet_poly1305_batch(tags, msgs, lens_bytes, (const uint8_t(*)[32])keys, COUNT);

    messages[42][0] ^= 1; /* changed in transit */
    const bool all = hornet_poly1305_verify_batch(valid, (const uint8_t(*)[16])tags, msgs, lens_bytes,
                                                  (const uint8_t(*)[32])keys, COUNT);
    for (size_t i = 0; i < COUNT; i++)
        if (!valid[i])
            printf("message %zu is not genuine\n", i);
    return !all && !valid[42] && valid[41] && valid[43] ? 0 : 1;
}
