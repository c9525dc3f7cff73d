/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Tags that were received with messages are checked by verify functions, never by memcmp, which reveals to
 * a forger how much of a guess was right. The keys are examples, of RFC 8439 and of Bernstein's paper. */
#include <hornet_poly1305_aes.h>
#include <stdio.h>
#include <string.h>

/* RFC 8439, section 2.5.2: a one-time key, for this message only. */
static const char message[] = "Cryptographic Forum Research Group",
                  forgery[] = "Cryptographic Forum Research Croup";
static const uint8_t one_time_key[HORNET_POLY1305_KEY_BYTES] = {
    0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8,
    0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b};
static const uint8_t tag[HORNET_POLY1305_TAG_BYTES] = {0xa8, 0x06, 0x1d, 0xc1, 0x30, 0x51, 0x36, 0xc6,
                                                       0xc2, 0x2b, 0x8b, 0xaf, 0x0c, 0x01, 0x27, 0xa9};

/* Bernstein 2005, appendix B: k and r, a key for many messages, each with a nonce of its own. */
static const uint8_t key[HORNET_POLY1305_AES_KEY_BYTES] = {
    0xec, 0x07, 0x4c, 0x83, 0x55, 0x80, 0x74, 0x17, 0x01, 0x42, 0x5b, 0x62, 0x32, 0x35, 0xad, 0xd6,
    0x85, 0x1f, 0xc4, 0x0c, 0x34, 0x67, 0xac, 0x0b, 0xe0, 0x5c, 0xc2, 0x04, 0x04, 0xf3, 0xf7, 0x00};
static const uint8_t nonce[HORNET_POLY1305_AES_NONCE_BYTES] = {
    0xfb, 0x44, 0x73, 0x50, 0xc4, 0xe8, 0x68, 0xc5, 0x2a, 0xc3, 0x27, 0x5c, 0xf9, 0xd4, 0x32, 0x7e};
static const uint8_t aes_tag[HORNET_POLY1305_TAG_BYTES] = {0xf4, 0xc6, 0x33, 0xc3, 0x04, 0x4f, 0xc1, 0x45,
                                                           0xf8, 0x4f, 0x33, 0x5c, 0xb8, 0x19, 0x53, 0xde};

int main(void)
{
    const bool right[] = {hornet_poly1305_verify(tag, message, strlen(message), one_time_key),
                          hornet_poly1305_aes_verify(aes_tag, "\xf3\xf6", 2, nonce, key)};
    const bool forged[] = {hornet_poly1305_verify(tag, forgery, strlen(forgery), one_time_key),
                           hornet_poly1305_aes_verify(aes_tag, "\xf3\xf7", 2, nonce, key)};
    printf("one-time key: %s, a forgery %s; Poly1305-AES: %s, a forgery %s\n",
           right[0] ? "accepted" : "refused", forged[0] ? "accepted" : "refused",
           right[1] ? "accepted" : "refused", forged[1] ? "accepted" : "refused");
    return right[0] && right[1] && !forged[0] && !forged[1] ? 0 : 1;
}
