/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* See absorb.h. */
#include "absorb.h"

#define LIMB 0x3ffffff

/* Limb i of a 17-byte number. */
static uint32_t limb(const uint8_t bytes[17], int i)
{
    uint64_t word = 0;
    const int first = 26 * i / 8;
    for (int j = 0; j < 5 && first + j < 17; j++)
        word |= (uint64_t)bytes[first + j] << (8 * j);
    return (uint32_t)(word >> (26 * i % 8)) & LIMB;
}

static void carry(uint64_t h[5])
{
    for (int i = 0; i < 5; i++) {
        const uint64_t high = h[i] >> 26;
        h[i] &= LIMB;
        h[(i + 1) % 5] += i < 4 ? high : 5 * high;
    }
}

void plain_init(struct poly1305 *p, const uint8_t r[16])
{
    uint8_t clamped[17] = {0};
    for (int i = 0; i < 16; i++)
        clamped[i] = r[i] & (i % 4 == 3 ? 0x0f : i % 4 == 0 && i > 0 ? 0xfc : 0xff);
    for (int i = 0; i < 5; i++) {
        p->r[i] = limb(clamped, i);
        p->h[i] = 0;
    }
}

void plain_absorb(struct poly1305 *p, const uint8_t *block, size_t len_bytes)
{
    uint8_t padded[17] = {0};
    uint64_t product[5] = {0};
    for (size_t i = 0; i < len_bytes; i++)
        padded[i] = block[i];
    padded[len_bytes] = 1;
    for (int i = 0; i < 5; i++)
        p->h[i] += limb(padded, i);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++)
            product[(i + j) % 5] += p->h[i] * p->r[j] * (i + j < 5 ? 1 : 5);
    for (int i = 0; i < 5; i++)
        p->h[i] = product[i];
    carry(p->h);
    carry(p->h);
}

void plain_finish(const struct poly1305 *p, const uint8_t s[16], uint8_t tag[16])
{
    uint64_t h[5], g[5], word = 0;
    for (int i = 0; i < 5; i++)
        h[i] = p->h[i];
    carry(h);
    carry(h);
    /* h + 5 reaches 2^130 if h is at least 2^130 - 5. */
    uint64_t over = 5;
    for (int i = 0; i < 5; i++) {
        over += h[i];
        g[i] = over & LIMB;
        over >>= 26;
    }
    uint32_t sum = 0;
    int bits = 0, next = 0;
    for (int i = 0; i < 16; i++) {
        for (; bits < 8; bits += 26, next++)
            word |= (over != 0 ? g[next] : h[next]) << bits;
        sum += (uint32_t)(word & 0xff) + s[i];
        tag[i] = (uint8_t)sum;
        sum >>= 8;
        word >>= 8;
        bits -= 8;
    }
}
