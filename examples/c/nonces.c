/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Many messages under one key: Poly1305-AES, with a counter as the nonce of each message.
 *
 * Two messages under one nonce reveal r, which is enough to forge tags. A counter that lives as long as
 * the program does not repeat within it. But a program that runs again under the same key must keep the
 * counter on disk, which is harder than it looks (the `hornet` command and the Rust crate
 * hornet-poly1305-key-file do it). */
#include <hornet.h>
#include <hornet_poly1305_aes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

struct sender {
    uint8_t key[HORNET_POLY1305_AES_KEY_BYTES]; /* k, then r */
    uint64_t messages;
};

/* Tags the next message. False if the key is unusable or no nonce is left. */
static bool send_message(struct sender *sender, uint8_t nonce[16], uint8_t tag[16], const void *msg,
                         size_t len_bytes)
{
    if (sender->messages == UINT64_MAX)
        return false;
    memset(nonce, 0, 16);
    for (int i = 0; i < 8; i++)
        nonce[i] = (uint8_t)(sender->messages >> 8 * i);
    sender->messages++;
    return hornet_poly1305_aes(tag, msg, len_bytes, nonce, sender->key);
}

int main(void)
{
    struct sender sender = {.messages = 0};
    if (getrandom(sender.key, sizeof sender.key, 0) != sizeof sender.key) {
        perror("getrandom");
        return 2;
    }
    hornet_poly1305_clamp(sender.key + 16);

    static const char *const messages[] = {"first", "second", "second", ""};
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        uint8_t nonce[16], tag[16];
        if (!send_message(&sender, nonce, tag, messages[i], strlen(messages[i])))
            return 1;
        /* Message, nonce and tag are sent; the receiver has the key. */
        if (!hornet_poly1305_aes_verify(tag, messages[i], strlen(messages[i]), nonce, sender.key))
            return 1;
        printf("%2u %02x%02x%02x%02x... \"%s\"\n", nonce[0], tag[0], tag[1], tag[2], tag[3], messages[i]);
    }
    hornet_wipe(&sender, sizeof sender);
    return 0;
}
