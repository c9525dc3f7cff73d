// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet keygen`.

mod common;

use common::{Folder, complains, prints, rejects, tree};
use std::fs;
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

#[test]
fn help_warns_of_copies() {
    let help = String::from_utf8(Folder::new().run("keygen --help").stdout).unwrap();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("NEVER use a copy"), "{help}");
}
