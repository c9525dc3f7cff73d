/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Public functions for callers inside the library, which pass the entries in use (kernel.h) as an
 * argument. */
#ifndef HORNET_POLY1305_POLY1305_H
#define HORNET_POLY1305_POLY1305_H

#include "../core/public.h"
#include "state.h"

#pragma GCC visibility push(hidden)

/* Begins a message with its first chunk: msg of len_bytes bytes, and none of it stays in the lanes. */
void hornet_poly1305_begin_using(hornet_poly1305_state *state, const uint8_t key[32], const void *msg,
                                 size_t len_bytes, uint32_t in_use);
/* Makes a state live, and returns its value, which has no key yet and can absorb whole blocks until the
 * next chunk. */
struct poly1305 *hornet_poly1305_begin_value(hornet_poly1305_state *state);
/* Absorbs what waits in the state into its value, and returns that: it can absorb whole blocks until the
 * next chunk. The chunks so far must be whole blocks. */
struct poly1305 *hornet_poly1305_value(hornet_poly1305_state *state, uint32_t in_use);
void hornet_poly1305_update_using(hornet_poly1305_state *state, const void *msg, size_t len_bytes,
                                  uint32_t in_use);
void hornet_poly1305_final_using(hornet_poly1305_state *state, uint8_t tag[16], uint32_t in_use);
void hornet_poly1305_batch_using(uint8_t (*tags)[16], const void *const *msgs, const size_t *lens_bytes,
                                 const uint8_t (*keys)[32], size_t count, uint32_t in_use);
bool hornet_poly1305_verify_batch_using(bool *valid, const uint8_t (*tags)[16], const void *const *msgs,
                                        const size_t *lens_bytes, const uint8_t (*keys)[32], size_t count,
                                        uint32_t in_use);

#pragma GCC visibility pop

#endif
