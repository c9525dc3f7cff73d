// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Results are in color on a terminal, and nowhere else.

mod common;

use common::{Folder, TAG, terminal, tree};
use std::fs;
use std::io::Read;

const VARIABLES: [&str; 5] = ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI", "TERM"];

/// Runs the command with these variables, and returns what it prints to a terminal or a pipe.
fn printed(
    folder: &Folder,
    arguments: &str,
    variables: &[(&str, &str)],
    on_terminal: bool,
) -> String {
    let mut command = folder.hornet(arguments);
    for name in VARIABLES {
        command.env_remove(name);
    }
    command.envs(variables.iter().copied());
    if !on_terminal {
        return String::from_utf8(command.output().unwrap().stdout).unwrap();
    }
    let (mut person, stdout) = terminal();
    let mut child = command.stdout(stdout).spawn().unwrap();
    drop(command);
    let (mut seen, mut buffer) = (Vec::new(), [0; 4096]);
    // Ends with an error when no process has the other end.
    while let Ok(count @ 1..) = person.read(&mut buffer) {
        seen.extend_from_slice(&buffer[..count]);
    }
    child.wait().unwrap();
    String::from_utf8(seen).unwrap().replace("\r\n", "\n")
}

/// A tree in which a file is OK, one has changed, one is missing and one was added.
fn changed() -> Folder {
    let folder = tree();
    folder.tag_tree();
    folder.file("t/a", "One");
    fs::remove_file(folder.path("t/empty")).unwrap();
    fs::remove_file(folder.path("t/sub/deep/c")).unwrap();
    folder.file("t/new\u{1b}[31m", "");
    folder
}

const PLAIN: &str = "t/a: CHANGED\nt/empty: MISSING\nt/sub/b: OK\nt/sub/deep/c: MISSING\n\
    t/new\\x1b[31m: EXTRA\n";

fn colored() -> String {
    let words = [
        ("OK", "32"),
        ("CHANGED", "31"),
        ("MISSING", "31"),
        ("EXTRA", "33"),
    ];
    words.iter().fold(PLAIN.into(), |text, (word, color)| {
        text.replace(
            &format!(": {word}\n"),
            &format!(": \x1b[{color}m{word}\x1b[0m\n"),
        )
    })
}

#[test]
fn when_results_are_in_color() {
    let folder = changed();
    let check = "check -k k --strict m";
    let xterm = ("TERM", "xterm");
    for (options, variables, on_terminal, expected) in [
        ("", &[xterm][..], true, true),
        ("--color auto", &[xterm], true, true),
        ("", &[xterm, ("NO_COLOR", "")], true, true),
        ("", &[xterm, ("NO_COLOR", "1")], true, false),
        ("", &[("TERM", "dumb")], true, false),
        ("", &[], true, false),
        ("", &[xterm], false, false),
        // Programs that read the output get the same bytes, whatever these are.
        (
            "",
            &[
                xterm,
                ("CLICOLOR_FORCE", "1"),
                ("CLICOLOR", "1"),
                ("CI", "1"),
            ],
            false,
            false,
        ),
        (
            "",
            &[("TERM", "dumb"), ("CLICOLOR", "1"), ("CI", "1")],
            true,
            false,
        ),
        ("--color never", &[xterm], true, false),
        ("--color always", &[], false, true),
        (
            "--color always",
            &[("NO_COLOR", "1"), ("TERM", "dumb")],
            false,
            true,
        ),
    ] {
        let found = printed(
            &folder,
            &format!("{check} {options}"),
            variables,
            on_terminal,
        );
        let expected = if expected { colored() } else { PLAIN.into() };
        assert_eq!(found, expected, "{options} {variables:?}");
    }
}

#[test]
fn what_programs_read_is_never_in_color() {
    let folder = changed();
    let xterm = [("TERM", "xterm")];
    for arguments in [
        "check -k k --strict --json --color always m",
        "tag -k k t",
        "mac --key-file key message",
        "bound --messages 1 --forgeries 1 --length 1",
        "info",
    ] {
        let found = printed(&folder, arguments, &xterm, true);
        assert!(!found.is_empty() && !found.contains('\x1b'), "{found:?}");
    }
    let verify = format!("verify --key-file key --tag {TAG} message");
    let ok = "message: \x1b[32mOK\x1b[0m\n";
    assert_eq!(printed(&folder, &verify, &xterm, true), ok);
    assert_eq!(printed(&folder, &verify, &xterm, false), "message: OK\n");
}
