// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The errors of sealing and opening.

use crate::tag::Mismatch;
use core::error::Error;
use core::fmt;

/// A message, or a piece of one, cannot be sealed or opened because of its length. Nothing was
/// written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LengthError {
    /// The message is longer than [`MAX_BYTES`](super::MAX_BYTES), or would be with this piece.
    TooLong,
    /// The sealed message has this number of bytes, which is less than that of its tag.
    NoTag(usize),
    /// The input and the output differ in length.
    Output {
        /// Length of the input in bytes.
        input: usize,
        /// Length of the output in bytes.
        output: usize,
    },
}

impl LengthError {
    /// Returns an error if the lengths differ.
    pub(super) fn unless_equal(input: &[u8], output: &[u8]) -> Result<(), Self> {
        let (input, output) = (input.len(), output.len());
        if input == output {
            Ok(())
        } else {
            Err(Self::Output { input, output })
        }
    }
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => f.write_str("a message has at most 2^38 - 64 bytes"),
            Self::NoTag(found) => {
                write!(f, "a sealed message has at least 16 bytes; found {found}")
            }
            Self::Output { input, output } => {
                write!(f, "the output has {output} bytes, and the input {input}")
            }
        }
    }
}

impl Error for LengthError {}

/// A message cannot be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenError {
    /// The tag does not match this ciphertext, associated data, nonce and key: one of them was
    /// changed. The message was replaced by zeros.
    Mismatch,
    /// A length is not allowed. Nothing was written.
    Length(LengthError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mismatch => Mismatch.fmt(f),
            Self::Length(error) => error.fmt(f),
        }
    }
}

impl Error for OpenError {}

impl From<LengthError> for OpenError {
    fn from(error: LengthError) -> Self {
        Self::Length(error)
    }
}

impl From<Mismatch> for OpenError {
    fn from(Mismatch: Mismatch) -> Self {
        Self::Mismatch
    }
}
