// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Messages in pieces.

use crate::aead::error::LengthError;
use crate::ffi::{self, hornet_aead_state};
use crate::tag::{Mismatch, Tag};
use core::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A message that is encrypted in pieces, started by [`Cipher::sealer`]. The ciphertext and the tag
/// depend only on the bytes, not on how they are split into pieces.
///
/// The state contains secrets derived from the key. It is wiped when dropped, whether finished or
/// not.
///
/// ```
/// use hornet::aead::{ChaCha20Poly1305, UnusedNonce};
///
/// let key = ChaCha20Poly1305::new(&[7; 32]);
/// let unused = UnusedNonce::assume_unused([1; 12]);
/// let nonce = unused.nonce();
/// let mut text = *b"a message";
///
/// let mut sealer = key.sealer(unused, b"associated data");
/// for piece in text.chunks_mut(4) {
///     sealer.encrypt_in_place(piece)?;
/// }
/// let tag = sealer.finalize();
///
/// key.open_in_place(&nonce, b"associated data", &mut text, &tag)?;
/// assert_eq!(&text, b"a message");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Cipher::sealer`]: super::Cipher::sealer
pub struct Sealer(State);

impl Sealer {
    pub(super) fn started(aad: &[u8], start: impl FnOnce(*mut hornet_aead_state)) -> Self {
        Self(State::started(aad, start))
    }

    /// Encrypts the next piece in place.
    ///
    /// # Errors
    ///
    /// [`LengthError::TooLong`] if the message would become too long. The piece can then be left
    /// out.
    pub fn encrypt_in_place(&mut self, piece: &mut [u8]) -> Result<(), LengthError> {
        let (text, len_bytes) = (piece.as_mut_ptr().cast(), piece.len());
        // SAFETY: the state was initialized; `text` has `len_bytes` readable and writable bytes.
        let fits = unsafe { ffi::hornet_aead_encrypt(&raw mut self.0.0, text, text, len_bytes) };
        fits.then_some(()).ok_or(LengthError::TooLong)
    }

    /// Encrypts the next piece into `ciphertext`, which must have the same length.
    ///
    /// # Errors
    ///
    /// [`LengthError`]. The piece can then be left out.
    pub fn encrypt(&mut self, piece: &[u8], ciphertext: &mut [u8]) -> Result<(), LengthError> {
        LengthError::unless_equal(piece, ciphertext)?;
        // SAFETY: the state was initialized; both have the same length, and `ciphertext` is a
        // `&mut` and overlaps nothing.
        let fits = unsafe {
            ffi::hornet_aead_encrypt(
                &raw mut self.0.0,
                ciphertext.as_mut_ptr().cast(),
                piece.as_ptr().cast(),
                piece.len(),
            )
        };
        fits.then_some(()).ok_or(LengthError::TooLong)
    }

    /// Returns the tag of the message.
    #[must_use]
    pub fn finalize(mut self) -> Tag {
        let mut tag = [0; Tag::BYTES];
        // SAFETY: the state was initialized, and the tag has 16 bytes. The call fails only for a
        // state that has ended or has decrypted, which this one has not.
        unsafe { ffi::hornet_aead_final(&raw mut self.0.0, tag.as_mut_ptr()) };
        tag.into()
    }
}

impl ZeroizeOnDrop for Sealer {}

/// Does not show the state.
impl fmt::Debug for Sealer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sealer(..)")
    }
}

/// A received message that is decrypted in pieces, started by [`Cipher::opener`].
///
/// **The decrypted text is not authentic** until [`verify`](Self::verify) has succeeded: use none
/// of it before, and destroy it if verification fails. If the message fits into memory, use
/// [`Cipher::open_in_place`], which leaves nothing to destroy.
///
/// The state contains secrets derived from the key. It is wiped when dropped, whether finished or
/// not.
///
/// ```
/// # use hornet::aead::{ChaCha20Poly1305, Nonce, UnusedNonce};
/// # let key = ChaCha20Poly1305::new(&[7; 32]);
/// # let mut text = *b"a message";
/// # let tag = key.seal_in_place(UnusedNonce::assume_unused([1; 12]), b"", &mut text)?;
/// let mut opener = key.opener(&Nonce::new([1; 12]), b"");
/// for piece in text.chunks_mut(4) {
///     opener.decrypt_in_place(piece)?;
/// }
/// opener.verify(&tag)?;
/// assert_eq!(&text, b"a message");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Cipher::opener`]: super::Cipher::opener
/// [`Cipher::open_in_place`]: super::Cipher::open_in_place
pub struct Opener(State);

