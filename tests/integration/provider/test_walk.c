/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Makes random sequences of EVP calls with the default provider and this one, in lockstep.
 *
 *     test_walk [FIRST [COUNT]]     COUNT walks, the first from seed FIRST
 *
 * Results, output and the reasons of errors must be the same. If bindings/openssl/README.md says that this
 * provider refuses a call, it must refuse it for that reason; the default one is then not called, and the
 * state of both is unchanged. XChaCha20-Poly1305, which the default provider lacks, is a third column next
 * to ChaCha20-Poly1305: the same calls must have the same results.
 *
 * One check is independent of these rules: a context must never encrypt with a piece of keystream that it
 * has used before, unless the caller has set a nonce or another key in between, and must not compute the
 * tags of two messages. */
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/proverr.h>

#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "../../support/check.h"
#include "../../support/inputs.h"
#include "providers.h"

enum { EXTENDED = PROVIDERS, COLUMNS };

enum {
    STEPS = 40,
    CONTEXTS = 2,
    KEYS = 3,
    KEY_BYTES = 32,
    NONCE_BYTES = 12,
    XNONCE_BYTES = 24,
    TAG_BYTES = 16,
    TLS_AAD_BYTES = 13,
    MOST_AAD = 90,
    MOST_TEXT = 2200,                    /* more than the provider handles as a whole message */
    MOST_STREAM = 2 * STEPS * MOST_TEXT, /* call_all has two pieces */
    RECOGNIZED = 8 /* bytes of keystream that are compared; fewer may be equal by chance */
};

#define NO_RECORD SIZE_MAX

/* The states of a nonce in bindings/openssl/README.md. */
typedef enum { NONCE_FRESH, NONCE_TO_DECRYPT, NONCE_USED } nonce_left;

/* The parts of a message that have been processed. */
typedef enum { NOTHING, SOME_AAD, SOME_TEXT } message_stage;

/* The same context in each column, and its state according to the documentation. */
typedef struct {
    EVP_CIPHER_CTX *c[COLUMNS];
    bool has_extended; /* false in a walk with TLS records, which XChaCha20-Poly1305 refuses */
    bool encrypts, key_set, nonce_set, tag_ready;
    uint8_t key[KEY_BYTES], nonce[XNONCE_BYTES], fixed_nonce[NONCE_BYTES];
    nonce_left left;
    message_stage stage;
    size_t record_bytes; /* length of the announced record, or NO_RECORD */
    uint8_t header[TLS_AAD_BYTES];
    size_t given_bytes; /* length of the tag to compare with */
    size_t taglen_bytes;
    uint8_t given[COLUMNS][TAG_BYTES];
    bool default_compares_other; /* the default provider no longer has the given tag */
    bool default_goes_on;        /* the default provider continues a message that this one has abandoned */
    bool default_ended;          /* the default provider requires a nonce to continue, even after a key */
    bool default_fixed_lost;     /* that nonce was not the fixed one */
    /* A message to decrypt: associated data and text mostly come from it. */
    struct {
        uint8_t aad[MOST_AAD], sealed[COLUMNS][MOST_TEXT + TAG_BYTES], tag[COLUMNS][TAG_BYTES];
        size_t aad_bytes, aad_done, text_bytes, text_done;
    } planned;
    /* Use since the caller last set a nonce or another key. */
    struct {
        uint8_t stream[MOST_STREAM];
        size_t stream_bytes;
        unsigned tags;
    } used[COLUMNS];
} context;

/* The effects of a call. */
typedef struct {
    int result, n, reason;
    uint8_t out[MOST_TEXT + TAG_BYTES];
} answer;

static context contexts[CONTEXTS];
static answer answers[COLUMNS];
static uint8_t keys[KEYS][KEY_BYTES], untouched[MOST_TEXT + TAG_BYTES];

/* Totals of all walks. The test fails if it hardly exercises one of them. */
static struct {
    unsigned long calls, accepted, forged, records, copies, nonce_refusals, other_refusals, recognized;
} counts;

/* The calls of this walk, printed after a failure. */
static char calls[STEPS * 800];
static size_t calls_bytes;
static uint64_t walk_seed;
static bool walk_failed;

/* Whether the calls are those of a program that processes a whole message. */
static bool sensible;

__attribute__((format(printf, 1, 2))) static void note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(calls + calls_bytes, sizeof calls - calls_bytes, format, arguments);
    va_end(arguments);
    if (n > 0 && (size_t)n < sizeof calls - calls_bytes)
        calls_bytes += (size_t)n;
}

