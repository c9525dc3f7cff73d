// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Tests of key files through the public interface and as files on disk.

mod child;
mod content;
mod copies;
mod crashes;
mod files;
mod forked;
mod locks;
mod nonces;
mod sharing;
mod traced;

use hornet::aes::{Key, Nonce, UnusedNonce};
use hornet_key_file::{KeyFile, Purpose};
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Creates a folder for one test. Returns it and the path of a key file in it.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    (folder, path)
}

/// Returns the names in a folder.
fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Whether a folder contains the key file, and otherwise at most what a killed process may leave: a
/// temporary file, named `.hornet-key-` and 16 digits.
fn only_temporaries_beside_key(folder: &TempDir) -> bool {
    let (key, others): (Vec<_>, Vec<_>) = names(folder).into_iter().partition(|name| name == "key");
    key.len() == 1 && others.iter().all(|name| is_temporary(name))
}

fn is_temporary(name: &str) -> bool {
    let digits = name.strip_prefix(".hornet-key-").unwrap_or_default();
    digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// Builds a nonce as documented: counter, random bits, purpose.
fn nonce(counter: u64, random: [u8; 9], purpose: u8) -> Nonce {
    let mut bytes = [0; Nonce::BYTES];
    bytes[..6].copy_from_slice(&counter.to_le_bytes()[..6]);
    bytes[6..15].copy_from_slice(&random);
    bytes[15] = purpose;
    Nonce::new(bytes)
}

/// Used in place of the random bits in the nonce of a key file's last line.
const CHECK: [u8; 9] = [0xff; 9];

/// Computes a tag, with a nonce that the test may have used before.
fn tag(key: &Key, nonce: Nonce, message: impl AsRef<[u8]>) -> String {
    let nonce = UnusedNonce::assume_unused(*nonce.as_bytes());
    key.mac(nonce, message.as_ref()).to_string()
}

/// Returns a value that depends on the key alone.
fn fingerprint(file: &KeyFile) -> String {
    tag(file.key(), Nonce::new([7; Nonce::BYTES]), "")
}

/// Returns the counter of the first nonce of the next reservation.
fn next(file: &KeyFile) -> u64 {
    counter(number(&file.reserve(1).unwrap().next().unwrap().unwrap()))
}

/// Returns the counter and the random bits of a nonce for a message, as one number.
fn number(nonce: &UnusedNonce) -> u128 {
    let nonce = nonce.nonce();
    assert_eq!(Purpose::of(&nonce), Purpose::MESSAGE);
    u128::from_le_bytes(*nonce.as_bytes())
}

/// Returns the counter of a nonce, its first 6 bytes.
fn counter(number: u128) -> u64 {
    u64::try_from(number % (1 << 48)).unwrap()
}

/// The key in the texts of these tests: k, then r.
const KEY: [u8; 32] = [
    0xec, 0x07, 0x4c, 0x83, 0x55, 0x80, 0x74, 0x17, 0x01, 0x42, 0x5b, 0x62, 0x32, 0x35, 0xad, 0xd6,
    0x85, 0x1f, 0xc4, 0x0c, 0x34, 0x67, 0xac, 0x0b, 0xe0, 0x5c, 0xc2, 0x04, 0x04, 0xf3, 0xf7, 0x00,
];
const KEY_HEX: &str = "ec074c835580741701425b623235add6851fc40c3467ac0be05cc20404f3f700";

/// Returns the text of a key file, composed as documented.
fn text(next: u64) -> String {
    let above = format!("hornet-poly1305-aes-key 1\nkey {KEY_HEX}\nnext-nonce {next}\n");
    with_check(&above, nonce(next, CHECK, 255))
}

fn with_check(above: &str, nonce: Nonce) -> String {
    let check = tag(&Key::new(&KEY).unwrap(), nonce, above);
    format!("{above}check {check}\n")
}

/// Writes a file that only its owner can access, like a key file.
fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
}

/// Returns the error message without the path, with which it must begin.
#[track_caller]
fn problem<T>(result: Result<T, hornet_key_file::Error>, path: &Path) -> String {
    let Err(error) = result else {
        panic!("no error");
    };
    assert_eq!(error.path(), path);
    let message = error.to_string();
    let problem = message.strip_prefix(&format!("{}: ", path.display()));
    problem.unwrap_or_else(|| panic!("{message}")).into()
}

/// Nonces that were handed out, or their counters; each must occur only once.
struct HandedOut<T>(BTreeSet<T>);

impl<T: Ord + Copy + std::fmt::Display> HandedOut<T> {
    fn new() -> Self {
        Self(BTreeSet::new())
    }

    #[track_caller]
    fn add(&mut self, one: T) {
        assert!(self.0.insert(one), "nonce {one} twice");
    }
}
