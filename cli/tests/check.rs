//! `hornet check`: every kind of difference, and every way to spoil a manifest.

mod common;

use common::{Folder, all_ok, complains, finds, is_root, prints, rejects, tree};
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;

/// What `check` prints when these paths are not OK but something else, and nothing comes after.
fn all_ok_but(others: &[(&str, &str)]) -> String {
    let mut lines = all_ok();
    for (path, status) in others {
        lines = lines.replace(&format!("{path}: OK\n"), &format!("{path}: {status}\n"));
    }
    lines
}

#[test]
fn all_ok_from_anywhere() {
    let folder = tree();
    let manifest = folder.tag_tree();
    prints(&folder.run("check -k k m"), &all_ok());
    prints(&folder.run("check -k k --quiet m"), "");
    prints(
        &folder.run_with_stdin("check -k k -", manifest.as_bytes()),
        &all_ok(),
    );
    let mut strict = folder.hornet("check -k k --strict -");
    let output = strict.stdin(File::open(folder.path("m")).unwrap()).output();
    prints(&output.unwrap(), &all_ok());
    // Paths are relative to where one is.
    let mut elsewhere = folder.hornet("check -k ../k ../m");
    let output = elsewhere.current_dir(folder.path("t")).output().unwrap();
    let missing = all_ok().replace("OK", "MISSING");
    finds(
        &output,
        1,
        &missing,
        &["hornet: ../m: of 4 files, 4 missing\n"],
    );
}

#[test]
fn every_kind_of_difference() {
    let folder = tree();
    let manifest = folder.tag_tree();
    folder.file("t/a", "One");
    fs::remove_file(folder.path("t/empty")).unwrap();
    folder.file("t/sub/b", "two\n");
    folder.file("t/sub/new", "three");
    let listed = all_ok_but(&[
        ("t/a", "CHANGED"),
        ("t/empty", "MISSING"),
        ("t/sub/b", "CHANGED"),
    ]);
    let summary = "hornet: m: of 4 files, 2 changed, 1 missing\n";
    finds(&folder.run("check -k k m"), 1, &listed, &[summary]);
    let listed = format!("{listed}t/sub/new: EXTRA\n");
    let summary = "hornet: m: of 5 files, 2 changed, 1 missing, 1 extra\n";
    finds(&folder.run("check -k k --strict m"), 1, &listed, &[summary]);
    let quiet = listed.replace("t/sub/deep/c: OK\n", "");
    finds(
        &folder.run("check -k k --strict --quiet m"),
        1,
        &quiet,
        &[summary],
    );
    assert_eq!(folder.read("m"), manifest);
}

#[test]
fn one_byte_anywhere() {
    let folder = tree();
    let length = 33 << 20;
    let mut content = vec![5; length];
    for name in ["t/a", "t/sub/b", "t/sub/deep/c"] {
        let length = if name == "t/a" {
            length
        } else if name == "t/sub/b" {
            1 << 20
        } else {
            100
        };
        folder.file(name, &content[..length]);
    }
    folder.tag_tree();
    for (name, length) in [("t/a", length), ("t/sub/b", 1 << 20), ("t/sub/deep/c", 100)] {
        for at in [0, length / 2, length - 1] {
            content[at] ^= 1;
            folder.file(name, &content[..length]);
            content[at] ^= 1;
            for options in ["", "--no-mmap"] {
                let output = folder.run(&format!("check -k k {options} m"));
                finds(
                    &output,
                    1,
                    &all_ok_but(&[(name, "CHANGED")]),
                    &["1 changed"],
                );
            }
        }
        folder.file(name, &content[..length - 1]);
        finds(
            &folder.run("check -k k m"),
            1,
            &all_ok_but(&[(name, "CHANGED")]),
            &["1 changed"],
        );
        folder.file(name, &content[..length]);
    }
    prints(&folder.run("check -k k m"), &all_ok());
}

#[test]
fn swapped_files() {
    let folder = tree();
    folder.tag_tree();
    folder.file("t/a", "two");
    folder.file("t/sub/b", "one");
    let listed = all_ok_but(&[("t/a", "CHANGED"), ("t/sub/b", "CHANGED")]);
    finds(&folder.run("check -k k m"), 1, &listed, &["2 changed"]);
}

