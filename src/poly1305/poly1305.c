/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The public functions for one call, for a message in chunks, and for verification. */
#include "poly1305.h"
#include "../core/bytes.h"
#include "../core/constant_time.h"
#include "../core/public.h"
#include "../core/stack_wipe.h"
#include "../core/wipe.h"
#include "kernel.h"
#include "tag.h"

_Static_assert(sizeof(struct poly1305_streaming) <= sizeof(hornet_poly1305_state), "the state must fit");
_Static_assert(sizeof(hornet_poly1305_state) % 64 == 0, "it is wiped in units of 64 bytes");

HORNET_NOINLINE void mac_at_first_use(uint8_t tag[16], const void *msg, size_t len_bytes,
                                      const uint8_t key[32])
{
    hornet_poly1305_kernel_for(len_bytes, hornet_poly1305_entries_in_use())->mac(tag, msg, len_bytes, key);
}

/* All calls are tail calls, so that no registers are saved except those that the kernel saves. */
void hornet_poly1305(uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32])
{
    const uint32_t in_use = atomic_load(&hornet_poly1305_in_use);
    if (in_use != 0)
        hornet_poly1305_kernel_for(len_bytes, in_use)->mac(tag, msg, len_bytes, key);
    else
        mac_at_first_use(tag, msg, len_bytes, key);
}

