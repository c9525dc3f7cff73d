// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Keys, and whole messages.

use crate::aead::error::{LengthError, OpenError};
use crate::aead::pieces::{Opener, Sealer};
use crate::aead::too_long;
use crate::bytes::{WrongLength, array};
use crate::ffi;
use crate::key::wipe;
use crate::nonce::{Nonce, UnusedNonce};
use crate::tag::Tag;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::fmt;
use core::ptr;
use zeroize::ZeroizeOnDrop;

/// ChaCha20-Poly1305 (RFC 8439), with 12-byte nonces, which count.
pub type ChaCha20Poly1305 = Cipher<12>;

/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03), with 24-byte nonces, which may be random.
pub type XChaCha20Poly1305 = Cipher<24>;

/// A key of [`ChaCha20Poly1305`] or [`XChaCha20Poly1305`], depending on the length of the nonce in
/// bytes. Wiped when dropped.
///
/// It has no `==`, and `Clone` only with the features of the traits: keep it where it was created,
/// and pass it by reference. Moving a value leaves a copy behind. Where that matters, keep the bytes in one place, and get a
/// `&Cipher` from [`from_ref`](Self::from_ref).
///
/// Sealing takes an [`UnusedNonce`] and consumes it:
///
/// ```compile_fail,E0382
/// use hornet::aead::{ChaCha20Poly1305, UnusedNonce};
/// let key = ChaCha20Poly1305::new(&[7; 32]);
/// let nonce = UnusedNonce::assume_unused([0; 12]);
/// key.seal_in_place(nonce, b"", &mut [1; 100]);
/// key.seal_in_place(nonce, b"", &mut [2; 100]); // use of moved value
/// ```
#[repr(transparent)]
pub struct Cipher<const NONCE_BYTES: usize>([u8; 32]);

impl<const NONCE_BYTES: usize> Cipher<NONCE_BYTES> {
    /// The length of a key in bytes: 32.
    pub const KEY_BYTES: usize = 32;

    /// Copies the bytes of a key: 32 secret bytes, random or derived. The caller should wipe its
    /// own copy.
    #[must_use]
    pub const fn new(key: &[u8; 32]) -> Self {
        Self(*key)
    }

    /// Returns a key that stays where it is, for instance in memory that is never written to disk.
    /// Copies nothing and wipes nothing.
    #[must_use]
    pub const fn from_ref(key: &[u8; 32]) -> &Self {
        // SAFETY: `repr(transparent)` gives a key the layout of its bytes.
        unsafe { &*ptr::from_ref(key).cast() }
    }

    pub(super) fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }
}

