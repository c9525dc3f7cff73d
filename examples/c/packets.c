/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Many packets of a connection at once, sealed and opened in place, with ChaCha20-Poly1305. The tag
 * directly follows the text, and the nonce is the packet's number, as in TLS 1.3 and QUIC. */
#include <hornet.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { COUNT = 48, LONGEST = 1200, HEADER_BYTES = 8, TAG_BYTES = HORNET_CHACHA20_POLY1305_TAG_BYTES };

/* One direction of a connection: each has a key of its own. */
struct direction {
    uint8_t key[HORNET_CHACHA20_POLY1305_KEY_BYTES], iv[HORNET_CHACHA20_POLY1305_NONCE_BYTES];
};

/* A packet as it is sent: its number is the header, which is authenticated but not encrypted. */
struct datagram {
    uint8_t header[HEADER_BYTES], text[LONGEST + TAG_BYTES];
    size_t len_bytes; /* of the text without the tag */
};

/* RFC 8446, section 5.3: the number, most significant byte first, xor the IV. No number is used twice. */
static void make_nonce(uint8_t nonce[12], const struct datagram *datagram, const uint8_t iv[12])
{
    memcpy(nonce, iv, 12);
    for (size_t i = 0; i < HEADER_BYTES; i++)
        nonce[4 + i] ^= datagram->header[i];
}

static hornet_packet packet_of(struct datagram *datagram, uint8_t nonce[12],
                               const struct direction *direction)
{
    make_nonce(nonce, datagram, direction->iv);
    return (hornet_packet){
        .out = datagram->text, /* in place */
        .in = datagram->text,
        .len_bytes = datagram->len_bytes,
        .aad = datagram->header,
        .aad_bytes = HEADER_BYTES,
        .nonce = nonce,
        .key = direction->key,
        .tag = datagram->text + datagram->len_bytes,
    };
}

int main(void)
{
    static struct datagram datagrams[COUNT];
    static uint8_t nonces[COUNT][12];
    hornet_packet packets[COUNT];
    bool valid[COUNT];
    struct direction direction;
    if (getrandom(&direction, sizeof direction, 0) != (ssize_t)sizeof direction)
        return 2;

    for (size_t i = 0; i < COUNT; i++) {
        datagrams[i].header[HEADER_BYTES - 1] = (uint8_t)i;
        datagrams[i].len_bytes = i * 101 % (LONGEST + 1);
        memset(datagrams[i].text, 'a' + (int)i % 26, datagrams[i].len_bytes);
        packets[i] = packet_of(&datagrams[i], nonces[i], &direction);
    }
    if (!hornet_chacha20_poly1305_seal_batch(packets, COUNT))
        return 1;

    datagrams[7].text[0] ^= 1; /* changed in transit */

    /* The receiver has the same key, and makes the nonces from the headers. */
    for (size_t i = 0; i < COUNT; i++)
        packets[i] = packet_of(&datagrams[i], nonces[i], &direction);
    bool ok = !hornet_chacha20_poly1305_open_batch(valid, packets, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        if (!valid[i])
            printf("packet %zu is not genuine\n", i);
        /* The text of a forged packet is zeros. */
        const int expected = valid[i] ? 'a' + (int)i % 26 : 0;
        for (size_t byte = 0; byte < datagrams[i].len_bytes; byte++)
            ok &= datagrams[i].text[byte] == expected;
        ok &= valid[i] == (i != 7);
    }
    hornet_wipe(&direction, sizeof direction);
    return ok ? 0 : 1;
}
