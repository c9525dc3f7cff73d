/* What callers use: one call, or a message in pieces; and verification. */
#include "../include/hornet.h"

#include "field/scalar.h"
#include "horner/serial.h"
#include "kernel.h"
#include "words.h"

/* Any value that a wiped state or one of small numbers does not have. */
#define POLY1305_LIVE UINT64_C(0x5031333035524e48)

_Static_assert(sizeof(struct poly1305) <= sizeof(hornet_poly1305_state), "the state must fit");

/* RFC 8439, section 2.5.1: the clamp. */
HORNET_INLINE void load_r(uint64_t r[2], const uint8_t key[32])
{
    r[0] = load_le64(key) & HORNET_CLAMP_LO;
    r[1] = load_le64(key + 8) & HORNET_CLAMP_HI;
}

HORNET_INLINE void load_s(uint64_t s[2], const uint8_t key[32])
{
    s[0] = load_le64(key + 16);
    s[1] = load_le64(key + 24);
}

static void set_key(struct poly1305 *p, const uint8_t key[32])
{
    load_r(p->r, key);
    load_s(p->s, key);
    p->h[0] = p->h[1] = p->h[2] = 0;
    p->nbuffered = 0;
    p->live = POLY1305_LIVE;
}

static void absorb(struct poly1305 *p, const uint8_t *msg, size_t len_bytes)
{
    if (len_bytes != 0)
        hornet_kernel_for_length(len_bytes)->absorb(p, msg, len_bytes);
}

/* A tag as two words, the least first: returned in registers. */
struct tag_words {
    uint64_t lo, hi;
};

HORNET_INLINE void store_tag(uint8_t tag[16], struct tag_words words)
{
    store_le64(tag, words.lo);
    store_le64(tag + 8, words.hi);
}

/* (h mod p + s) mod 2^128, for h[2] <= 4. */
HORNET_INLINE struct tag_words finish(const uint64_t h[3], const uint64_t s[2])
{
    /* h < 5 * 2^128 < 2 p, so h mod p is h or h - p: h - p = h + 5 - 2^130 if that is not negative. */
    uint64_t g[3] = {h[0], h[1], h[2]};
    add_words(g, 5, 0, 0);
    const uint64_t take_g = 0 - (g[2] >> 2);
    struct tag_words tag = {h[0] ^ ((h[0] ^ g[0]) & take_g), h[1] ^ ((h[1] ^ g[1]) & take_g)};
    add_word_pair(&tag.lo, &tag.hi, s[0], s[1]);
    return tag;
}

/* The ways to a tag are functions of their own, each called last: so a short message pays for no other's
 * registers. */
#define HORNET_OUT_OF_LINE static __attribute__((noinline))

HORNET_OUT_OF_LINE void mac_by_kernel(uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                                      const uint8_t key[32], const struct hornet_kernel *kernel)
{
    struct poly1305 p;
    set_key(&p, key);
    if (len_bytes != 0)
        kernel->absorb(&p, msg, len_bytes);
    store_tag(tag, finish(p.h, p.s));
    clear_bytes(&p, sizeof p);
}

/* A message too short for vectors: from the first load to the tag in registers. */
HORNET_INLINE void mac_serially(uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                                const uint8_t key[32])
{
    uint64_t r[2], s[2], h[3];
    load_r(r, key);
    load_first_block(h, msg, len_bytes);
    scalar_fe_to_words(h,
                       absorb_after_first(scalar_fe_from_words(h), scalar_r_from_words(r), msg, len_bytes));
    load_s(s, key);
    store_tag(tag, finish(h, s));
}

HORNET_OUT_OF_LINE void mac_of_blocks(uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                                      const uint8_t key[32])
{
    mac_serially(tag, msg, len_bytes, key);
}

HORNET_OUT_OF_LINE void mac_of_bytes(uint8_t tag[16], const uint8_t *msg, size_t len_bytes,
                                     const uint8_t key[32])
{
    if (len_bytes < 16) /* as it is: no loop, few registers */
        mac_serially(tag, msg, len_bytes, key);
}

/* An empty message: s alone. */
HORNET_INLINE void mac_of_nothing(uint8_t tag[16], const uint8_t key[32])
{
    uint64_t s[2];
    load_s(s, key);
    store_tag(tag, (struct tag_words){s[0], s[1]});
}

/* At first use. */
HORNET_OUT_OF_LINE void choose_and_mac(uint8_t tag[16], const void *msg, size_t len_bytes,
                                       const uint8_t key[32])
{
    mac_by_kernel(tag, msg, len_bytes, key, hornet_kernel_for_length(len_bytes));
}

void hornet_poly1305(uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32])
{
    const struct hornet_choice *choice = atomic_load_explicit(&hornet_chosen, memory_order_acquire);
    if (choice == NULL) {
        choose_and_mac(tag, msg, len_bytes, key);
        return;
    }
    choice = hornet_choice_serving(choice, len_bytes);
    if (choice != NULL && len_bytes != 0)
        mac_by_kernel(tag, msg, len_bytes, key, choice->kernel);
    else if (len_bytes > 16)
        mac_of_blocks(tag, msg, len_bytes, key);
    else if (len_bytes == 16)
        mac_serially(tag, msg, 16, key);
    else if (len_bytes != 0)
        mac_of_bytes(tag, msg, len_bytes, key);
    else
        mac_of_nothing(tag, key);
}

bool hornet_poly1305_verify(const uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32])
{
    uint8_t right[16];
    hornet_poly1305(right, msg, len_bytes, key);
    const bool good = tags_equal(right, tag);
    clear_bytes(right, sizeof right); /* the right tag for a forged message */
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

/* Ends a live state: its tag, and true. False, and zeros, if it was ended before. */
static bool end(uint8_t tag[16], hornet_poly1305_state *state)
{
    struct poly1305 *p = (struct poly1305 *)state;
    const bool live = p->live == POLY1305_LIVE;
    struct tag_words words = {0, 0};
    if (live) {
        absorb(p, p->block, (size_t)p->nbuffered);
        words = finish(p->h, p->s);
    }
    clear_bytes(state, sizeof *state);
    store_tag(tag, words);
    return live;
}

void hornet_poly1305_final(hornet_poly1305_state *state, uint8_t tag[16]) { end(tag, state); }

bool hornet_poly1305_final_verify(hornet_poly1305_state *state, const uint8_t tag[16])
{
    uint8_t right[16];
    const bool live = end(right, state);
    const bool good = tags_equal(right, tag) & live;
    clear_bytes(right, sizeof right);
    return good;
}
