/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* Botan, through its interface for C++. Compiled twice, each with its own copy of Botan: with NO_AVX512,
 * Botan is told that the CPU has no AVX-512. It uses none either on a CPU without IFMA. */
#include <botan/aead.h>
#include <botan/exceptn.h>
#include <botan/internal/cpuid.h>
#include <botan/mac.h>
#include <botan/version.h>

#include <memory>

#include "peer.h"

static void choose_instructions()
{
#ifdef NO_AVX512
    Botan::CPUID::clear_cpuid_bit(Botan::CPUFeature(Botan::CPUFeature::Bit::AVX512));
#endif
}

/* Botan names the instructions that it uses. */
static bool are_chosen(const std::string &provider)
{
#ifdef NO_AVX512
    return provider != "avx512";
#else
    return !provider.empty();
#endif
}

struct aead {
    std::unique_ptr<Botan::AEAD_Mode> seals, opens;
    Botan::secure_vector<uint8_t> tag;
};

extern "C" {

PEER_VERSION { return Botan::short_version_cstr(); }

PEER_OPEN(botan)
{
    choose_instructions();
    auto mac = Botan::MessageAuthenticationCode::create_or_throw("Poly1305");
    return are_chosen(mac->provider()) ? mac.release() : nullptr;
}

PEER_MAC(botan)
{
    auto *const mac = static_cast<Botan::MessageAuthenticationCode *>(context);
    mac->set_key(key, 32);
    mac->update(static_cast<const uint8_t *>(msg), len_bytes);
    mac->final(tag);
}

PEER_AEAD(botan)
{
    choose_instructions();
    auto seals = Botan::AEAD_Mode::create_or_throw("ChaCha20Poly1305", Botan::Cipher_Dir::Encryption);
    auto opens = Botan::AEAD_Mode::create_or_throw("ChaCha20Poly1305", Botan::Cipher_Dir::Decryption);
    if (!are_chosen(seals->provider()))
        return nullptr;
    return new aead{std::move(seals), std::move(opens), {}};
}

PEER_AEAD_KEY(botan)
{
    auto *const aead = static_cast<struct aead *>(context);
    aead->seals->set_key(key, 32);
    aead->opens->set_key(key, 32);
}

PEER_AEAD_SEAL(botan)
{
    auto *const aead = static_cast<struct aead *>(context);
    memcpy(packet->out, packet->in, packet->len_bytes);
    aead->seals->set_associated_data(packet->aad, packet->aad_bytes);
    aead->seals->start(packet->nonce, 12);
    aead->seals->process(packet->out, packet->len_bytes);
    aead->tag.clear();
    aead->seals->finish(aead->tag);
    memcpy(packet->tag, aead->tag.data(), 16);
    return true;
}

PEER_AEAD_OPEN(botan)
{
    auto *const aead = static_cast<struct aead *>(context);
    memcpy(packet->out, packet->in, packet->len_bytes);
    aead->opens->set_associated_data(packet->aad, packet->aad_bytes);
    aead->opens->start(packet->nonce, 12);
    aead->opens->process(packet->out, packet->len_bytes);
    aead->tag.assign(packet->tag, packet->tag + 16);
    try {
        aead->opens->finish(aead->tag);
    } catch (const Botan::Invalid_Authentication_Tag &) {
        return false;
    }
    return true;
}

} /* extern "C" */
