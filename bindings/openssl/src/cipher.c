/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* ChaCha20-Poly1305 and XChaCha20-Poly1305 as an EVP_CIPHER (provider-cipher(7)).
 *
 * EVP processes a message in pieces: the output for each piece must be returned immediately, and only the
 * call to final tells that there are no more. Nearly always the whole message is one piece; in TLS, always.
 * So the first piece, if it is not long, is handled like a one-shot call with the whole message; its
 * ciphertext is kept, in case another piece follows:
 *
 *                  first piece                another piece            final
 *     STAGE_AAD  ---------------> STAGE_WHOLE ---------------> STAGE_PIECES
 *         \______________________________________________________/
 *                  first piece, if it is long or its tag is unknown
 */

#include "params.h"
#include "provider.h"

#include <hornet.h>

#include <string.h>

enum {
    KEY_BYTES = HORNET_CHACHA20_POLY1305_KEY_BYTES,
    TAG_BYTES = HORNET_CHACHA20_POLY1305_TAG_BYTES,
    NONCE_BYTES = HORNET_CHACHA20_POLY1305_NONCE_BYTES,
    XNONCE_BYTES = HORNET_XCHACHA20_POLY1305_NONCE_BYTES,
    AAD_BYTES = 64,   /* maximum associated data that is buffered until the message begins */
    KEPT_BYTES = 2048 /* with a longer piece, a one-shot call gains little */
};

/* The authenticated header of a TLS 1.2 record: its number, type, version and length (RFC 7905). */
enum { TLS_AAD_BYTES = 13, TLS_LENGTH_AT = 11, TLS_NUMBER_BYTES = 8 };

#define NO_RECORD SIZE_MAX

typedef enum {
    STAGE_AAD,   /* only associated data so far, in aad */
    STAGE_WHOLE, /* and one piece; its ciphertext is in kept, computed_tag is right if it is the last */
    STAGE_PIECES /* pieces holds the state of the message */
} cipher_stage;

/* The remaining uses of the key and the nonce. */
typedef enum {
    NONCE_FRESH,      /* to encrypt or decrypt a message */
    NONCE_TO_DECRYPT, /* only to decrypt: the nonce has been used, and the same key has been set again */
    NONCE_USED        /* none: a message has ended, or has been abandoned */
} nonce_state;

typedef struct {
    const hornet_provider *provider;
    bool extended; /* XChaCha20-Poly1305 */
    bool encrypts;
    bool key_set, nonce_set;
    bool computed; /* computed_tag is the tag of the last encrypted message */
    nonce_state nonce_left;
    uint8_t key[KEY_BYTES];
    uint8_t nonce[XNONCE_BYTES];          /* nonce of this message */
    uint8_t fixed_nonce[NONCE_BYTES];     /* TLS 1.2: xored with the number of each record */
    uint8_t given_tag[TAG_BYTES];         /* expected tag of the message to decrypt */
    size_t given_tag_bytes, taglen_bytes; /* the first is 0 until set; the second may be set alone */
    size_t record_bytes;                  /* text bytes of the next TLS 1.2 record, or NO_RECORD */
    size_t record_overhead_bytes;
    cipher_stage stage;
    size_t aad_bytes, kept_bytes;
    uint8_t computed_tag[TAG_BYTES];
    uint8_t aad[AAD_BYTES];
    hornet_aead_state pieces;
    uint8_t kept[KEPT_BYTES];
} cipher_context;

static size_t nonce_bytes(const cipher_context *c) { return c->extended ? XNONCE_BYTES : NONCE_BYTES; }

/* Returns whether any part of a message has been received. */
static bool message_begun(const cipher_context *c) { return c->stage != STAGE_AAD || c->aad_bytes != 0; }

/* Discards the current message, if there is one. */
static void forget_message(cipher_context *c)
{
    if (c->stage == STAGE_PIECES)
        hornet_wipe(&c->pieces, sizeof c->pieces);
    c->stage = STAGE_AAD;
    c->aad_bytes = 0;
    c->record_bytes = NO_RECORD;
    c->computed = false;
}

