/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A function of Bernstein's poly1305aes, which the macro ORIGINAL names, in the form that the study takes:
 * his needs a clamped r. */
#include <string.h>

void ORIGINAL(unsigned char tag[16], const unsigned char r[16], const unsigned char s[16],
              const unsigned char msg[], unsigned int len_bytes);

void poly1305_auth(unsigned char tag[16], const unsigned char *msg, size_t len_bytes,
                   const unsigned char key[32])
{
    unsigned char r[16];
    memcpy(r, key, sizeof r);
    for (int i = 3; i < 16; i += 4)
        r[i] &= 0x0f;
    for (int i = 4; i < 16; i += 4)
        r[i] &= 0xfc;
    ORIGINAL(tag, r, key + 16, msg, (unsigned int)len_bytes);
}
