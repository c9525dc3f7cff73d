// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Key files that are restored, copied and cloned: no nonce occurs twice.

use super::{HandedOut, KeyFile, number, place, text, write};
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
/// with its folder. Some users of the copies opened them earlier.
#[test]
fn a_thousand_copies() {
    let (folder, first) = place();
    write(&first, text(5));
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
            let number = number(&nonce.unwrap());
            handed_out.add(number);
            lowest += usize::from(super::counter(number) < 20);
        }
    }
    // The counters alone did repeat.
    assert!(lowest > 100, "{lowest}");
}
