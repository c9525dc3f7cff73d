// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Tests of writing, sealing, verifying and reading manifests.

use crate::content::{Line, Manifest, Other};
use crate::kind::Kind;
use crate::text::CHUNK_BYTES;
use crate::time::Time;
use hornet::aes::{Key, Nonce, UnusedNonce};
use std::io::Write;

fn key() -> Key {
    Key::clamped(&[7; 32])
}

fn nonce(number: u8, purpose: u8) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[0] = number;
    bytes[15] = purpose;
    bytes
}

fn time() -> Time {
    Time::parse(b"2026-11-21T22:17:38Z").unwrap()
}

fn manifest() -> Manifest {
    let line = |number, path: &str| Line {
        nonce: nonce(number, 0),
        tag: [number; 16].into(),
        path: path.into(),
    };
    let other = |kind, path: &str| Other {
        path: path.into(),
        kind,
    };
    Manifest {
        follow_symlinks: true,
        arguments: vec!["b".into(), "a\n".into()],
        exclude: vec!["*.o".into(), "!\\ \n".into()],
        files: vec![line(1, "a\n"), line(2, "b/\\")],
        unread: vec!["b/c".into()],
        others: vec![other(Kind::Symlink, "a b"), other(Kind::Folder, "b/\n")],
        sealed: time(),
    }
}

/// Returns the given body with a valid seal.
fn sealed(body: &str, nonce: [u8; 16]) -> Vec<u8> {
    let shown = Nonce::new(nonce);
    let tag = key().mac(UnusedNonce::assume_unused(nonce), body.as_bytes());
    format!("{body}seal {shown} {tag}\n").into_bytes()
}

/// Opens a text in memory and as a file, with the same result.
#[track_caller]
fn open(text: &[u8]) -> Result<Manifest, String> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(text).unwrap();
    let from_file = Manifest::open_file(&file, &key()).map(|(manifest, _)| manifest);
    let from_file = from_file.map_err(|error| error.to_string());
    let opened = Manifest::open(text, &key()).map_err(|problem| problem.to_string());
    let again = |manifest: &Result<Manifest, String>| match manifest {
        Ok(manifest) => Ok(manifest.seal(&key(), UnusedNonce::assume_unused(nonce(3, 1)))),
        Err(problem) => Err(problem.clone()),
    };
    assert_eq!(again(&from_file), again(&opened));
    opened
}

#[track_caller]
fn problem(text: &[u8]) -> String {
    match open(text) {
        Ok(_) => panic!("{} is accepted", String::from_utf8_lossy(text)),
        Err(problem) => problem,
    }
}

#[test]
fn round_trip() {
    let text = manifest().seal(&key(), UnusedNonce::assume_unused(nonce(3, 1)));
    let body = "\
hornet manifest 1
sealed 2026-11-21T22:17:38Z
symbolic links: followed
path b
path a\\n
exclude *.o
exclude !\\\\ \\n
01000000000000000000000000000000 01010101010101010101010101010101  a\\n
02000000000000000000000000000000 02020202020202020202020202020202  b/\\\\
unread b/c
other symlink a b
other folder b/\\n
files 2 unread 1 others 2
";
    assert_eq!(text, sealed(body, nonce(3, 1)));
    assert_eq!(
        open(&text)
            .unwrap()
            .seal(&key(), UnusedNonce::assume_unused(nonce(3, 1))),
        text
    );
    for follow_symlinks in [true, false] {
        let empty = Manifest {
            follow_symlinks,
            arguments: vec!["x".into()],
            exclude: Vec::new(),
            files: Vec::new(),
            unread: Vec::new(),
            others: Vec::new(),
            sealed: time(),
        };
        let text = empty.seal(&key(), UnusedNonce::assume_unused(nonce(3, 1)));
        assert_eq!(open(&text).unwrap().follow_symlinks, follow_symlinks);
    }
}

/// A manifest of several chunks, and lines around the longest.
#[test]
fn many_and_long_lines() {
    let mut many = manifest();
    many.files = (0..5000)
        .map(|number: u32| Line {
            nonce: nonce(1, 0),
            tag: [1; 16].into(),
            path: format!("t/{number:050}").into(),
        })
        .collect();
    let text = many.seal(&key(), UnusedNonce::assume_unused(nonce(3, 1)));
    assert!(text.len() > 9 * CHUNK_BYTES);
    assert_eq!(open(&text).unwrap().files.len(), 5000);
    for at in [CHUNK_BYTES - 1, CHUNK_BYTES, text.len() - 73] {
        let mut changed = text.clone();
        changed[at] ^= 1;
        assert!(problem(&changed).starts_with("changed since it was made"));
    }
    many.files.truncate(1);
    for (bytes, is_accepted) in [((4 << 20) - 69, true), ((4 << 20) - 68, false)] {
        many.files[0].path = "a".repeat(bytes).into();
        let text = many.seal(&key(), UnusedNonce::assume_unused(nonce(3, 1)));
        if is_accepted {
            open(&text).unwrap();
        } else {
            let line = 4 + many.arguments.len() + many.exclude.len();
            assert_eq!(problem(&text), format!("line {line}: longer than 4 MiB"));
        }
    }
}

