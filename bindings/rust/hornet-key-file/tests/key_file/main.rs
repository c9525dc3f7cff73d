// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Tests of key files through the public interface and as files on disk.

mod child;
mod content;
mod crashes;
mod files;
mod nonces;
mod sharing;

use hornet::aes::{Key, Nonce};
use hornet_key_file::{KeyFile, Purpose};
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder for one test, and the path of a key file in it.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    (folder, path)
}

/// The names in a folder.
fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Whether a folder has the key file, and besides it at most what a killed process may leave: a
/// temporary file, named `.hornet-key-` and 16 digits.
fn only_temporaries_beside_key(folder: &TempDir) -> bool {
    let (key, others): (Vec<_>, Vec<_>) = names(folder).into_iter().partition(|name| name == "key");
    key.len() == 1 && others.iter().all(|name| is_temporary(name))
}

fn is_temporary(name: &str) -> bool {
    let digits = name.strip_prefix(".hornet-key-").unwrap_or_default();
    digits.len() == 16 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

fn nonce(counter: u128, purpose: u8) -> Nonce {
    let mut bytes = counter.to_le_bytes();
    bytes[15] = purpose;
    Nonce::new(bytes)
}

/// The first nonce of the next reservation, as a number.
fn next(file: &KeyFile) -> u128 {
    counter(&file.reserve(1).unwrap().next().unwrap())
}

fn counter(nonce: &Nonce) -> u128 {
    assert_eq!(Purpose::of(nonce), Purpose::MESSAGE);
    u128::from_le_bytes(*nonce.as_bytes())
}

/// The key of the texts in these tests: k, then r.
const KEY: [u8; 32] = [
    0xec, 0x07, 0x4c, 0x83, 0x55, 0x80, 0x74, 0x17, 0x01, 0x42, 0x5b, 0x62, 0x32, 0x35, 0xad, 0xd6,
    0x85, 0x1f, 0xc4, 0x0c, 0x34, 0x67, 0xac, 0x0b, 0xe0, 0x5c, 0xc2, 0x04, 0x04, 0xf3, 0xf7, 0x00,
];
const KEY_HEX: &str = "ec074c835580741701425b623235add6851fc40c3467ac0be05cc20404f3f700";

/// The text of a key file, composed as the documentation says.
fn text(next: u128) -> String {
    let above = format!("hornet-poly1305-aes-key 1\nkey {KEY_HEX}\nnext-nonce {next}\n");
    with_check(&above, next)
}

fn with_check(above: &str, next: u128) -> String {
    let key = Key::new(&KEY).unwrap();
    let check = key.mac(nonce(next, 255), above.as_bytes());
    format!("{above}check {check}\n")
}

/// Writes a file that is accessible by its owner only, like a key file.
fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o600)).unwrap();
}

/// The message of the error without the path, with which it must begin.
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

/// Nonces that were handed out: each must be so once.
#[derive(Default)]
struct HandedOut(BTreeSet<u128>);

impl HandedOut {
    #[track_caller]
    fn add(&mut self, counter: u128) {
        assert!(self.0.insert(counter), "nonce {counter} twice");
    }
}
