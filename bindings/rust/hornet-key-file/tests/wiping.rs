// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Memory that the crate frees holds no part of a key.

use hornet::aes::{Key, Nonce, UnusedNonce};
use hornet_key_file::KeyFile;
use hornet_test_support::{WatchingAllocator, watch};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[global_allocator]
static ALLOCATOR: WatchingAllocator = WatchingAllocator;

const KEY_HEX: &str = "ec074c835580741701425b623235add6851fc40c3467ac0be05cc20404f3f700";
const KEY: [u8; 32] = [
    0xec, 0x07, 0x4c, 0x83, 0x55, 0x80, 0x74, 0x17, 0x01, 0x42, 0x5b, 0x62, 0x32, 0x35, 0xad, 0xd6,
    0x85, 0x1f, 0xc4, 0x0c, 0x34, 0x67, 0xac, 0x0b, 0xe0, 0x5c, 0xc2, 0x04, 0x04, 0xf3, 0xf7, 0x00,
];

/// Whether no eight bytes of the key occur, neither raw nor as digits.
fn without_key(bytes: &[u8]) -> bool {
    let found = |piece: &[u8]| bytes.windows(piece.len()).any(|window| window == piece);
    !KEY.chunks(8).any(found) && !KEY_HEX.as_bytes().chunks(8).any(found)
}

#[test]
fn texts_of_key_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key");
    let above = format!("hornet-poly1305-aes-key 1\nkey {KEY_HEX}\nnext-nonce 0\n");
    let mut nonce = [255; Nonce::BYTES];
    nonce[..6].fill(0);
    let key = Key::new(&KEY).unwrap();
    let check = key.mac(UnusedNonce::assume_unused(nonce), above.as_bytes());
    fs::write(&path, format!("{above}check {check}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();

    assert!(!without_key(&KEY) && !without_key(KEY_HEX.as_bytes()));
    let freed = watch(without_key, || {
        let file = Box::new(KeyFile::open(&path).unwrap());
        assert_eq!(file.reserve(3).unwrap().len(), 3);
        drop(file.fork(&folder.path().join("fork")).unwrap());
    });
    assert_eq!(freed.failed, 0);
    assert!(freed.passed > 4, "{freed:?}");
}
