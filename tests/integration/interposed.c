/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A program that defines functions with the names of those that the library's own functions call. The
 * library must not call these. */
#include <hornet.h>
#include <hornet_poly1305_aes.h>
#include <stdio.h>
#include <string.h>

static unsigned calls;

bool hornet_poly1305_verify(const uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32])
{
    (void)tag, (void)msg, (void)len_bytes, (void)key;
    calls++;
    return true;
}

bool hornet_poly1305_verify_batch(bool *valid, const uint8_t (*tags)[16], const void *const *msgs,
                                  const size_t *lens_bytes, const uint8_t (*keys)[32], size_t count)
{
    (void)tags, (void)msgs, (void)lens_bytes, (void)keys;
    calls++;
    memset(valid, 1, count);
    return true;
}

bool hornet_poly1305_final_verify(hornet_poly1305_state *state, const uint8_t tag[16])
{
    (void)state, (void)tag;
    calls++;
    return true;
}

bool hornet_poly1305_r_is_clamped(const uint8_t r[16])
{
    (void)r;
    calls++;
    return true;
}

void hornet_poly1305(uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32])
{
    (void)msg, (void)len_bytes, (void)key;
    calls++;
    memset(tag, 0, 16);
}

void hornet_wipe(void *memory, size_t len_bytes)
{
    (void)memory, (void)len_bytes;
    calls++;
}

int main(void)
{
    const uint8_t nonce[1][16] = {{1}}, forged[1][16] = {{2}}, pad[16] = {3};
    uint8_t key[1][32] = {{4}}, forbidden[32], tag[16], zeros[16] = {0};
    const void *const message[1] = {"message"};
    const size_t bytes[1] = {7};
    bool valid[1] = {true};
    hornet_poly1305_partial partial;
    memset(forbidden, 0xff, sizeof forbidden);

    if (hornet_poly1305_aes_verify(forged[0], message[0], 7, nonce[0], key[0]) ||
        hornet_poly1305_pad_verify(forged[0], message[0], 7, key[0] + 16, pad) ||
        hornet_poly1305_aes_verify_batch(valid, forged, message, bytes, nonce, (const uint8_t(*)[32])key,
                                         1) ||
        valid[0] || !hornet_poly1305_partial_compute(&partial, message[0], 7, key[0] + 16) ||
        hornet_poly1305_partial_verify(forged[0], &partial, pad)) {
        puts("a forged tag is accepted");
        return 1;
    }
    if (hornet_poly1305_aes(tag, message[0], 7, nonce[0], forbidden) ||
        !hornet_poly1305_aes(tag, message[0], 7, nonce[0], key[0]) || memcmp(tag, zeros, 16) == 0) {
        puts("the library calls the program's functions");
        return 1;
    }
    printf("%u calls\n", calls);
    return calls != 0;
}
