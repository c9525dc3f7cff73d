// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Reserved nonces and their purposes, and derived keys.

use super::{counter, fingerprint, names, nonce, number, place, problem, tag, text, write};
use hornet::aead::XChaCha20Poly1305;
use hornet::aes::{Key, Nonce, PartsKey, UnusedNonce};
use hornet_key_file::{KeyFile, Nonces, Purpose};
use std::fs;

#[test]
fn create_open_reserve() {
    let (_folder, path) = place();
    let created = KeyFile::create(&path).unwrap();
    let opened = KeyFile::open(&path).unwrap();
    assert_eq!(fingerprint(&created), fingerprint(&opened));

    let mut counters = 0..;
    for (file, count) in [(&created, 3), (&opened, 1), (&created, 0), (&opened, 200)] {
        let nonces = file.reserve(count).unwrap();
        assert_eq!(nonces.len() as u64, count);
        for nonce in nonces {
            assert_eq!(counter(number(&nonce.unwrap())), counters.next().unwrap());
        }
    }
}

#[test]
fn created_keys_differ() {
    let (folder, path) = place();
    let tags: Vec<String> = ["a", "b", "c"]
        .map(|name| KeyFile::create(&folder.path().join(name)).unwrap())
        .map(|file| fingerprint(&file))
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
        let check = tag(&key, nonce(3, super::CHECK, 255), &above);
        write(&path, format!("{above}check {check}\n"));
        assert!(KeyFile::open(&path).is_ok());
        assert_eq!(problem(file.reserve(1), &path), expected, "{bit}");
    }
}

const EXHAUSTED: &str =
    "not enough nonces left: a key file gives out 2^48 - 1; derive another key or make one";

#[test]
fn exhausted() {
    let (_folder, path) = place();
    write(&path, text((1 << 48) - 5));
    let file = KeyFile::open(&path).unwrap();
    for count in [5, 6, 1 << 48, u64::MAX - (1 << 48), u64::MAX] {
        assert_eq!(problem(file.reserve(count), &path), EXHAUSTED);
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), text((1 << 48) - 5));
    let last = file.reserve(4).unwrap().last().unwrap().unwrap();
    assert_eq!(counter(number(&last)), (1 << 48) - 2);
    assert_eq!(fs::read_to_string(&path).unwrap(), text((1 << 48) - 1));
    assert_eq!(problem(file.reserve(1), &path), EXHAUSTED);
    assert_eq!(
        problem(file.fork(&path.with_file_name("fork")), &path),
        EXHAUSTED
    );
    assert_eq!(file.reserve(0).unwrap().count(), 0);
    assert!(KeyFile::open(&path).is_ok());

    // The largest possible reservation.
    write(&path, text(0));
    let mut most = file.reserve((1 << 48) - 1).unwrap();
    assert_eq!(counter(number(&most.next().unwrap().unwrap())), 0);
    assert_eq!(fs::read_to_string(&path).unwrap(), text((1 << 48) - 1));
}

/// The nonces of a reservation share their random bits; those of two reservations do not.
#[test]
fn random_bits() {
    let (_folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let random = |nonce: Result<UnusedNonce, _>| number(&nonce.unwrap()) >> 48;
    let drawn: Vec<u128> = (0..200)
        .map(|_| {
            let mut nonces = file.reserve(3).unwrap().map(random);
            let first = nonces.next().unwrap();
            assert!(nonces.all(|other| other == first));
            first
        })
        .collect();
    assert_eq!(hornet_key_file::Nonces::RANDOM_BITS, 72);
    for bit in 0..72 {
        let ones = drawn.iter().filter(|&number| number >> bit & 1 == 1);
        // For a random bit, this fails in one of 10^22 runs.
        assert!((30..170).contains(&ones.count()), "{bit}");
    }
    let mut distinct = drawn.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), drawn.len());
}

