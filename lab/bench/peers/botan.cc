/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Botan, through its interface for C++, which works in place. With NO_AVX512, it is told that the CPU has
 * no AVX-512. It uses none either on a CPU without IFMA. */
#include <botan/aead.h>
#include <botan/exceptn.h>
#include <botan/internal/cpuid.h>
#include <botan/mac.h>
#include <botan/version.h>

#include <memory>

#include "peer.h"

static std::unique_ptr<Botan::MessageAuthenticationCode> mac;
static std::unique_ptr<Botan::AEAD_Mode> seals, opens;
static Botan::secure_vector<uint8_t> its_tag;

PEER const char *peer_init(void)
{
#ifdef NO_AVX512
    Botan::CPUID::clear_cpuid_bit(Botan::CPUFeature(Botan::CPUFeature::Bit::AVX512));
#endif
    mac = Botan::MessageAuthenticationCode::create_or_throw("Poly1305");
    seals = Botan::AEAD_Mode::create_or_throw("ChaCha20Poly1305", Botan::Cipher_Dir::Encryption);
    opens = Botan::AEAD_Mode::create_or_throw("ChaCha20Poly1305", Botan::Cipher_Dir::Decryption);
#ifdef NO_AVX512 /* Botan names the instructions that it uses */
    if (mac->provider() == "avx512" || seals->provider() == "avx512")
        return "uses AVX-512 nevertheless";
#endif
    return nullptr;
}

PEER const char *peer_version(void) { return Botan::short_version_cstr(); }

PEER_MAC
{
    mac->set_key(key, 32);
    mac->update(static_cast<const uint8_t *>(msg), len_bytes);
    mac->final(tag);
}

PEER void peer_key(const uint8_t *key)
{
    seals->set_key(key, 32);
    opens->set_key(key, 32);
}

/* All but the end. */
static void process(Botan::AEAD_Mode &mode, void *out, const void *in, size_t len_bytes, const void *aad,
                    size_t aad_bytes, const uint8_t *nonce)
{
    memcpy(out, in, len_bytes);
    mode.set_associated_data(static_cast<const uint8_t *>(aad), aad_bytes);
    mode.start(nonce, 12);
    mode.process(static_cast<uint8_t *>(out), len_bytes);
}

PEER_SEAL
{
    process(*seals, out, in, len_bytes, aad, aad_bytes, nonce);
    its_tag.clear();
    seals->finish(its_tag);
    memcpy(tag, its_tag.data(), 16);
    return true;
}

PEER_OPEN
{
    process(*opens, out, in, len_bytes, aad, aad_bytes, nonce);
    its_tag.assign(tag, tag + 16);
    try {
        opens->finish(its_tag);
    } catch (const Botan::Invalid_Authentication_Tag &) {
        return false;
    }
    return true;
}
