// SPDX-License-Identifier: Apache-2.0 OR MIT

//! [`ChaCha20`] alone (RFC 8439, section 2.4), as QUIC header protection needs it.
//!
//! **It does not authenticate**: an attacker who changes the ciphertext changes the message, bit by
//! bit. For messages, use [`aead`](crate::aead).

use crate::bytes::{WrongLength, array};
use crate::ffi;
use crate::key::wipe;
use core::error::Error;
use core::fmt;
use zeroize::ZeroizeOnDrop;

/// A `ChaCha20` key. Wiped when dropped.
pub struct ChaCha20([u8; 32]);

impl ChaCha20 {
    /// Copies the bytes of a key: 32 secret bytes. The caller should wipe its own copy.
    #[must_use]
    pub const fn new(key: &[u8; 32]) -> Self {
        Self(*key)
    }

    /// Encrypts or decrypts `text` in place, by XOR with the keystream of key and nonce, starting
    /// at block `counter`. A block has 64 bytes. Two texts under the same key, nonce and block give
    /// away both.
    ///
    /// ```
    /// use hornet::chacha20::ChaCha20;
    ///
    /// let mut mask = [0; 5]; // of a QUIC header
    /// ChaCha20::new(&[7; 32]).apply(&[1; 12], 3, &mut mask)?;
    /// # assert_ne!(mask, [0; 5]);
    /// # Ok::<(), hornet::chacha20::CounterOverflow>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`CounterOverflow`] if the text needs blocks beyond number 2^32 - 1. Nothing is then
    /// changed.
    pub fn apply(
        &self,
        nonce: &[u8; 12],
        counter: u32,
        text: &mut [u8],
    ) -> Result<(), CounterOverflow> {
        let (start, len_bytes) = (text.as_mut_ptr(), text.len());
        // SAFETY: `text` has `len_bytes` bytes, which are readable and writable; the nonce has 12
        // bytes and the key 32.
        let fits = unsafe {
            ffi::hornet_chacha20(
                start.cast(),
                start.cast(),
                len_bytes,
                counter,
                nonce.as_ptr(),
                self.0.as_ptr(),
            )
        };
        fits.then_some(()).ok_or(CounterOverflow)
    }
}

/// Copies the bytes, like [`ChaCha20::new`].
impl From<&[u8; 32]> for ChaCha20 {
    fn from(key: &[u8; 32]) -> Self {
        Self::new(key)
    }
}

/// Copies the bytes, like [`ChaCha20::new`].
impl TryFrom<&[u8]> for ChaCha20 {
    type Error = WrongLength;

    fn try_from(key: &[u8]) -> Result<Self, WrongLength> {
        array("key", key).map(Self::new)
    }
}

impl Drop for ChaCha20 {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

impl ZeroizeOnDrop for ChaCha20 {}

/// Does not show the key.
impl fmt::Debug for ChaCha20 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChaCha20(..)")
    }
}

/// The text needs blocks beyond the last one, whose number is 2^32 - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterOverflow;

impl fmt::Display for CounterOverflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the counter of blocks would pass 2^32 - 1")
    }
}

impl Error for CounterOverflow {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;

    /// RFC 8439, section 2.4.2: the first and the last bytes of the ciphertext.
    #[test]
    fn example_of_the_rfc() {
        let key: [u8; 32] = core::array::from_fn(|index| u8::try_from(index).unwrap());
        let nonce = [0, 0, 0, 0, 0, 0, 0, 0x4a, 0, 0, 0, 0];
        let mut text = *b"Ladies and Gentlemen of the class of '99: \
            If I could offer you only one tip for the future, sunscreen would be it.";
        let message = text;
        let cipher = ChaCha20::new(&key);
        cipher.apply(&nonce, 1, &mut text).unwrap();
        assert_eq!(text[..8], [0x6e, 0x2e, 0x35, 0x9a, 0x25, 0x68, 0xf9, 0x80]);
        assert_eq!(text[text.len() - 4..], [0x5e, 0x42, 0x87, 0x4d]);
        // Starting one block later gives the same keystream.
        let mut rest = message;
        cipher.apply(&nonce, 2, &mut rest[64..]).unwrap();
        assert_eq!(rest[64..], text[64..]);
    }

    #[test]
    fn counter_ends() {
        let cipher = ChaCha20::new(&[7; 32]);
        let mut text = [1; 65];
        assert_eq!(
            cipher.apply(&[0; 12], u32::MAX, &mut text),
            Err(CounterOverflow)
        );
        assert_eq!(text, [1; 65]);
        assert_eq!(cipher.apply(&[0; 12], u32::MAX, &mut text[..64]), Ok(()));
        assert_ne!(text[..64], [1; 64]);
    }

    #[test]
    fn debug_shows_no_secret() {
        assert_eq!(format!("{:?}", ChaCha20::new(&[7; 32])), "ChaCha20(..)");
    }
}
