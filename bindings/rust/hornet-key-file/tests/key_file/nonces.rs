// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Reserved nonces and their purposes, and derived keys.

use super::{names, nonce, place, problem, text, write};
use hornet::aes::{Key, Nonce};
use hornet_key_file::{KeyFile, Nonces, Purpose};
use std::fs;

#[test]
fn create_open_reserve() {
    let (_folder, path) = place();
    let created = KeyFile::create(&path).unwrap();
    let opened = KeyFile::open(&path).unwrap();
    let tag = created.key().mac(nonce(7, 0), b"a message");
    assert_eq!(
        opened.key().verify(&nonce(7, 0), b"a message", &tag),
        Ok(())
    );

    let mut counters = 0..;
    for (file, count) in [(&created, 3), (&opened, 1), (&created, 0), (&opened, 200)] {
        let nonces = file.reserve(count).unwrap();
        assert_eq!(nonces.len() as u64, count);
        for nonce in nonces {
            assert_eq!(super::counter(&nonce), counters.next().unwrap());
        }
    }
}

#[test]
fn created_keys_differ() {
    let (folder, path) = place();
    let tags: Vec<String> = ["a", "b", "c"]
        .map(|name| KeyFile::create(&folder.path().join(name)).unwrap())
        .map(|file| file.key().mac(nonce(0, 0), b"").to_string())
        .into();
    assert!(tags[0] != tags[1] && tags[1] != tags[2] && tags[0] != tags[2]);
    assert!(!path.exists());
}

#[test]
fn another_key() {
    let (folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let other = KeyFile::create(&path).unwrap();
    let expected = "now holds another key than when it was opened";
    assert_eq!(problem(file.reserve(1), &path), expected);
    assert_eq!(problem(file.reserve(0), &path), expected);
    assert_eq!(
        problem(file.fork(&folder.path().join("fork")), &path),
        expected
    );
    assert_eq!(names(&folder), ["key"]);
    assert_eq!(super::next(&other), 0);

    // A key that differs in a single bit.
    write(&path, text(3));
    let file = KeyFile::open(&path).unwrap();
    for bit in [0, 7, 128, 255 - 8] {
        let mut bytes = super::KEY;
        bytes[bit / 8] ^= 1 << (bit % 8);
        let key = Key::new(&bytes).unwrap();
        let [k, r] = [&bytes[..16], &bytes[16..]].map(|half| {
            let bytes = <[u8; 16]>::try_from(half).unwrap();
            Nonce::new(bytes).to_string()
        });
        let above = format!("hornet-poly1305-aes-key 1\nkey {k}{r}\nnext-nonce 3\n");
        let check = key.mac(nonce(3, 255), above.as_bytes());
        write(&path, format!("{above}check {check}\n"));
        assert!(KeyFile::open(&path).is_ok());
        assert_eq!(problem(file.reserve(1), &path), expected, "{bit}");
    }
}

#[test]
fn exhausted() {
    let (_folder, path) = place();
    write(&path, text((1 << 120) - 5));
    let file = KeyFile::open(&path).unwrap();
    for count in [5, 6, u64::MAX] {
        assert_eq!(
            problem(file.reserve(count), &path),
            "not enough nonces left"
        );
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), text((1 << 120) - 5));
    let last = file.reserve(4).unwrap().last().unwrap();
    assert_eq!(super::counter(&last), (1 << 120) - 2);
    assert_eq!(fs::read_to_string(&path).unwrap(), text((1 << 120) - 1));
    assert_eq!(problem(file.reserve(1), &path), "not enough nonces left");
    assert_eq!(file.reserve(0).unwrap().count(), 0);
    assert!(KeyFile::open(&path).is_ok());

    // The largest possible reservation.
    write(&path, text(1));
    let mut most = file.reserve(u64::MAX).unwrap();
    assert_eq!(super::counter(&most.next().unwrap()), 1);
    assert_eq!(super::next(&file), 1 << 64);
}

#[test]
fn counters_grow() {
    let (_folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let mut last = None;
    for count in [1, 300, 70_000] {
        assert!(last < Some(file.next_counter().unwrap()));
        for nonce in file.reserve(count).unwrap() {
            let counter = Nonces::counter_of(&nonce);
            assert!(last < Some(counter));
            last = Some(counter);
        }
        assert_eq!(file.next_counter().ok(), last.map(|last| last + 1));
    }
    write(&path, text(1));
    let found = problem(file.next_counter(), &path);
    assert_eq!(found, "now holds another key than when it was opened");
}

#[test]
fn purposes() {
    let (_folder, path) = place();
    let mine = Purpose::new(1).unwrap();
    let last = Purpose::new(253).unwrap();
    assert_eq!(Purpose::new(0), None);
    assert_eq!(Purpose::new(254), None);
    assert_eq!(Purpose::new(255), None);

    let mut nonces = KeyFile::create(&path).unwrap().reserve(5).unwrap();
    let is = |nonce: Option<Nonce>, counter, purpose: u8| {
        let found = nonce.unwrap();
        assert_eq!(found.as_bytes(), super::nonce(counter, purpose).as_bytes());
        assert_eq!(Purpose::of(&found).number(), purpose);
    };
    is(nonces.next(), 0, 0);
    is(nonces.next_for(mine), 1, 1);
    assert_eq!(nonces.len(), 3);
    // These are not for messages, and use up no nonce.
    assert!(nonces.next_for(Purpose::FORK).is_none());
    assert!(nonces.next_for(Purpose::KEY_FILE).is_none());
    assert_eq!(nonces.len(), 3);
    is(nonces.next_for(last), 2, 253);
    is(nonces.next_for(Purpose::MESSAGE), 3, 0);
    is(nonces.next(), 4, 0);
    assert!(nonces.next().is_none());
    assert!(nonces.next_for(mine).is_none());
    assert_eq!(nonces.len(), 0);
}

#[test]
fn forks() {
    let (folder, path) = place();
    write(&path, text(10));
    let file = KeyFile::open(&path).unwrap();
    let fork = |name: &str| file.fork(&folder.path().join(name)).unwrap();
    let tag = |key: &Key| key.mac(nonce(0, 0), b"a message").to_string();

    let first = fork("first");
    // As documented.
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(file.key().mac(nonce(10, 254), b"").as_bytes());
    bytes[16..].copy_from_slice(file.key().mac(nonce(11, 254), b"").as_bytes());
    assert_eq!(tag(first.key()), tag(&Key::clamped(&bytes)));

    let second = fork("second");
    let of_first = first.fork(&folder.path().join("of first")).unwrap();
    let files = [&file, &first, &second, &of_first];
    for (index, one) in files.iter().enumerate() {
        for other in &files[index + 1..] {
            assert_ne!(tag(one.key()), tag(other.key()));
        }
    }
    // Two nonces each.
    assert_eq!(files.map(super::next), [14, 2, 0, 0]);
    for name in ["first", "second", "of first"] {
        let path = folder.path().join(name);
        assert_eq!(
            super::next(&KeyFile::open(&path).unwrap()),
            if name == "first" { 3 } else { 1 }
        );
    }
}
