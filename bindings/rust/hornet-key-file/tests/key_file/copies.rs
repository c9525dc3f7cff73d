// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Key files that are restored, copied and cloned, and files of version 1: no nonce occurs twice.

use super::{HandedOut, KeyFile, fingerprint, number, place, problem, text, text_1, write};
use std::fs;
use std::path::{Path, PathBuf};

/// A pseudorandom sequence of numbers, the same in each run.
struct Arbitrary(u64);

impl Arbitrary {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// Copies a file with its permissions.
fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_file(to);
    fs::copy(from, to).unwrap();
}

/// Between reservations, the file is restored from backups of any age, copied, and copied together
/// with its folder. Some users of the copies opened them earlier, and some start from version 1.
#[test]
fn a_thousand_copies() {
    let (folder, first) = place();
    write(&first, text_1(5));
    let backups: Vec<String> = (0..20).map(|number| format!("backup {number}")).collect();
    let backups: Vec<PathBuf> = backups
        .iter()
        .map(|name| folder.path().join(name))
        .collect();
    let clone = folder.path().join("clone/key");
    fs::create_dir(clone.parent().unwrap()).unwrap();
    let places = [first.clone(), folder.path().join("copy"), clone];
    for place in backups.iter().chain(&places[1..]) {
        copy(&first, place);
    }
    let opened = places.each_ref().map(|path| KeyFile::open(path).unwrap());

    let mut arbitrary = Arbitrary(1);
    let mut handed_out = HandedOut::new();
    let mut lowest = 0;
    for round in 0..1_000 {
        let at = arbitrary.below(places.len());
        let backup = &backups[arbitrary.below(backups.len())];
        match arbitrary.below(3) {
            0 => copy(backup, &places[at]),
            1 => copy(&places[at], backup),
            _ => copy(&places[at], &places[(at + 1) % places.len()]),
        }
        let now = KeyFile::open(&places[at]).unwrap();
        let file = if round % 2 == 0 { &now } else { &opened[at] };
        for nonce in file.reserve(1 + arbitrary.below(3) as u64).unwrap() {
            let number = number(&nonce);
            handed_out.add(number);
            lowest += usize::from(super::counter(number) < 20);
        }
    }
    // The counters alone did repeat.
    assert!(lowest > 100, "{lowest}");
}

/// The nonces of version 1 have zeros where those of version 2 have random bits.
#[test]
fn version_1_and_2_share_no_nonce() {
    let (_folder, path) = place();
    let mut handed_out = HandedOut::new();
    // The nonces of version 1, handed out before the upgrade and by a copy that continues in
    // version 1.
    for counter in 0..2_000 {
        handed_out.add(counter);
    }
    for next in [0, 1, 1_000, 1_900] {
        write(&path, text_1(next));
        for nonce in KeyFile::open(&path).unwrap().reserve(100).unwrap() {
            let number = number(&nonce);
            assert_ne!(number >> 48, 0);
            handed_out.add(number);
        }
        let next = u64::try_from(next).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), text(next + 100));
    }
}

#[test]
fn upgraded_at_the_first_reservation() {
    let (folder, path) = place();
    write(&path, text_1(41));
    let file = KeyFile::open(&path).unwrap();
    // Reserving 0 nonces changes nothing, and neither does a failure.
    assert_eq!(file.reserve(0).unwrap().count(), 0);
    let _ = file.reserve(1 << 48).unwrap_err();
    assert_eq!(fs::read_to_string(&path).unwrap(), text_1(41));
    assert_eq!(super::next(&file), 41);
    assert_eq!(fs::read_to_string(&path).unwrap(), text(42));

    write(&path, text_1(41));
    let fork = file.fork(&folder.path().join("fork")).unwrap();
    assert_ne!(fingerprint(&fork), fingerprint(&file));
    assert_eq!(fs::read_to_string(&path).unwrap(), text(43));
}

/// Such a file can be used to verify, but hands out no nonces.
#[test]
fn version_1_beyond_the_counters_of_version_2() {
    let (_folder, path) = place();
    let last = u128::from(u64::MAX);
    for next in [(1 << 48) - 1, 1 << 48, last, last + 1, (1 << 120) - 1] {
        write(&path, text_1(next));
        let file = KeyFile::open(&path).unwrap();
        assert_eq!(file.reserve(0).unwrap().count(), 0);
        let problem = problem(file.reserve(1), &path);
        assert!(problem.starts_with("not enough nonces left: "), "{problem}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text_1(next));
    }
    write(&path, text_1((1 << 48) - 2));
    assert_eq!(super::next(&KeyFile::open(&path).unwrap()), (1 << 48) - 2);
}
