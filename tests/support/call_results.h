/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The results of the calls in secret_calls.h, in a form that does not depend on the kernels that
 * computed them. */
#ifndef HORNET_TESTS_CALL_RESULTS_H
#define HORNET_TESTS_CALL_RESULTS_H

#include "../../src/aead/aead.h"
#include "secret_calls.h"

/* Around every limit at which a call chooses its code path by length, in single calls and in batches. */
static const size_t call_lengths[] = {0, 1, 64, 200, 300, 500, 700, 960, 1200, 1984, 2500, 5000};
enum { CALL_LENGTHS = sizeof call_lengths / sizeof call_lengths[0] };

/* The bytes by which a packet of SSH is longer than its text. */
enum { CALL_OVERHEAD = HORNET_SSH_LENGTH_BYTES + HORNET_SSH_TAG_BYTES };

struct call_result {
    bool ok, valid[MESSAGES];
    uint32_t length;
    uint8_t tags[MESSAGES][16];
    uint8_t ends[4][16]; /* the tags of the states and of the partial evaluations */
    uint8_t text[2][MESSAGES][5000 + CALL_OVERHEAD];
};

/* Returns how many of it.sealed and it.opened a call may write. */
static size_t texts_of(const struct secret_call *function)
{
    return is_of_packets(function->call, false) || is_of_packets(function->call, true) ? MESSAGES : 3;
}

/* Prepares a call with messages of n bytes, and removes all results of earlier calls. */
static void begin_call(const struct secret_call *function, size_t n, const struct secrets *secrets)
{
    it.ok = false;
    it.length = 0;
    memset(it.valid, 0, sizeof it.valid);
    for (size_t i = 0; i < texts_of(function); i++) {
        memset(it.sealed[i], 0, n + CALL_OVERHEAD);
        memset(it.opened[i], 0, n + CALL_OVERHEAD);
    }
    set_up(function, n, secrets);
}

/* Takes the result of the call, which ends the states. */
static void take_result(struct call_result *result, const struct secret_call *function, size_t n)
{
    result->ok = it.ok;
    result->length = it.length;
    memcpy(result->valid, it.valid, sizeof it.valid);
    memcpy(result->tags, it.tags, sizeof it.tags);
    hornet_poly1305_final(&it.state, result->ends[0]);
    (void)hornet_aead_compute_tag(&it.aead, result->ends[1]);
    hornet_poly1305_partial_tag(result->ends[2], &it.partial, it.keys[1]);
    hornet_poly1305_partial_tag(result->ends[3], &it.segment, it.keys[1]);
    for (size_t i = 0; i < texts_of(function); i++) {
        memcpy(result->text[0][i], it.sealed[i], n + CALL_OVERHEAD);
        memcpy(result->text[1][i], it.opened[i], n + CALL_OVERHEAD);
    }
}

static bool same_result(const struct call_result *a, const struct call_result *b,
                        const struct secret_call *function, size_t n)
{
    bool same =
        a->ok == b->ok && a->length == b->length && memcmp(a->valid, b->valid, sizeof a->valid) == 0 &&
        memcmp(a->tags, b->tags, sizeof a->tags) == 0 && memcmp(a->ends, b->ends, sizeof a->ends) == 0;
    for (size_t i = 0; i < texts_of(function); i++)
        for (int j = 0; j < 2; j++)
            same = same && memcmp(a->text[j][i], b->text[j][i], n + CALL_OVERHEAD) == 0;
    return same;
}

#endif