impl<const NONCE_BYTES: usize> Cipher<NONCE_BYTES>
where
    Self: Functions,
{
    /// Encrypts a message in place, and returns its tag.
    ///
    /// # Errors
    ///
    /// [`LengthError::TooLong`]
    #[expect(clippy::needless_pass_by_value, reason = "a nonce is for one message")]
    pub fn seal_in_place(
        &self,
        nonce: UnusedNonce<NONCE_BYTES>,
        aad: &[u8],
        message: &mut [u8],
    ) -> Result<Tag, LengthError> {
        let (text, len_bytes) = (message.as_mut_ptr(), message.len());
        // SAFETY: `text` has `len_bytes` bytes, which are readable and writable.
        unsafe { self.seal_raw(&nonce.nonce(), aad, text, text, len_bytes) }
    }

    /// Encrypts a message into `ciphertext`, which must have the same length, and returns its tag.
    ///
    /// ```
    /// # use hornet::aead::{UnusedNonce, XChaCha20Poly1305};
    /// # let key = XChaCha20Poly1305::new(&[7; 32]);
    /// # let unused = UnusedNonce::assume_unused([1; 24]);
    /// let nonce = unused.nonce();
    /// let mut packet = vec![0; 9 + 16];
    /// let (ciphertext, tag) = packet.split_at_mut(9);
    /// tag.copy_from_slice(key.seal(unused, b"", b"a message", ciphertext)?.as_bytes());
    ///
    /// let (ciphertext, tag) = packet.split_last_chunk().expect("it has 25 bytes");
    /// let mut message = [0; 9];
    /// key.open(&nonce, b"", ciphertext, &(*tag).into(), &mut message)?;
    /// assert_eq!(&message, b"a message");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LengthError`]
    #[expect(clippy::needless_pass_by_value, reason = "a nonce is for one message")]
    pub fn seal(
        &self,
        nonce: UnusedNonce<NONCE_BYTES>,
        aad: &[u8],
        message: &[u8],
        ciphertext: &mut [u8],
    ) -> Result<Tag, LengthError> {
        LengthError::unless_equal(message, ciphertext)?;
        let (output, input) = (ciphertext.as_mut_ptr(), message.as_ptr());
        // SAFETY: both have `message.len()` bytes; `output` is a `&mut` and overlaps nothing.
        unsafe { self.seal_raw(&nonce.nonce(), aad, output, input, message.len()) }
    }

    /// Decrypts a message in place, if the tag matches the ciphertext, the associated data, the
    /// nonce and the key. The tag is compared in constant time.
    ///
    /// # Errors
    ///
    /// [`OpenError::Mismatch`] if it does not match. The message is then filled with zeros.
    pub fn open_in_place(
        &self,
        nonce: &Nonce<NONCE_BYTES>,
        aad: &[u8],
        ciphertext: &mut [u8],
        tag: &Tag,
    ) -> Result<(), OpenError> {
        let (text, len_bytes) = (ciphertext.as_mut_ptr(), ciphertext.len());
        // SAFETY: `text` has `len_bytes` bytes, which are readable and writable.
        unsafe { self.open_raw(nonce, aad, text, text, len_bytes, tag) }
    }

    /// Decrypts into `message`, which must have the same length as `ciphertext`, if the tag matches
    /// the ciphertext, the associated data, the nonce and the key. The tag is compared in constant
    /// time.
    ///
    /// # Errors
    ///
    /// [`OpenError::Mismatch`] if it does not match. `message` is then filled with zeros.
    pub fn open(
        &self,
        nonce: &Nonce<NONCE_BYTES>,
        aad: &[u8],
        ciphertext: &[u8],
        tag: &Tag,
        message: &mut [u8],
    ) -> Result<(), OpenError> {
        LengthError::unless_equal(ciphertext, message)?;
        let (output, input) = (message.as_mut_ptr(), ciphertext.as_ptr());
        // SAFETY: both have `ciphertext.len()` bytes; `output` is a `&mut` and overlaps nothing.
        unsafe { self.open_raw(nonce, aad, output, input, ciphertext.len(), tag) }
    }

    /// Encrypts a message, and returns the ciphertext followed by the tag.
    ///
    /// ```
    /// # use hornet::aead::{UnusedNonce, XChaCha20Poly1305};
    /// # let key = XChaCha20Poly1305::new(&[7; 32]);
    /// # let unused = UnusedNonce::assume_unused([1; 24]);
    /// let nonce = unused.nonce();
    /// let sealed = key.seal_to_vec(unused, b"associated data", b"a message")?;
    /// assert_eq!(sealed.len(), 9 + 16);
    ///
    /// let message = key.open_to_vec(&nonce, b"associated data", &sealed)?;
    /// assert_eq!(message, b"a message");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`LengthError::TooLong`]
    #[cfg(feature = "alloc")]
    #[expect(clippy::needless_pass_by_value, reason = "a nonce is for one message")]
    pub fn seal_to_vec(
        &self,
        nonce: UnusedNonce<NONCE_BYTES>,
        aad: &[u8],
        message: &[u8],
    ) -> Result<Vec<u8>, LengthError> {
        let len_bytes = message.len();
        let mut sealed = Vec::with_capacity(len_bytes + Tag::BYTES);
        let (output, input) = (sealed.as_mut_ptr(), message.as_ptr());
        // SAFETY: `input` has `len_bytes` bytes, and so has `output`, which is new.
        let tag = unsafe { self.seal_raw(&nonce.nonce(), aad, output, input, len_bytes) }?;
        // SAFETY: these bytes were written.
        unsafe { sealed.set_len(len_bytes) };
        sealed.extend_from_slice(tag.as_bytes());
        Ok(sealed)
    }

    /// Decrypts what [`seal_to_vec`](Self::seal_to_vec) returned, if its tag matches the ciphertext,
    /// the associated data, the nonce and the key. The tag is compared in constant time.
    ///
    /// # Errors
    ///
    /// [`OpenError::Mismatch`] if it does not match, and [`LengthError`].
    #[cfg(feature = "alloc")]
    pub fn open_to_vec(
        &self,
        nonce: &Nonce<NONCE_BYTES>,
        aad: &[u8],
        sealed: &[u8],
    ) -> Result<Vec<u8>, OpenError> {
        let (ciphertext, &tag) = sealed
            .split_last_chunk()
            .ok_or(LengthError::NoTag(sealed.len()))?;
        let len_bytes = ciphertext.len();
        let mut message = Vec::with_capacity(len_bytes);
        let (output, input) = (message.as_mut_ptr(), ciphertext.as_ptr());
        // SAFETY: `input` has `len_bytes` bytes, and so has `output`, which is new.
        unsafe { self.open_raw(nonce, aad, output, input, len_bytes, &tag.into()) }?;
        // SAFETY: these bytes were written.
        unsafe { message.set_len(len_bytes) };
        Ok(message)
    }

    /// Starts a message that is encrypted in pieces.
    #[must_use]
    #[expect(clippy::needless_pass_by_value, reason = "a nonce is for one message")]
    pub fn sealer(&self, nonce: UnusedNonce<NONCE_BYTES>, aad: &[u8]) -> Sealer {
        Sealer::started(aad, |state| {
            // SAFETY: the state is writable, and `Self::INIT` takes nonces and keys of these
            // lengths.
            unsafe { Self::INIT(state, nonce.nonce().as_ptr(), self.as_ptr()) };
        })
    }

    /// Starts a message that is decrypted in pieces.
    #[must_use]
    pub fn opener(&self, nonce: &Nonce<NONCE_BYTES>, aad: &[u8]) -> Opener {
        Opener::started(aad, |state| {
            // SAFETY: the state is writable, and `Self::INIT` takes nonces and keys of these
            // lengths.
            unsafe { Self::INIT(state, nonce.as_ptr(), self.as_ptr()) };
        })
    }

    /// # Safety
    ///
    /// `input` must be readable and `output` writable for `len_bytes` bytes. `output` must be equal
    /// to `input`, or overlap neither `input` nor `aad`.
    pub(super) unsafe fn seal_raw(
        &self,
        nonce: &Nonce<NONCE_BYTES>,
        aad: &[u8],
        output: *mut u8,
        input: *const u8,
        len_bytes: usize,
    ) -> Result<Tag, LengthError> {
        let mut tag = [0; Tag::BYTES];
        // SAFETY: the tag has 16 bytes, and `Self::SEAL` takes nonces and keys of these lengths.
        let sealed = unsafe {
            Self::SEAL(
                output.cast(),
                tag.as_mut_ptr(),
                input.cast(),
                len_bytes,
                aad.as_ptr().cast(),
                aad.len(),
                nonce.as_ptr(),
                self.as_ptr(),
            )
        };
        if sealed {
            Ok(tag.into())
        } else {
            Err(LengthError::TooLong)
        }
    }

    /// # Safety
    ///
    /// As for `seal_raw`.
    pub(super) unsafe fn open_raw(
        &self,
        nonce: &Nonce<NONCE_BYTES>,
        aad: &[u8],
        output: *mut u8,
        input: *const u8,
        len_bytes: usize,
        tag: &Tag,
    ) -> Result<(), OpenError> {
        if too_long(len_bytes) {
            return Err(LengthError::TooLong.into());
        }
        // SAFETY: the tag has 16 bytes, and `Self::OPEN` takes nonces and keys of these lengths.
        let valid = unsafe {
            Self::OPEN(
                output.cast(),
                input.cast(),
                len_bytes,
                tag.as_ptr(),
                aad.as_ptr().cast(),
                aad.len(),
                nonce.as_ptr(),
                self.as_ptr(),
            )
        };
        if valid {
            Ok(())
        } else {
            Err(OpenError::Mismatch)
        }
    }
}

