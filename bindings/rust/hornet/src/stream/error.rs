// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Why chunks cannot be sealed or opened.

use core::error::Error;
use core::fmt;

/// There can be no such chunks. Nothing was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ChunksError {
    /// The text has no chunk, or ends in a short one though it goes on: only the last chunk may have
    /// fewer than 65536 bytes, and only if it is the first may it be empty. The number is the length of
    /// the text in bytes.
    Text(usize),
    /// No text is sealed in this number of bytes.
    Sealed(usize),
    /// A number would exceed 2^64 - 1.
    Number,
    /// The output does not have the length that the input needs.
    Output {
        /// Length in bytes that is needed.
        needed: usize,
        /// Length in bytes that the output has.
        found: usize,
    },
}

impl fmt::Display for ChunksError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(bytes) => write!(f, "{bytes} bytes are not whole chunks of 65536 bytes"),
            Self::Sealed(bytes) => write!(f, "no chunks are sealed in {bytes} bytes"),
            Self::Number => f.write_str("the number of a chunk is at most 2^64 - 1"),
            Self::Output { needed, found } => {
                write!(f, "the output has {found} bytes, and needs {needed}")
            }
        }
    }
}

impl Error for ChunksError {}

/// A sealed text is not what was sealed. Chunks have numbers from 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenError {
    /// This chunk is not authentic: it was changed, or moved here, or sealed under another key.
    Changed(u64),
    /// The text ends in this chunk, or before it, and was not sealed so: its end is missing.
    CutOff(u64),
    /// The text was sealed to end with this chunk, and more bytes follow.
    GoesOn(u64),
    /// There can be no such chunks. Nothing was written.
    Chunks(ChunksError),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed(chunk) => write!(f, "chunk {chunk} is not authentic"),
            Self::CutOff(chunk) => write!(f, "cut off at chunk {chunk}: the end is missing"),
            Self::GoesOn(chunk) => write!(f, "goes on after chunk {chunk}, which is the last"),
            Self::Chunks(error) => error.fmt(f),
        }
    }
}

impl Error for OpenError {}

impl From<ChunksError> for OpenError {
    fn from(error: ChunksError) -> Self {
        Self::Chunks(error)
    }
}

#[cfg(feature = "std")]
impl From<OpenError> for std::io::Error {
    fn from(error: OpenError) -> Self {
        Self::new(std::io::ErrorKind::InvalidData, error)
    }
}