/* Ends the message. Its nonce must not be used again: the tag of another message would reveal the Poly1305
 * key of both. */
static void end_message(cipher_context *c)
{
    forget_message(c);
    c->nonce_left = NONCE_USED;
    c->computed = c->encrypts;
}

/* Returns whether key is the key that is set. The result is not secret: the caller chose the key. */
static bool is_key(const cipher_context *c, const uint8_t key[KEY_BYTES])
{
    return hornet_equal(c->key, key, KEY_BYTES) && c->key_set;
}

/* Checks that the key and the nonce are set, and that a message may use them. */
static int check_key_and_nonce(cipher_context *c)
{
    if (!c->key_set)
        return RAISE(c->provider, PROV_R_NO_KEY_SET, "no key");
    /* ChaCha20-Poly1305 of OpenSSL has an initial nonce of zeros, on which software may rely. */
    if (c->extended && !c->nonce_set)
        return RAISE(c->provider, PROV_R_INVALID_IV_LENGTH, "no nonce");
    return c->nonce_left == NONCE_FRESH || (c->nonce_left == NONCE_TO_DECRYPT && !c->encrypts) ||
           RAISE(c->provider, PROV_R_CIPHER_OPERATION_FAILED,
                 "the nonce has been used: begin with another");
}

static void *cipher_new(hornet_provider *provider, bool extended)
{
    cipher_context *const c = hornet_provider_new(provider, sizeof *c);
    if (c != NULL) {
        c->provider = provider;
        c->extended = extended;
        c->record_bytes = NO_RECORD;
    }
    return c;
}

static void *chacha20_poly1305_new(void *provider) { return cipher_new(provider, false); }

static void *xchacha20_poly1305_new(void *provider) { return cipher_new(provider, true); }

static void cipher_free(void *context)
{
    cipher_context *const c = context;
    if (c != NULL)
        hornet_provider_free(c->provider, c, sizeof *c);
}

static void *cipher_copy(void *context)
{
    cipher_context *const c = context;
    return hornet_provider_copy(c->provider, c, sizeof *c);
}

/* One-shot calls of the algorithm with this nonce length. */

static bool seal_whole(cipher_context *c, uint8_t *out, const uint8_t *in, size_t len_bytes)
{
    return (c->extended ? hornet_xchacha20_poly1305_seal : hornet_chacha20_poly1305_seal)(
        out, c->computed_tag, in, len_bytes, c->aad, c->aad_bytes, c->nonce, c->key);
}

static bool open_whole(cipher_context *c, uint8_t *out, const uint8_t *in, size_t len_bytes,
                       const uint8_t tag[TAG_BYTES])
{
    return (c->extended ? hornet_xchacha20_poly1305_open : hornet_chacha20_poly1305_open)(
        out, in, len_bytes, tag, c->aad, c->aad_bytes, c->nonce, c->key);
}

/* Sets pieces to the state after the associated data. */
static bool begin_pieces(cipher_context *c)
{
    (c->extended ? hornet_xchacha20_poly1305_init : hornet_chacha20_poly1305_init)(&c->pieces, c->nonce,
                                                                                   c->key);
    c->stage = STAGE_PIECES;
    return hornet_aead_aad(&c->pieces, c->aad, c->aad_bytes);
}

static bool next_piece(cipher_context *c, uint8_t *out, const uint8_t *in, size_t len_bytes)
{
    return (c->encrypts ? hornet_aead_encrypt : hornet_aead_decrypt)(&c->pieces, out, in, len_bytes);
}

/* Continues a message whose first piece was handled as the whole message: processes the kept ciphertext
 * again, without output. To encrypt the piece again, it is first decrypted. */
static bool continue_whole(cipher_context *c)
{
    bool done = begin_pieces(c);
    if (c->encrypts) {
        hornet_aead_state fresh = c->pieces;
        done = done && hornet_aead_decrypt(&fresh, c->kept, c->kept, c->kept_bytes);
        hornet_wipe(&fresh, sizeof fresh);
    }
    done = done && next_piece(c, c->kept, c->kept, c->kept_bytes);
    if (!c->encrypts)
        hornet_wipe(c->kept, c->kept_bytes);
    return done;
}

