// SPDX-License-Identifier: Apache-2.0 OR MIT

//! A received message in pieces.

use crate::poly1305::Poly1305;
use crate::tag::{Mismatch, Tag};
use core::fmt;
use zeroize::ZeroizeOnDrop;

/// A received message that arrives in pieces, started by [`Key::start_verify`]. It verifies a tag
/// and never makes one, because the nonce of a received message has been used.
///
/// The state contains the key. It is wiped when dropped, whether finished or not.
///
/// [`Key::start_verify`]: crate::aes::Key::start_verify
pub struct Verifier(Poly1305);

impl Verifier {
    pub(super) fn new(poly1305: Poly1305) -> Self {
        Self(poly1305)
    }

    /// Appends a piece of any length.
    pub fn update(&mut self, msg: &[u8]) {
        self.0.update(msg);
    }

    /// Appends several pieces in order, like one call of [`update`](Self::update) for each.
    pub fn update_vectored(&mut self, pieces: &[&[u8]]) {
        self.0.update_vectored(pieces);
    }

    /// Verifies the tag of all the pieces in constant time. Do not use any part of the message
    /// before.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] if it is not the tag of this message under this key and nonce.
    pub fn verify(self, tag: &Tag) -> Result<(), Mismatch> {
        self.0.verify(tag)
    }
}

/// `Poly1305` wipes itself, and there are no other secrets.
impl ZeroizeOnDrop for Verifier {}

/// Does not show the state.
impl fmt::Debug for Verifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Verifier(..)")
    }
}

/// Appends the bytes written, as [`Poly1305`] does.
#[cfg(feature = "std")]
impl std::io::Write for Verifier {
    fn write(&mut self, msg: &[u8]) -> std::io::Result<usize> {
        self.0.write(msg)
    }

    fn write_vectored(&mut self, pieces: &[std::io::IoSlice<'_>]) -> std::io::Result<usize> {
        self.0.write_vectored(pieces)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use crate::aes::samples::{key, nonce};
    use std::format;

    #[cfg(feature = "std")]
    #[test]
    fn written_in_pieces() {
        use crate::aes::samples::{message, unused};
        use std::io::{self, IoSlice, Write};
        let message = message(1_000);
        let expected = key().mac(unused(0), &message);
        let mut verifier = key().start_verify(&nonce(0));
        io::copy(&mut &message[..300], &mut verifier).unwrap();
        let rest = [
            IoSlice::new(&message[300..301]),
            IoSlice::new(&message[301..]),
        ];
        assert_eq!(verifier.write_vectored(&rest).unwrap(), 700);
        verifier.flush().unwrap();
        assert!(verifier.verify(&expected).is_ok());
    }

    #[test]
    fn debug_shows_no_secret() {
        assert_eq!(
            format!("{:?}", key().start_verify(&nonce(0))),
            "Verifier(..)"
        );
    }
}
