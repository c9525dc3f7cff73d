// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet check`: when a manifest was sealed, older manifests, and manifests checked from elsewhere.

mod common;

use common::{Folder, all_ok, complains, finds, prints, tree};
use std::fs;
use std::process::Output;

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A tree with two manifests of it: `old`, and `m`.
fn old_and_new() -> Folder {
    let folder = tree();
    prints(&folder.run("tag -k k -o old t"), "");
    folder.tag_tree();
    folder
}

#[test]
fn when_it_was_sealed() {
    let folder = old_and_new();
    let manifest = folder.read("m");
    let sealed = manifest.lines().nth(1).unwrap();
    let time = sealed.strip_prefix("sealed ").unwrap();
    assert_eq!((time.len(), time.as_bytes()[19]), (20, b'Z'), "{time}");
    // Five nonces for each manifest, of which the last is for the seal.
    let line = format!("hornet: m: sealed {time} at nonce counter 9 of its key\n");
    assert_eq!(stderr(&folder.run("check -k k m")), line);
    let output = folder.run("check -k k m --json");
    assert_eq!(stderr(&output), line);
    let json = String::from_utf8(output.stdout).unwrap();
    let end = format!(r#","counter":9,"sealed":"{time}"}}"#);
    assert!(json.trim_end().ends_with(&end), "{json}");
    assert_eq!(stderr(&folder.run("check -q -k k m")), "");
}

#[test]
fn an_older_manifest_is_refused() {
    let folder = old_and_new();
    let why = "old: older than m: sealed at nonce counter 4 of their key, m at 9";
    complains(&folder.run("check -k k --newer-than m old"), 1, &[why]);
    let output = folder.run("check -k k --json --newer-than m old");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["manifest"], "old");
    assert_eq!(json["status"], "REFUSED");
    assert!(json["reason"].as_str().unwrap().starts_with("older than m"));
    assert_eq!(output.status.code(), Some(1));
    // A newer manifest passes, and so does the same one.
    prints(&folder.run("check -k k --newer-than old m"), &all_ok());
    prints(&folder.run("check -k k --newer-than m m"), &all_ok());
    let old = folder.read("old");
    let output = folder.run_with_stdin("check -k k --newer-than m -", old.as_bytes());
    complains(&output, 1, &["standard input: older than m"]);

    // The other one must be a manifest of this key.
    folder.file("changed", old.replace("t/a", "t/b"));
    complains(
        &folder.run("check -k k --newer-than changed m"),
        1,
        &["changed: changed since"],
    );
    complains(
        &folder.run("check -k k --newer-than t/a m"),
        1,
        &["t/a: line 1: not a manifest"],
    );
    complains(
        &folder.run("check -k k --newer-than none m"),
        2,
        &["none: No such file"],
    );
}

/// Two copies of a key file count from the same value, so nothing shows which of two manifests is
/// newer.
#[test]
fn another_manifest_of_the_same_counter_is_refused() {
    let folder = tree();
    folder.secret("backup", folder.read("k"));
    folder.tag_tree();
    fs::rename(folder.path("backup"), folder.path("k")).unwrap();
    prints(&folder.run("tag -k k -o n t"), "");
    let why = "not known to be newer than n: both were sealed at nonce counter 4 of their key, \
        whose file was probably copied or restored from a backup in between";
    let output = folder.run("check -k k --newer-than n m");
    complains(&output, 1, &[&format!("m: {why}\n")]);
    let output = folder.run("check -k k --json --newer-than n m");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["status"], "REFUSED");
    assert_eq!(json["reason"], why);
    assert_eq!(output.status.code(), Some(1));
    let output = folder.run("check -k k --newer-than m n");
    complains(&output, 1, &["n: not known to be newer than m: "]);
    prints(&folder.run("check -k k --newer-than n n"), &all_ok());
}

#[test]
fn a_warning_if_there_may_be_a_newer_one() {
    let folder = tree();
    folder.tag_tree();
    let warning = "nonces of its key have been reserved since";
    let warns = |arguments: &str| {
        let output = folder.run(arguments);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        stderr(&output).contains(warning)
    };
    // Three nonces: not enough for four files and a seal.
    prints(&folder.run("tag -k k -o n t/a t/empty"), "");
    assert!(!warns("check -k k m"));
    // Two more nonces.
    prints(&folder.run("tag -k k -o o t/a"), "");
    assert!(warns("check -k k m"));
    assert!(warns("check -k k -q m"));
    assert!(!warns("check -k k --newer-than m m"));
    let output = folder.run("check -k k m");
    assert!(
        stderr(&output).contains("hornet: m: 5 nonces of"),
        "{output:?}"
    );
}

#[test]
fn checked_from_elsewhere() {
    let folder = tree();
    folder.tag_tree();
    fs::create_dir_all(folder.path("else/where")).unwrap();
    let run = |arguments: &str| {
        let mut check = folder.hornet(arguments);
        check
            .current_dir(folder.path("else/where"))
            .output()
            .unwrap()
    };
    let base = "check -k ../../k --strict --base ../.. ../../m";
    prints(&run(base), &all_ok());
    prints(&run(&format!("{base} --newer-than ../../m")), &all_ok());
    folder.file("t/new", "");
    let listed = format!("{}t/new: EXTRA\n", all_ok());
    finds(&run(base), 1, &listed, &["../../m: 5 files: 1 extra"]);
    // Without it, they are not found.
    let missing = all_ok().replace("OK", "MISSING");
    finds(
        &run("check -k ../../k ../../m"),
        1,
        &missing,
        &["4 missing"],
    );
    let none = run("check -k ../../k --base none ../../m");
    complains(&none, 2, &["none: No such file"]);
    let file = run("check -k ../../k --base ../../t/a ../../m");
    complains(&file, 2, &["../../t/a: Not a directory"]);
}