/* Processes the first piece; if it is not long, as the whole message. */
static bool first_piece(cipher_context *c, uint8_t *out, const uint8_t *in, size_t len_bytes)
{
    if (len_bytes > KEPT_BYTES || (!c->encrypts && c->given_tag_bytes != TAG_BYTES))
        return begin_pieces(c) && next_piece(c, out, in, len_bytes);
    c->kept_bytes = len_bytes;
    if (c->encrypts) {
        if (!seal_whole(c, out, in, len_bytes))
            return false;
        memcpy(c->kept, out, len_bytes);
    } else {
        memcpy(c->kept, in, len_bytes);
        memcpy(c->computed_tag, c->given_tag, TAG_BYTES);
        /* The message is forged, or the piece is not the whole message. */
        if (!open_whole(c, out, in, len_bytes, c->given_tag))
            return begin_pieces(c) && next_piece(c, out, c->kept, len_bytes);
    }
    c->stage = STAGE_WHOLE;
    return true;
}

static int more_text(cipher_context *c, uint8_t *out, const uint8_t *in, size_t len_bytes)
{
    bool done = false;
    if (c->stage == STAGE_AAD)
        done = first_piece(c, out, in, len_bytes);
    else
        done = (c->stage != STAGE_WHOLE || continue_whole(c)) && next_piece(c, out, in, len_bytes);
    return done ||
           RAISE(c->provider, PROV_R_INVALID_INPUT_LENGTH, "a message of more than 2^38 - 64 bytes");
}

static int more_aad(cipher_context *c, const uint8_t *aad, size_t len_bytes)
{
    if (c->record_bytes != NO_RECORD)
        return RAISE(c->provider, PROV_R_INVALID_DATA, "associated data beside that of a TLS record");
    if (c->stage == STAGE_AAD && len_bytes <= AAD_BYTES - c->aad_bytes) {
        memcpy(c->aad + c->aad_bytes, aad, len_bytes);
        c->aad_bytes += len_bytes;
        return 1;
    }
    if (c->stage == STAGE_AAD && !begin_pieces(c))
        return 0;
    return (c->stage == STAGE_PIECES && hornet_aead_aad(&c->pieces, aad, len_bytes)) ||
           RAISE(c->provider, PROV_R_INVALID_DATA, "associated data after the message has begun");
}

/* Processes a TLS 1.2 record: to encrypt, with room for its tag; to decrypt, with its tag. */
static int tls_record(cipher_context *c, uint8_t *out, size_t *out_bytes, const uint8_t *in,
                      size_t len_bytes)
{
    const size_t text_bytes = c->record_bytes;
    bool valid = true;
    if (len_bytes != text_bytes + TAG_BYTES)
        return RAISE(c->provider, PROV_R_INVALID_INPUT_LENGTH, "%zu bytes for a record of %zu and its tag",
                     len_bytes, text_bytes);
    if (c->encrypts) {
        valid = seal_whole(c, out, in, text_bytes);
        memcpy(out + text_bytes, c->computed_tag, TAG_BYTES);
        *out_bytes = len_bytes;
    } else {
        uint8_t tag[TAG_BYTES];
        memcpy(tag, in + text_bytes, TAG_BYTES);
        valid = open_whole(c, out, in, text_bytes, tag);
        *out_bytes = valid ? text_bytes : 0;
    }
    end_message(c);
    return valid; /* no error for a wrong tag, as with the default provider: TLS reports it */
}