/// The C functions for a nonce length. No other crate can implement or call this trait.
pub trait Functions {
    #[doc(hidden)]
    const SEAL: ffi::Seal;
    #[doc(hidden)]
    const OPEN: ffi::Open;
    #[doc(hidden)]
    const INIT: ffi::AeadInit;
    #[doc(hidden)]
    const SEAL_BATCH: ffi::SealBatch;
    #[doc(hidden)]
    const OPEN_BATCH: ffi::OpenBatch;
}

impl Functions for ChaCha20Poly1305 {
    const SEAL: ffi::Seal = ffi::hornet_chacha20_poly1305_seal;
    const OPEN: ffi::Open = ffi::hornet_chacha20_poly1305_open;
    const INIT: ffi::AeadInit = ffi::hornet_chacha20_poly1305_init;
    const SEAL_BATCH: ffi::SealBatch = ffi::hornet_chacha20_poly1305_seal_batch;
    const OPEN_BATCH: ffi::OpenBatch = ffi::hornet_chacha20_poly1305_open_batch;
}

impl Functions for XChaCha20Poly1305 {
    const SEAL: ffi::Seal = ffi::hornet_xchacha20_poly1305_seal;
    const OPEN: ffi::Open = ffi::hornet_xchacha20_poly1305_open;
    const INIT: ffi::AeadInit = ffi::hornet_xchacha20_poly1305_init;
    const SEAL_BATCH: ffi::SealBatch = ffi::hornet_xchacha20_poly1305_seal_batch;
    const OPEN_BATCH: ffi::OpenBatch = ffi::hornet_xchacha20_poly1305_open_batch;
}

