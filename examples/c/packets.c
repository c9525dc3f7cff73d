/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Many packets of a connection in one call, sealed and opened in place. The nonce is the packet's number
 * xor the connection's IV, as in TLS 1.3 and QUIC. */
#include <hornet.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { COUNT = 48, TEXT_BYTES = 1200 };

/* One direction of a connection: the other has a key of its own. */
static struct {
    uint8_t key[32], iv[12];
} direction;

/* A packet as it is sent. Its number is authenticated, but not encrypted. */
static struct datagram {
    uint8_t number[8], text[TEXT_BYTES], tag[16];
} datagrams[COUNT];

static void prepare(hornet_packet packets[COUNT], uint8_t nonces[COUNT][12])
{
    for (size_t i = 0; i < COUNT; i++) {
        struct datagram *one = &datagrams[i];
        memcpy(nonces[i], direction.iv, 12); /* RFC 8446, section 5.3 */
        for (size_t k = 0; k < sizeof one->number; k++)
            nonces[i][4 + k] ^= one->number[k];
        packets[i] = (hornet_packet){one->text,          one->text, TEXT_BYTES,    one->number,
                                     sizeof one->number, nonces[i], direction.key, one->tag};
    }
}

int main(void)
{
    static uint8_t nonces[COUNT][12];
    static hornet_packet packets[COUNT];
    bool valid[COUNT];
    if (getrandom(&direction, sizeof direction, 0) != (ssize_t)sizeof direction)
        return 1;

    for (size_t i = 0; i < COUNT; i++) {
        datagrams[i].number[7] = (uint8_t)i; /* most significant byte first; never used again */
        memset(datagrams[i].text, 'a', TEXT_BYTES);
    }
    prepare(packets, nonces);
    if (!hornet_chacha20_poly1305_seal_batch(packets, COUNT))
        return 1; /* a packet is too long */

    datagrams[7].text[0] ^= 1; /* changed in transit */
    prepare(packets, nonces);  /* the receiver makes the nonces from the numbers */
    const bool all = hornet_chacha20_poly1305_open_batch(valid, packets, COUNT);
    hornet_wipe(&direction, sizeof direction);

    size_t opened = 0;
    for (size_t i = 0; i < COUNT; i++)
        opened += valid[i] && datagrams[i].text[0] == 'a' && datagrams[i].text[TEXT_BYTES - 1] == 'a';
    printf("%d packets: %zu opened, packet 7 %s\n", COUNT, opened, valid[7] ? "opened" : "refused");
    return all || valid[7]; /* the text of packet 7 is zeros */
}
