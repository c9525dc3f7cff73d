/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Common code of the study's kernels: builds the record of a library kernel (src/poly1305/kernel.h) from
 * one function.
 *
 * These kernels exist to be measured and compared, and are not part of the library: they do not clear
 * the stack, and the time of some depends on the key. */
#ifndef HORNET_STUDY_KERNEL_H
#define HORNET_STUDY_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../src/core/words.h"
#include "../../src/poly1305/kernel.h"
#include "../../src/poly1305/padding.h"
#include "../../src/poly1305/state.h"
#include "../../src/poly1305/tag.h"
#include "field/reduce.h"

/* Defines the record of kernel `name`, whose function is
 *
 *     evaluate(struct poly1305 *state, const uint8_t *msg, size_t len_bytes, bool fresh, ...)
 *
 * with the contract of a kernel's absorb; `fresh`, a constant, means that state->h is 0. Further
 * arguments are passed on to it. */
#define STUDY_KERNEL_RECORD(name_, needs_, lanes_, evaluate, ...)                                          \
    static void study_absorb_##name_(struct poly1305 *state, const uint8_t *msg, size_t len_bytes)         \
    {                                                                                                      \
        evaluate(state, msg, len_bytes, false __VA_OPT__(, ) __VA_ARGS__);                                 \
    }                                                                                                      \
                                                                                                           \
    static void study_mac_##name_(uint8_t tag[16], const uint8_t *msg, size_t len_bytes,                   \
                                  const uint8_t key[32])                                                   \
    {                                                                                                      \
        struct poly1305 state = {.h = {0, 0, 0}};                                                          \
        load_r(state.r, key);                                                                              \
        load_s(state.s, key);                                                                              \
        if (len_bytes != 0)                                                                                \
            evaluate(&state, msg, len_bytes, true __VA_OPT__(, ) __VA_ARGS__);                             \
        store_tag(tag, tag_of_value(state.h, state.s));                                                    \
    }                                                                                                      \
                                                                                                           \
    extern const struct hornet_poly1305_kernel hornet_poly1305_kernel_##name_;                             \
    const struct hornet_poly1305_kernel hornet_poly1305_kernel_##name_ = {                                 \
        .implementation = {.name = #name_, .required = needs_},                                            \
        .lanes = lanes_,                                                                                   \
        .mac = study_mac_##name_,                                                                          \
        .absorb = study_absorb_##name_,                                                                    \
    }

/* Length in bytes of the first block of len_bytes bytes. */
HORNET_INLINE size_t first_block_bytes(size_t len_bytes) { return len_bytes < 16 ? len_bytes : 16; }

#endif
