// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet keygen`.

mod common;

use common::{Folder, complains, finds, prints, rejects, tree};
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

/// A key file of version 1, as the command made it before there was version 2.
const VERSION_1: &str = "\
hornet-poly1305-aes-key 1
key e4078cc75a0f1d714dab9958724ddc63a0777d0be8cb360b30b98c0f68f95708
next-nonce 10
check 45c137bef6986ea7a62193b3aed2518c
";

/// A manifest of the tree, made with that key file.
const MANIFEST_1: &str = "\
hornet manifest 1
symbolic links: left out
path t
05000000000000000000000000000000 d1f1ea4291d01df941fe0badbd19f4e4  t/a
06000000000000000000000000000000 edb888f348e2e0d228f472e3bdc66253  t/empty
07000000000000000000000000000000 79521648f6e99dc93eaf011a00831f4b  t/sub/b
08000000000000000000000000000000 1b005288572e01702a493f24107be50a  t/sub/deep/c
files 4 unread 0
seal 09000000000000000000000000000001 4a12d311e2e9a3fa845d28ec34a7b5bd
";

/// Returns the nonces in a manifest.
fn nonces(manifest: &str) -> Vec<String> {
    let lines = manifest.lines().filter_map(|line| {
        let line = line.strip_prefix("seal ").unwrap_or(line);
        let digits = line.split_once(' ')?.0;
        (digits.len() == 32).then(|| digits.into())
    });
    lines.collect()
}

/// A key file is restored before each `hornet tag`, first as version 1 and later as version 2.
#[test]
fn a_restored_key_file_repeats_no_nonce() {
    let folder = tree();
    let mut used = BTreeSet::new();
    for round in 0..40 {
        let backup = match round {
            0..20 => VERSION_1.into(),
            20 => folder.read("k"),
            _ => folder.read("backup"),
        };
        folder.file("backup", &backup);
        folder.file("k", &backup);
        fs::set_permissions(folder.path("k"), Permissions::from_mode(0o600)).unwrap();
        let manifest = String::from_utf8(folder.run("tag -k k t").stdout).unwrap();
        let nonces = nonces(&manifest);
        assert_eq!(nonces.len(), 5);
        for nonce in nonces {
            assert!(used.insert(nonce.clone()), "{nonce} twice, {round}");
        }
        // Both versions and all copies hold the same key.
        folder.file("m", &manifest);
        prints(&folder.run("check -k k m"), &common::all_ok());
    }
    assert!(folder.read("k").starts_with("hornet-poly1305-aes-key 2\n"));
}

#[test]
fn manifests_of_version_1_verify() {
    let folder = tree();
    folder.file("k", VERSION_1);
    fs::set_permissions(folder.path("k"), Permissions::from_mode(0o600)).unwrap();
    folder.file("m", MANIFEST_1);
    prints(&folder.run("check -k k m"), &common::all_ok());
    // Verifying changes nothing.
    assert_eq!(folder.read("k"), VERSION_1);
    // The manifest also verifies after the upgrade.
    prints(&folder.run("tag -k k -o n t"), "");
    assert_ne!(folder.read("k"), VERSION_1);
    let since = "5 nonces of its key have been reserved since";
    finds(&folder.run("check -k k m"), 0, &common::all_ok(), &[since]);
    prints(&folder.run("check -k k n"), &common::all_ok());
}
