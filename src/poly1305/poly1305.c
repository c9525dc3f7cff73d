/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What callers use: one call, or a message in pieces; and verification. */
#include "../core/bytes.h"
#include "../core/constant_time.h"
#include "../core/public.h"
#include "../core/wipe.h"
#include "kernel.h"
#include "tag.h"

_Static_assert(sizeof(struct poly1305) <= sizeof(hornet_poly1305_state), "the state must fit");

HORNET_NOINLINE void mac_at_first_use(uint8_t tag[16], const void *msg, size_t len_bytes,
                                      const uint8_t key[32])
{
    hornet_poly1305_kernel_for(len_bytes)->mac(tag, msg, len_bytes, key);
}

/* Saves nothing but what the kernel saves: all calls come last. */
void hornet_poly1305(uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32])
{
    const uint32_t in_use = atomic_load_explicit(&hornet_poly1305_in_use, memory_order_relaxed);
    if (in_use != 0)
        hornet_poly1305_kernel_in_use(in_use, len_bytes)->mac(tag, msg, len_bytes, key);
    else
        mac_at_first_use(tag, msg, len_bytes, key);
}

bool hornet_poly1305_verify(const uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32])
{
    uint8_t expected[16];
    hornet_poly1305(expected, msg, len_bytes, key);
    const bool valid = tags_equal(expected, tag);
    wipe(expected, sizeof expected); /* the tag that a forged message should have had */
    return valid;
}

void hornet_poly1305_init(hornet_poly1305_state *state, const uint8_t key[32])
{
    set_key((struct poly1305 *)state, key);
}

static void absorb(struct poly1305 *p, const uint8_t *msg, size_t len_bytes)
{
    if (len_bytes != 0)
        hornet_poly1305_kernel_for(len_bytes)->absorb(p, msg, len_bytes);
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
        words = tag_of_value(p->h, p->s);
    }
    wipe(state, sizeof *state);
    store_tag(tag, words);
    return live;
}

void hornet_poly1305_final(hornet_poly1305_state *state, uint8_t tag[16]) { end(tag, state); }

bool hornet_poly1305_final_verify(hornet_poly1305_state *state, const uint8_t tag[16])
{
    uint8_t expected[16];
    const bool live = end(expected, state);
    const bool valid = tags_equal(expected, tag) & live;
    wipe(expected, sizeof expected);
    return valid;
}

bool hornet_poly1305_r_is_clamped(const uint8_t r[16])
{
    return ((load_le64(r) & ~HORNET_CLAMP_LO) | (load_le64(r + 8) & ~HORNET_CLAMP_HI)) == 0;
}

void hornet_poly1305_clamp(uint8_t r[16])
{
    store_le64(r, load_le64(r) & HORNET_CLAMP_LO);
    store_le64(r + 8, load_le64(r + 8) & HORNET_CLAMP_HI);
}
