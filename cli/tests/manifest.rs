// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet check` with damaged and forged manifests.

mod common;

use common::{Folder, complains, prints};
use std::fs;

/// The manifest is refused as a whole, and no file is checked.
#[track_caller]
fn refused(folder: &Folder, manifest: &[u8]) {
    let output = folder.run_with_stdin("check -k k -", manifest);
    complains(&output, 1, &["standard input: "]);
    let output = folder.run_with_stdin("check -k k --json -", manifest);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["manifest"], "standard input");
    assert_eq!(json["status"], "REFUSED");
    let reason = json["reason"].as_str().unwrap();
    let line = format!("hornet: standard input: {reason}\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), line);
}

fn small() -> (Folder, String) {
    let folder = Folder::new();
    prints(&folder.run("keygen k"), "");
    fs::create_dir(folder.path("t")).unwrap();
    for name in ["t/a", "t/b"] {
        folder.file(name, name);
    }
    let manifest = folder.tag_tree();
    (folder, manifest)
}

#[test]
fn a_manifest_cut_anywhere() {
    let (folder, manifest) = small();
    for end in 0..manifest.len() {
        refused(&folder, &manifest.as_bytes()[..end]);
        if end > 0 {
            refused(&folder, &manifest.as_bytes()[end..]);
        }
    }
    prints(
        &folder.run_with_stdin("check -k k -", manifest.as_bytes()),
        "t/a: OK\nt/b: OK\n",
    );
}

#[test]
fn a_manifest_changed_anywhere() {
    let (folder, manifest) = small();
    for at in 0..manifest.len() {
        // All bits of the first line, which is examined before the seal.
        let bits = if at < manifest.find('\n').unwrap() + 1 {
            8
        } else {
            2
        };
        for bit in 0..bits {
            let mut changed = manifest.clone().into_bytes();
            changed[at] ^= 1 << ((bit + at) % 8);
            refused(&folder, &changed);
        }
        // One line more or less.
        let mut changed = manifest.clone().into_bytes();
        changed[at] = if changed[at] == b'\n' { b' ' } else { b'\n' };
        refused(&folder, &changed);
    }
    // A file that is no manifest at all may once have been one.
    for text in ["", "\n", "no manifest", "hornet manifest 2\n"] {
        refused(&folder, text.as_bytes());
    }
    // The digits of the seal must be lower-case.
    let start = manifest.find("seal ").unwrap() + 5;
    let upper = manifest[..start].to_owned() + &manifest[start..].to_uppercase();
    if upper != manifest {
        refused(&folder, upper.as_bytes());
    }
    refused(&folder, manifest.replace('\n', "\r\n").as_bytes());
}

#[test]
fn lines_removed_doubled_and_moved() {
    let (folder, manifest) = small();
    let lines: Vec<&str> = manifest.split_inclusive('\n').collect();
    for first in 0..lines.len() {
        let mut removed = lines.clone();
        let line = removed.remove(first);
        refused(&folder, removed.concat().as_bytes());
        for second in 0..=removed.len() {
            let mut moved = removed.clone();
            moved.insert(second, line);
            if second != first {
                refused(&folder, moved.concat().as_bytes());
            }
            let mut doubled = lines.clone();
            doubled.insert(second, line);
            refused(&folder, doubled.concat().as_bytes());
        }
    }
    refused(&folder, (manifest.clone() + "\n").as_bytes());
    refused(&folder, (manifest.clone() + "x").as_bytes());
    refused(&folder, manifest.replace('\n', "x\n").as_bytes());
    refused(&folder, (manifest.trim_end().to_owned() + "x\n").as_bytes());
    refused(&folder, (manifest.clone() + &manifest).as_bytes());
    let (_, other) = small();
    let other = other.split_inclusive('\n').collect::<Vec<_>>();
    for index in 4..lines.len() {
        let mut mixed = lines.clone();
        mixed[index] = other[index];
        if mixed != lines && mixed[index] != lines[index] {
            refused(&folder, mixed.concat().as_bytes());
        }
    }
}

/// Anyone able to write a file that gets tagged obtains a nonce and a tag for what they wrote.
#[test]
fn the_tag_of_a_file_is_no_seal() {
    let (folder, _) = small();
    let body = "hornet manifest 1\nsealed 2026-11-21T22:17:38Z\nsymbolic links: skipped\npath t\n\
        files 0 unread 0 others 0\n";
    folder.file("t/forged", body);
    let manifest = String::from_utf8(folder.run("tag -k k t/forged").stdout).unwrap();
    let line = manifest.lines().nth(4).unwrap();
    let forged = format!("{body}seal {}\n", &line[..65]);
    let output = folder.run_with_stdin("check -k k -", forged.as_bytes());
    complains(
        &output,
        1,
        &["standard input: the seal is the tag of a file"],
    );
}
