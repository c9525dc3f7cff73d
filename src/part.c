/* Parts of a message: their values, and the tag of the whole.
 *
 * The powers of r that join them are not clamped, which the scalar fields would need. So the vectors' field
 * works here, over one lane in plain C: some 30 multiplications of 10 ns for a gigabyte. */
#include "../include/hornet.h"
#include "kernel.h"

#define LANES 1
#include "lanes/portable.h"

#include "field/radix26.h"

#include "horner/join.h"

/* Lies in the caller's hornet_poly1305_partial, an array of words: hence may_alias. */
struct __attribute__((may_alias)) part {
    uint64_t h[3]; /* the value, partly reduced: h[2] <= HORNET_H2_MAX */
    uint64_t len_bytes;
};

_Static_assert(sizeof(struct part) == sizeof(hornet_poly1305_partial), "a part must fit");

/* r^(blocks of len_bytes) */
static fe place_before(uint64_t len_bytes, const uint8_t r[16])
{
    const uint64_t words[3] = {load_le64(r), load_le64(r + 8), 0};
    return fe_power(fe_from_three_words(words), len_bytes / 16 + (len_bytes % 16 != 0));
}

bool hornet_poly1305_partial_compute(hornet_poly1305_partial *result, const void *msg, size_t len_bytes,
                                     const uint8_t r[16])
{
    struct part *part = (struct part *)result;
    if (!hornet_poly1305_r_is_clamped(r)) {
        clear_bytes(part, sizeof *part);
        return false;
    }
    struct poly1305 p = {.r = {load_le64(r), load_le64(r + 8)}};
    if (len_bytes != 0)
        hornet_kernel_for_length(len_bytes)->absorb(&p, msg, len_bytes);
    memcpy(part->h, p.h, sizeof part->h);
    part->len_bytes = len_bytes;
    clear_bytes(&p, sizeof p);
    return true;
}

bool hornet_poly1305_partial_append(hornet_poly1305_partial *whole, const hornet_poly1305_partial *behind,
                                    const uint8_t r[16])
{
    struct part *left = (struct part *)whole;
    const struct part *right = (const struct part *)behind;
    const uint64_t right_bytes = right->len_bytes;
    if (!hornet_poly1305_r_is_clamped(r) || right_bytes > UINT64_MAX - left->len_bytes ||
        (left->len_bytes % 16 != 0 && right_bytes != 0))
        return false;
    wide_sum_to_words(left->h, join(fe_from_three_words(left->h), fe_from_three_words(right->h),
                                    place_before(right_bytes, r)));
    left->len_bytes += right_bytes;
    return true;
}

bool hornet_poly1305_partial_replace(hornet_poly1305_partial *whole, const hornet_poly1305_partial *before,
                                     const hornet_poly1305_partial *after, uint64_t bytes_behind,
                                     const uint8_t r[16])
{
    struct part *all = (struct part *)whole;
    const struct part *old = (const struct part *)before, *new = (const struct part *)after;
    if (!hornet_poly1305_r_is_clamped(r) || old->len_bytes != new->len_bytes ||
        (old->len_bytes % 16 != 0 && bytes_behind != 0) || old->len_bytes > all->len_bytes ||
        bytes_behind > all->len_bytes - old->len_bytes)
        return false;
    wide_sum_to_words(all->h, exchange(fe_from_three_words(all->h), fe_from_three_words(old->h),
                                       fe_from_three_words(new->h), place_before(bytes_behind, r)));
    return true;
}

uint64_t hornet_poly1305_partial_len_bytes(const hornet_poly1305_partial *part)
{
    return ((const struct part *)part)->len_bytes;
}

/* The end of a message of which only the value is left. */
static void end_of_part(hornet_poly1305_state *state, const hornet_poly1305_partial *part,
                        const uint8_t pad[16])
{
    uint8_t key[32] = {0};
    memcpy(key + 16, pad, 16);
    hornet_poly1305_init(state, key);
    memcpy(((struct poly1305 *)state)->h, ((const struct part *)part)->h, sizeof((struct part *)0)->h);
    clear_bytes(key, sizeof key);
}

void hornet_poly1305_partial_tag(uint8_t tag[16], const hornet_poly1305_partial *part,
                                 const uint8_t pad[16])
{
    hornet_poly1305_state state;
    end_of_part(&state, part, pad);
    hornet_poly1305_final(&state, tag);
}

bool hornet_poly1305_partial_verify(const uint8_t tag[16], const hornet_poly1305_partial *part,
                                    const uint8_t pad[16])
{
    hornet_poly1305_state state;
    end_of_part(&state, part, pad);
    return hornet_poly1305_final_verify(&state, tag);
}

const char *hornet_version(void) { return HORNET_VERSION; }

void hornet_wipe(void *memory, size_t len_bytes) { clear_bytes(memory, len_bytes); }
