// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet keygen`.

mod common;

use common::{Folder, complains, prints, rejects, tree};
use std::collections::BTreeSet;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

#[test]
fn a_key_file_is_not_overwritten() {
    let folder = Folder::new();
    prints(&folder.run("keygen k"), "");
    let mode = fs::metadata(folder.path("k")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let before = folder.read("k");
    complains(&folder.run("keygen k"), 2, &["k: ", "exists"]);
    assert_eq!(folder.read("k"), before);
    complains(&folder.run("keygen no/folder/k"), 2, &["no/folder/k: "]);
    rejects(&folder.run("keygen"), &["KEYFILE"]);
    // Another key is different.
    prints(&folder.run("keygen l"), "");
    assert_ne!(folder.read("l"), before);
}

#[test]
fn a_fork_is_another_key() {
    let folder = tree();
    prints(&folder.run("keygen --fork k l"), "");
    complains(&folder.run("keygen --fork k l"), 2, &["l: ", "exists"]);
    complains(&folder.run("keygen --fork none n"), 2, &["none: "]);
    assert!(!folder.path("n").exists());

    prints(&folder.run("tag -k l -o m t"), "");
    prints(&folder.run("check -k l m"), &common::all_ok());
    complains(&folder.run("check -k k m"), 1, &["m: ", "another key"]);
}

/// Returns the nonces in a manifest.
fn nonces(manifest: &str) -> Vec<String> {
    let lines = manifest.lines().filter_map(|line| {
        let line = line.strip_prefix("seal ").unwrap_or(line);
        let digits = line.split_once(' ')?.0;
        (digits.len() == 32).then(|| digits.into())
    });
    lines.collect()
}

/// A key file is restored from a backup before each `hornet tag`: from the new file 20 times, then
/// 20 times from a later state.
#[test]
fn a_restored_key_file_repeats_no_nonce() {
    let folder = tree();
    let mut used = BTreeSet::new();
    let mut backup = String::new();
    for round in 0..40 {
        if round % 20 == 0 {
            backup = folder.read("k");
        }
        folder.file("k", &backup);
        fs::set_permissions(folder.path("k"), Permissions::from_mode(0o600)).unwrap();
        let manifest = String::from_utf8(folder.run("tag -k k t").stdout).unwrap();
        let nonces = nonces(&manifest);
        assert_eq!(nonces.len(), 5);
        for nonce in nonces {
            assert!(used.insert(nonce.clone()), "{nonce} twice, {round}");
        }
        // All copies hold the same key.
        folder.file("m", &manifest);
        prints(&folder.run("check -k k m"), &common::all_ok());
    }
}