static int cipher_update(void *context, unsigned char *out, size_t *out_bytes, size_t out_room_bytes,
                         const unsigned char *in, size_t len_bytes)
{
    cipher_context *const c = context;
    *out_bytes = 0;
    if (PROVIDER_FAILS)
        return 0;
    if (len_bytes == 0)
        return 1;
    if (in == NULL)
        return RAISE(c->provider, PROV_R_INVALID_DATA, "%zu bytes at NULL", len_bytes);
    if (!check_key_and_nonce(c))
        return 0;
    if (out == NULL) {
        if (!more_aad(c, in, len_bytes))
            return 0;
        *out_bytes = len_bytes;
        return 1;
    }
    if (out_room_bytes < len_bytes)
        return RAISE(c->provider, PROV_R_OUTPUT_BUFFER_TOO_SMALL, "%zu bytes instead of %zu",
                     out_room_bytes, len_bytes);
    /* The library allows output in place or without overlap. */
    if (out != in && (uintptr_t)out < (uintptr_t)in + len_bytes &&
        (uintptr_t)in < (uintptr_t)out + len_bytes) {
        memmove(out, in, len_bytes);
        in = out;
    }
    if (c->record_bytes != NO_RECORD)
        return tls_record(c, out, out_bytes, in, len_bytes);
    if (!more_text(c, out, in, len_bytes))
        return 0;
    *out_bytes = len_bytes;
    return 1;
}

/* Computes the tag of the message received so far, unless it is decrypted in pieces. */
static bool compute_tag(cipher_context *c)
{
    switch (c->stage) {
    case STAGE_AAD:
        return seal_whole(c, NULL, NULL, 0);
    case STAGE_WHOLE:
        return true;
    default:
        return hornet_aead_final(&c->pieces, c->computed_tag);
    }
}

/* Returns whether the given tag, which may be truncated, is that of the decrypted message. */
static bool is_authentic(cipher_context *c)
{
    if (c->stage == STAGE_PIECES)
        return hornet_aead_final_verify_truncated(&c->pieces, c->given_tag, c->given_tag_bytes);
    const bool valid = compute_tag(c) && hornet_equal(c->computed_tag, c->given_tag, c->given_tag_bytes);
    hornet_wipe(c->computed_tag, TAG_BYTES); /* the right tag of a forged message must not leak */
    return valid;
}

static int cipher_final(void *context, unsigned char *out, size_t *out_bytes, size_t out_room_bytes)
{
    cipher_context *const c = context;
    (void)out;
    (void)out_room_bytes;
    *out_bytes = 0;
    if (PROVIDER_FAILS)
        return 0;
    if (!check_key_and_nonce(c))
        return 0;
    if (c->record_bytes != NO_RECORD)
        return RAISE(c->provider, PROV_R_INVALID_INPUT_LENGTH, "the TLS record has not come");
    if (!c->encrypts && c->given_tag_bytes == 0)
        return RAISE(c->provider, PROV_R_TAG_NOT_SET, "no tag to compare with");
    const bool valid = c->encrypts ? compute_tag(c) : is_authentic(c);
    end_message(c);
    return valid;
}

/* EVP_Cipher: a call without input is final. */
static int cipher_cipher(void *context, unsigned char *out, size_t *out_bytes, size_t out_room_bytes,
                         const unsigned char *in, size_t len_bytes)
{
    if (in == NULL && len_bytes == 0)
        return cipher_final(context, out, out_bytes, out_room_bytes);
    return cipher_update(context, out, out_bytes, out_room_bytes, in, len_bytes);
}

static int set_tag(cipher_context *c, const OSSL_PARAM *param)
{
    if (param->data_type != OSSL_PARAM_OCTET_STRING)
        return RAISE(c->provider, PROV_R_FAILED_TO_GET_PARAMETER, "the tag is no octet string");
    if (param->data_size == 0 || param->data_size > TAG_BYTES)
        return RAISE(c->provider, PROV_R_INVALID_TAG_LENGTH, "%zu bytes", param->data_size);
    if (param->data != NULL) {
        if (c->encrypts)
            return RAISE(c->provider, PROV_R_TAG_NOT_NEEDED, "the tag is computed, not given");
        /* The tag may be set between the pieces and final. A piece opened under another tag is then the
         * beginning of the message. */
        memset(c->given_tag, 0, TAG_BYTES);
        memcpy(c->given_tag, param->data, param->data_size);
        c->given_tag_bytes = param->data_size;
    }
    c->taglen_bytes = param->data_size;
    return 1;
}

