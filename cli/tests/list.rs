// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet tag --files-from`.

mod common;

use common::{Folder, complains, paths, prints, rejects, tree};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::process::Output;

/// Returns the lines of a manifest without nonces, tags and the time.
fn lines(output: &Output) -> Vec<String> {
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let manifest = String::from_utf8(output.stdout.clone()).unwrap();
    let lines = manifest.lines().map(|line| match line.get(65..67) {
        Some("  ") => line[67..].to_owned(),
        _ => line.to_owned(),
    });
    let lines: Vec<_> = lines.collect();
    let (first, last) = (&lines[..1], &lines[2..lines.len() - 1]);
    [first, last].concat()
}

/// The manifest is the one of the same paths as arguments, in the same order.
#[test]
fn as_with_arguments() {
    let folder = tree();
    for name in [&b"t/a\nb"[..], b"t/\xff", b"t/ x ", b"-"] {
        folder.file(OsStr::from_bytes(name), "");
    }
    let all: [&[u8]; 7] = [
        b"t/sub/b",
        b"t/a",
        b"./t/a",
        b"t/\xff",
        b"t/sub/b",
        b"t/ x ",
        b"t/sub/../empty",
    ];
    for (arguments, list) in [
        (&[][..], &all[..]),
        (&["t/sub", "message"], &all),
        (&[], &all[..1]),
    ] {
        let mut expected = folder.hornet("tag -k k");
        expected.args(arguments);
        let expected = expected.args(list.iter().map(|path| OsStr::from_bytes(path)));
        let expected = lines(&expected.output().unwrap());
        for (end, null) in [(b"\n", ""), (b"\0", "--null"), (b"\0", "-0")] {
            let text = list.join(&end[..]);
            for last in [&end[..], b""] {
                let text = [&text, last].concat();
                folder.file("list", &text);
                let run = |from: &str| {
                    let mut tag = folder.hornet(&format!("tag -k k {null} --files-from {from}"));
                    tag.args(arguments);
                    if from == "-" {
                        tag.stdin(fs::File::open(folder.path("list")).unwrap());
                    }
                    lines(&tag.output().unwrap())
                };
                assert_eq!(run("list"), expected);
                assert_eq!(run("-"), expected);
            }
        }
    }
    // Names that lines cannot hold, and that an argument cannot be.
    folder.file("list", b"t/a\nb\0-");
    prints(&folder.run("tag -k k -0 --files-from list -o m"), "");
    assert_eq!(paths(&folder.read("m")), ["-", "t/a\\nb"]);
    prints(&folder.run("check -k k --strict m"), "-: OK\nt/a\\nb: OK\n");
    // Patterns are for what is found in folders.
    let output = folder.run("tag -k k -0 --files-from list --exclude * t/sub");
    let manifest = String::from_utf8(output.stdout).unwrap();
    assert_eq!(paths(&manifest), ["-", "t/a\\nb"]);
}

/// Runs with a list that must be refused, and asserts that nothing was done.
#[track_caller]
fn refused(folder: &Folder, options: &str, list: &[u8], errors: &str) {
    folder.file("list", list);
    let before = folder.read("k");
    let output = folder.run(&format!("tag -k k -o m {options} --files-from list"));
    assert_eq!(String::from_utf8_lossy(&output.stderr), errors);
    assert_eq!(output.status.code(), Some(2));
    assert!(!folder.path("m").exists());
    assert_eq!(folder.read("k"), before, "nonces were used");
}

#[test]
fn lists_that_are_refused() {
    let folder = tree();
    folder.fifo("fifo");
    symlink("t/a", folder.path("link")).unwrap();
    let refused = |options, list: &[u8], errors: &str| refused(&folder, options, list, errors);
    // All errors of a list are reported at once.
    refused(
        "t/sub t/none",
        b"t/a\nt/x\nt/sub\nfifo\n\xff\nlink\nk\n",
        "hornet: t/none: No such file or directory (os error 2)\n\
        hornet: list: line 2: t/x: No such file or directory (os error 2)\n\
        hornet: list: line 3: t/sub: is a folder; list the files in it, or give it as an argument\n\
        hornet: list: line 4: fifo: is a fifo or socket\n\
        hornet: list: line 5: \\xff: No such file or directory (os error 2)\n\
        hornet: list: line 6: link: is a symbolic link; use --follow-symlinks to follow it\n\
        hornet: list: line 7: k: is the key file, the manifest or its parts, which are never tagged\n",
    );
    let none = "No such file or directory (os error 2)";
    refused(
        "-0",
        b"t/a\0x\ny",
        &format!("hornet: list: path 2: x\\ny: {none}\n"),
    );
    refused(
        "",
        b"t/a\r\n",
        &format!("hornet: list: line 1: t/a\\x0d: {none}\n"),
    );
    let many: Vec<_> = (1..=1000).map(|line| line.to_string()).collect();
    let errors = (1..=10).map(|line| format!("hornet: list: line {line}: {line}: {none}\n"));
    let errors: Vec<_> = errors.collect();
    let errors = errors.concat() + "hornet: paths: 1000 cannot be tagged\n";
    refused("", many.join("\n").as_bytes(), &errors);

    refused("", b"", "hornet: list: has no paths\n");
    refused("t", b"\n", "hornet: list: has no paths\n");
    refused("-0", b"\0", "hornet: list: has no paths\n");
    refused("", b"t/a\n\nt/sub/b", "hornet: list: line 2: is empty\n");
    refused("-0", b"t/a\0\0", "hornet: list: path 2: is empty\n");
    let null = "hornet: list: line 1: has a NUL byte; use --null if each path ends in one\n";
    refused("", b"t/a\0t/sub/b\0", null);
}

#[test]
fn lists_that_cannot_be_read() {
    let folder = tree();
    complains(
        &folder.run("tag -k k --files-from none"),
        2,
        &["none: No such file"],
    );
    complains(
        &folder.run("tag -k k --files-from t"),
        2,
        &["t: ", "directory"],
    );
    complains(
        &folder.run("tag -k k --files-from -"),
        2,
        &["standard input: has no paths"],
    );
    rejects(&folder.run("tag -k k --null t"), &["--files-from"]);
    rejects(&folder.run("tag -k k"), &["PATH"]);
    let mut closed = std::process::Command::new("sh");
    closed.args([
        "-c",
        "\"$0\" tag -k k --files-from - <&-",
        env!("CARGO_BIN_EXE_hornet"),
    ]);
    let output = closed.current_dir(folder.path("")).output().unwrap();
    complains(&output, 2, &["standard input: "]);
}
