// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet tag` on trees: links, special files, unusual names, and what cannot be read.

mod common;

use common::{Folder, TREE, all_ok, complains, finds, is_root, is_tag_of, paths, prints, tree};
use rustix::fs::{Mode, OFlags, mkdirat, openat};
use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixListener;

#[test]
fn special_files_in_the_tree_are_left_out() {
    let folder = tree();
    folder.fifo("t/fifo");
    let _socket = UnixListener::bind(folder.path("t/sub/socket")).unwrap();
    symlink("a", folder.path("t/link")).unwrap();
    symlink("sub", folder.path("t/folder")).unwrap();
    symlink("nowhere", folder.path("t/dangling")).unwrap();
    let words = [
        "t/fifo: skipped: a fifo\n",
        "t/sub/socket: skipped: a socket\n",
        "symbolic links skipped: 3;",
    ];
    finds(&folder.run("tag -k k -o m t"), 0, "", &words);
    assert_eq!(paths(&folder.read("m")), TREE);
    finds(&folder.run("check --strict -k k m"), 0, &all_ok(), &[]);
}

#[test]
fn symbolic_links_are_followed_if_asked() {
    let folder = tree();
    symlink("a", folder.path("t/link")).unwrap();
    symlink("sub", folder.path("t/folder")).unwrap();
    // To a parent folder, directly and through another link.
    symlink("..", folder.path("t/sub/up")).unwrap();
    fs::create_dir(folder.path("other")).unwrap();
    symlink("../t", folder.path("other/back")).unwrap();
    symlink("../../other", folder.path("t/sub/other")).unwrap();
    let output = folder.run("tag -k k -o m --follow-symlinks t");
    let words = [
        "t/sub/up: skipped: leads back",
        "t/folder/up: skipped: leads back",
        "t/sub/other/back: skipped",
    ];
    finds(&output, 0, "", &words);
    let manifest = folder.read("m");
    assert!(
        manifest.contains("\nsymbolic links: followed\n"),
        "{manifest}"
    );
    let listed = paths(&manifest);
    let expected = [
        "t/a",
        "t/empty",
        "t/folder/b",
        "t/folder/deep/c",
        "t/link",
        "t/sub/b",
        "t/sub/deep/c",
    ];
    assert_eq!(listed, expected);
    let output = folder.run("check --strict -k k m");
    finds(
        &output,
        0,
        &expected.map(|path| format!("{path}: OK\n")).concat(),
        &[],
    );

    symlink("nowhere", folder.path("t/dangling")).unwrap();
    symlink("loop", folder.path("t/loop")).unwrap();
    let output = folder.run("tag -k k -o m --force --follow-symlinks t");
    finds(
        &output,
        2,
        "",
        &[
            "t/dangling: No such file",
            "t/loop: ",
            "2 paths could not be read",
        ],
    );
    let manifest = folder.read("m");
    assert!(
        manifest.contains("\nunread t/dangling\nunread t/loop\nother folder t/"),
        "{manifest}"
    );
}

#[test]
fn key_file_and_manifest_within_the_tree() {
    let folder = tree();
    fs::rename(folder.path("k"), folder.path("t/k")).unwrap();
    prints(&folder.run("tag -k t/k -o t/m t"), "");
    assert_eq!(paths(&folder.read("t/m")), TREE);
    prints(&folder.run("check --strict -k t/k t/m"), &all_ok());
    // Both exist already, and are named by another path of their folder.
    symlink("t", folder.path("link")).unwrap();
    prints(&folder.run("tag -k link/k -o link/m --force t"), "");
    assert_eq!(paths(&folder.read("t/m")), TREE);
    prints(&folder.run("check --strict -k link/k link/m"), &all_ok());

    let key = "is the key file, the manifest or its parts";
    complains(&folder.run("tag -k t/k t/k"), 2, &["t/k: ", key]);
    complains(
        &folder.run("tag -k t/k -o t/m --force t/a t/m"),
        2,
        &["t/m: ", key],
    );
}

/// The file that is opened counts, not its name: links and bind mounts lead to the key file too.
#[test]
fn links_to_the_key_file_are_skipped() {
    let folder = tree();
    symlink("../k", folder.path("t/link")).unwrap();
    symlink("../../m", folder.path("t/sub/link")).unwrap();
    folder.file("m", "an old manifest");
    prints(&folder.run("tag -k k -o m --force --follow-symlinks t"), "");
    assert_eq!(paths(&folder.read("m")), TREE);
    // This is not changed by another use of the key.
    prints(&folder.run("tag -k k -o n t/a"), "");
    let output = folder.run("check --strict -k k m");
    finds(&output, 0, &all_ok(), &[]);
    // Nor is it read through a link given as an argument.
    complains(
        &folder.run("tag -k k --follow-symlinks t/link"),
        2,
        &["t/link: ", "is the key file"],
    );
}

