// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Conversion of public bytes (a tag or a nonce) to and from hexadecimal digits, two per byte.

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

/// Decodes exactly two digits of either case per byte. Not constant-time.
pub(crate) fn decode<const BYTES: usize>(text: &str) -> Result<[u8; BYTES], Found> {
    let mut bytes = [0; BYTES];
    let found = text.chars().count();
    if found != 2 * bytes.len() {
        return Err(Found::Length(found));
    }
    for (index, character) in text.chars().enumerate() {
        let digit = character
            .to_digit(16)
            .and_then(|digit| u8::try_from(digit).ok())
            .ok_or(Found::Character(character))?;
        bytes[index / 2] = bytes[index / 2] << 4 | digit;
    }
    Ok(bytes)
}

/// Writes lower-case digits.
pub(crate) fn encode(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
}
