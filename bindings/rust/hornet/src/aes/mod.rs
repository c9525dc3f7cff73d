// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Poly1305-AES (Bernstein 2005): many messages under one key, each with its own nonce.
//!
//! **One nonce, one message.** Two messages under one key and nonce reveal enough to forge others.
//! Every function that makes a tag therefore takes an [`UnusedNonce`] by value, which is neither
//! `Clone` nor `Copy`; verifying takes any [`Nonce`]. The crate `hornet-poly1305-key-file` keeps a key on
//! disk and hands out unused nonces. It is safe against crashes, and processes can share it.
//!
//! ```
//! use hornet::aes::{Key, Nonce, UnusedNonce};
//!
//! // Bernstein 2005, appendix B: k, then r.
//! let key = Key::new(&[
//!     0xec, 0x07, 0x4c, 0x83, 0x55, 0x80, 0x74, 0x17, 0x01, 0x42, 0x5b, 0x62, 0x32, 0x35, 0xad, 0xd6,
//!     0x85, 0x1f, 0xc4, 0x0c, 0x34, 0x67, 0xac, 0x0b, 0xe0, 0x5c, 0xc2, 0x04, 0x04, 0xf3, 0xf7, 0x00,
//! ])?;
//! let nonce: Nonce = "fb447350c4e868c52ac3275cf9d4327e".parse()?;
//! let unused = UnusedNonce::assume_unused(*nonce.as_bytes());
//! let tag = key.mac(unused, &[0xf3, 0xf6]);
//! assert_eq!(tag.to_string(), "f4c633c3044fc145f84f335cb81953de");
//!
//! // The receiver has message, nonce and tag.
//! assert!(key.verify(&nonce, &[0xf3, 0xf6], &tag).is_ok());
//! assert!(key.verify(&nonce, &[0xf3, 0xf7], &tag).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`Partial`] is a partial evaluation: the value of the polynomial over one segment of a
//! message. Segments can be evaluated in any order and on many threads, and combined afterwards.
//! `Key::mac_parallel` (feature `rayon`) does this for one message. `Segments` (feature `std`)
//! keeps the partial evaluations of a long message, to compute new tags after changes. A [`PartsKey`]
//! (feature `alloc`) seals them, to be kept in a file; what it opens again are [`SealedParts`].

mod key;
mod message;
#[cfg(feature = "rayon")]
mod parallel;
mod partial;
#[cfg(feature = "alloc")]
mod parts;
#[cfg(test)]
mod samples;
#[cfg(feature = "std")]
mod segments;
mod verifier;

pub use key::{Key, KeyError, NotClamped};
pub use partial::{Partial, PartialError};
#[cfg(feature = "alloc")]
pub use parts::{OldPartial, PartsError, PartsKey, SealedParts};
#[cfg(feature = "std")]
pub use segments::{SegmentError, Segments};
pub use verifier::Verifier;

pub use crate::nonce::ParseNonceError;

use crate::nonce;

/// The nonce of a message: 16 bytes, for verifying.
pub type Nonce = nonce::Nonce<16>;

/// A nonce that no message under the same key has used yet: 16 bytes, for making a tag.
pub type UnusedNonce = nonce::UnusedNonce<16>;
