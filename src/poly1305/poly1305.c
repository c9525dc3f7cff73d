/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What callers use: one call, or a message in pieces; and verification. */
#include "../core/bytes.h"
#include "../core/constant_time.h"
#include "../core/public.h"
#include "../core/residue.h"
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

/* What the public functions do, each with its result in the first argument; and where its stack ends. */

HORNET_SMALL uintptr_t verify(bool *valid, const uint8_t tag[16], const void *msg, size_t len_bytes,
                              const uint8_t key[32])
{
    uint8_t expected[16];
    hornet_poly1305(expected, msg, len_bytes, key);
    *valid = tags_equal(expected, tag);
    wipe(expected, sizeof expected); /* the tag that a forged message should have had */
    return small_stack_end();
}

bool hornet_poly1305_verify(const uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32])
{
    bool valid;
    clear_small_stack(verify(&valid, tag, msg, len_bytes, key));
    return valid;
}

HORNET_SMALL uintptr_t init(struct poly1305 *p, const uint8_t key[32])
{
    set_key(p, key);
    return small_stack_end();
}

HORNET_CLEARS_REGISTERS void hornet_poly1305_init(hornet_poly1305_state *state, const uint8_t key[32])
{
    clear_small_stack(init((struct poly1305 *)state, key));
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
HORNET_SMALL uintptr_t end(bool *ended, uint8_t tag[16], hornet_poly1305_state *state)
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
    *ended = live;
    return small_stack_end();
}

HORNET_CLEARS_REGISTERS void hornet_poly1305_final(hornet_poly1305_state *state, uint8_t tag[16])
{
    bool ended;
    clear_small_stack(end(&ended, tag, state));
}

HORNET_SMALL uintptr_t end_and_verify(bool *valid, hornet_poly1305_state *state, const uint8_t tag[16])
{
    uint8_t expected[16];
    bool ended;
    clear_small_stack(end(&ended, expected, state));
    *valid = tags_equal(expected, tag) & ended;
    wipe(expected, sizeof expected);
    return small_stack_end();
}

HORNET_CLEARS_REGISTERS bool hornet_poly1305_final_verify(hornet_poly1305_state *state,
                                                          const uint8_t tag[16])
{
    bool valid;
    clear_small_stack(end_and_verify(&valid, state, tag));
    return valid;
}

HORNET_SMALL uintptr_t compare_with_clamp(bool *clamped, const uint8_t r[16])
{
    *clamped = ((load_le64(r) & ~HORNET_CLAMP_LO) | (load_le64(r + 8) & ~HORNET_CLAMP_HI)) == 0;
    return small_stack_end();
}

bool hornet_poly1305_r_is_clamped(const uint8_t r[16])
{
    bool clamped;
    clear_small_stack(compare_with_clamp(&clamped, r));
    return clamped;
}

HORNET_SMALL uintptr_t clamp(uint8_t r[16])
{
    store_le64(r, load_le64(r) & HORNET_CLAMP_LO);
    store_le64(r + 8, load_le64(r + 8) & HORNET_CLAMP_HI);
    return small_stack_end();
}

HORNET_CLEARS_REGISTERS void hornet_poly1305_clamp(uint8_t r[16]) { clear_small_stack(clamp(r)); }