static int set_record(cipher_context *c, const OSSL_PARAM *param)
{
    const uint8_t *const aad = param->data;
    if (param->data_type != OSSL_PARAM_OCTET_STRING)
        return RAISE(c->provider, PROV_R_FAILED_TO_GET_PARAMETER, "tlsaad is no octet string");
    if (aad == NULL || param->data_size != TLS_AAD_BYTES)
        return RAISE(c->provider, PROV_R_INVALID_DATA, "tlsaad has %d bytes", TLS_AAD_BYTES);
    size_t text_bytes = (size_t)aad[TLS_LENGTH_AT] << 8 | aad[TLS_LENGTH_AT + 1];
    if (!c->encrypts) {
        if (text_bytes < TAG_BYTES)
            return RAISE(c->provider, PROV_R_INVALID_DATA, "a record of %zu bytes has no tag", text_bytes);
        text_bytes -= TAG_BYTES;
    }
    forget_message(c);
    memcpy(c->aad, aad, TLS_AAD_BYTES);
    c->aad[TLS_LENGTH_AT] = (uint8_t)(text_bytes >> 8);
    c->aad[TLS_LENGTH_AT + 1] = (uint8_t)text_bytes;
    c->aad_bytes = TLS_AAD_BYTES;
    memcpy(c->nonce, c->fixed_nonce, NONCE_BYTES);
    for (size_t i = 0; i < TLS_NUMBER_BYTES; i++)
        c->nonce[NONCE_BYTES - TLS_NUMBER_BYTES + i] ^= aad[i];
    c->nonce_left = NONCE_FRESH; /* the nonce contains the record number */
    c->record_bytes = text_bytes;
    c->record_overhead_bytes = TAG_BYTES;
    return 1;
}

static int set_fixed_nonce(cipher_context *c, const OSSL_PARAM *param)
{
    if (param->data_type != OSSL_PARAM_OCTET_STRING)
        return RAISE(c->provider, PROV_R_FAILED_TO_GET_PARAMETER, "tlsivfixed is no octet string");
    if (param->data == NULL || param->data_size != NONCE_BYTES)
        return RAISE(c->provider, PROV_R_INVALID_IV_LENGTH, "tlsivfixed has %d bytes", NONCE_BYTES);
    /* Otherwise, the rest of the message would have another nonce than its beginning and its tag. */
    if (message_begun(c))
        return RAISE(c->provider, PROV_R_CIPHER_OPERATION_FAILED, "tlsivfixed in the midst of a message");
    forget_message(c); /* drops the tag of the previous message */
    memcpy(c->fixed_nonce, param->data, NONCE_BYTES);
    memcpy(c->nonce, param->data, NONCE_BYTES);
    c->nonce_set = true;
    c->nonce_left = NONCE_FRESH;
    return 1;
}

/* No version of TLS has XChaCha20-Poly1305. If these parameters were ignored, as unknown ones are, EVP's
 * controls would succeed. */
static int no_records(cipher_context *c)
{
    return RAISE(c->provider, PROV_R_NOT_SUPPORTED, "records of TLS with a nonce of %d bytes",
                 XNONCE_BYTES);
}

/* Checks a length that is fixed: the only valid value is expected_bytes. */
static int confirm_length(cipher_context *c, const OSSL_PARAM *param, size_t expected_bytes, int reason)
{
    size_t len_bytes = 0;
    if (!hornet_params_get_size(param, &len_bytes))
        return RAISE(c->provider, PROV_R_FAILED_TO_GET_PARAMETER, "%s is no length", param->key);
    return len_bytes == expected_bytes ||
           RAISE(c->provider, reason, "%zu bytes instead of %zu", len_bytes, expected_bytes);
}