/* A walk ends at its first failure, because later checks would fail too. */
static void expect(bool condition, const char *what)
{
    check(condition, "seed %llu, at the last of these calls: %s", (unsigned long long)walk_seed, what);
    if (condition)
        return;
    if (!walk_failed && checks_failed <= 20)
        printf("%s\n", calls);
    walk_failed = true;
}

static void begin_walk(uint64_t seed)
{
    walk_seed = seed;
    random_state = seed * UINT64_C(0xd1342543de82ef95);
    calls_bytes = 0;
    walk_failed = false;
}

static unsigned below(unsigned bound) { return (unsigned)(random_word() % bound); }

/* Returns true once in `many` calls, on average. */
static bool one_in(unsigned many) { return below(many) == 0; }

static int columns(const context *s) { return s->has_extended ? COLUMNS : PROVIDERS; }

/* Returns the number of columns for calls that are part of a message. Without a nonce, only
 * XChaCha20-Poly1305 refuses them; a nonce begins a new message in all columns. */
static int message_columns(const context *s)
{
    return s->key_set && !s->nonce_set ? PROVIDERS : columns(s);
}

/* --- The effects of the calls --- */

/* Checks that all columns have the same result. The default provider sometimes fails without a reason. */
static void same(int asked, const char *what)
{
    for (int i = HORNET; i < asked; i++) {
        const answer *const a = &answers[i - 1], *const b = &answers[i];
        const bool same_reason = a->reason == b->reason || (i == HORNET && a->reason == 0);
        if (i == HORNET)
            note(" -> %d", a->result);
        note(", %d", b->result);
        expect(a->result == b->result && a->n == b->n && (a->result > 0 || same_reason), what);
        if (i == HORNET)
            expect(memcmp(a->out, b->out, sizeof a->out) == 0, "another output");
    }
    note("\n");
}

/* Checks that this provider refuses, and writes nothing. */
static void refused(int asked, int reason)
{
    for (int i = HORNET; i < asked; i++) {
        const answer *const a = &answers[i];
        note(i == HORNET ? " -> refused %d for %d" : ", %d for %d", a->result, a->reason);
        expect(a->result <= 0 && a->n == 0, "not refused");
        expect(a->reason == reason, "refused for another reason");
        expect(memcmp(a->out, untouched, sizeof untouched) == 0, "refused, with output");
    }
    note("\n");
    *(reason == PROV_R_CIPHER_OPERATION_FAILED ? &counts.nonce_refusals : &counts.other_refusals) += 1;
}

/* Checks that the context repeats no keystream and computes one tag. The check depends on the key and the
 * nonce that the caller set, not on the rules by which this provider refuses. */
static void oracle(context *s, const uint8_t *const in[COLUMNS], size_t len_bytes, bool tag)
{
    for (int i = HORNET; i < message_columns(s); i++) {
        if (answers[i].result <= 0)
            continue;
        uint8_t *const new = s->used[i].stream + s->used[i].stream_bytes;
        for (size_t k = 0; k < len_bytes; k++)
            new[k] = in[i][k] ^ answers[i].out[k];
        if (s->encrypts && len_bytes >= RECOGNIZED && s->used[i].stream_bytes != 0) {
            const uint8_t *at = s->used[i].stream;
            bool repeated = false;
            while (!repeated && (at = memchr(at, *new, (size_t)(new - at))) != NULL) {
                repeated = at + RECOGNIZED <= new && memcmp(at, new, RECOGNIZED) == 0;
                at++;
            }
            expect(!repeated, "a piece of keystream again");
            counts.recognized++;
        }
        s->used[i].stream_bytes += len_bytes;
        if (s->encrypts && tag)
            expect(++s->used[i].tags == 1, "a second message has a tag under this nonce");
    }
}

/* Starts new records of keystream and tags, after the caller has set a nonce or another key. */
static void new_stream(context *s)
{
    for (int i = 0; i < COLUMNS; i++)
        s->used[i].stream_bytes = s->used[i].tags = 0;
}

/* --- The documented state --- */

static void forget(context *s)
{
    s->stage = NOTHING;
    s->record_bytes = NO_RECORD;
    s->tag_ready = false;
}

/* Updates the state at the end of a message. */
static void end_message(context *s)
{
    forget(s);
    s->left = NONCE_USED;
    s->tag_ready = s->encrypts;
    s->default_compares_other |= s->encrypts; /* its computed tag has replaced the given one */
}

