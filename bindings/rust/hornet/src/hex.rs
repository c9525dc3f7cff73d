// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Conversion of public bytes (a tag or a nonce) to and from hexadecimal digits, two per byte.

use base16ct::HexDisplay;
use core::fmt;

/// What was found in place of the digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Length(usize),
    Character(char),
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(count) => write!(f, "{count} characters"),
            Self::Character(character) => write!(f, "{character:?}"),
        }
    }
}

/// Decodes exactly two digits of either case per byte.
pub(crate) fn decode<const BYTES: usize>(text: &str) -> Result<[u8; BYTES], Found> {
    let length = text.chars().count();
    if length != 2 * BYTES {
        return Err(Found::Length(length));
    }
    if let Some(found) = text.chars().find(|found| !found.is_ascii_hexdigit()) {
        return Err(Found::Character(found));
    }
    let mut bytes = [0; BYTES];
    let decoded = base16ct::mixed::decode(text, &mut bytes).map(|_| ());
    decoded.map_or(Err(Found::Length(length)), |()| Ok(bytes))
}

/// Writes lower-case digits.
pub(crate) fn encode(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "{:x}", HexDisplay(bytes))
}