/* Scans the parameters once, because the calls of libssl for each record have a single parameter. */
static int cipher_set_params(void *context, const OSSL_PARAM params[])
{
    cipher_context *const c = context;
    int done = 1;
    for (; done && params != NULL && params->key != NULL; params++) {
        if (strcmp(params->key, OSSL_CIPHER_PARAM_AEAD_TAG) == 0)
            done = set_tag(c, params);
        else if (strcmp(params->key, OSSL_CIPHER_PARAM_KEYLEN) == 0)
            done = confirm_length(c, params, KEY_BYTES, PROV_R_INVALID_KEY_LENGTH);
        else if (strcmp(params->key, OSSL_CIPHER_PARAM_IVLEN) == 0)
            done = confirm_length(c, params, nonce_bytes(c), PROV_R_INVALID_IV_LENGTH);
        else if (strcmp(params->key, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD) == 0)
            done = c->extended ? no_records(c) : set_record(c, params);
        else if (strcmp(params->key, OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED) == 0)
            done = c->extended ? no_records(c) : set_fixed_nonce(c, params);
    }
    return done;
}

/* Between messages under one key, libssl sets only the nonce.
 *
 * To encrypt another message under a used nonce, even that of an abandoned message, would reuse its
 * keystream and its Poly1305 key. So after a message, the state of the nonce depends on what init is given:
 *
 *     a nonce                fresh: the caller is responsible for a different one
 *     another key            fresh
 *     the same key           to decrypt only
 *     another direction      used, if a message had begun
 *     none of these          unchanged, also within a message: the call only sets parameters */
static int cipher_init(cipher_context *c, bool encrypts, const uint8_t *key, size_t key_bytes,
                       const uint8_t *nonce, size_t given_nonce_bytes, const OSSL_PARAM params[])
{
    if (nonce != NULL && given_nonce_bytes != nonce_bytes(c))
        return RAISE(c->provider, PROV_R_INVALID_IV_LENGTH, "%zu bytes instead of %zu", given_nonce_bytes,
                     nonce_bytes(c));
    if (key != NULL && key_bytes != KEY_BYTES)
        return RAISE(c->provider, PROV_R_INVALID_KEY_LENGTH, "%zu bytes instead of %d", key_bytes,
                     KEY_BYTES);
    if (key != NULL || nonce != NULL || encrypts != c->encrypts) {
        if (message_begun(c))
            c->nonce_left = NONCE_USED;
        forget_message(c);
    }
    c->encrypts = encrypts;
    if (nonce != NULL || (key != NULL && !is_key(c, key)))
        c->nonce_left = NONCE_FRESH;
    else if (key != NULL && c->nonce_left == NONCE_USED)
        c->nonce_left = NONCE_TO_DECRYPT;
    if (nonce != NULL) {
        memcpy(c->nonce, nonce, given_nonce_bytes);
        memcpy(c->fixed_nonce, nonce, NONCE_BYTES);
        c->nonce_set = true;
    }
    if (key != NULL) {
        memcpy(c->key, key, KEY_BYTES);
        c->key_set = true;
    }
    return cipher_set_params(c, params);
}

static int cipher_encrypt_init(void *context, const unsigned char *key, size_t key_bytes,
                               const unsigned char *nonce, size_t given_nonce_bytes,
                               const OSSL_PARAM params[])
{
    return cipher_init(context, true, key, key_bytes, nonce, given_nonce_bytes, params);
}

static int cipher_decrypt_init(void *context, const unsigned char *key, size_t key_bytes,
                               const unsigned char *nonce, size_t given_nonce_bytes,
                               const OSSL_PARAM params[])
{
    return cipher_init(context, false, key, key_bytes, nonce, given_nonce_bytes, params);
}

static int get_tag(cipher_context *c, OSSL_PARAM *param)
{
    if (param->data_type != OSSL_PARAM_OCTET_STRING)
        return RAISE(c->provider, PROV_R_FAILED_TO_SET_PARAMETER, "the tag is an octet string");
    if (!c->encrypts || !c->computed)
        return RAISE(c->provider, PROV_R_TAG_NOT_SET, "no message has been encrypted to its end");
    if (param->data == NULL) {
        param->return_size = TAG_BYTES;
        return 1;
    }
    if (param->data_size == 0 || param->data_size > TAG_BYTES)
        return RAISE(c->provider, PROV_R_INVALID_TAG_LENGTH, "%zu bytes", param->data_size);
    memcpy(param->data, c->computed_tag, param->data_size);
    param->return_size = param->data_size;
    return 1;
}

