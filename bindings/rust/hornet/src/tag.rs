// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Tags, and the errors of parsing and verifying them.

use crate::bytes::{WrongLength, array};
use crate::hex::{self, Found};
use core::error::Error;
use core::fmt;
use core::str::FromStr;

/// A tag: 16 bytes. Displayed and parsed as 32 hexadecimal digits.
///
/// Tags have no `==`: a comparison that stops at the first difference tells a forger how many bytes
/// of a guess are correct. Verify a received tag with [`verify`](crate::verify),
/// [`Poly1305::verify`](crate::Poly1305::verify), or a function that opens a message.
///
/// ```compile_fail,E0369
/// # use hornet::{Key, mac};
/// # let received = mac(Key::new(&[7; 32]), b"");
/// assert!(mac(Key::new(&[7; 32]), b"") == received);
/// ```
#[derive(Clone, Copy)]
#[repr(transparent)] // C reads and writes arrays of them
pub struct Tag([u8; Tag::BYTES]);

impl Tag {
    /// The length of a tag in bytes: 16.
    pub const BYTES: usize = 16;

    /// Returns the bytes, in the order in which they are sent.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; Tag::BYTES] {
        &self.0
    }

    pub(crate) const ZERO: Self = Self([0; Tag::BYTES]);

    pub(crate) fn as_ptr(&self) -> *const u8 {
        self.0.as_ptr()
    }
}

impl From<[u8; Tag::BYTES]> for Tag {
    fn from(bytes: [u8; Tag::BYTES]) -> Self {
        Self(bytes)
    }
}

impl From<Tag> for [u8; Tag::BYTES] {
    fn from(tag: Tag) -> Self {
        tag.0
    }
}

impl TryFrom<&[u8]> for Tag {
    type Error = WrongLength;

    fn try_from(bytes: &[u8]) -> Result<Self, WrongLength> {
        array("tag", bytes).copied().map(Self)
    }
}

/// The bytes, in the order in which they are sent.
impl AsRef<[u8]> for Tag {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::LowerHex for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        hex::encode(&self.0, f)
    }
}

/// Writes 32 lower-case hexadecimal digits.
impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(self, f)
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tag({self})")
    }
}

/// Parses exactly 32 hexadecimal digits of either case. Not constant-time, because tags are public.
impl FromStr for Tag {
    type Err = ParseTagError;

    fn from_str(text: &str) -> Result<Self, ParseTagError> {
        match hex::decode(text) {
            Ok(bytes) => Ok(Self(bytes)),
            Err(Found::Length(count)) => Err(ParseTagError::Length(count)),
            Err(Found::Character(character)) => Err(ParseTagError::Digit(character)),
        }
    }
}

/// The text is not a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseTagError {
    /// It has this number of characters instead of 32.
    Length(usize),
    /// It contains this character, which is not a hexadecimal digit.
    Digit(char),
}

impl fmt::Display for ParseTagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = match *self {
            Self::Length(count) => Found::Length(count),
            Self::Digit(character) => Found::Character(character),
        };
        write!(f, "a tag is 32 hexadecimal digits; found {found}")
    }
}

impl Error for ParseTagError {}

/// The tag is not the one of this message under this key (and nonce): the message or the tag was
/// changed, or the tag was made with another key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mismatch;

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tag mismatch")
    }
}

impl Error for Mismatch {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn hex_round_trip() {
        let text = "a8061dc1305136c6c22b8baf0c0127a9";
        let tag: Tag = text.parse().unwrap();
        assert_eq!(tag.as_bytes()[..3], [0xa8, 0x06, 0x1d]);
        assert_eq!(tag.to_string(), text);
        let upper: Tag = text.to_uppercase().parse().unwrap();
        assert_eq!(upper.as_bytes(), tag.as_bytes());
    }

    #[test]
    fn malformed_tags() {
        let parse = |text: &str| text.parse::<Tag>().unwrap_err();
        assert_eq!(parse(""), ParseTagError::Length(0));
        assert_eq!(
            parse("a8061dc1305136c6c22b8baf0c0127a"),
            ParseTagError::Length(31)
        );
        assert_eq!(
            parse("a8061dc1305136c6c22b8baf0c0127a9a"),
            ParseTagError::Length(33)
        );
        assert_eq!(
            parse("a8061dc1305136c6c22b8baf0c0127ag"),
            ParseTagError::Digit('g')
        );
        // A character of two bytes.
        assert_eq!(
            parse("éa8061dc1305136c6c22b8baf0c0127a"),
            ParseTagError::Digit('é')
        );
        assert_eq!(
            parse("+8061dc1305136c6c22b8baf0c0127a9"),
            ParseTagError::Digit('+')
        );
        assert_eq!(
            parse("x").to_string(),
            "a tag is 32 hexadecimal digits; found 1 characters"
        );
    }
}
