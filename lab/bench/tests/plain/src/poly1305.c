/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A source tree for the tests of `compare`: Poly1305 in its plainest form, with only the functions that
 * every version of Hornet has. */
#include <stdbool.h>
#include <string.h>

#include "deep/absorb.h"

#define API __attribute__((visibility("default")))

API void hornet_poly1305(uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32])
{
    const uint8_t *bytes = msg;
    struct poly1305 p;
    plain_init(&p, key);
    for (; len_bytes > 16; len_bytes -= 16, bytes += 16)
        plain_absorb(&p, bytes, 16);
    if (len_bytes > 0)
        plain_absorb(&p, bytes, len_bytes);
    plain_finish(&p, key + 16, tag);
}

API void hornet_poly1305_batch(uint8_t (*tags)[16], const void *const *msgs, const size_t *lens_bytes,
                               const uint8_t (*keys)[32], size_t count)
{
    for (size_t i = 0; i < count; i++)
        hornet_poly1305(tags[i], msgs[i], lens_bytes[i], keys[i]);
}

API bool hornet_kernel_force(unsigned primitive, const char *name)
{
    return primitive == 0 && (name == NULL || strcmp(name, "plain") == 0);
}
