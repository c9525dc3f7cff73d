// SPDX-License-Identifier: Apache-2.0 OR MIT

//! ChaCha20-Poly1305, Poly1305 and `ChaCha20` (RFC 8439), `XChaCha20`-Poly1305,
//! chacha20-poly1305@openssh.com and Poly1305-AES, built on the Hornet C library.
//!
//! To encrypt and authenticate messages, use the module [`aead`]. To authenticate messages that
//! stay readable, use Poly1305: it computes a 16-byte tag from a 32-byte key and a message of any
//! length. Anyone who knows the key can verify the tag. Without the key, an attacker cannot forge
//! the tag of another message.
//!
//! **One key, one message.** Two tags under one key reveal enough to forge others. A [`Key`] is
//! therefore neither `Clone` nor `Copy`, and every function takes it by value. Derive a fresh key
//! for each message, as ChaCha20-Poly1305 does.
//!
//! ```
//! use hornet::{Key, mac, verify};
//!
//! // RFC 8439, section 2.5.2.
//! let key = [
//!     0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52, 0xfe, 0x42, 0xd5, 0x06, 0xa8,
//!     0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d, 0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b,
//! ];
//! let message = b"Cryptographic Forum Research Group";
//!
//! let tag = mac(Key::new(&key), message);
//! assert_eq!(tag.to_string(), "a8061dc1305136c6c22b8baf0c0127a9");
//!
//! // The receiver derives the same key and verifies.
//! assert!(verify(Key::new(&key), message, &tag).is_ok());
//! assert!(verify(Key::new(&key), b"Another message", &tag).is_err());
//! ```
//!
//! Many short messages are faster as a batch: [`mac_batch`], [`verify_batch`]. [`Poly1305`]
//! computes the tag of a message that arrives in pieces.
//!
//! The module [`aes`], Poly1305-AES, authenticates many messages under one key, with **one nonce
//! per message**. The crate `hornet-poly1305-key-file` keeps such a key on disk and counts its
//! nonces, so that none is used twice.
//!
//! The module [`stream`] seals long texts in chunks, as age does.
//!
//! The module [`nonce`] contains the types that keep nonces from being used twice. The module
//! [`chacha20`] contains the cipher alone, and the masks of QUIC header protection, and the module
//! [`ssh`] SSH's cipher of packets.
//!
//! Timing, branches and memory addresses depend on lengths, never on keys, messages or tags. Keys
//! and everything computed from them are wiped when they are dropped. Copies that the compiler
//! makes when it moves a value cannot be wiped, so keep a [`Key`] or a [`Poly1305`] where it was
//! created. No function allocates, locks or panics, with two exceptions: `aes::Segments` and the
//! functions that return a `Vec` allocate, and the functions of the feature `rayon` do what rayon
//! does.
//!
//! The feature `std` (on by default) implements `std::io::Write` for [`Poly1305`] and adds
//! `aes::Segments`. It contains the feature `alloc`, which adds the functions that return a `Vec`.
//! Without both, the crate needs only `core`. The features `aead` and `universal-hash` implement the
//! traits of the crates of the same names, version 0.6, for the ciphers and for [`Poly1305`],
//! `aead-05` those of `aead` 0.5, and `cipher` those of `cipher` 0.5 for [`chacha20::Stream`]. These traits take nonces and keys by reference; the caller must
//! ensure that none is used twice. The feature `sys` adds `sys`, the functions of the C library.

#![no_std]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod batch;
mod bytes;
mod ffi;
mod hex;
mod key;
mod poly1305;
mod tag;
#[cfg(feature = "universal-hash")]
mod universal_hash;
mod version;

/// The functions of the C headers, which document them: for bindings to languages where other threads may write to a
/// message meanwhile, so that Rust may not make a reference to it.
#[cfg(feature = "sys")]
pub mod sys {
    pub use crate::ffi::declarations::*;
}

pub mod aead;
pub mod aes;
pub mod chacha20;
pub mod kernel;
pub mod nonce;
pub mod ssh;
pub mod stream;

pub use batch::{mac_batch, verify_batch};
pub use bytes::WrongLength;
pub use key::Key;
pub use poly1305::{Poly1305, mac, verify};
pub use tag::{Mismatch, ParseTagError, Tag};
pub use version::version;

/// The examples in README.md, tested like the ones here.
#[cfg(all(doctest, feature = "alloc"))]
#[doc = include_str!("../README.md")]
struct Readme;