/* Returns the reason why a part of a message is refused, or 0 if it is not refused. */
static int refusal(const context *s)
{
    if (!s->key_set)
        return PROV_R_NO_KEY_SET;
    if (s->left == NONCE_USED || (s->left == NONCE_TO_DECRYPT && s->encrypts))
        return PROV_R_CIPHER_OPERATION_FAILED;
    return 0;
}

/* Returns the first column to call: if this provider refuses, the default one is not called. */
static int first_column(int reason) { return reason == 0 ? DEFAULT : HORNET; }

static const uint8_t *nonce_of(const context *s, int column, const uint8_t *record_aad, uint8_t made[12])
{
    if (record_aad == NULL || column == EXTENDED)
        return s->nonce;
    memcpy(made, s->fixed_nonce, NONCE_BYTES);
    for (size_t i = 0; i < 8; i++)
        made[4 + i] ^= record_aad[i];
    return made;
}

/* Seals a message to decrypt, under the key and the nonce of the context; if record_aad is not NULL, as a
 * TLS record, which the tag follows. */
static void plan_message(context *s, size_t text_bytes, const uint8_t *record_aad)
{
    uint8_t text[MOST_TEXT], made[NONCE_BYTES];
    int n = 0;
    random_bytes(text, text_bytes);
    random_bytes(s->planned.aad, sizeof s->planned.aad);
    s->planned.aad_bytes = one_in(3) ? 0 : below(MOST_AAD);
    s->planned.text_bytes = text_bytes;
    s->planned.aad_done = s->planned.text_done = 0;
    if (record_aad != NULL) {
        memcpy(s->planned.aad, record_aad, TLS_AAD_BYTES);
        s->planned.aad[11] = (uint8_t)(text_bytes >> 8);
        s->planned.aad[12] = (uint8_t)text_bytes;
        s->planned.aad_bytes = TLS_AAD_BYTES;
    }
    for (int i = 0; i < COLUMNS; i++) {
        EVP_CIPHER_CTX *const c = new_context();
        uint8_t *const sealed = s->planned.sealed[i], *const tag = s->planned.tag[i];
        EVP_CipherInit_ex(c, i == EXTENDED ? extended : ciphers[DEFAULT], NULL, s->key,
                          nonce_of(s, i, record_aad, made), 1);
        EVP_CipherUpdate(c, NULL, &n, s->planned.aad, (int)s->planned.aad_bytes);
        EVP_CipherUpdate(c, sealed, &n, text, (int)text_bytes);
        EVP_CipherFinal_ex(c, text, &n);
        EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, TAG_BYTES, tag);
        memcpy(sealed + text_bytes, tag, TAG_BYTES);
        EVP_CIPHER_CTX_free(c);
    }
}

/* Since OpenSSL 4, the default provider also refuses to continue after final, but it then requires a nonce
 * given to init: another key, a record or a fixed nonce is not enough. */
static void continue_default(context *s)
{
    const bool record = s->record_bytes != NO_RECORD;
    if (!s->default_ended)
        return;
    s->default_ended = false;
    s->default_fixed_lost = !record;
    note("(the nonce again to the default provider) ");
    expect(EVP_CipherInit_ex2(s->c[DEFAULT], NULL, NULL, record ? s->fixed_nonce : s->nonce, -1, NULL) &&
               (!record ||
                EVP_CIPHER_CTX_ctrl(s->c[DEFAULT], EVP_CTRL_AEAD_TLS1_AAD, TLS_AAD_BYTES, s->header)),
           "the nonce again");
}

/* --- The calls --- */

static void clear_answers(void)
{
    for (int i = 0; i < COLUMNS; i++) {
        answers[i].result = answers[i].n = answers[i].reason = 0;
        memset(answers[i].out, 0, sizeof answers[i].out);
    }
}

