// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Headers of age v1 files (<https://c2sp.org/age>): who can open a file, and the key of its payload, which
//! [`hornet::stream`] seals and opens.
//!
//! [`Header::read`] reads a header, [`Identity::open`] finds the file's key in it, and **[`Header::verify`]
//! comes before anything else is done with that key**. [`written`] writes a header. No armour, no files.

mod header;
mod hybrid;
mod keys;

pub use header::{FileKey, Header, Malformed, NONCE_BYTES, Stanza, TooLong, payload_key, written};
pub use keys::{
    Error, Identity, Recipient, new_file_key, new_hybrid_identity, new_identity, new_nonce,
    seal_to, seal_with_passphrase,
};

/// The examples in README.md, tested like the ones here.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