impl Opener {
    pub(super) fn started(aad: &[u8], start: impl FnOnce(*mut hornet_aead_state)) -> Self {
        Self(State::started(aad, start))
    }

    /// Decrypts the next piece in place.
    ///
    /// # Errors
    ///
    /// [`LengthError::TooLong`] if the message would become too long. The piece is then unchanged.
    pub fn decrypt_in_place(&mut self, piece: &mut [u8]) -> Result<(), LengthError> {
        let (text, len_bytes) = (piece.as_mut_ptr().cast(), piece.len());
        // SAFETY: the state was initialized; `text` has `len_bytes` readable and writable bytes.
        let fits = unsafe { ffi::hornet_aead_decrypt(&raw mut self.0.0, text, text, len_bytes) };
        fits.then_some(()).ok_or(LengthError::TooLong)
    }

    /// Decrypts the next piece into `message`, which must have the same length.
    ///
    /// # Errors
    ///
    /// [`LengthError`]. Nothing is then written.
    pub fn decrypt(&mut self, piece: &[u8], message: &mut [u8]) -> Result<(), LengthError> {
        LengthError::unless_equal(piece, message)?;
        // SAFETY: the state was initialized; both have the same length, and `message` is a `&mut`
        // and overlaps nothing.
        let fits = unsafe {
            ffi::hornet_aead_decrypt(
                &raw mut self.0.0,
                message.as_mut_ptr().cast(),
                piece.as_ptr().cast(),
                piece.len(),
            )
        };
        fits.then_some(()).ok_or(LengthError::TooLong)
    }

    /// Verifies the tag of the message in constant time.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] if the tag does not match this ciphertext, associated data, nonce and key.
    /// Everything that was decrypted must then be destroyed.
    pub fn verify(mut self, tag: &Tag) -> Result<(), Mismatch> {
        // SAFETY: the state was initialized, and the tag has 16 bytes.
        let valid = unsafe { ffi::hornet_aead_final_verify(&raw mut self.0.0, tag.as_ptr()) };
        if valid { Ok(()) } else { Err(Mismatch) }
    }
}

impl ZeroizeOnDrop for Opener {}

/// Does not show the state.
impl fmt::Debug for Opener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Opener(..)")
    }
}

/// The C state that both share. Wiped when dropped.
struct State(hornet_aead_state);

impl State {
    /// Starts a message with its associated data; `start` initializes the state.
    fn started(aad: &[u8], start: impl FnOnce(*mut hornet_aead_state)) -> Self {
        let mut new = Self(hornet_aead_state { opaque: [0; 176] });
        start(&raw mut new.0);
        // SAFETY: the state was just initialized. The call fails only if it was not, or has
        // processed more than associated data.
        unsafe { ffi::hornet_aead_aad(&raw mut new.0, aad.as_ptr().cast(), aad.len()) };
        new
    }
}

impl Drop for State {
    fn drop(&mut self) {
        self.0.opaque.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use crate::aead::{ChaCha20Poly1305, Nonce};
    use core::mem::ManuallyDrop;
    use std::format;

    #[test]
    fn unfinished_state_is_wiped() {
        let key = ChaCha20Poly1305::new(&[7; 32]);
        let mut unfinished = ManuallyDrop::new(key.opener(&Nonce::new([1; 12]), b"data"));
        unfinished.decrypt_in_place(&mut [3; 100]).unwrap();
        assert_ne!(unfinished.0.0.opaque, [0; 176]);
        // SAFETY: dropped once, and the words that are read afterwards are plain integers.
        unsafe { ManuallyDrop::drop(&mut unfinished) };
        assert_eq!(unfinished.0.0.opaque, [0; 176]);
    }

    #[test]
    fn debug_shows_no_secret() {
        let key = ChaCha20Poly1305::new(&[7; 32]);
        let opener = key.opener(&Nonce::new([1; 12]), b"data");
        assert_eq!(format!("{opener:?}"), "Opener(..)");
    }
}