/* Calls init with any of key, nonce and direction. If it has a cipher, the context is new. */
static void call_init(context *s, bool with_cipher)
{
    uint8_t given[XNONCE_BYTES];
    const int enc = with_cipher ? (int)below(2) : (int)below(3) - 1;
    const bool same_nonce = one_in(6);
    const int which_key = one_in(with_cipher ? 4 : 2) ? -1 : (int)below(KEYS);
    const uint8_t *const key = which_key < 0 ? NULL : keys[which_key];
    const uint8_t *const nonce = one_in(2) ? NULL : given;
    if (same_nonce)
        memcpy(given, s->nonce, sizeof given);
    else
        random_bytes(given, sizeof given);
    note("init%s, key %d, %s, enc %d", with_cipher ? " with the cipher" : "", which_key,
         nonce == NULL ? "no nonce"
         : same_nonce  ? "same nonce"
                       : "new nonce",
         enc);
    for (int i = 0; i < columns(s); i++) {
        answers[i].result = EVP_CipherInit_ex2(s->c[i],
                                               !with_cipher    ? NULL
                                               : i == EXTENDED ? extended
                                                               : ciphers[i],
                                               key, nonce, enc, NULL);
        answers[i].reason = last_reason();
    }
    same(columns(s), "init");
    if (with_cipher) {
        forget(s);
        s->key_set = s->nonce_set = s->default_compares_other = s->default_goes_on = false;
        s->given_bytes = s->taglen_bytes = 0;
        s->left = NONCE_FRESH;
        s->encrypts = enc;
        s->default_ended = s->default_fixed_lost = false;
        memset(s->nonce, 0, sizeof s->nonce);
        memset(s->fixed_nonce, 0, sizeof s->fixed_nonce);
        new_stream(s);
    }
    const bool other_direction = enc >= 0 && (enc != 0) != s->encrypts;
    const bool other_key = key != NULL && !(s->key_set && memcmp(key, s->key, KEY_BYTES) == 0);
    if (key != NULL || nonce != NULL || other_direction) {
        const bool begun = s->stage != NOTHING || s->record_bytes != NO_RECORD;
        if (begun)
            s->left = NONCE_USED;
        /* The default provider continues the message until a key or a nonce is set. */
        s->default_goes_on = key == NULL && nonce == NULL && (begun || s->default_goes_on);
        forget(s);
    }
    if (other_direction)
        s->encrypts = enc;
    if (nonce != NULL || other_key) {
        s->left = NONCE_FRESH;
        new_stream(s);
    } else if (key != NULL && s->left == NONCE_USED) {
        s->left = NONCE_TO_DECRYPT;
    }
    if (nonce != NULL) {
        s->nonce_set = true;
        s->default_ended = s->default_fixed_lost = false;
        memcpy(s->nonce, nonce, sizeof s->nonce);
        memcpy(s->fixed_nonce, nonce, NONCE_BYTES);
    }
    if (key != NULL) {
        s->key_set = true;
        memcpy(s->key, key, KEY_BYTES);
    }
    if (s->key_set && !s->encrypts && (key != NULL || nonce != NULL || other_direction))
        plan_message(s, one_in(2) ? below(100) : below(MOST_TEXT), NULL);
}

static void call_aad(context *s)
{
    uint8_t any[MOST_AAD];
    const uint8_t *in = any;
    size_t len = below(MOST_AAD);
    random_bytes(any, sizeof any);
    if (!s->encrypts && (sensible || !one_in(8))) {
        const size_t left = s->planned.aad_bytes - s->planned.aad_done;
        in = s->planned.aad + s->planned.aad_done;
        len = len > left || sensible || one_in(2) ? left : len;
    }
    int reason = len == 0 ? 0 : refusal(s);
    if (len != 0 && reason == 0 && (s->record_bytes != NO_RECORD || s->stage == SOME_TEXT))
        reason = PROV_R_INVALID_DATA;
    if (reason == 0)
        continue_default(s);
    note("aad, %zu bytes", len);
    for (int i = first_column(reason); i < message_columns(s); i++) {
        answers[i].result = EVP_CipherUpdate(s->c[i], NULL, &answers[i].n, in, (int)len);
        answers[i].reason = last_reason();
    }
    if (reason != 0) {
        refused(message_columns(s), reason);
        return;
    }
    same(message_columns(s), "associated data");
    if (len != 0)
        s->stage = SOME_AAD;
    if (in != any)
        s->planned.aad_done += len;
}

