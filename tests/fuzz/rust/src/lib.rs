// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Shared code of the fuzz targets: keys, valid texts to mutate, and the unique text of a key
//! file's content.

use hornet::aes::{Key, Nonce, UnusedNonce};
use hornet_cli::manifest::PURPOSE;
use hornet_key_file::Purpose;
use hornet_key_file::fuzzing::{read, write};

/// The key used in all texts.
#[must_use]
pub fn key() -> Key {
    Key::clamped(&[7; Key::BYTES])
}

/// A nonce for a seal.
#[must_use]
pub fn seal_nonce() -> UnusedNonce {
    let mut bytes = [0; Nonce::BYTES];
    bytes[0] = 3;
    bytes[15] = PURPOSE.number();
    UnusedNonce::assume_unused(bytes)
}

/// Appends a seal to the body of a manifest, whatever the body is.
#[must_use]
pub fn sealed(body: &[u8]) -> Vec<u8> {
    let tag = key().mac(seal_nonce(), body);
    let seal = format!("seal {} {tag}\n", seal_nonce().nonce());
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

/// Whether a text starts like a key file of version 1.
fn is_version_1(text: &[u8]) -> bool {
    text.starts_with(b"hornet-poly1305-aes-key 1\n")
}

/// Appends the last line of a key file to the lines above it, under the nonce of their version and
/// of this counter.
#[must_use]
pub fn with_check(lines: &[u8], key: &Key, next: u128) -> Vec<u8> {
    let mut nonce = next.to_le_bytes();
    if !is_version_1(lines) {
        nonce[6..].fill(0xff);
    }
    nonce[15] = Purpose::KEY_FILE.number();
    let check = key.mac(UnusedNonce::assume_unused(nonce), lines);
    [lines, format!("check {check}\n").as_bytes()].concat()
}

/// Checks that the text of a key file, if it is accepted, is the only one for its version, key and
/// counter.
///
/// # Panics
///
/// If it is not.
pub fn check_key_file(text: &[u8]) {
    let expected = read(text, |key, next| only_text(text, key, next));
    assert!(
        expected.is_none_or(|expected| *text == expected),
        "a second text is accepted"
    );
}

/// Returns the only text for this key and counter, in the version of `text`.
fn only_text(text: &[u8], key: &Key, next: u128) -> Vec<u8> {
    if is_version_1(text) {
        let mut digits = [0; 2 * Key::BYTES];
        let digits = base16ct::lower::encode_str(key.as_bytes(), &mut digits).expect("enough room");
        let lines = format!("hornet-poly1305-aes-key 1\nkey {digits}\nnext-nonce {next}\n");
        assert!(next < 1 << 120);
        with_check(lines.as_bytes(), key, next)
    } else {
        let next = u64::try_from(next).expect("a counter of version 2");
        assert!(next < 1 << 48);
        write(key, next)
    }
}
