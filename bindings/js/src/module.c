/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* The functions that JavaScript calls. They work on a staging area, into which the caller copies arguments
 * and which it wipes after each call. It also wipes the shadow stack below the area, where clang puts
 * variables whose addresses are taken. build.sh defines PACKAGE_VERSION. */
#include <hornet.h>
#include <hornet_kernels.h>
#include <hornet_poly1305_aes.h>

#define EXPORT(name) __attribute__((export_name(#name)))

/* Longer messages are processed in pieces, so that the memory is a single page of 64 KiB. */
#define WINDOW_BYTES 32768

/* The window is last, so that the used part of the area is always its beginning. */
static struct {
    union {
        hornet_poly1305_state poly1305;
        hornet_aead_state aead;
    } state;
    uint8_t key[32], nonce[24], tag[16];
    uint8_t window[WINDOW_BYTES];
} staging;

EXPORT(state) void *state(void) { return &staging.state; }
EXPORT(state_bytes) size_t state_bytes(void) { return sizeof staging.state.poly1305; }
EXPORT(aead_state_bytes) size_t aead_state_bytes(void) { return sizeof staging.state.aead; }
EXPORT(key) void *key(void) { return staging.key; }
EXPORT(nonce) void *nonce(void) { return staging.nonce; }
EXPORT(tag) void *tag(void) { return staging.tag; }
EXPORT(window) void *window(void) { return staging.window; }
EXPORT(window_bytes) size_t window_bytes(void) { return sizeof staging.window; }

EXPORT(mac) void mac(size_t len_bytes)
{
    hornet_poly1305(staging.tag, staging.window, len_bytes, staging.key);
}

EXPORT(verify) bool verify(size_t len_bytes)
{
    return hornet_poly1305_verify(staging.tag, staging.window, len_bytes, staging.key);
}

EXPORT(init) void init(void) { hornet_poly1305_init(&staging.state.poly1305, staging.key); }

EXPORT(aes_init) bool aes_init(void)
{
    return hornet_poly1305_aes_init(&staging.state.poly1305, staging.nonce, staging.key);
}

EXPORT(update) void update(size_t len_bytes)
{
    hornet_poly1305_update(&staging.state.poly1305, staging.window, len_bytes);
}

EXPORT(final) void final(void) { hornet_poly1305_final(&staging.state.poly1305, staging.tag); }

EXPORT(final_verify) bool final_verify(void)
{
    return hornet_poly1305_final_verify(&staging.state.poly1305, staging.tag);
}

/* Clamps r of the Poly1305-AES key in the staging area. */
EXPORT(clamp) void clamp(void) { hornet_poly1305_clamp(staging.key + 16); }

/* extended: the nonce has 24 bytes (XChaCha20-Poly1305), not 12. */
EXPORT(aead_init) void aead_init(bool extended)
{
    (extended ? hornet_xchacha20_poly1305_init : hornet_chacha20_poly1305_init)(&staging.state.aead,
                                                                                staging.nonce, staging.key);
}

EXPORT(aead_aad) bool aead_aad(size_t aad_bytes)
{
    return hornet_aead_aad(&staging.state.aead, staging.window, aad_bytes);
}

EXPORT(aead_encrypt) bool aead_encrypt(size_t len_bytes)
{
    return hornet_aead_encrypt(&staging.state.aead, staging.window, staging.window, len_bytes);
}

EXPORT(aead_decrypt) bool aead_decrypt(size_t len_bytes)
{
    return hornet_aead_decrypt(&staging.state.aead, staging.window, staging.window, len_bytes);
}

EXPORT(aead_final) bool aead_final(void) { return hornet_aead_final(&staging.state.aead, staging.tag); }

EXPORT(aead_final_verify) bool aead_final_verify(void)
{
    return hornet_aead_final_verify(&staging.state.aead, staging.tag);
}

/* A whole message: in the window, followed by its tag and, from the next multiple of 16 on, associated
 * data.
 */
static const uint8_t *aad_after(size_t len_bytes)
{
    return staging.window + (len_bytes + sizeof staging.tag + 15) / 16 * 16;
}

EXPORT(aead_seal) bool aead_seal(bool extended, size_t len_bytes, size_t aad_bytes)
{
    uint8_t *const text = staging.window;
    return (extended ? hornet_xchacha20_poly1305_seal : hornet_chacha20_poly1305_seal)(
        text, text + len_bytes, text, len_bytes, aad_after(len_bytes), aad_bytes, staging.nonce,
        staging.key);
}

EXPORT(aead_open) bool aead_open(bool extended, size_t len_bytes, size_t aad_bytes)
{
    uint8_t *const text = staging.window;
    return (extended ? hornet_xchacha20_poly1305_open : hornet_chacha20_poly1305_open)(
        text, text, len_bytes, text + len_bytes, aad_after(len_bytes), aad_bytes, staging.nonce,
        staging.key);
}

/* Encrypts or decrypts what is in the window, from block `counter` on. */
EXPORT(chacha20) bool chacha20(size_t len_bytes, uint32_t counter)
{
    return hornet_chacha20(staging.window, staging.window, len_bytes, counter, staging.nonce, staging.key);
}

/* Replaces key and nonce of XChaCha20 by those with which ChaCha20 goes on. */
EXPORT(xchacha20_begin) void xchacha20_begin(void)
{
    hornet_hchacha20(staging.key, staging.nonce, staging.key);
    __builtin_memset(staging.nonce, 0, 4);
    __builtin_memcpy(staging.nonce + 4, staging.nonce + 16, 8);
}

/* Must come before every other call if the functions that have vectors were removed (module.js). */
EXPORT(without_vectors) bool without_vectors(void)
{
    return hornet_kernel_force(HORNET_CHACHA20, "scalar1");
}

EXPORT(version) const char *version(void) { return hornet_version(); }

_Static_assert(__builtin_strcmp(HORNET_VERSION, PACKAGE_VERSION) == 0,
               "HORNET_VERSION in hornet.h is not the version in package.json, " PACKAGE_VERSION);