static void call_text(context *s)
{
    static uint8_t any[MOST_TEXT + TAG_BYTES];
    const uint8_t *in[COLUMNS] = {any, any, any};
    const bool in_place = one_in(2), record = s->record_bytes != NO_RECORD;
    size_t len = one_in(2) ? below(40) : below(MOST_TEXT);
    bool planned = false;
    random_bytes(any, sizeof any);
    if (record && !one_in(6))
        len = s->record_bytes + TAG_BYTES;
    if (!s->encrypts && (sensible || !one_in(8))) {
        const size_t left = s->planned.text_bytes + (record ? TAG_BYTES : 0) - s->planned.text_done;
        planned = true;
        len = record || len > left || one_in(2) ? left : len;
        for (int i = 0; i < COLUMNS; i++)
            in[i] = s->planned.sealed[i] + s->planned.text_done;
    }
    const int reason = len == 0 ? 0 : refusal(s);
    if (reason == 0)
        continue_default(s);
    note("%stext, %zu bytes%s%s", record ? "record's " : "", len, planned ? " of the planned" : "",
         in_place ? ", in place" : "");
    for (int i = first_column(reason); i < message_columns(s); i++) {
        answer *const a = &answers[i];
        if (in_place)
            memcpy(a->out, in[i], len);
        a->result = EVP_CipherUpdate(s->c[i], a->out, &a->n, in_place ? a->out : in[i], (int)len);
        a->reason = last_reason();
        if (in_place && a->result <= 0 && memcmp(a->out, in[i], len) == 0)
            memset(a->out, 0, len);
    }
    oracle(s, in, record ? s->record_bytes : len, record && len != 0);
    if (reason != 0) {
        refused(message_columns(s), reason);
        return;
    }
    same(message_columns(s), "text");
    if (record) {
        if (len == s->record_bytes + TAG_BYTES) {
            end_message(s);
            *(answers[HORNET].result > 0 ? &counts.records : &counts.forged) += 1;
        }
    } else if (len != 0) {
        s->stage = SOME_TEXT;
    }
    if (planned && !record)
        s->planned.text_done += len;
}

/* Sets a tag to compare with, or only its length. */
static void give_tag(EVP_CIPHER_CTX *c, answer *a, size_t len, const uint8_t *tag)
{
    a->result = EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_SET_TAG, (int)len, (void *)tag);
    a->reason = last_reason();
}

/* Returns the length of a tag, mostly a right one. The columns have different tags, and a very short one
 * may be right by chance in one of them. */
static size_t tag_length(const context *s)
{
    return one_in(3) ? (s->has_extended ? 4 : 0) + below(18) : TAG_BYTES;
}

static void call_set_tag(context *s)
{
    const size_t len = tag_length(s);
    const bool forged = len != 0 && one_in(3);
    const size_t forged_at = forged ? below((unsigned)len) : 0;
    uint8_t tags[COLUMNS][TAG_BYTES + 6] = {{0}};
    note("tag to compare with, %zu bytes%s", len, forged ? ", forged" : " of the planned");
    for (int i = 0; i < columns(s); i++) {
        memcpy(tags[i], s->planned.tag[i], TAG_BYTES);
        tags[i][forged_at] ^= forged;
        give_tag(s->c[i], &answers[i], len, tags[i]);
    }
    same(columns(s), "tag to compare with");
    if (answers[HORNET].result <= 0)
        return;
    s->default_compares_other = false;
    s->given_bytes = s->taglen_bytes = len;
    for (int i = 0; i < COLUMNS; i++)
        memcpy(s->given[i], tags[i], TAG_BYTES);
}

/* Sets only the length of the tag. The default provider then compares this length of its tag; this provider
 * compares the complete given tag. */
static void call_set_tag_length(context *s)
{
    const size_t len = tag_length(s);
    note("length of the tag, %zu bytes", len);
    for (int i = 0; i < columns(s); i++)
        give_tag(s->c[i], &answers[i], len, NULL);
    same(columns(s), "length of the tag");
    if (answers[HORNET].result <= 0)
        return;
    s->taglen_bytes = len;
    s->default_compares_other = true;
}

static void call_final(context *s)
{
    static const uint8_t *const nothing[COLUMNS] = {untouched, untouched, untouched};
    int reason = refusal(s);
    answer ignored;
    if (reason == 0 && s->record_bytes != NO_RECORD)
        reason = PROV_R_INVALID_INPUT_LENGTH;
    if (reason == 0 && !s->encrypts && s->given_bytes == 0)
        reason = PROV_R_TAG_NOT_SET;
    const bool give_again = reason == 0 && !s->encrypts && s->default_compares_other;
    note("final%s", give_again ? ", to the default provider after the same tag again" : "");
    if (give_again)
        give_tag(s->c[DEFAULT], &ignored, s->given_bytes, s->given[DEFAULT]);
    for (int i = first_column(reason); i < message_columns(s); i++) {
        answers[i].result = EVP_CipherFinal_ex(s->c[i], answers[i].out, &answers[i].n);
        answers[i].reason = last_reason();
    }
    if (give_again)
        give_tag(s->c[DEFAULT], &ignored, s->taglen_bytes, NULL);
    oracle(s, nothing, 0, true);
    if (reason != 0) {
        refused(message_columns(s), reason);
        return;
    }
    same(message_columns(s), "final");
    if (!s->encrypts)
        *(answers[HORNET].result > 0 ? &counts.accepted : &counts.forged) += 1;
    s->default_ended |= answers[DEFAULT].result > 0 && OPENSSL_version_major() >= 4;
    end_message(s);
}