/// A bind mount of the key file has another inode in the listing of its folder.
#[cfg(target_os = "linux")]
#[test]
fn bind_mounts_of_the_key_file_are_left_out() {
    let folder = tree();
    folder.file("t/mounted", "");
    let script = "mount --bind k t/mounted && exec \"$0\" tag -k k -o m t";
    let mut unshare = std::process::Command::new("unshare");
    let output = unshare
        .args(["--mount", "--map-root-user", "sh", "-c", script])
        .arg(env!("CARGO_BIN_EXE_hornet"))
        .current_dir(folder.path(""))
        .output();
    let output = output
        .ok()
        .filter(|output| !output.stderr.starts_with(b"unshare"));
    let Some(output) = output else {
        eprintln!("not tested: nothing can be mounted here");
        return;
    };
    prints(&output, "");
    assert_eq!(paths(&folder.read("m")), TREE);
}

/// With n folders that link to one another, there are more than n! paths.
#[test]
fn folders_that_link_to_one_another() {
    let folder = Folder::new();
    prints(&folder.run("keygen k"), "");
    for index in 0..8 {
        fs::create_dir_all(folder.path(format!("t/{index}"))).unwrap();
        folder.file(format!("t/{index}/f"), "");
        for other in (0..8).filter(|other| *other != index) {
            let link = folder.path(format!("t/{index}/to{other}"));
            symlink(format!("../{other}"), link).unwrap();
        }
    }
    let words = [
        "t/0/to1/to0: skipped: leads back to a folder that contains it",
        "t/0/to1/to2: skipped: its files are listed below t/2",
    ];
    finds(
        &folder.run("tag -k k -o m --follow-symlinks t"),
        0,
        "",
        &words,
    );
    let manifest = folder.read("m");
    let listed = paths(&manifest);
    assert_eq!(listed.len(), 8 + 8 * 7);
    assert!(listed.contains(&"t/7/to0/f"));
    let output = folder.run("check --strict -k k m");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn names_of_all_kinds() {
    let folder = Folder::new();
    prints(&folder.run("keygen k"), "");
    fs::create_dir(folder.path("t")).unwrap();
    let names: [&[u8]; 11] = [
        b"\xff\xfe",
        b"\n",
        b"a\nseal x",
        b"a\\nb",
        b"-x",
        b" ",
        b"\x1b[31m",
        "ü".as_bytes(),
        b"tab\there",
        "line\u{2028}a: OK".as_bytes(),
        "\u{202e}gpj.exe".as_bytes(),
    ];
    for name in names {
        folder.file(OsStr::from_bytes(&[b"t/", name].concat()), name);
    }
    prints(&folder.run("tag -k k -o m t"), "");
    let manifest = folder.read("m");
    let escaped = [
        r"t/ ",
        "t/-x",
        r"t/\n",
        r"t/\x1b[31m",
        r"t/a\nseal x",
        r"t/a\\nb",
        r"t/tab\x09here",
        "t/ü",
        r"t/\xff\xfe",
        r"t/line\xe2\x80\xa8a: OK",
        r"t/\xe2\x80\xaegpj.exe",
    ];
    let mut sorted = names.map(|name| [b"t/", name].concat());
    sorted.sort();
    assert_eq!(paths(&manifest).len(), 11);
    for path in escaped {
        assert!(
            paths(&manifest).contains(&path),
            "{path} is not in {manifest}"
        );
    }
    let output = folder.run("check --strict -k k m");
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        stdout.lines().filter(|line| line.ends_with(": OK")).count(),
        11,
        "{stdout}"
    );
    assert_eq!(output.status.code(), Some(0));

    // As arguments.
    let dash = folder
        .hornet("tag -k k -o n --")
        .current_dir(folder.path("t"))
        .arg("-x")
        .output();
    complains(&dash.unwrap(), 2, &["k: "]);
    let mut tag = folder.hornet("tag -k ../k -o ../n --");
    let output = tag
        .current_dir(folder.path("t"))
        .args(["-x", "\n"])
        .arg(OsStr::from_bytes(b"\xff\xfe"))
        .output();
    prints(&output.unwrap(), "");
    assert_eq!(paths(&folder.read("n")), ["\\n", "-x", "\\xff\\xfe"]);
    let mut missing = folder.hornet("tag -k k");
    let output = missing
        .arg(OsStr::from_bytes(b"no\n\xff"))
        .output()
        .unwrap();
    complains(&output, 2, &[r"no\n\xff: No such file"]);
    // All messages that name a path escape it.
    let strange = "no\u{202e}\u{2028}";
    for (arguments, escaped) in [
        ("tag -k k -- ", r"no\xe2\x80\xae\xe2\x80\xa8: "),
        ("check -k k -- ", r"no\xe2\x80\xae\xe2\x80\xa8: "),
        ("mac --key-file k -- ", r"no\xe2\x80\xae\xe2\x80\xa8: "),
        ("check m -k", r#""no\u{202e}\u{2028}": "#),
    ] {
        let output = folder.hornet(arguments).arg(strange).output().unwrap();
        complains(&output, 2, &[escaped]);
    }
}

/// Paths longer than the system accepts.
#[test]
fn long_paths() {
    let folder = tree();
    let name = "d".repeat(200);
    let mut inner: OwnedFd = fs::File::open(folder.path("t")).unwrap().into();
    for index in 0..30 {
        mkdirat(&inner, &name, Mode::RWXU).unwrap();
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        inner = openat(&inner, &name, flags, Mode::empty()).unwrap();
        let flags = OFlags::CREATE | OFlags::WRONLY;
        let file = openat(&inner, "f", flags, Mode::RUSR).unwrap();
        writeln!(fs::File::from(file), "{index}").unwrap();
    }
    prints(&folder.run("tag -k k -o m t"), "");
    let manifest = folder.read("m");
    let lengths = paths(&manifest).into_iter().map(str::len);
    assert!(lengths.clone().max() > Some(6000), "{:?}", lengths.max());
    assert_eq!(paths(&manifest).len(), 34);
    let output = folder.run("check --strict -k k m");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

#[test]
fn files_without_read_permission() {
    if is_root() {
        return;
    }
    let folder = tree();
    fs::set_permissions(folder.path("t/a"), Permissions::from_mode(0o000)).unwrap();
    fs::set_permissions(folder.path("t/sub/deep"), Permissions::from_mode(0o000)).unwrap();
    let output = folder.run("tag -k k -o m t");
    let denied = [
        "t/a: Permission denied",
        "t/sub/deep: Permission denied",
        "2 paths could not be read",
    ];
    finds(&output, 2, "", &denied);
    let manifest = folder.read("m");
    assert_eq!(paths(&manifest), ["t/empty", "t/sub/b"]);
    assert!(
        manifest.contains("\nunread t/a\nunread t/sub/deep\nfiles 2 unread 2 others 0\n"),
        "{manifest}"
    );
    let listed = "t/empty: OK\nt/sub/b: OK\n\
        t/a: UNREAD (could not be read when the manifest was made)\n\
        t/sub/deep: UNREAD (could not be read when the manifest was made)\n";
    finds(
        &folder.run("check -k k m"),
        1,
        listed,
        &["m: 4 files: 2 not read when tagged"],
    );
    fs::set_permissions(folder.path("t/sub/deep"), Permissions::from_mode(0o700)).unwrap();
}

/// `/proc/self/mem` is a regular file that root can open, but not read from its start. Others cannot open
/// it, because the command forbids debuggers.
#[cfg(target_os = "linux")]
#[test]
fn files_that_cannot_be_read_are_listed() {
    let folder = tree();
    let output = folder.run("tag -k k -o m t /proc/self/mem /proc/version");
    let reason = if is_root() {
        "/proc/self/mem: Input/output error"
    } else {
        "/proc/self/mem: Permission denied"
    };
    finds(
        &output,
        2,
        "",
        &[reason, "1 path could not be read and is listed as unread"],
    );
    let manifest = folder.read("m");
    assert!(
        manifest.contains("\nunread /proc/self/mem\nfiles 5 unread 1 others 0\n"),
        "{manifest}"
    );
    // Its reported length is 0.
    let line = manifest
        .lines()
        .find(|line| line.ends_with("  /proc/version"));
    let content = fs::read("/proc/version").unwrap();
    assert!(is_tag_of(&folder.key(), line.unwrap(), &content));
    let listed = format!(
        "/proc/version: OK\n{}/proc/self/mem: UNREAD (could not be read when the manifest was made)\n",
        all_ok()
    );
    finds(
        &folder.run("check -k k m"),
        1,
        &listed,
        &["m: 6 files: 1 not read when tagged"],
    );
    // It does not count as extra.
    finds(
        &folder.run("check --strict -k k m"),
        1,
        &listed,
        &["1 not read"],
    );
}