/// Copies the bytes, like [`Cipher::new`].
impl<const NONCE_BYTES: usize> From<&[u8; 32]> for Cipher<NONCE_BYTES> {
    fn from(key: &[u8; 32]) -> Self {
        Self::new(key)
    }
}

/// Copies the bytes, like [`Cipher::new`].
impl<const NONCE_BYTES: usize> TryFrom<&[u8]> for Cipher<NONCE_BYTES> {
    type Error = WrongLength;

    fn try_from(key: &[u8]) -> Result<Self, WrongLength> {
        array("key", key).map(Self::new)
    }
}

/// Programs that know a cipher only by its traits may copy it.
#[cfg(any(feature = "aead", feature = "aead-05"))]
impl<const NONCE_BYTES: usize> Clone for Cipher<NONCE_BYTES> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl<const NONCE_BYTES: usize> Drop for Cipher<NONCE_BYTES> {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

impl<const NONCE_BYTES: usize> ZeroizeOnDrop for Cipher<NONCE_BYTES> {}

/// Does not show the key.
impl<const NONCE_BYTES: usize> fmt::Debug for Cipher<NONCE_BYTES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cipher(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::ManuallyDrop;
    use std::format;

    #[test]
    fn dropped_key_is_wiped() {
        let mut key = ManuallyDrop::new(ChaCha20Poly1305::new(&[7; 32]));
        assert_eq!(key.0, [7; 32]);
        // SAFETY: dropped once, and the bytes that are read afterwards are plain integers.
        unsafe { ManuallyDrop::drop(&mut key) };
        assert_eq!(key.0, [0; 32]);
    }

    #[test]
    fn key_in_place() {
        let bytes = [7; 32];
        assert!(ptr::eq(
            XChaCha20Poly1305::from_ref(&bytes).as_ptr(),
            bytes.as_ptr()
        ));
    }

    #[test]
    fn debug_shows_no_secret() {
        let key = ChaCha20Poly1305::new(&[7; 32]);
        assert_eq!(format!("{key:?}"), "Cipher(..)");
    }

    #[test]
    fn types_are_send_and_sync() {
        fn assert_send_sync<T: Send + Sync>() {}
        assert_send_sync::<ChaCha20Poly1305>();
        assert_send_sync::<Sealer>();
        assert_send_sync::<Opener>();
    }
}
