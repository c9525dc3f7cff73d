// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The traits of the crate `aead` 0.5. `bindings/rust/test-aead-05` tests them, with programs that use them.
//!
//! They take any nonce, also for sealing: **the caller must ensure that none repeats**.

use crate::aead::cipher::{ChaCha20Poly1305, Cipher, Functions, XChaCha20Poly1305};
use crate::nonce::{Nonce, UnusedNonce};
use crate::tag::Tag;
use aead_05::consts::{U0, U12, U16, U24, U32};
use aead_05::generic_array::ArrayLength;
use aead_05::{AeadCore, AeadInPlace, Error, KeyInit, KeySizeUser};

impl<const NONCE_BYTES: usize> KeySizeUser for Cipher<NONCE_BYTES> {
    type KeySize = U32;
}

impl<const NONCE_BYTES: usize> KeyInit for Cipher<NONCE_BYTES> {
    fn new(key: &aead_05::Key<Self>) -> Self {
        Self::new(key.as_ref())
    }
}

impl AeadCore for ChaCha20Poly1305 {
    type NonceSize = U12;
    type TagSize = U16;
    type CiphertextOverhead = U0;
}

impl AeadCore for XChaCha20Poly1305 {
    type NonceSize = U24;
    type TagSize = U16;
    type CiphertextOverhead = U0;
}

impl<const NONCE_BYTES: usize, N> AeadInPlace for Cipher<NONCE_BYTES>
where
    Self: AeadCore<NonceSize = N, TagSize = U16> + Functions,
    N: ArrayLength<u8>,
    aead_05::Nonce<Self>: AsRef<[u8; NONCE_BYTES]>,
{
    fn encrypt_in_place_detached(
        &self,
        nonce: &aead_05::Nonce<Self>,
        associated_data: &[u8],
        buffer: &mut [u8],
    ) -> Result<aead_05::Tag<Self>, Error> {
        let nonce = UnusedNonce::assume_unused(*nonce.as_ref());
        let tag = self.seal_in_place(nonce, associated_data, buffer);
        tag.map(|tag| (*tag.as_bytes()).into()).map_err(|_| Error)
    }

    fn decrypt_in_place_detached(
        &self,
        nonce: &aead_05::Nonce<Self>,
        associated_data: &[u8],
        buffer: &mut [u8],
        tag: &aead_05::Tag<Self>,
    ) -> Result<(), Error> {
        let nonce = Nonce::new(*nonce.as_ref());
        let tag = Tag::from(<[u8; Tag::BYTES]>::from(*tag));
        self.open_in_place(&nonce, associated_data, buffer, &tag)
            .map_err(|_| Error)
    }
}
