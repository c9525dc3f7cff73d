/* What callers use: one call, or a message in pieces; and verification. */
#include "../include/hornet.h"

#include "kernel.h"
#include "words.h"

/* Any value that a wiped state or one of small numbers does not have. */
#define POLY1305_LIVE UINT64_C(0x5031333035524e48)

_Static_assert(sizeof(struct poly1305) <= sizeof(hornet_poly1305_state), "the state must fit");

static void set_key(struct poly1305 *p, const uint8_t key[32])
{
    /* RFC 8439, section 2.5.1: the clamp. */
    p->r[0] = load_le64(key) & UINT64_C(0x0ffffffc0fffffff);
    p->r[1] = load_le64(key + 8) & UINT64_C(0x0ffffffc0ffffffc);
    p->s[0] = load_le64(key + 16);
    p->s[1] = load_le64(key + 24);
    p->h[0] = p->h[1] = p->h[2] = 0;
    p->nbuffered = 0;
    p->live = POLY1305_LIVE;
}

static void absorb(struct poly1305 *p, const uint8_t *msg, size_t len_bytes)
{
    if (len_bytes != 0)
        hornet_kernel_for_length(len_bytes)->absorb(p, msg, len_bytes);
}

/* words = (h mod p + s) mod 2^128, for h[2] <= 4. */
static void finish(uint64_t words[2], const struct poly1305 *p)
{
    /* h < 5 * 2^128 < 2 p, so h mod p is h or h - p: h - p = h + 5 - 2^130 if that is not negative. */
    unsigned char carry = 0;
    const uint64_t g0 = add_carry(p->h[0], 5, &carry);
    const uint64_t g1 = add_carry(p->h[1], 0, &carry);
    const uint64_t take_g = 0 - ((p->h[2] + carry) >> 2);
    const uint64_t m0 = (p->h[0] & ~take_g) | (g0 & take_g);
    const uint64_t m1 = (p->h[1] & ~take_g) | (g1 & take_g);

    carry = 0;
    words[0] = add_carry(m0, p->s[0], &carry);
    words[1] = add_carry(m1, p->s[1], &carry);
}

/* The difference is looked at as a whole; the asm keeps the compiler from looking at its parts. */
static bool equals(const uint64_t words[2], const uint8_t tag[16])
{
    uint64_t difference = (words[0] ^ load_le64(tag)) | (words[1] ^ load_le64(tag + 8));
    __asm__("" : "+r"(difference));
    return difference == 0;
}

static void mac(uint64_t words[2], const void *msg, size_t len_bytes, const uint8_t key[32])
{
    struct poly1305 p;
    set_key(&p, key);
    absorb(&p, msg, len_bytes);
    finish(words, &p);
    clear_bytes(&p, sizeof p);
}

void hornet_poly1305(uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32])
{
    uint64_t words[2];
    mac(words, msg, len_bytes, key);
    store_le64(tag, words[0]);
    store_le64(tag + 8, words[1]);
}

bool hornet_poly1305_verify(const uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32])
{
    uint64_t words[2];
    mac(words, msg, len_bytes, key);
    const bool good = equals(words, tag);
    clear_bytes(words, sizeof words); /* the right tag for a forged message */
    return good;
}

void hornet_poly1305_init(hornet_poly1305_state *state, const uint8_t key[32])
{
    set_key((struct poly1305 *)state, key);
}

void hornet_poly1305_update(hornet_poly1305_state *state, const void *msg, size_t len_bytes)
{
    struct poly1305 *p = (struct poly1305 *)state;
    const uint8_t *bytes = msg;
    if (p->live != POLY1305_LIVE || len_bytes == 0)
        return;

    if (p->nbuffered != 0) {
        const size_t space = sizeof p->block - (size_t)p->nbuffered;
        const size_t n = len_bytes < space ? len_bytes : space;
        memcpy(p->block + p->nbuffered, bytes, n);
        p->nbuffered += n;
        bytes += n;
        len_bytes -= n;
        if (p->nbuffered < sizeof p->block)
            return;
        absorb(p, p->block, sizeof p->block);
    }
    const size_t last_bytes = len_bytes % 16;
    absorb(p, bytes, len_bytes - last_bytes);
    memcpy(p->block, bytes + (len_bytes - last_bytes), last_bytes);
    p->nbuffered = last_bytes;
}

void hornet_poly1305_updatev(hornet_poly1305_state *state, const hornet_iovec *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hornet_poly1305_update(state, pieces[i].base, pieces[i].len_bytes);
}

/* Ends a live state; words and true, or false if it was ended before. */
static bool end(uint64_t words[2], hornet_poly1305_state *state)
{
    struct poly1305 *p = (struct poly1305 *)state;
    const bool live = p->live == POLY1305_LIVE;
    words[0] = words[1] = 0;
    if (live) {
        absorb(p, p->block, (size_t)p->nbuffered);
        finish(words, p);
    }
    clear_bytes(state, sizeof *state);
    return live;
}

void hornet_poly1305_final(hornet_poly1305_state *state, uint8_t tag[16])
{
    uint64_t words[2];
    end(words, state);
    store_le64(tag, words[0]);
    store_le64(tag + 8, words[1]);
}

bool hornet_poly1305_final_verify(hornet_poly1305_state *state, const uint8_t tag[16])
{
    uint64_t words[2];
    const bool live = end(words, state);
    const bool good = equals(words, tag) & live;
    clear_bytes(words, sizeof words);
    return good;
}

void hornet_poly1305_batch(uint8_t (*tags)[16], const void *const *msgs, const size_t *lens_bytes,
                           const uint8_t (*keys)[32], size_t count)
{
    for (size_t i = 0; i < count; i++)
        hornet_poly1305(tags[i], msgs[i], lens_bytes[i], keys[i]);
}

bool hornet_poly1305_verify_batch(bool *good, const uint8_t (*tags)[16], const void *const *msgs,
                                  const size_t *lens_bytes, const uint8_t (*keys)[32], size_t count)
{
    bool all = true;
    for (size_t i = 0; i < count; i++) {
        good[i] = hornet_poly1305_verify(tags[i], msgs[i], lens_bytes[i], keys[i]);
        all &= good[i];
    }
    return all;
}
