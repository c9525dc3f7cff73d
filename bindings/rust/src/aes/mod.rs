//! Poly1305-AES (Bernstein 2005): many messages under one key, each with a nonce of its own.
//!
//! **One nonce, one message.** Two messages under one key and nonce reveal enough to forge. So a
//! [`Nonce`] is neither `Clone` nor `Copy`, and whatever makes a tag takes it by value. Count nonces
//! up, and never start from the beginning again: `hornet::key_file` (feature `key-file`) keeps the
//! count on disk, safe from crashes and from other processes.
//!
//! ```
//! use hornet::aes::{Key, Nonce};
//!
//! // Bernstein 2005, appendix B: k, then r.
//! let key = Key::new(&[
//!     0xec, 0x07, 0x4c, 0x83, 0x55, 0x80, 0x74, 0x17, 0x01, 0x42, 0x5b, 0x62, 0x32, 0x35, 0xad, 0xd6,
//!     0x85, 0x1f, 0xc4, 0x0c, 0x34, 0x67, 0xac, 0x0b, 0xe0, 0x5c, 0xc2, 0x04, 0x04, 0xf3, 0xf7, 0x00,
//! ])?;
//! let nonce: Nonce = "fb447350c4e868c52ac3275cf9d4327e".parse()?;
//! let sent = *nonce.as_bytes();
//! let tag = key.mac(nonce, &[0xf3, 0xf6]);
//! assert_eq!(tag.to_string(), "f4c633c3044fc145f84f335cb81953de");
//!
//! // The receiver gets message, nonce and tag.
//! assert!(key.verify(&Nonce::new(sent), &[0xf3, 0xf6], &tag).is_ok());
//! assert!(key.verify(&Nonce::new(sent), &[0xf3, 0xf7], &tag).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Part`] is what a segment of a message contributes to its tag. Segments can be worked on in any
//! order and by many threads, `part_parallel` and its kin (feature `rayon`) by all of them, and
//! `Segments` (feature `std`) keeps the parts of a message of which one segment changes at a time.

mod key;
mod nonce;
#[cfg(feature = "rayon")]
mod parallel;
mod part;
#[cfg(feature = "std")]
mod segments;

pub use key::{ForbiddenBits, Key};
pub use nonce::{Nonce, ParseNonceError};
pub use part::{Part, PartError};
#[cfg(feature = "std")]
pub use segments::{SegmentError, Segments};

use crate::ffi;

/// The name of the AES in use: of the CPU's instructions, or of the portable one. Neither uses
/// tables.
#[must_use]
pub fn implementation() -> &'static str {
    ffi::text(ffi::hornet_aes_name())
}

/// What the tests of this module share.
#[cfg(test)]
mod samples {
    use super::{Key, Nonce};
    use std::vec::Vec;

    pub(super) fn key() -> Key {
        Key::clamped(&[0xb7; Key::BYTES])
    }

    pub(super) fn nonce(number: usize) -> Nonce {
        let mut bytes = [0x3c; Nonce::BYTES];
        bytes[..8].copy_from_slice(&(number as u64).to_le_bytes());
        Nonce::new(bytes)
    }

    /// Bytes of which no two segments look the same.
    pub(super) fn message(len_bytes: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let mut byte = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_le_bytes()[3]
        };
        (0..len_bytes).map(|_| byte()).collect()
    }
}
