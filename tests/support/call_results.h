/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* What the calls of secret_calls.h compute, in a form that does not depend on which kernels computed it. */
#ifndef HORNET_TESTS_CALL_RESULTS_H
#define HORNET_TESTS_CALL_RESULTS_H

#include "../../src/aead/aead.h"
#include "secret_calls.h"

/* Around every limit where a call decides by length which way it goes, in one call and in batches. */
static const size_t call_lengths[] = {0, 1, 64, 200, 300, 500, 700, 960, 1200, 1984, 2500, 5000};
enum { CALL_LENGTHS = sizeof call_lengths / sizeof call_lengths[0] };

struct call_result {
    bool ok, valid[MESSAGES];
    uint8_t tags[MESSAGES][16];
    uint8_t ends[4][16]; /* the tags of the states and of the partial evaluations */
    uint8_t text[2][MESSAGES][5000];
};

/* How many of it.sealed and it.opened a call may write. */
static size_t texts_of(const struct secret_call *function)
{
    return function->call == call_seal_batch || function->call == call_open_batch ? MESSAGES : 3;
}

/* Sets up a call with messages of n bytes, with no result of an earlier one left in place. */
static void begin_call(const struct secret_call *function, size_t n, const struct secrets *secrets)
{
    it.ok = false;
    memset(it.valid, 0, sizeof it.valid);
    for (size_t i = 0; i < texts_of(function); i++) {
        memset(it.sealed[i], 0, n);
        memset(it.opened[i], 0, n);
    }
    set_up(function, n, secrets);
}

/* The result of the call, which ends the states. */
static void take_result(struct call_result *result, const struct secret_call *function, size_t n)
{
    result->ok = it.ok;
    memcpy(result->valid, it.valid, sizeof it.valid);
    memcpy(result->tags, it.tags, sizeof it.tags);
    hornet_poly1305_final(&it.state, result->ends[0]);
    (void)hornet_aead_compute_tag(&it.aead, result->ends[1]);
    hornet_poly1305_partial_tag(result->ends[2], &it.partial, it.keys[1]);
    hornet_poly1305_partial_tag(result->ends[3], &it.segment, it.keys[1]);
    for (size_t i = 0; i < texts_of(function); i++) {
        memcpy(result->text[0][i], it.sealed[i], n);
        memcpy(result->text[1][i], it.opened[i], n);
    }
}

static bool same_result(const struct call_result *a, const struct call_result *b,
                        const struct secret_call *function, size_t n)
{
    bool same = a->ok == b->ok && memcmp(a->valid, b->valid, sizeof a->valid) == 0 &&
                memcmp(a->tags, b->tags, sizeof a->tags) == 0 &&
                memcmp(a->ends, b->ends, sizeof a->ends) == 0;
    for (size_t i = 0; i < texts_of(function); i++)
        for (int j = 0; j < 2; j++)
            same = same && memcmp(a->text[j][i], b->text[j][i], n) == 0;
    return same;
}

#endif
