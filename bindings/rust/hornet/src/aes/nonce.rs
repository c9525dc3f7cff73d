// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Nonces.

use crate::hex::{self, Found};
use core::error::Error;
use core::fmt;
use core::str::FromStr;

/// A nonce: any 16 bytes that no other message under the same key has. Displayed and parsed as 32
/// hexadecimal digits.
///
/// It is not a secret, and is sent with the message and its tag: copy its bytes before you use it.
/// Functions that make a tag take it by value, so it cannot be used for a second message:
///
/// ```compile_fail,E0382
/// use hornet::aes::{Key, Nonce};
/// let key = Key::clamped(&[7; 32]);
/// let nonce = Nonce::new([0; 16]);
/// key.mac(nonce, b"first");
/// key.mac(nonce, b"second"); // use of moved value
/// ```
pub struct Nonce([u8; Nonce::BYTES]);

impl Nonce {
    /// The length of a nonce in bytes: 16.
    pub const BYTES: usize = 16;

    /// A nonce of these bytes: that of a received message, or the next of a count. The caller must
    /// use it for one message only.
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
        assert_eq!(Nonce::new(*nonce.as_bytes()).to_string(), text);
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
