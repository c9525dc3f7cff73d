// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What may be wrong with a message that is to be sealed or opened.

use crate::tag::Mismatch;
use core::error::Error;
use core::fmt;

/// A message, or a piece of one, cannot be sealed or opened because of its length. Nothing was
/// written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LengthError {
    /// The message has, or with this piece would have, more than [`MAX_BYTES`](super::MAX_BYTES).
    TooLong,
    /// The output has another length than the input.
    Output {
        /// Bytes in the input.
        input: usize,
        /// Bytes in the output.
        output: usize,
    },
}

impl LengthError {
    /// Refuses two lengths that differ.
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
    /// The tag is not that of this ciphertext, associated data, nonce and key: one of them has been
    /// changed. Zeros are in the place of the message.
    Mismatch,
    /// Its length is impossible. Nothing was written.
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