static void call_get_tag(context *s)
{
    const size_t len = one_in(3) ? below(18) : TAG_BYTES;
    const int reason = s->encrypts && !s->tag_ready ? PROV_R_TAG_NOT_SET : 0;
    note("tag, %zu bytes", len);
    for (int i = first_column(reason); i < message_columns(s); i++) {
        answers[i].result = EVP_CIPHER_CTX_ctrl(s->c[i], EVP_CTRL_AEAD_GET_TAG, (int)len, answers[i].out);
        answers[i].reason = last_reason();
    }
    if (reason != 0)
        refused(message_columns(s), reason);
    else
        same(message_columns(s), "tag");
}

/* Processes a message to its end, or the rest of one. */
static void call_all(context *s)
{
    static void (*const all[])(context *) = {call_set_tag, call_set_tag_length, call_aad,   call_text,
                                             call_text,    call_set_tag,        call_final, call_get_tag};
    static const unsigned left_out[] = {2, 2, 0, 0,
                                        2, 2, 0, 0}; /* left out once in this number of times; 0: never */
    sensible = true;
    for (size_t i = 0; i < sizeof all / sizeof *all && !walk_failed; i++)
        if (left_out[i] == 0 || !one_in(left_out[i])) {
            clear_answers();
            all[i](s);
        }
    sensible = false;
}

static void call_lengths(context *s)
{
    note("lengths");
    for (int i = 0; i < columns(s); i++) {
        const int nonce_bytes = EVP_CIPHER_CTX_get_iv_length(s->c[i]);
        expect(nonce_bytes == (i == EXTENDED ? XNONCE_BYTES : NONCE_BYTES), "length of the nonce");
        answers[i].result =
            1 + EVP_CIPHER_CTX_get_key_length(s->c[i]) * 100 + EVP_CIPHER_CTX_get_tag_length(s->c[i]);
    }
    same(columns(s), "lengths");
}

static void call_set_nonce_length(context *s)
{
    const size_t len = one_in(2) ? NONCE_BYTES : below(30);
    note("length of the nonce, %zu", len);
    for (int i = 0; i < columns(s); i++) {
        const size_t in_column = i != EXTENDED         ? len
                                 : len == NONCE_BYTES  ? (size_t)XNONCE_BYTES
                                 : len == XNONCE_BYTES ? (size_t)NONCE_BYTES
                                                       : len;
        answers[i].result = EVP_CIPHER_CTX_ctrl(s->c[i], EVP_CTRL_AEAD_SET_IVLEN, (int)in_column, NULL);
        answers[i].reason = last_reason();
    }
    same(columns(s), "length of the nonce");
}

/* Copies the context. The copy replaces the other context of the walk, or the original. */
static void call_copy(context *s, context *other)
{
    const bool in_its_place = one_in(2);
    note("copy, %s", in_its_place ? "the original is freed" : "both go on");
    for (int i = 0; i < columns(s); i++) {
        EVP_CIPHER_CTX *const copy = new_context();
        answers[i].result = EVP_CIPHER_CTX_copy(copy, s->c[i]);
        answers[i].reason = last_reason();
        if (in_its_place) {
            EVP_CIPHER_CTX_free(s->c[i]);
            s->c[i] = copy;
        } else {
            EVP_CIPHER_CTX_free(other->c[i]);
            other->c[i] = copy;
        }
    }
    same(columns(s), "copy");
    if (!in_its_place) {
        EVP_CIPHER_CTX *kept[COLUMNS];
        memcpy(kept, other->c, sizeof kept);
        *other = *s;
        memcpy(other->c, kept, sizeof kept);
    }
    counts.copies++;
}

static void call_reset(context *s)
{
    note("reset, ");
    for (int i = 0; i < columns(s); i++)
        expect(EVP_CIPHER_CTX_reset(s->c[i]), "reset");
    call_init(s, true);
}