HORNET_CLEARED(bool, hornet_poly1305_verify,
               (const uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t key[32]),
               (tag, msg, len_bytes, key))
{
    uint8_t expected[16];
    hornet_poly1305(expected, msg, len_bytes, key);
    const bool valid = tags_equal(expected, tag);
    wipe(expected, sizeof expected); /* the tag that a forged message would have needed */
    return valid;
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED_VOID(hornet_poly1305_init, (hornet_poly1305_state *state, const uint8_t key[32]),
                    (state, key))
{
    set_key((struct poly1305_streaming *)state, key);
}

/* Appends to the buffer, which must have room for len_bytes bytes. */
HORNET_INLINE void buffer_bytes(struct poly1305_streaming *p, const uint8_t *msg, size_t len_bytes)
{
    copy_bytes(p->buffer + p->nbuffered, msg, len_bytes);
    p->nbuffered += len_bytes;
    p->nused = p->nused > p->nbuffered ? p->nused : p->nbuffered;
}

/* Fills the buffer up to a multiple of unit_bytes, a power of two, and returns how many bytes that took. */
HORNET_NOINLINE size_t fill_up(struct poly1305_streaming *p, const uint8_t *msg, size_t unit_bytes)
{
    const size_t fill = -(size_t)p->nbuffered & (unit_bytes - 1);
    buffer_bytes(p, msg, fill);
    return fill;
}

/* Moves the last bytes of msg[0 .. len_bytes), which do not fill a unit, into the empty buffer. Returns the
 * number of bytes before them. */
HORNET_NOINLINE size_t buffer_rest(struct poly1305_streaming *p, const uint8_t *msg, size_t len_bytes,
                                   size_t unit_bytes)
{
    const size_t last_bytes = len_bytes & (unit_bytes - 1);
    p->nbuffered = 0;
    buffer_bytes(p, msg + (len_bytes - last_bytes), last_bytes);
    return len_bytes - last_bytes;
}

/* Absorbs whole blocks into the value, first those in the buffer, and buffers the rest. */
static void absorb_into_value(struct poly1305_streaming *p, const uint8_t *msg, size_t len_bytes,
                              uint32_t in_use)
{
    const size_t fill = fill_up(p, msg, 16);
    hornet_poly1305_absorb(&p->value, p->buffer, (size_t)p->nbuffered, in_use);
    hornet_poly1305_absorb(&p->value, msg + fill, buffer_rest(p, msg + fill, len_bytes - fill, 16), in_use);
    p->absorbed = STREAMING_VALUE;
}

void hornet_poly1305_begin_using(hornet_poly1305_state *state, const uint8_t key[32], const void *msg,
                                 size_t len_bytes, uint32_t in_use)
{
    struct poly1305_streaming *p = (struct poly1305_streaming *)state;
    set_key(p, key);
    /* What fits into the buffer stays there. */
    const size_t whole =
        buffer_rest(p, msg, len_bytes, len_bytes > sizeof p->buffer ? 16 : 2 * sizeof p->buffer);
    if (whole != 0) {
        hornet_poly1305_absorb(&p->value, msg, whole, in_use);
        p->absorbed = STREAMING_VALUE;
    }
}

/* Sums the lanes into the value if they hold anything. */
static void end_lanes(struct poly1305_streaming *p)
{
    if (p->absorbed >= STREAMING_ENTRY)
        kernel_of(&hornet_poly1305_entries[p->absorbed - STREAMING_ENTRY])->lanes_end(p);
}

/* Absorbs the lanes and the buffer into the value. */
static void end_streaming(struct poly1305_streaming *p, uint32_t in_use)
{
    end_lanes(p);
    hornet_poly1305_absorb(&p->value, p->buffer, (size_t)p->nbuffered, in_use);
}

struct poly1305 *hornet_poly1305_begin_value(hornet_poly1305_state *state)
{
    struct poly1305_streaming *p = (struct poly1305_streaming *)state;
    begin_streaming(p);
    p->absorbed = STREAMING_VALUE;
    return &p->value;
}

struct poly1305 *hornet_poly1305_value(hornet_poly1305_state *state, uint32_t in_use)
{
    struct poly1305_streaming *p = (struct poly1305_streaming *)state;
    end_streaming(p, in_use);
    p->nbuffered = 0;
    p->absorbed = STREAMING_VALUE;
    return &p->value;
}

/* Returns the entry of the kernel whose lanes are kept between chunks; NULL if there is none. */
static const struct hornet_entry *entry_for_streaming(uint32_t in_use)
{
    for (in_use &= ~HORNET_FALLBACK_IN_USE; in_use != 0; in_use &= in_use - 1) {
        const struct hornet_entry *entry = &hornet_poly1305_entries[(unsigned)__builtin_ctz(in_use)];
        if (entry->min <= HORNET_STREAMING_KERNEL_BYTES && kernel_of(entry)->lanes_absorb != NULL)
            return entry;
    }
    return NULL;
}

/* Absorbs whole groups into the lanes of the entry's kernel, first those in the buffer, and buffers the
 * rest. */
static void absorb_into_lanes(struct poly1305_streaming *p, const struct hornet_entry *entry,
                              const uint8_t *msg, size_t len_bytes)
{
    const struct hornet_poly1305_kernel *kernel = kernel_of(entry);
    const size_t group_bytes = 16 * (size_t)kernel->lanes, fill = fill_up(p, msg, group_bytes);
    const int shift = __builtin_ctz((unsigned)group_bytes); /* a division would cost measurable time */
    const uint8_t *first = p->buffer;
    size_t nfirst = (size_t)p->nbuffered >> shift;
    msg += fill;
    len_bytes -= fill;
    if (p->absorbed < STREAMING_ENTRY) {
        if (nfirst != 0) {
            kernel->lanes_begin(p, first);
            first += group_bytes;
            nfirst--;
        } else {
            kernel->lanes_begin(p, msg);
            msg += group_bytes;
            len_bytes -= group_bytes;
        }
        p->absorbed = STREAMING_ENTRY + (uint64_t)(entry - hornet_poly1305_entries);
        p->lanes_used = 1;
    }
    kernel->lanes_absorb(p, first, nfirst, msg, len_bytes >> shift);
    (void)buffer_rest(p, msg, len_bytes, group_bytes);
}

/* Absorbs a chunk that does not fit into the buffer. The first such chunk may be nearly the whole message,
 * so the powers of r to be kept are raised only at the second. */
HORNET_NOINLINE void absorb_chunk(struct poly1305_streaming *p, const uint8_t *msg, size_t len_bytes,
                                  uint32_t in_use)
{
    const struct hornet_entry *entry = NULL;
    if (p->absorbed >= STREAMING_ENTRY)
        entry = &hornet_poly1305_entries[p->absorbed - STREAMING_ENTRY];
    else if (p->absorbed != STREAMING_NOTHING)
        entry = entry_for_streaming(in_use);
    if (entry != NULL && len_bytes < HORNET_LONG_CHUNK_BYTES) {
        absorb_into_lanes(p, entry, msg, len_bytes);
    } else {
        end_lanes(p);
        absorb_into_value(p, msg, len_bytes, in_use);
    }
}

/* Appends to the buffer and returns true if there is room; also returns true, without doing anything, if
 * the state has ended. */
HORNET_INLINE bool buffer_chunk(struct poly1305_streaming *p, const void *msg, size_t len_bytes)
{
    if (p->live != POLY1305_LIVE)
        return true;
    if (len_bytes > sizeof p->buffer - (size_t)p->nbuffered)
        return false;
    buffer_bytes(p, msg, len_bytes);
    return true;
}

HORNET_CLEARED_VOID(hornet_poly1305_update_using,
                    (hornet_poly1305_state *state, const void *msg, size_t len_bytes, uint32_t in_use),
                    (state, msg, len_bytes, in_use))
{
    if (!buffer_chunk((struct poly1305_streaming *)state, msg, len_bytes))
        absorb_chunk((struct poly1305_streaming *)state, msg, len_bytes, in_use);
}

/* Separate, so that a chunk that is only buffered saves no registers and does not read the choice. */
HORNET_NOINLINE void read_choice_and_absorb(struct poly1305_streaming *p, const uint8_t *msg,
                                            size_t len_bytes)
{
    absorb_chunk(p, msg, len_bytes, hornet_poly1305_entries_in_use());
}

HORNET_CLEARED_VOID(hornet_poly1305_update,
                    (hornet_poly1305_state *state, const void *msg, size_t len_bytes),
                    (state, msg, len_bytes))
{
    if (!buffer_chunk((struct poly1305_streaming *)state, msg, len_bytes))
        read_choice_and_absorb((struct poly1305_streaming *)state, msg, len_bytes);
}

void hornet_poly1305_updatev(hornet_poly1305_state *state, const hornet_piece *pieces, size_t count)
{
    const uint32_t in_use = hornet_poly1305_entries_in_use();
    for (size_t i = 0; i < count; i++)
        hornet_poly1305_update_using(state, pieces[i].in, pieces[i].len_bytes, in_use);
}

/* Ends a live state and writes its tag; writes zeros if the state had already ended. */
HORNET_CLEARS_REGISTERS
HORNET_CLEARED_VOID(hornet_poly1305_final_using,
                    (hornet_poly1305_state *state, uint8_t tag[16], uint32_t in_use), (state, tag, in_use))
{
    struct poly1305_streaming *p = (struct poly1305_streaming *)state;
    struct tag_words words = {0, 0};
    if (p->live == POLY1305_LIVE) {
        size_t used = offsetof(struct poly1305_streaming, buffer) + (size_t)p->nused;
        if (p->lanes_used != 0)
            used = sizeof *p;
        end_streaming(p, in_use);
        words = tag_of_value(p->value.h, p->value.s);
        wipe(state, (used + 63) & ~(size_t)63);
    }
    store_tag(tag, words);
}

void hornet_poly1305_final(hornet_poly1305_state *state, uint8_t tag[16])
{
    hornet_poly1305_final_using(state, tag, hornet_poly1305_entries_in_use());
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED(bool, hornet_poly1305_final_verify, (hornet_poly1305_state *state, const uint8_t tag[16]),
               (state, tag))
{
    const bool live = ((struct poly1305_streaming *)state)->live == POLY1305_LIVE;
    uint8_t expected[16];
    hornet_poly1305_final(state, expected);
    const bool valid = tags_equal(expected, tag) & live;
    wipe(expected, sizeof expected);
    return valid;
}

HORNET_CLEARED(bool, hornet_poly1305_r_is_clamped, (const uint8_t r[16]), (r))
{
    return ((load_le64(r) & ~HORNET_CLAMP_LO) | (load_le64(r + 8) & ~HORNET_CLAMP_HI)) == 0;
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED_VOID(hornet_poly1305_clamp, (uint8_t r[16]), (r))
{
    store_le64(r, load_le64(r) & HORNET_CLAMP_LO);
    store_le64(r + 8, load_le64(r + 8) & HORNET_CLAMP_HI);
}
