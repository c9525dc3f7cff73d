// SPDX-License-Identifier: Apache-2.0 OR MIT

//! What the fuzz targets share: keys, and valid texts to mutate.

use hornet::aes::{Key, Nonce};
use hornet_cli::manifest::PURPOSE;

/// The key of all texts.
#[must_use]
pub fn key() -> Key {
    Key::clamped(&[7; Key::BYTES])
}

/// A nonce for a seal.
#[must_use]
pub fn seal_nonce() -> Nonce {
    let mut bytes = [0; Nonce::BYTES];
    bytes[0] = 3;
    bytes[15] = PURPOSE.number();
    Nonce::new(bytes)
}

/// Appends a seal to the body of a manifest, whatever that is.
#[must_use]
pub fn sealed(body: &[u8]) -> Vec<u8> {
    let tag = key().mac(seal_nonce(), body);
    let seal = format!("seal {} {tag}\n", seal_nonce());
    [body, seal.as_bytes()].concat()
}

/// The body of a manifest with lines of every kind.
pub const BODY: &[u8] = b"\
hornet manifest 2
sealed 2026-11-21T22:17:38Z
symbolic links: followed
path b
path a\\n
00000000000000000000000000000000 10101010101010101010101010101010  a\\n
01000000000000000000000000000000 01010101010101010101010101010101  b/\\\\
02000000000000000000000000000000 02020202020202020202020202020202  b/\\xff
unread b/c
other symlink a b
other folder b/d
files 3 unread 1 others 2
";