/// Even where what stands there now gives the same bytes.
#[test]
fn a_file_replaced_by_something_else() {
    let folder = tree();
    folder.tag_tree();
    let changed = all_ok_but(&[("t/a", "CHANGED")]);
    let expect_changed = || {
        for options in ["", "--strict"] {
            let output = folder.run(&format!("check -k k {options} m"));
            finds(&output, 1, &changed, &["1 changed"]);
        }
    };
    fs::rename(folder.path("t/a"), folder.path("a")).unwrap();
    symlink("../a", folder.path("t/a")).unwrap();
    expect_changed();
    fs::remove_file(folder.path("t/a")).unwrap();
    folder.fifo("t/a");
    expect_changed();
    fs::remove_file(folder.path("t/a")).unwrap();
    fs::create_dir(folder.path("t/a")).unwrap();
    expect_changed();
    fs::remove_dir(folder.path("t/a")).unwrap();
    let socket = std::os::unix::net::UnixListener::bind(folder.path("t/a")).unwrap();
    expect_changed();
    drop(socket);
    fs::remove_file(folder.path("t/a")).unwrap();
    fs::rename(folder.path("a"), folder.path("t/a")).unwrap();

    // A folder on the way.
    fs::rename(folder.path("t/sub"), folder.path("sub")).unwrap();
    symlink("../sub", folder.path("t/sub")).unwrap();
    let listed = all_ok_but(&[("t/sub/b", "CHANGED"), ("t/sub/deep/c", "CHANGED")]);
    finds(&folder.run("check -k k m"), 1, &listed, &["2 changed"]);
    fs::remove_file(folder.path("t/sub")).unwrap();
    let listed = listed.replace("CHANGED", "MISSING");
    finds(&folder.run("check -k k m"), 1, &listed, &["2 missing"]);
    folder.file("t/sub", "a file");
    finds(&folder.run("check -k k m"), 1, &listed, &["2 missing"]);
    let strict = format!("{listed}t/sub: EXTRA\n");
    finds(
        &folder.run("check --strict -k k m"),
        1,
        &strict,
        &["2 missing, 1 extra"],
    );
}

#[test]
fn what_cannot_be_read_weighs_more_than_what_differs() {
    let folder = tree();
    folder.tag_tree();
    folder.file("t/a", "");
    // Root may read everything, but nobody a loop.
    let (reason, output) = if is_root() {
        let manifest = folder.run("tag -k k --follow-symlinks t").stdout;
        folder.file("m", manifest);
        folder.file("t/a", "x");
        fs::remove_file(folder.path("t/sub/b")).unwrap();
        symlink("b", folder.path("t/sub/b")).unwrap();
        (
            "Too many levels of symbolic links (os error 40)",
            folder.run("check -k k m"),
        )
    } else {
        fs::set_permissions(folder.path("t/sub/b"), Permissions::from_mode(0o000)).unwrap();
        (
            "Permission denied (os error 13)",
            folder.run("check -k k m"),
        )
    };
    let unreadable = format!("UNREADABLE ({reason})");
    let listed = all_ok_but(&[("t/a", "CHANGED"), ("t/sub/b", &unreadable)]);
    finds(
        &output,
        2,
        &listed,
        &["m: of 4 files, 1 changed, 1 unreadable\n"],
    );
}

#[test]
fn strict_looks_where_tag_looked() {
    let folder = tree();
    fs::create_dir(folder.path("u")).unwrap();
    folder.file("u/x", "");
    prints(&folder.run("tag -k k -o m t/sub t/a u"), "");
    folder.file("t/new", "");
    folder.file("u/new", "");
    let listed = "t/a: OK\nt/sub/b: OK\nt/sub/deep/c: OK\nu/x: OK\nu/new: EXTRA\n";
    finds(
        &folder.run("check --strict -k k m"),
        1,
        listed,
        &["1 extra"],
    );
    fs::remove_dir_all(folder.path("u")).unwrap();
    let listed = "t/a: OK\nt/sub/b: OK\nt/sub/deep/c: OK\nu/x: MISSING\n";
    finds(
        &folder.run("check --strict -k k m"),
        1,
        listed,
        &["1 missing"],
    );
}