static void call_record(context *s)
{
    uint8_t header[TLS_AAD_BYTES];
    const size_t text_bytes = below(300);
    const bool too_short = !s->encrypts && one_in(10);
    random_bytes(header, sizeof header);
    const size_t len = too_short ? below(TAG_BYTES) : text_bytes + (s->encrypts ? 0 : TAG_BYTES);
    header[11] = (uint8_t)(len >> 8);
    header[12] = (uint8_t)len;
    note("record, %zu bytes", len);
    if (s->default_fixed_lost && !too_short) {
        expect(EVP_CIPHER_CTX_ctrl(s->c[DEFAULT], EVP_CTRL_AEAD_SET_IV_FIXED, NONCE_BYTES, s->fixed_nonce),
               "the fixed nonce again");
        s->default_fixed_lost = false;
    }
    for (int i = 0; i < PROVIDERS; i++) {
        answers[i].result = EVP_CIPHER_CTX_ctrl(s->c[i], EVP_CTRL_AEAD_TLS1_AAD, TLS_AAD_BYTES, header);
        answers[i].reason = last_reason();
    }
    same(PROVIDERS, "record");
    if (answers[HORNET].result <= 0) {
        /* A refused call changes nothing in this provider; the default provider has replaced the header of
         * the record that was announced before. */
        if (s->record_bytes != NO_RECORD)
            expect(EVP_CIPHER_CTX_ctrl(s->c[DEFAULT], EVP_CTRL_AEAD_TLS1_AAD, TLS_AAD_BYTES, s->header),
                   "the record before");
        ERR_clear_error();
        return;
    }
    memcpy(s->header, header, sizeof header);
    forget(s);
    s->default_goes_on = false;
    s->record_bytes = text_bytes;
    s->left = NONCE_FRESH;
    new_stream(s);
    if (!s->encrypts && s->key_set)
        plan_message(s, text_bytes, header);
    uint8_t made[NONCE_BYTES];
    memcpy(s->nonce, nonce_of(s, HORNET, header, made), NONCE_BYTES);
}

static void call_fixed_nonce(context *s)
{
    uint8_t fixed[NONCE_BYTES];
    const size_t len = one_in(4) ? below(16) : NONCE_BYTES;
    const bool begun = s->stage != NOTHING || s->record_bytes != NO_RECORD;
    const int reason = len == NONCE_BYTES && begun ? PROV_R_CIPHER_OPERATION_FAILED : 0;
    uint8_t given[16];
    random_bytes(given, sizeof given);
    memcpy(fixed, given, NONCE_BYTES);
    note("fixed nonce, %zu bytes", len);
    for (int i = first_column(reason); i < PROVIDERS; i++) {
        answers[i].result = EVP_CIPHER_CTX_ctrl(s->c[i], EVP_CTRL_AEAD_SET_IV_FIXED, (int)len, given);
        answers[i].reason = last_reason();
    }
    if (reason != 0) {
        refused(PROVIDERS, reason);
        return;
    }
    same(PROVIDERS, "fixed nonce");
    if (answers[HORNET].result <= 0)
        return;
    /* Let it abandon the message that this provider has abandoned. */
    if (s->default_goes_on)
        expect(EVP_CipherInit_ex2(s->c[DEFAULT], NULL, NULL, fixed, -1, NULL), "init");
    s->default_goes_on = s->default_fixed_lost = false;
    forget(s);
    s->left = NONCE_FRESH;
    s->nonce_set = true;
    memcpy(s->nonce, fixed, NONCE_BYTES);
    memcpy(s->fixed_nonce, fixed, NONCE_BYTES);
    new_stream(s);
}

static void walk(uint64_t seed)
{
    begin_walk(seed);
    const bool records = one_in(3);
    for (size_t k = 0; k < CONTEXTS; k++) {
        context *const s = &contexts[k];
        s->has_extended = !records;
        for (int i = 0; i < COLUMNS; i++)
            s->c[i] = new_context();
        random_bytes(s->planned.tag[0], sizeof s->planned.tag);
        s->planned.aad_bytes = s->planned.aad_done = s->planned.text_bytes = s->planned.text_done = 0;
        note("context %zu: ", k);
        clear_answers();
        call_init(s, true);
    }
    for (unsigned step = 0; step < STEPS && !walk_failed; step++) {
        const size_t k = below(CONTEXTS);
        context *const s = &contexts[k];
        clear_answers();
        note("context %zu: ", k);
        switch (below(records ? 26 : 22)) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4:
            call_init(s, false);
            break;
        case 5:
        case 6:
            call_aad(s);
            break;
        case 7:
        case 8:
        case 9:
        case 10:
            call_text(s);
            break;
        case 11:
        case 12:
            call_final(s);
            break;
        case 13:
            call_get_tag(s);
            break;
        case 14:
        case 15:
            if (one_in(4))
                call_set_tag_length(s);
            else
                call_set_tag(s);
            break;
        case 16:
            call_copy(s, &contexts[1 - k]);
            break;
        case 17:
            call_lengths(s);
            break;
        case 18:
            call_set_nonce_length(s);
            break;
        case 19:
            if (one_in(3))
                call_reset(s);
            else
                call_init(s, one_in(3));
            break;
        case 20:
        case 21:
            call_all(s);
            break;
        case 22:
            call_fixed_nonce(s);
            break;
        default:
            call_record(s);
        }
        counts.calls++;
    }
    for (size_t k = 0; k < CONTEXTS; k++)
        for (int i = 0; i < COLUMNS; i++)
            EVP_CIPHER_CTX_free(contexts[k].c[i]);
}

