/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The functions of the program that accompanies the IET paper (section 5 names its address), called as its
 * main.c calls them: README.md builds and measures it. */
#include <stddef.h>

typedef unsigned char state_avx2[576];

void CRYPTO_poly1305_init_avx2(state_avx2 *state, const unsigned char key[32]);
void CRYPTO_poly1305_update_avx2(state_avx2 *state, const unsigned char *msg, size_t len_bytes,
                                 unsigned char tag[16]);
void CRYPTO_poly1305_finish_avx2(state_avx2 *state, const unsigned char *msg, size_t len_bytes,
                                 unsigned char tag[16]);
void CRYPTO_poly1305_modified_update_avx2(state_avx2 *state, const unsigned char *msg, size_t len_bytes,
                                          unsigned char tag[16]);

void poly1305_auth(unsigned char tag[16], const unsigned char *msg, size_t len_bytes,
                   const unsigned char key[32])
{
    state_avx2 state;
    CRYPTO_poly1305_init_avx2(&state, key);
    if (len_bytes % 64 == 0 && len_bytes != 0)
        CRYPTO_poly1305_update_avx2(&state, msg, len_bytes, tag);
    else if (len_bytes < 49)
        CRYPTO_poly1305_finish_avx2(&state, msg, len_bytes, tag);
    else
        CRYPTO_poly1305_modified_update_avx2(&state, msg, len_bytes, tag);
}