static int get_length(cipher_context *c, OSSL_PARAM *param, size_t value)
{
    return hornet_params_set_size(param, value) ||
           RAISE(c->provider, PROV_R_FAILED_TO_SET_PARAMETER, "%s does not fit", param->key);
}

static int cipher_get_params_of(void *context, OSSL_PARAM params[])
{
    cipher_context *const c = context;
    int done = 1;
    for (; done && params != NULL && params->key != NULL; params++) {
        if (strcmp(params->key, OSSL_CIPHER_PARAM_AEAD_TAG) == 0)
            done = get_tag(c, params);
        else if (strcmp(params->key, OSSL_CIPHER_PARAM_IVLEN) == 0)
            done = get_length(c, params, nonce_bytes(c));
        else if (strcmp(params->key, OSSL_CIPHER_PARAM_KEYLEN) == 0)
            done = get_length(c, params, KEY_BYTES);
        else if (strcmp(params->key, OSSL_CIPHER_PARAM_AEAD_TAGLEN) == 0)
            done = get_length(c, params, c->taglen_bytes);
        else if (!c->extended && strcmp(params->key, OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD) == 0)
            done = get_length(c, params, c->record_overhead_bytes);
    }
    return done;
}

#define SIZE(name)   {name, OSSL_PARAM_UNSIGNED_INTEGER, NULL, sizeof(size_t), 0}
#define UINT(name)   {name, OSSL_PARAM_UNSIGNED_INTEGER, NULL, sizeof(unsigned), 0}
#define INT(name)    {name, OSSL_PARAM_INTEGER, NULL, sizeof(int), 0}
#define OCTETS(name) {name, OSSL_PARAM_OCTET_STRING, NULL, 0, 0}
#define PARAMS_END   {NULL, 0, NULL, 0, 0}

/* The parameters for TLS are first: the lists of XChaCha20-Poly1305 begin after them. */
enum { GETTABLE_OF_TLS = 1, SETTABLE_OF_TLS = 2 };

static const OSSL_PARAM gettable_params_of[] = {
    SIZE(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD_PAD),
    SIZE(OSSL_CIPHER_PARAM_KEYLEN),
    SIZE(OSSL_CIPHER_PARAM_IVLEN),
    SIZE(OSSL_CIPHER_PARAM_AEAD_TAGLEN),
    OCTETS(OSSL_CIPHER_PARAM_AEAD_TAG),
    PARAMS_END,
};

static const OSSL_PARAM settable_params_of[] = {
    OCTETS(OSSL_CIPHER_PARAM_AEAD_TLS1_AAD), OCTETS(OSSL_CIPHER_PARAM_AEAD_TLS1_IV_FIXED),
    SIZE(OSSL_CIPHER_PARAM_KEYLEN),          SIZE(OSSL_CIPHER_PARAM_IVLEN),
    OCTETS(OSSL_CIPHER_PARAM_AEAD_TAG),      PARAMS_END,
};

/* Functions for each cipher, because the context that tells the ciphers apart may be NULL. */
#define PARAMS_OF(name, list, first)                                                                       \
    static const OSSL_PARAM *name(void *context, void *provider)                                           \
    {                                                                                                      \
        (void)context;                                                                                     \
        (void)provider;                                                                                    \
        return (list) + (first);                                                                           \
    }
PARAMS_OF(chacha20_poly1305_gettable_params_of, gettable_params_of, 0)
PARAMS_OF(chacha20_poly1305_settable_params_of, settable_params_of, 0)
PARAMS_OF(xchacha20_poly1305_gettable_params_of, gettable_params_of, GETTABLE_OF_TLS)
PARAMS_OF(xchacha20_poly1305_settable_params_of, settable_params_of, SETTABLE_OF_TLS)

