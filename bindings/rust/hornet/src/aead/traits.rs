// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The traits of the crate `aead` 0.6.
//!
//! They take any nonce, also for sealing: **the caller must ensure that none repeats**.

use crate::aead::cipher::{ChaCha20Poly1305, Cipher, Functions, XChaCha20Poly1305};
use crate::nonce::Nonce;
use crate::tag::Tag;
use aead::array::ArraySize;
use aead::consts::{U12, U16, U24, U32};
use aead::inout::InOutBuf;
use aead::{AeadCore, AeadInOut, Error, KeyInit, KeySizeUser, TagPosition};

impl<const NONCE_BYTES: usize> KeySizeUser for Cipher<NONCE_BYTES> {
    type KeySize = U32;
}

impl<const NONCE_BYTES: usize> KeyInit for Cipher<NONCE_BYTES> {
    fn new(key: &aead::Key<Self>) -> Self {
        Self::new(&key.0)
    }
}

impl AeadCore for ChaCha20Poly1305 {
    type NonceSize = U12;
    type TagSize = U16;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl AeadCore for XChaCha20Poly1305 {
    type NonceSize = U24;
    type TagSize = U16;
    const TAG_POSITION: TagPosition = TagPosition::Postfix;
}

impl<const NONCE_BYTES: usize, N> AeadInOut for Cipher<NONCE_BYTES>
where
    Self: AeadCore<NonceSize = N, TagSize = U16> + Functions,
    N: ArraySize<ArrayType<u8> = [u8; NONCE_BYTES]>,
{
    fn encrypt_inout_detached(
        &self,
        nonce: &aead::Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
    ) -> Result<aead::Tag<Self>, Error> {
        let nonce = Nonce::new(nonce.0);
        let len_bytes = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: both have `len_bytes` bytes, and are either the same or do not overlap.
        let tag = unsafe { self.seal_raw(&nonce, associated_data, output, input, len_bytes) };
        tag.map(|tag| (*tag.as_bytes()).into()).map_err(|_| Error)
    }

    fn decrypt_inout_detached(
        &self,
        nonce: &aead::Nonce<Self>,
        associated_data: &[u8],
        buffer: InOutBuf<'_, '_, u8>,
        tag: &aead::Tag<Self>,
    ) -> Result<(), Error> {
        let nonce = Nonce::new(nonce.0);
        let tag = Tag::from(tag.0);
        let len_bytes = buffer.len();
        let (input, output) = buffer.into_raw();
        // SAFETY: both have `len_bytes` bytes, and are either the same or do not overlap.
        let opened =
            unsafe { self.open_raw(&nonce, associated_data, output, input, len_bytes, &tag) };
        opened.map_err(|_| Error)
    }
}

#[cfg(all(test, feature = "alloc"))]
mod tests {
    use super::*;
    use std::vec::Vec;

    /// Generic code that knows only the traits.
    fn seal<A: AeadInOut + KeyInit>(message: &[u8]) -> Vec<u8> {
        let cipher = A::new(&aead::Key::<A>::default());
        let nonce = aead::Nonce::<A>::default();
        let mut buffer = message.to_vec();
        cipher
            .encrypt_in_place(&nonce, b"data", &mut buffer)
            .unwrap();

        let mut apart = std::vec![0; message.len()];
        let inout = InOutBuf::new(message, &mut apart).unwrap();
        let tag = cipher
            .encrypt_inout_detached(&nonce, b"data", inout)
            .unwrap();
        assert_eq!([&apart[..], &tag[..]].concat(), buffer);

        let sealed = buffer.clone();
        cipher
            .decrypt_in_place(&nonce, b"data", &mut buffer)
            .unwrap();
        assert_eq!(buffer, message);

        let inout = InOutBuf::new(&sealed[..message.len()], &mut apart).unwrap();
        assert!(
            cipher
                .decrypt_inout_detached(&nonce, b"data", inout, &tag)
                .is_ok()
        );
        assert_eq!(apart, message);

        let mut wrong = tag.clone();
        wrong[15] ^= 0x80;
        let inout = InOutBuf::new(&sealed[..message.len()], &mut apart).unwrap();
        assert!(
            cipher
                .decrypt_inout_detached(&nonce, b"data", inout, &wrong)
                .is_err()
        );
        assert!(apart.iter().all(|&byte| byte == 0));
        sealed
    }

    #[test]
    fn same_as_another_implementation_of_the_traits() {
        let message: Vec<u8> = (0..=255).cycle().take(1_500).collect();
        for len_bytes in [0, 1, 63, 64, 65, 400, 1_500] {
            let message = &message[..len_bytes];
            let ours = seal::<ChaCha20Poly1305>(message);
            assert_eq!(
                ours,
                seal_with::<chacha20poly1305::ChaCha20Poly1305>(message)
            );
            let ours = seal::<XChaCha20Poly1305>(message);
            assert_eq!(
                ours,
                seal_with::<chacha20poly1305::XChaCha20Poly1305>(message)
            );
        }
    }

    fn seal_with<A: AeadInOut + KeyInit>(message: &[u8]) -> Vec<u8> {
        let mut buffer = message.to_vec();
        A::new(&aead::Key::<A>::default())
            .encrypt_in_place(&aead::Nonce::<A>::default(), b"data", &mut buffer)
            .unwrap();
        buffer
    }
}
