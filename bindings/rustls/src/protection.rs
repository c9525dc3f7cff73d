// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The common part of TLS records and QUIC packets: a text and a tag under a key, with a nonce
//! derived from the initialization vector and a number.

use hornet::aead::{ChaCha20Poly1305, Nonce, UnusedNonce};
use hornet::{Tag, aead};
use rustls::Error;
#[cfg(feature = "tls12")]
use rustls::crypto::cipher::NONCE_LEN;
use rustls::crypto::cipher::{self, AeadKey, Iv};

pub(crate) const KEY_BYTES: usize = 32;
pub(crate) const TAG_BYTES: usize = Tag::BYTES;

/// The key and the initialization vector of one direction.
pub(crate) struct Protection {
    key: ChaCha20Poly1305,
    pub(crate) iv: Iv,
}

impl Protection {
    pub(crate) fn new(key: &AeadKey, iv: Iv) -> Self {
        Self {
            key: ChaCha20Poly1305::new(bytes(key)),
            iv,
        }
    }

    /// Encrypts a text in place. rustls uses each number for one text only, and closes the
    /// connection or changes the key before the numbers run out.
    pub(crate) fn seal(
        &self,
        nonce: &cipher::Nonce,
        aad: &[u8],
        text: &mut [u8],
    ) -> Result<Tag, Error> {
        count();
        let nonce = UnusedNonce::assume_unused(nonce.0);
        self.key
            .seal_in_place(nonce, aad, text)
            .map_err(|_: aead::LengthError| Error::EncryptError)
    }

    /// Decrypts a text in place, which its tag follows. Returns the length of the text.
    pub(crate) fn open(
        &self,
        nonce: &cipher::Nonce,
        aad: &[u8],
        text_and_tag: &mut [u8],
    ) -> Result<usize, Error> {
        count();
        let (text, tag) = text_and_tag
            .split_last_chunk_mut()
            .ok_or(Error::DecryptError)?;
        self.key
            .open_in_place(&Nonce::new(nonce.0), aad, text, &(*tag).into())
            .map_err(|_: aead::OpenError| Error::DecryptError)?;
        Ok(text.len())
    }
}

/// Returns the bytes of a key. rustls makes it as long as the suite says.
pub(crate) fn bytes(key: &AeadKey) -> &[u8; KEY_BYTES] {
    key.as_ref().try_into().expect("a key has 32 bytes")
}

/// Converts an initialization vector. rustls makes it as long as the suite says.
#[cfg(feature = "tls12")]
pub(crate) fn iv(bytes: &[u8]) -> Iv {
    let bytes: [u8; NONCE_LEN] = bytes.try_into().expect("an initial vector has 12 bytes");
    bytes.into()
}

/// Lets the tests see that Hornet was used.
pub(crate) fn count() {
    #[cfg(test)]
    crate::tests::CALLS.set(crate::tests::CALLS.get() + 1);
}