static const OSSL_PARAM *cipher_gettable_params(void *provider)
{
    static const OSSL_PARAM params[] = {
        UINT(OSSL_CIPHER_PARAM_MODE),        SIZE(OSSL_CIPHER_PARAM_KEYLEN),
        SIZE(OSSL_CIPHER_PARAM_IVLEN),       SIZE(OSSL_CIPHER_PARAM_BLOCK_SIZE),
        INT(OSSL_CIPHER_PARAM_AEAD),         INT(OSSL_CIPHER_PARAM_CUSTOM_IV),
        INT(OSSL_CIPHER_PARAM_CTS),          INT(OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK),
        INT(OSSL_CIPHER_PARAM_HAS_RAND_KEY), PARAMS_END,
    };
    (void)provider;
    return params;
}

static int cipher_get_params(OSSL_PARAM params[], size_t iv_bytes)
{
    const struct {
        const char *name;
        size_t value;
    } all[] = {
        {OSSL_CIPHER_PARAM_MODE, 0}, /* EVP_CIPH_STREAM_CIPHER */
        {OSSL_CIPHER_PARAM_KEYLEN, KEY_BYTES},
        {OSSL_CIPHER_PARAM_IVLEN, iv_bytes},
        {OSSL_CIPHER_PARAM_BLOCK_SIZE, 1},
        {OSSL_CIPHER_PARAM_AEAD, 1},
        {OSSL_CIPHER_PARAM_CUSTOM_IV, 1},
        {OSSL_CIPHER_PARAM_CTS, 0},
        {OSSL_CIPHER_PARAM_TLS1_MULTIBLOCK, 0},
        {OSSL_CIPHER_PARAM_HAS_RAND_KEY, 0},
    };
    for (; params != NULL && params->key != NULL; params++)
        for (size_t i = 0; i < sizeof all / sizeof *all; i++)
            if (strcmp(params->key, all[i].name) == 0 && !hornet_params_set_size(params, all[i].value))
                return 0;
    return 1;
}

static int chacha20_poly1305_get_params(OSSL_PARAM params[])
{
    return cipher_get_params(params, NONCE_BYTES);
}

static int xchacha20_poly1305_get_params(OSSL_PARAM params[])
{
    return cipher_get_params(params, XNONCE_BYTES);
}

#define CIPHER_DISPATCH(name)                                                                              \
    const OSSL_DISPATCH hornet_provider_##name[] = {                                                       \
        DISPATCH(OSSL_FUNC_CIPHER_NEWCTX, name##_new),                                                     \
        DISPATCH(OSSL_FUNC_CIPHER_FREECTX, cipher_free),                                                   \
        DISPATCH(OSSL_FUNC_CIPHER_DUPCTX, cipher_copy),                                                    \
        DISPATCH(OSSL_FUNC_CIPHER_ENCRYPT_INIT, cipher_encrypt_init),                                      \
        DISPATCH(OSSL_FUNC_CIPHER_DECRYPT_INIT, cipher_decrypt_init),                                      \
        DISPATCH(OSSL_FUNC_CIPHER_UPDATE, cipher_update),                                                  \
        DISPATCH(OSSL_FUNC_CIPHER_FINAL, cipher_final),                                                    \
        DISPATCH(OSSL_FUNC_CIPHER_CIPHER, cipher_cipher),                                                  \
        DISPATCH(OSSL_FUNC_CIPHER_GET_PARAMS, name##_get_params),                                          \
        DISPATCH(OSSL_FUNC_CIPHER_GETTABLE_PARAMS, cipher_gettable_params),                                \
        DISPATCH(OSSL_FUNC_CIPHER_GET_CTX_PARAMS, cipher_get_params_of),                                   \
        DISPATCH(OSSL_FUNC_CIPHER_GETTABLE_CTX_PARAMS, name##_gettable_params_of),                         \
        DISPATCH(OSSL_FUNC_CIPHER_SET_CTX_PARAMS, cipher_set_params),                                      \
        DISPATCH(OSSL_FUNC_CIPHER_SETTABLE_CTX_PARAMS, name##_settable_params_of),                         \
        DISPATCH_END,                                                                                      \
    }
CIPHER_DISPATCH(chacha20_poly1305);
CIPHER_DISPATCH(xchacha20_poly1305);