/* Walks through the calls of POLY1305, whose keys are for one message. */
static void walk_mac(uint64_t seed)
{
    EVP_MAC_CTX *c[PROVIDERS];
    bool live = false;
    static const char *const names[] = {"init with a key",
                                        "init with a parameter",
                                        "set a parameter",
                                        "update",
                                        "update",
                                        "update",
                                        "final",
                                        "init with nothing",
                                        "copy"};
    begin_walk(seed);
    for (int i = 0; i < PROVIDERS; i++)
        c[i] = EVP_MAC_CTX_new(macs[i]);
    for (unsigned step = 0; step < STEPS && !walk_failed; step++) {
        uint8_t key[KEY_BYTES], data[300];
        const unsigned act = below(sizeof names / sizeof *names);
        const size_t len = act > 2 ? below(sizeof data) : one_in(4) ? below(sizeof key) : sizeof key;
        OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, key, len),
                               OSSL_PARAM_construct_end()};
        const int reason = act >= 3 && act <= 6 && !live ? PROV_R_NO_KEY_SET : 0;
        EVP_MAC_CTX *copy = NULL;
        random_bytes(key, sizeof key);
        random_bytes(data, sizeof data);
        clear_answers();
        for (int i = first_column(reason); i < PROVIDERS; i++) {
            answer *const a = &answers[i];
            size_t written = 0;
            switch (act) {
            case 0:
                a->result = EVP_MAC_init(c[i], key, len, NULL);
                break;
            case 1:
                a->result = EVP_MAC_init(c[i], NULL, 0, params);
                break;
            case 2:
                a->result = EVP_MAC_CTX_set_params(c[i], params);
                break;
            case 3:
            case 4:
            case 5:
                a->result = EVP_MAC_update(c[i], data, len);
                break;
            case 6:
                a->result = EVP_MAC_final(c[i], a->out, &written, TAG_BYTES);
                a->n = a->result > 0 ? (int)written : 0; /* on failure, EVP sets written to any value */
                break;
            case 7:
                a->result = EVP_MAC_init(c[i], NULL, 0, NULL);
                break;
            default:
                copy = EVP_MAC_CTX_dup(c[i]);
                a->result = copy != NULL;
                EVP_MAC_CTX_free(c[i]);
                c[i] = copy;
            }
            a->reason = last_reason();
        }
        note("MAC: %s, %zu bytes", names[act], len);
        if (reason != 0) {
            refused(PROVIDERS, reason);
            continue;
        }
        same(PROVIDERS, "mac");
        live = (live || (act <= 2 && answers[HORNET].result > 0)) && act != 6;
        counts.calls++;
    }
    for (int i = 0; i < PROVIDERS; i++)
        EVP_MAC_CTX_free(c[i]);
}

int main(int argc, char **argv)
{
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 12000;
    if (!load_providers())
        return check_report("test_walk") | 1;
    begin_walk(0);
    random_bytes(keys[0], sizeof keys);
    /* Two keys share half of the first, and are mistaken for it if only that half is compared. */
    memcpy(keys[1], keys[0], KEY_BYTES / 2);
    memcpy(keys[2] + KEY_BYTES / 2, keys[0] + KEY_BYTES / 2, KEY_BYTES / 2);
    for (uint64_t seed = first; seed < first + count; seed++) {
        walk(seed);
        walk_mac(seed);
    }
    unload_providers();
    printf("%lu calls: %lu messages accepted, %lu forged, %lu records, %lu copies; refused for the nonce "
           "%lu, else %lu; keystream compared %lu times\n",
           counts.calls, counts.accepted, counts.forged, counts.records, counts.copies,
           counts.nonce_refusals, counts.other_refusals, counts.recognized);
    check(count < 1000 || (counts.accepted > count / 10 && counts.forged > count / 10 &&
                           counts.records > count / 10 && counts.nonce_refusals > count &&
                           counts.other_refusals > count && counts.recognized > count / 10),
          "the walks miss what they are for");
    return check_report("test_walk");
}