#[test]
fn json() {
    let folder = tree();
    folder.file("t/\"\n\u{e9}", "");
    folder.tag_tree();
    folder.file("t/a", "");
    fs::remove_file(folder.path("t/empty")).unwrap();
    folder.file("t/sub/b2", "");
    let all = concat!(
        r#"{"path":"t/\"\\né","status":"OK"}"#,
        "\n",
        r#"{"path":"t/a","status":"CHANGED"}"#,
        "\n",
        r#"{"path":"t/empty","status":"MISSING"}"#,
        "\n",
        r#"{"path":"t/sub/b","status":"OK"}"#,
        "\n",
        r#"{"path":"t/sub/deep/c","status":"OK"}"#,
        "\n",
        r#"{"path":"t/sub/b2","status":"EXTRA"}"#,
        "\n",
        r#"{"summary":{"ok":3,"changed":1,"missing":1,"extra":1,"unread":0,"unreadable":0}}"#,
        "\n",
    );
    finds(
        &folder.run("check --json --strict -k k m"),
        1,
        all,
        &["1 changed"],
    );
    let lines = all.split_inclusive('\n');
    let quiet: String = lines.filter(|line| !line.contains(r#""OK""#)).collect();
    finds(
        &folder.run("check --json -q --strict -k k m"),
        1,
        &quiet,
        &["1 changed"],
    );
    for line in all.lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
}

#[test]
fn wrong_usage() {
    let folder = tree();
    folder.tag_tree();
    rejects(&folder.run("check m"), &["--key"]);
    rejects(&folder.run("check -k k"), &["MANIFEST"]);
    complains(&folder.run("check -k none m"), 2, &["none: "]);
    complains(&folder.run("check -k k none"), 2, &["none: No such file"]);
    complains(&folder.run("check -k k t"), 2, &["t: ", "directory"]);
    complains(
        &folder.run("check -k k /dev/null"),
        2,
        &["/dev/null: line 1: empty"],
    );
    // Which never ends.
    complains(
        &folder.run("check -k k /dev/zero"),
        2,
        &["/dev/zero: line 1: not a manifest"],
    );
    complains(
        &folder.run("check -k k t/a"),
        2,
        &["t/a: line 1: not a manifest"],
    );
    folder.file("next", "hornet manifest 2\n");
    complains(
        &folder.run("check -k k next"),
        2,
        &["next: line 1: ", "version"],
    );
    prints(&folder.run("keygen l"), "");
    complains(&folder.run("check -k l m"), 2, &["m: ", "another key"]);
}

/// Refused as a whole: nothing is checked, whatever the files are.
#[track_caller]
fn refused(folder: &Folder, manifest: &[u8]) {
    let mut check = folder
        .hornet("check -k k -")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    check.stdin.take().unwrap().write_all(manifest).unwrap();
    let output = check.wait_with_output().unwrap();
    complains(&output, 2, &["standard input: "]);
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
        let mut changed = manifest.clone().into_bytes();
        changed[at] ^= 1;
        refused(&folder, &changed);
    }
    // Nor do the digits of the seal have a second spelling.
    let start = manifest.find("seal ").unwrap() + 5;
    let upper = manifest[..start].to_owned() + &manifest[start..].to_uppercase();
    if upper != manifest {
        refused(&folder, upper.as_bytes());
    }
    refused(&folder, manifest.replace('\n', "\r\n").as_bytes());
}

#[test]
fn lines_removed_doubled_and_swapped() {
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
    for index in 3..lines.len() {
        let mut mixed = lines.clone();
        mixed[index] = other[index];
        if mixed != lines && mixed[index] != lines[index] {
            refused(&folder, mixed.concat().as_bytes());
        }
    }
}

/// Whoever may write a file that is tagged gets a nonce and a tag for what they wrote.
#[test]
fn the_tag_of_a_file_is_no_seal() {
    let (folder, _) = small();
    let body = "hornet manifest 1\nsymbolic links: left out\npath t\nfiles 0 unread 0\n";
    folder.file("t/forged", body);
    let manifest = String::from_utf8(folder.run("tag -k k t/forged").stdout).unwrap();
    let line = manifest.lines().nth(3).unwrap();
    let forged = format!("{body}seal {}\n", &line[..65]);
    let output = folder.run_with_stdin("check -k k -", forged.as_bytes());
    complains(
        &output,
        2,
        &["standard input: the seal is the tag of a file"],
    );
}
