// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Hornet's ciphers in programs that are written for the traits of the crate `aead` 0.5: `hpke` takes them as they are, and
//! `snow` by an adapter for all ciphers that implement the traits.

#[cfg(test)]
mod tests;

use aead::consts::{U12, U16};
use aead::{AeadInPlace, KeyInit, KeySizeUser};
use snow::Error;
use snow::params::{CipherChoice, DHChoice, HashChoice};
use snow::resolvers::{CryptoResolver, DefaultResolver};
use snow::types::{Cipher, Dh, Hash, Random};

/// ChaCha20-Poly1305 for `hpke`.
pub struct Hpke;

impl hpke::aead::Aead for Hpke {
    type AeadImpl = hornet::aead::ChaCha20Poly1305;

    /// RFC 9180, section 7.3.
    const AEAD_ID: u16 = 0x0003;
}

/// The primitives of `snow`, with ChaCha20-Poly1305 from Hornet.
pub struct Resolver;

impl CryptoResolver for Resolver {
    fn resolve_rng(&self) -> Option<Box<dyn Random>> {
        DefaultResolver.resolve_rng()
    }

    fn resolve_dh(&self, choice: &DHChoice) -> Option<Box<dyn Dh>> {
        DefaultResolver.resolve_dh(choice)
    }

    fn resolve_hash(&self, choice: &HashChoice) -> Option<Box<dyn Hash>> {
        DefaultResolver.resolve_hash(choice)
    }

    fn resolve_cipher(&self, choice: &CipherChoice) -> Option<Box<dyn Cipher>> {
        (*choice == CipherChoice::ChaChaPoly).then(|| -> Box<dyn Cipher> {
            Box::new(NoiseChaChaPoly::<hornet::aead::ChaCha20Poly1305>(None))
        })
    }
}

/// ChaCha20-Poly1305 as in the Noise specification, section 12.3; without a key at first.
struct NoiseChaChaPoly<A>(Option<A>);

impl<A: AeadInPlace<NonceSize = U12, TagSize = U16> + KeyInit> NoiseChaChaPoly<A> {
    fn cipher(&self) -> &A {
        self.0.as_ref().expect("snow sets a key first")
    }

    /// Four zeros, and then the number in little-endian order.
    fn nonce(number: u64) -> aead::Nonce<A> {
        let mut nonce = aead::Nonce::<A>::default();
        nonce[4..].copy_from_slice(&number.to_le_bytes());
        nonce
    }
}

impl<A> Cipher for NoiseChaChaPoly<A>
where
    A: AeadInPlace<NonceSize = U12, TagSize = U16> + KeyInit + Send + Sync,
    A: KeySizeUser<KeySize = aead::consts::U32>,
{
    fn name(&self) -> &'static str {
        "ChaChaPoly"
    }

    fn set(&mut self, key: &[u8; 32]) {
        self.0 = Some(A::new(key.into()));
    }

    fn encrypt(&self, nonce: u64, authtext: &[u8], plaintext: &[u8], out: &mut [u8]) -> usize {
        let (text, rest) = out.split_at_mut(plaintext.len());
        text.copy_from_slice(plaintext);
        let tag = self
            .cipher()
            .encrypt_in_place_detached(&Self::nonce(nonce), authtext, text)
            .expect("a message of Noise has at most 65535 bytes");
        rest[..tag.len()].copy_from_slice(&tag);
        plaintext.len() + tag.len()
    }

    fn decrypt(
        &self,
        nonce: u64,
        authtext: &[u8],
        ciphertext: &[u8],
        out: &mut [u8],
    ) -> Result<usize, Error> {
        let (text, tag) = ciphertext.split_last_chunk::<16>().ok_or(Error::Decrypt)?;
        let out = &mut out[..text.len()];
        out.copy_from_slice(text);
        self.cipher()
            .decrypt_in_place_detached(&Self::nonce(nonce), authtext, out, tag.into())
            .map_err(|_| Error::Decrypt)?;
        Ok(text.len())
    }
}