#[test]
fn what_the_seal_detects() {
    let text = manifest().seal(&key(), UnusedNonce::assume_unused(nonce(3, 0)));
    assert_eq!(
        problem(&text),
        "the seal is the tag of a file, not of a manifest"
    );
    let mut text = manifest().seal(&key(), UnusedNonce::assume_unused(nonce(3, 1)));
    let at = text.len() - 2;
    text[at] = if text[at] == b'0' { b'1' } else { b'0' };
    assert!(problem(&text).starts_with("changed since it was made"));
    text.truncate(at);
    assert!(problem(&text).starts_with("truncated or changed"));
    assert_eq!(problem(b""), "line 1: empty");
    assert_eq!(
        problem(b"hornet man"),
        "line 1: truncated in the first line"
    );
    assert_eq!(
        problem(b"hornet manifest 1\n"),
        "truncated or changed: the last line is not a seal"
    );
    assert!(problem(b"hornet manifest 12\n").contains("version"));
}

/// Malformed lines under a valid seal.
#[test]
fn malformed_lines() {
    let start = "hornet manifest 1\nsealed 2026-11-21T22:17:38Z\n";
    let head = &format!("{start}symbolic links: skipped\npath t\n");
    let file = |path: &str| format!("{:032x} {:032x}  {path}\n", 0, 0);
    let own = format!("{:030x}01 {:032x}  t/a\n", 0, 0);
    let end = "files 1 unread 0 others 0\n";
    for (body, expected) in [
        (start.into(), "line 2: not a line about symbolic links"),
        (
            format!("{start}links\n"),
            "line 3: not a line about symbolic links",
        ),
        (
            format!("{head}files 0 unread 1 others 0\n"),
            "line 5: not the expected `files 0 unread 0 others 0`",
        ),
        (format!("{head}{}{end}", file("")), "line 5: no path"),
        (
            format!("{head}{}{end}", file("\\x0a")),
            "line 5: a path that is not in its escaped form",
        ),
        (
            format!("{head}{}{end}", file("\\q")),
            "line 5: a backslash that is not \\\\, \\n or \\xHH",
        ),
        (format!("{head}path \n{end}"), "line 5: no path"),
        (format!("{head}exclude \n{end}"), "line 5: no path"),
        (
            format!("{head}exclude \\xff\n{end}"),
            "line 5: a pattern that is not UTF-8",
        ),
        (
            format!("{head}exclude a\npath b\n{end}"),
            "line 6: not the expected `files 0 unread 0 others 0`",
        ),
        (
            format!("{head}{}{}{end}", file("t/b"), file("t/a")),
            "line 6: out of order",
        ),
        (
            format!("{head}{}{}{end}", file("t/a"), file("t/a")),
            "line 6: out of order",
        ),
        (
            format!("{head}{own}{end}"),
            "line 5: the nonce is not that of a file",
        ),
        (
            format!("{head}{}{end}", file("t/a").replace("  ", " ")),
            "line 5: not a nonce, a tag and a path",
        ),
        (
            format!("{head}{}{end}", file("t/a").replace("00 ", "0g ")),
            "line 5: not a nonce, a tag and a path",
        ),
        (
            format!("{head}{}unread\nfiles 1 unread 0 others 0\n", file("t/a")),
            "line 6: not the expected `files 1 unread 0 others 0`",
        ),
        (
            format!("{head}{}{end}{end}", file("t/a")),
            "line 7: unexpected after the count",
        ),
        (
            format!("{head}{}", file("t/a")),
            "line 5: not the expected `files 1 unread 0 others 0`",
        ),
    ] {
        assert_eq!(problem(&sealed(&body, nonce(3, 1))), expected, "{body}");
    }
    for (lines, expected) in [
        ("other t/x\n", "line 5: not a kind and a path"),
        ("other thing t/x\n", "line 5: not a kind and a path"),
        ("other fifo \n", "line 5: no path"),
        ("other fifo t/x\nother fifo t/x\n", "line 6: out of order"),
        (
            "other fifo t/x\n",
            "line 6: not the expected `files 0 unread 0 others 1`",
        ),
    ] {
        let body = format!("{head}{lines}files 0 unread 0 others 0\n");
        assert_eq!(problem(&sealed(&body, nonce(3, 1))), expected, "{body}");
    }
    for line in ["", "sealed 2026-11-21\n", "sealed 2026-11-21T22:17:38+\n"] {
        let body = head.replace("sealed 2026-11-21T22:17:38Z\n", line);
        let body = format!("{body}files 0 unread 0 others 0\n");
        let expected = "line 2: not the time of the seal";
        assert_eq!(problem(&sealed(&body, nonce(3, 1))), expected, "{body}");
    }
    let mut body = Vec::from(head.as_str());
    body.extend_from_slice(b"unread \xff\nfiles 0 unread 1 others 0\n");
    let tag = key().mac(UnusedNonce::assume_unused(nonce(3, 1)), &body);
    body.extend_from_slice(format!("seal {} {tag}\n", Nonce::new(nonce(3, 1))).as_bytes());
    assert_eq!(problem(&body), "line 5: not UTF-8");
}
