// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Nonces: those of messages that were tagged, and those that can still tag one.

use crate::hex::{self, Found};
use core::error::Error;
use core::fmt;
use core::str::FromStr;

/// The nonce of a message: 16 bytes, sent with the message and its tag, and not secret. Displayed
/// and parsed as 32 hexadecimal digits.
///
/// It is for verifying. A tag is made with an [`UnusedNonce`], and a `Nonce` does not turn into
/// one:
///
/// ```compile_fail,E0308
/// use hornet::aes::{Key, Nonce};
/// let key = Key::clamped(&[7; 32]);
/// key.mac(Nonce::new([0; 16]), b"a message"); // expected `UnusedNonce`
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Nonce([u8; Nonce::BYTES]);

impl Nonce {
    /// The length of a nonce in bytes: 16.
    pub const BYTES: usize = 16;

    /// The nonce of a received message.
    #[must_use]
    pub const fn new(bytes: [u8; Nonce::BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes, in the order in which they are sent.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; Nonce::BYTES] {
        &self.0
    }

    pub(super) fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }
}

/// A nonce that no message under the same key has had yet. Making a tag uses it up:
///
/// ```compile_fail,E0382
/// use hornet::aes::{Key, UnusedNonce};
/// let key = Key::clamped(&[7; 32]);
/// let nonce = UnusedNonce::assume_unused([0; 16]);
/// key.mac(nonce, b"first");
/// key.mac(nonce, b"second"); // use of moved value
/// ```
///
/// It is neither `Clone` nor `Copy`, and is not parsed from text. Get it from something that never
/// gives one out twice: `KeyFile::reserve` of the crate `hornet-key-file`. Take its value,
/// [`nonce`](Self::nonce), before making the tag, to send it with the message.
pub struct UnusedNonce(Nonce);

impl UnusedNonce {
    /// Takes the caller's word that no message under this key has had, or will have, these bytes as
    /// its nonce.
    ///
    /// **If one has, anyone who sees both tags can forge.** Only the owner of a counter that never
    /// goes back, or a similar source of unique values, can know that. The bytes of a received or
    /// stored nonce are never unused: make them a [`Nonce`], which is all that verifying takes.
    ///
    /// This is the only way to make an unused nonce of bytes, so a search for its name finds every
    /// place where uniqueness is claimed. It is not `unsafe`, because a repeated nonce breaks the
    /// key and no rule of memory.
    #[must_use]
    pub const fn assume_unused(bytes: [u8; Nonce::BYTES]) -> Self {
        Self(Nonce(bytes))
    }

    /// The value, to be sent with the message and its tag.
    #[must_use]
    pub const fn nonce(&self) -> Nonce {
        self.0
    }
}

impl fmt::Debug for UnusedNonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UnusedNonce({})", self.0)
    }
}

impl fmt::LowerHex for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::encode(&self.0, f)
    }
}

/// 32 lower-case hexadecimal digits.
impl fmt::Display for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(self, f)
    }
}

impl fmt::Debug for Nonce {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Nonce({self})")
    }
}

/// Parses exactly 32 hexadecimal digits of either case.
impl FromStr for Nonce {
    type Err = ParseNonceError;

    fn from_str(text: &str) -> Result<Self, ParseNonceError> {
        hex::decode(text).map(Self).map_err(ParseNonceError)
    }
}

/// The text is not a nonce.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseNonceError(Found);

impl fmt::Display for ParseNonceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a nonce is 32 hexadecimal digits; found {}", self.0)
    }
}

impl Error for ParseNonceError {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;
    use std::string::ToString;

    #[test]
    fn hex_round_trip() {
        let text = "fb447350c4e868c52ac3275cf9d4327e";
        let nonce: Nonce = text.to_uppercase().parse().unwrap();
        assert_eq!(nonce.as_bytes()[..3], [0xfb, 0x44, 0x73]);
        assert_eq!(nonce.to_string(), text);
        assert_eq!(format!("{nonce:?}"), format!("Nonce({text})"));
        assert_eq!(Nonce::new(*nonce.as_bytes()), nonce);
        let unused = UnusedNonce::assume_unused(*nonce.as_bytes());
        assert_eq!(unused.nonce(), nonce);
        assert_eq!(format!("{unused:?}"), format!("UnusedNonce({text})"));
    }

    #[test]
    fn malformed_nonces() {
        let problem = |text: &str| text.parse::<Nonce>().unwrap_err().to_string();
        assert_eq!(
            problem("fb44"),
            "a nonce is 32 hexadecimal digits; found 4 characters"
        );
        assert_eq!(
            problem("fb447350c4e868c52ac3275cf9d4327x"),
            "a nonce is 32 hexadecimal digits; found 'x'"
        );
    }
}
