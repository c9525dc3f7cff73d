// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet check`: every kind of difference.

mod common;

use common::{all_ok, complains, finds, is_root, prints, rejects, tree};
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};

/// Returns what `check` prints if these paths have a status other than OK.
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
    // Paths are relative to the current folder.
    let mut elsewhere = folder.hornet("check -k ../k ../m");
    let output = elsewhere.current_dir(folder.path("t")).output().unwrap();
    let missing = all_ok().replace("OK", "MISSING");
    finds(
        &output,
        1,
        &missing,
        &["hornet: ../m: 4 files: 4 missing\n"],
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
    let summary = "hornet: m: 4 files: 2 changed, 1 missing\n";
    finds(&folder.run("check -k k m"), 1, &listed, &[summary]);
    let listed = format!("{listed}t/sub/new: EXTRA\n");
    let summary = "hornet: m: 5 files: 2 changed, 1 missing, 1 extra\n";
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

/// Even if the replacement gives the same bytes.
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
fn unreadable_files_outweigh_changed_ones() {
    let folder = tree();
    folder.tag_tree();
    folder.file("t/a", "");
    // Root may read everything, except a loop of links.
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
        &["m: 4 files: 1 changed, 1 unreadable\n"],
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
fn everything_added_is_extra() {
    let folder = tree();
    // These exist from the start.
    symlink("a", folder.path("t/link")).unwrap();
    folder.fifo("t/fifo");
    fs::create_dir_all(folder.path("t/hollow/inner")).unwrap();
    let output = folder.run("tag -k k -o m t");
    assert_eq!(output.status.code(), Some(0));
    let manifest = folder.read("m");
    let others = "other fifo t/fifo\nother folder t/hollow/inner\nother symlink t/link\n";
    assert!(
        manifest.contains(&format!("{others}files 4 unread 0 others 3\n")),
        "{manifest}"
    );
    prints(&folder.run("check --strict -k k m"), &all_ok());

    symlink("/etc", folder.path("t/sub/etc")).unwrap();
    folder.fifo("t/sub/fifo");
    let _socket = std::os::unix::net::UnixListener::bind(folder.path("t/sub/socket")).unwrap();
    fs::create_dir_all(folder.path("t/new/inner")).unwrap();
    // The same path as before, but another kind.
    fs::remove_file(folder.path("t/link")).unwrap();
    folder.fifo("t/link");
    // A folder that existed before and is now empty.
    fs::remove_file(folder.path("t/sub/deep/c")).unwrap();
    let added = "t/link: EXTRA (fifo)\nt/new/inner: EXTRA (folder)\nt/sub/etc: EXTRA (symlink)\n\
        t/sub/fifo: EXTRA (fifo)\nt/sub/socket: EXTRA (socket)\n";
    let listed = format!("{}{added}", all_ok_but(&[("t/sub/deep/c", "MISSING")]));
    let summary = "m: 9 files: 1 missing, 5 extra\n";
    finds(&folder.run("check --strict -k k m"), 1, &listed, &[summary]);
    let json = folder.run("check --strict --json --quiet -k k m").stdout;
    let json = String::from_utf8(json).unwrap();
    let line = r#"{"path":"t/link","status":"EXTRA","reason":"fifo"}"#;
    assert!(json.contains(line), "{json}");
}

/// As shells and password managers pass it.
#[test]
fn a_key_from_a_pipe() {
    let folder = tree();
    folder.tag_tree();
    let key = folder.read("k");
    let run = |arguments: &str| folder.run_with_stdin(arguments, key.as_bytes());
    prints(&run("check -k /dev/stdin m"), &all_ok());
    let script = "\"$0\" check -k /dev/fd/3 --newer-than m m 3<&0 0< /dev/null";
    let mut shell = Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_hornet")]);
    let mut child = shell
        .current_dir(folder.path(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(key.as_bytes())
        .unwrap();
    prints(&child.wait_with_output().unwrap(), &all_ok());

    let why = "/dev/stdin: nonces are counted in a key file, and this is a pipe";
    for arguments in ["tag -k /dev/stdin -o n t", "keygen --fork /dev/stdin n"] {
        complains(&run(arguments), 2, &[why]);
        assert!(!folder.path("n").exists());
    }
    let empty = folder.run_with_stdin("check -k /dev/stdin m", b"");
    complains(&empty, 2, &["/dev/stdin: line 1: "]);
}

/// What leads to a file that is listed is added nevertheless.
#[test]
fn another_path_of_a_file_is_extra() {
    let folder = tree();
    folder.tag_tree();
    fs::hard_link(folder.path("t/a"), folder.path("t/a2")).unwrap();
    let listed = format!("{}t/a2: EXTRA\n", all_ok());
    finds(
        &folder.run("check --strict -k k m"),
        1,
        &listed,
        &["1 extra"],
    );
    fs::remove_file(folder.path("t/a2")).unwrap();
    fs::rename(folder.path("t/sub"), folder.path("t/sub2")).unwrap();
    symlink("sub2", folder.path("t/sub")).unwrap();
    let listed = format!(
        "{}t/sub: EXTRA (symlink)\nt/sub2/b: EXTRA\nt/sub2/deep/c: EXTRA\n",
        all_ok_but(&[("t/sub/b", "CHANGED"), ("t/sub/deep/c", "CHANGED")])
    );
    finds(
        &folder.run("check --strict -k k m"),
        1,
        &listed,
        &["3 extra"],
    );
}

#[test]
fn what_cannot_be_read_is_listed_once() {
    let folder = tree();
    symlink("loop", folder.path("t/loop")).unwrap();
    let output = folder.run("tag -k k -o m --follow-symlinks t");
    assert_eq!(output.status.code(), Some(2));
    fs::remove_file(folder.path("t/sub/b")).unwrap();
    symlink("b", folder.path("t/sub/b")).unwrap();
    let reason = "UNREADABLE (Too many levels of symbolic links (os error 40))";
    let listed = format!("{}t/loop: {reason}\n", all_ok_but(&[("t/sub/b", reason)]));
    finds(
        &folder.run("check --strict -k k m"),
        2,
        &listed,
        &["m: 5 files: 2 unreadable\n"],
    );
}

#[test]
fn folders_that_cannot_be_read_are_listed_once() {
    if is_root() {
        return;
    }
    let folder = tree();
    let lock = |mode| {
        let deep = folder.path("t/sub/deep");
        fs::set_permissions(deep, Permissions::from_mode(mode)).unwrap();
    };
    lock(0o000);
    folder.run("tag -k k -o m t");
    let listed = "t/a: OK\nt/empty: OK\nt/sub/b: OK\n\
        t/sub/deep: UNREADABLE (Permission denied (os error 13))\n";
    finds(
        &folder.run("check --strict -k k m"),
        2,
        listed,
        &["1 unreadable"],
    );
    lock(0o700);
}

#[test]
fn a_refused_manifest_in_json() {
    let folder = tree();
    let manifest = folder.tag_tree();
    folder.file("m", manifest.replace("t/a", "t/b"));
    let output = folder.run("check --json -k k m");
    let refused = concat!(
        r#"{"manifest":"m","status":"REFUSED","reason":"changed since it was made, "#,
        r#"or made with another key: the seal does not match"}"#,
        "\n"
    );
    finds(
        &output,
        1,
        refused,
        &["hornet: m: changed since it was made"],
    );
    folder.file("m", &manifest[..manifest.len() - 40]);
    let output = folder.run("check --json -k k m");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&json["status"], output.status.code()),
        (&"REFUSED".into(), Some(1))
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
        r#"{"summary":{"ok":3,"changed":1,"missing":1,"extra":1,"unread":0,"unreadable":0},"#,
        r#""hole_bytes":0,"counter":5,"sealed":"TIME"}"#,
        "\n",
    );
    let manifest = folder.read("m");
    let time = manifest.lines().nth(1).unwrap();
    let all = &all.replace("TIME", time.strip_prefix("sealed ").unwrap());
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
        1,
        &["/dev/null: line 1: empty"],
    );
    // Endless input.
    complains(
        &folder.run("check -k k /dev/zero"),
        1,
        &["/dev/zero: line 1: not a manifest"],
    );
    complains(
        &folder.run("check -k k t/a"),
        1,
        &["t/a: line 1: not a manifest"],
    );
    folder.file("next", "hornet manifest 3\n");
    complains(
        &folder.run("check -k k next"),
        1,
        &["next: line 1: ", "version"],
    );
    prints(&folder.run("keygen l"), "");
    complains(&folder.run("check -k l m"), 1, &["m: ", "another key"]);
}

/// A hint names the folder that has the files, if it is the manifest's or contains the current one.
#[test]
fn in_the_wrong_folder() {
    let folder = tree();
    folder.tag_tree();
    let top = fs::canonicalize(folder.path("")).unwrap();
    let top = top.to_str().unwrap();
    let missing = all_ok().replace("OK", "MISSING");
    let looked = "files were looked for in";
    let found =
        |place: &str| format!("{looked} {place}, but are in another folder; use --base {top}\n");
    let check = |place: &str, arguments: &str| {
        let mut check = folder.hornet(arguments);
        check.current_dir(folder.path(place)).output().unwrap()
    };
    // Beside the manifest.
    let here = found("the current folder");
    let output = check("t/sub", "check -k ../../k ../../m");
    finds(
        &output,
        1,
        &missing,
        &["4 missing\n", &format!("hornet: ../../m: {here}")],
    );
    finds(
        &check("/", &format!("check -k {top}/k {top}/m")),
        1,
        &missing,
        &["4 missing", &here],
    );
    // With a wrong --base, and with JSON.
    let output = folder.run("check -k k --base t m");
    finds(&output, 1, &missing, &["4 missing", &found("t")]);
    let output = folder.run("check -k k --json --base t m");
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .ends_with(&found("t"))
    );
    // Above the current folder.
    let manifest = fs::read(folder.path("m")).unwrap();
    let stdin = || File::open(folder.path("m")).unwrap();
    let mut inside = folder.hornet("check -k ../../k -");
    let output = inside
        .current_dir(folder.path("t/sub"))
        .stdin(stdin())
        .output();
    finds(&output.unwrap(), 1, &missing, &["4 missing", &here]);
    // As it says.
    let mut inside = folder.hornet(&format!("check -k ../../k --base {top} -"));
    let output = inside
        .current_dir(folder.path("t/sub"))
        .stdin(stdin())
        .output();
    prints(&output.unwrap(), &all_ok());

    // Nowhere to be found.
    fs::rename(folder.path("t"), folder.path("moved")).unwrap();
    let nowhere =
        format!("{looked} the current folder; if they are in another folder, use --base\n");
    finds(
        &folder.run("check -k k m"),
        1,
        &missing,
        &["4 missing", &nowhere],
    );
    assert_eq!(fs::read(folder.path("m")).unwrap(), manifest);
}

/// Nearly all files must be missing, and not by an absolute path.
#[test]
fn files_that_are_only_missing_get_no_hint() {
    let folder = tree();
    for index in 0..16 {
        folder.file(format!("t/{index}"), "");
    }
    folder.tag_tree();
    let absolute = folder.path("t");
    let absolute = absolute.to_str().unwrap();
    prints(&folder.run(&format!("tag -k k -o n {absolute}")), "");
    let hints = |manifest: &str| {
        let output = folder.run(&format!("check -k k -q {manifest}"));
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8(output.stderr).unwrap().contains("--base")
    };
    for index in 0..16 {
        fs::remove_file(folder.path(format!("t/{index}"))).unwrap();
    }
    fs::remove_file(folder.path("t/a")).unwrap();
    // 17 of 20, and 18.
    assert!(!hints("m"));
    fs::remove_file(folder.path("t/empty")).unwrap();
    assert!(hints("m"));
    fs::remove_dir_all(absolute).unwrap();
    assert!(hints("m"));
    assert!(!hints("n"));
}