#[test]
fn counters_grow() {
    let (_folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let mut last = None;
    for count in [1, 300, 70_000] {
        assert!(last < Some(file.next_counter().unwrap()));
        for nonce in file.reserve(count).unwrap() {
            let counter = Nonces::counter_of(&nonce.unwrap().nonce());
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
    let last = Purpose::new(252).unwrap();
    assert_eq!(Purpose::new(0), None);
    assert_eq!(Purpose::new(253), None);
    assert_eq!(Purpose::new(254), None);
    assert_eq!(Purpose::new(255), None);

    let mut nonces = KeyFile::create(&path).unwrap().reserve(5).unwrap();
    let first = nonces.next().unwrap().unwrap().nonce();
    assert_eq!(Purpose::of(&first), Purpose::MESSAGE);
    let random = <[u8; 9]>::try_from(&first.as_bytes()[6..15]).unwrap();
    assert_eq!(first, nonce(0, random, 0));
    let is = |found: Option<Result<UnusedNonce, _>>, counter, purpose: u8| {
        let found = found.unwrap().unwrap().nonce();
        assert_eq!(found, nonce(counter, random, purpose));
        assert_eq!(Purpose::of(&found).number(), purpose);
    };
    is(nonces.next_for(mine), 1, 1);
    assert_eq!(nonces.len(), 3);
    // These purposes are not for messages, and consume no nonce.
    assert!(nonces.next_for(Purpose::DERIVED).is_none());
    assert!(nonces.next_for(Purpose::FORK).is_none());
    assert!(nonces.next_for(Purpose::KEY_FILE).is_none());
    assert_eq!(nonces.len(), 3);
    is(nonces.next_for(last), 2, 252);
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
    let fork = |file: &KeyFile, name: &str| file.fork(&folder.path().join(name)).unwrap();
    let first = fork(&file, "first");
    let second = fork(&file, "second");
    let of_first = fork(&first, "of first");
    // Derived from a copy, which has the same counter.
    write(&path, text(10));
    let of_copy = fork(&file, "of copy");

    let files = [&file, &first, &second, &of_first, &of_copy];
    for (index, one) in files.iter().enumerate() {
        for other in &files[index + 1..] {
            assert_ne!(fingerprint(one), fingerprint(other));
        }
    }
    // Each derivation takes two nonces.
    assert_eq!(files.map(super::next), [12, 2, 0, 0, 0]);
    for name in ["first", "second", "of first"] {
        let path = folder.path().join(name);
        assert_eq!(
            super::next(&KeyFile::open(&path).unwrap()),
            if name == "first" { 3 } else { 1 }
        );
    }
}

/// Derived bytes are pads of nonces that no reservation hands out, and depend on the key alone.
#[test]
fn derived_bytes() {
    let (_folder, path) = place();
    write(&path, text(10));
    let file = KeyFile::open(&path).unwrap();
    let key = Key::new(&super::KEY).unwrap();
    for number in [0, 1, 255_u8] {
        let pads = [0, 1].map(|half| {
            let counter = 2 * u64::from(number) + half;
            *key.pad(UnusedNonce::assume_unused(
                *nonce(counter, [0xff; 9], 253).as_bytes(),
            ))
        });
        assert_eq!(*file.derive(number), pads.concat()[..]);
    }
    // No nonce was taken.
    assert_eq!(super::next(&file), 10);
}

/// The keys of parts files, which differ from all that `derive` gives.
#[test]
fn keys_of_parts() {
    let key = Key::new(&super::KEY).unwrap();
    let bytes = |number: u64| {
        let pads = [0, 1].map(|half| {
            let nonce = nonce(2 * number + half, [0xff; 9], 253);
            *key.pad(UnusedNonce::assume_unused(*nonce.as_bytes()))
        });
        <[u8; 32]>::try_from(pads.concat()).unwrap()
    };
    let (values, index) = hornet_key_file::parts_keys(&key);
    let unused = || hornet::aead::UnusedNonce::assume_unused([0; 24]);

    let (mut sealed, mut expected) = (Vec::new(), Vec::new());
    let partials = [key.partial(b"segment")];
    values
        .seal_partials(unused(), b"", &partials, &mut sealed)
        .unwrap();
    PartsKey::new(&bytes(256))
        .seal_partials(unused(), b"", &partials, &mut expected)
        .unwrap();
    assert_eq!(sealed, expected);

    let sealed = index.seal_to_vec(unused(), b"", b"page").unwrap();
    let expected = XChaCha20Poly1305::new(&bytes(257));
    assert_eq!(
        sealed,
        expected.seal_to_vec(unused(), b"", b"page").unwrap()
    );
}
