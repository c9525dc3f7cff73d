// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The command as a whole: usage, help, version, and output that cannot be written.

mod common;

use common::{Folder, KEY, TAG, VERSION, all_ok, broken_pipe, complains, prints, rejects, tree};
use std::fs::OpenOptions;
use std::process::{Command, Output};

#[test]
fn wrong_usage() {
    let folder = Folder::new();
    rejects(&folder.run(""), &["Usage"]);
    rejects(&folder.run("sign"), &["sign"]);
    rejects(&folder.run("mac message"), &["--key-file"]);
    rejects(&folder.run("verify --key-file key message"), &["--tag"]);
    rejects(&folder.run("mac --key-file key message more"), &["more"]);
    rejects(&folder.run(&format!("mac --key {KEY} message")), &["--key"]);
}

#[test]
fn help_and_version() {
    let folder = Folder::new();
    prints(&folder.run("--version"), VERSION);
    let help = String::from_utf8(folder.run("--help").stdout).unwrap();
    for word in [
        "ONE message",
        "mac",
        "verify",
        "info",
        "Exit status",
        "HORNET_KERNEL",
    ] {
        assert!(help.contains(word), "{word:?} is not in {help}");
    }
}

/// Linux has `/dev/full`.
#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written() {
    let folder = Folder::new();
    for arguments in [
        "mac --key-file key message",
        &format!("verify --key-file key --tag {TAG} message"),
        "info",
        "--help",
    ] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = folder.hornet(arguments).stdout(full).output().unwrap();
        complains(&output, 2, &["standard output: ", "No space left"]);
    }
}

#[test]
fn output_to_a_closed_pipe() {
    let folder = Folder::new();
    let mut mac = folder.hornet("mac --key-file key message");
    let output = mac.stdout(broken_pipe()).output().unwrap();
    complains(&output, 2, &["standard output: ", "Broken pipe"]);
    // Not even the error message can be written.
    let mut mac = folder.hornet("mac --key-file key missing");
    let status = mac.stderr(broken_pipe()).status().unwrap();
    assert_eq!(status.code(), Some(2));
}

/// Runs the command as a shell does with `redirections` after it.
fn run_redirected(folder: &Folder, arguments: &str, redirections: &str) -> Output {
    Command::new("sh")
        .args(["-c", &format!("\"$0\" {arguments} {redirections}")])
        .arg(env!("CARGO_BIN_EXE_hornet"))
        .current_dir(folder.path(""))
        .output()
        .unwrap()
}

#[test]
fn closed_standard_output() {
    let folder = tree();
    folder.tag_tree();
    let before = folder.read("k");
    for arguments in [
        "mac --key-file key message",
        &format!("verify --key-file key --tag {TAG} message"),
        "info",
        "--help",
        "--version",
        "tag -k k t",
        "check -k k m",
        "check --json -k k m",
        "bound --messages 1 --forgeries 1 --length 1",
    ] {
        // Closed, and open for reading only.
        for redirection in [">&-", "1< message", ">&- <&-"] {
            let output = run_redirected(&folder, arguments, redirection);
            complains(&output, 2, &["standard output: "]);
        }
    }
    assert_eq!(folder.read("k"), before, "nonces were used");
    // Commands without output lose nothing.
    prints(&run_redirected(&folder, "tag -k k -o n t", ">&-"), "");
    prints(&run_redirected(&folder, "check -k k m", "2>&-"), &all_ok());
}

#[test]
fn closed_standard_input() {
    let folder = tree();
    for arguments in [
        "mac --key-file key",
        "mac --key-file key -",
        "mac --key-file key /dev/stdin",
        "mac --key-file - message",
        "check -k k -",
    ] {
        for redirection in ["<&-", "0> other"] {
            if redirection == "0> other" && arguments.ends_with("/dev/stdin") {
                // This opens the file again.
                continue;
            }
            let output = run_redirected(&folder, arguments, redirection);
            let name = if arguments.ends_with("/dev/stdin") {
                "/dev/stdin: "
            } else {
                "standard input: "
            };
            complains(&output, 2, &[name]);
        }
    }
    // An empty message is a valid message.
    prints(
        &run_redirected(&folder, "mac --key-file key", "< /dev/null"),
        &format!("{}\n", &KEY[32..]),
    );
    prints(
        &run_redirected(&folder, "mac --key-file key message", "<&-"),
        &format!("{TAG}\n"),
    );
}
