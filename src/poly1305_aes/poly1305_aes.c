/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Poly1305-AES: Poly1305 under r and a pad, which is the encrypted nonce. Bernstein 2005, section 2. */
#include "../aes/aes.h"
#include "../core/public.h"
#include "../core/stack_wipe.h"
#include "../core/wipe.h"
#include "../poly1305/kernel.h"
#include "../poly1305/poly1305.h"

/* Makes a key for hornet_poly1305 from r and a pad. If r is not clamped, returns false and sets the key to
 * zeros, which give a tag of zeros. */
HORNET_INLINE bool key_of_pad(uint8_t one_time[32], const uint8_t r[16], const uint8_t pad[16])
{
    const bool clamped = hornet_poly1305_r_is_clamped(r);
    if (clamped) {
        memcpy(one_time, r, 16);
        memcpy(one_time + 16, pad, 16);
    } else {
        memset(one_time, 0, 32);
    }
    return clamped;
}

/* Does the same for count messages, up to HORNET_BATCH_WINDOW, whose pads are the encrypted nonces. Returns
 * true if every r is clamped. */
HORNET_CLEARS_REGISTERS static HORNET_CLEARED(bool, keys_of_nonces,
                                              (uint8_t (*one_time)[32], const uint8_t (*nonces)[16],
                                               const uint8_t (*keys)[32], size_t count,
                                               uint32_t aes_in_use),
                                              (one_time, nonces, keys, count, aes_in_use))
{
    uint8_t pads[HORNET_BATCH_WINDOW][16];
    bool all = true;
    hornet_aes_for(count, aes_in_use)->encrypt(pads, nonces, keys, count);
    for (size_t i = 0; i < count; i++)
        all &= key_of_pad(one_time[i], keys[i] + 16, pads[i]);
    wipe(pads, 16 * count);
    return all;
}

static bool key_of_nonce(uint8_t one_time[32], const uint8_t nonce[16], const uint8_t key[32])
{
    return keys_of_nonces((uint8_t(*)[32])one_time, (const uint8_t(*)[16])nonce, (const uint8_t(*)[32])key,
                          1, hornet_aes_entries_in_use());
}

/* What a message needs once its one-time key is known, which `clamped` says is one: each wipes the key. */

HORNET_INLINE bool compute_tag(uint8_t tag[16], const void *msg, size_t len_bytes, uint8_t one_time[32],
                               bool clamped)
{
    hornet_poly1305(tag, msg, len_bytes, one_time);
    wipe(one_time, 32);
    return clamped;
}

HORNET_INLINE bool verify_tag(const uint8_t tag[16], const void *msg, size_t len_bytes,
                              uint8_t one_time[32], bool clamped)
{
    const bool valid = clamped && hornet_poly1305_verify(tag, msg, len_bytes, one_time);
    wipe(one_time, 32);
    return valid;
}

HORNET_INLINE bool begin_message(hornet_poly1305_state *state, uint8_t one_time[32], bool clamped)
{
    if (clamped)
        hornet_poly1305_init(state, one_time);
    else
        wipe(state, sizeof *state);
    wipe(one_time, 32);
    return clamped;
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED(bool, hornet_poly1305_aes,
               (uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t nonce[16],
                const uint8_t key[32]),
               (tag, msg, len_bytes, nonce, key))
{
    uint8_t one_time[32];
    const bool clamped = key_of_nonce(one_time, nonce, key);
    return compute_tag(tag, msg, len_bytes, one_time, clamped);
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED(bool, hornet_poly1305_aes_verify,
               (const uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t nonce[16],
                const uint8_t key[32]),
               (tag, msg, len_bytes, nonce, key))
{
    uint8_t one_time[32];
    const bool clamped = key_of_nonce(one_time, nonce, key);
    return verify_tag(tag, msg, len_bytes, one_time, clamped);
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED(bool, hornet_poly1305_aes_init,
               (hornet_poly1305_state *state, const uint8_t nonce[16], const uint8_t key[32]),
               (state, nonce, key))
{
    uint8_t one_time[32];
    const bool clamped = key_of_nonce(one_time, nonce, key);
    return begin_message(state, one_time, clamped);
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED(bool, hornet_poly1305_pad,
               (uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t r[16],
                const uint8_t pad[16]),
               (tag, msg, len_bytes, r, pad))
{
    uint8_t one_time[32];
    const bool clamped = key_of_pad(one_time, r, pad);
    return compute_tag(tag, msg, len_bytes, one_time, clamped);
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED(bool, hornet_poly1305_pad_verify,
               (const uint8_t tag[16], const void *msg, size_t len_bytes, const uint8_t r[16],
                const uint8_t pad[16]),
               (tag, msg, len_bytes, r, pad))
{
    uint8_t one_time[32];
    const bool clamped = key_of_pad(one_time, r, pad);
    return verify_tag(tag, msg, len_bytes, one_time, clamped);
}

HORNET_CLEARS_REGISTERS
HORNET_CLEARED(bool, hornet_poly1305_pad_init,
               (hornet_poly1305_state *state, const uint8_t r[16], const uint8_t pad[16]), (state, r, pad))
{
    uint8_t one_time[32];
    const bool clamped = key_of_pad(one_time, r, pad);
    return begin_message(state, one_time, clamped);
}

HORNET_CLEARS_REGISTERS bool hornet_poly1305_aes_batch(uint8_t (*tags)[16], const void *const *msgs,
                                                       const size_t *lens_bytes,
                                                       const uint8_t (*nonces)[16],
                                                       const uint8_t (*keys)[32], size_t count)
{
    uint8_t one_time[HORNET_BATCH_WINDOW][32];
    bool all = true;
    const uint32_t aes_in_use = hornet_aes_entries_in_use(), in_use = hornet_poly1305_entries_in_use();
    for (size_t first = 0; first < count; first += HORNET_BATCH_WINDOW) {
        const size_t n = hornet_batch_window(first, count);
        all &= keys_of_nonces(one_time, nonces + first, keys + first, n, aes_in_use);
        hornet_poly1305_batch_using(tags + first, msgs + first, lens_bytes + first,
                                    (const uint8_t(*)[32])one_time, n, in_use);
    }
    wipe(one_time, sizeof one_time);
    return all;
}

HORNET_CLEARS_REGISTERS bool hornet_poly1305_aes_verify_batch(bool *valid, const uint8_t (*tags)[16],
                                                              const void *const *msgs,
                                                              const size_t *lens_bytes,
                                                              const uint8_t (*nonces)[16],
                                                              const uint8_t (*keys)[32], size_t count)
{
    uint8_t one_time[HORNET_BATCH_WINDOW][32];
    bool all = true;
    const uint32_t aes_in_use = hornet_aes_entries_in_use(), in_use = hornet_poly1305_entries_in_use();
    for (size_t first = 0; first < count; first += HORNET_BATCH_WINDOW) {
        const size_t n = hornet_batch_window(first, count);
        keys_of_nonces(one_time, nonces + first, keys + first, n, aes_in_use);
        all &= hornet_poly1305_verify_batch_using(valid + first, tags + first, msgs + first,
                                                  lens_bytes + first, (const uint8_t(*)[32])one_time, n,
                                                  in_use);
        for (size_t i = first; i < first + n; i++) {
            valid[i] &= hornet_poly1305_r_is_clamped(keys[i] + 16);
            all &= valid[i];
        }
    }
    wipe(one_time, sizeof one_time);
    return all;
}
