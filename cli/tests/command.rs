// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The command as a whole: usage, help, version, and output that cannot be written.

mod common;

use common::{Folder, KEY, TAG, VERSION, broken_pipe, complains, prints, rejects, tree};
use std::fs::{self, OpenOptions};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

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

/// A pipe's reader may live on in a child that another test is starting.
#[test]
fn a_broken_pipe_stays_broken_while_others_start_processes() {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Relaxed) {
                    assert!(Command::new("true").status().unwrap().success());
                }
            });
        }
        let statuses: Vec<_> = (0..50)
            .map(|_| {
                let mut echo = Command::new("sh");
                echo.args(["-c", "echo x 2> /dev/null"]);
                echo.stdout(broken_pipe()).status()
            })
            .collect();
        stop.store(true, Relaxed);
        for status in statuses {
            assert!(!status.unwrap().success());
        }
    });
}

/// Every command refuses to run, and changes nothing.
#[test]
fn closed_standard_descriptors() {
    let folder = tree();
    folder.tag_tree();
    let names = || {
        let entries = fs::read_dir(folder.path("")).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = (folder.read("k"), names());
    for arguments in [
        "",
        "--help",
        "--version",
        "keygen new",
        "keygen --fork k new",
        "tag -k k t",
        "tag -k k -o new t",
        "check -k k m",
        "check --json -k k m",
        "bound --messages 1 --forgeries 1 --length 1",
        "mac --key-file key message",
        &format!("verify --key-file key --tag {TAG} message"),
        "info",
        "generate completions .",
        "generate man .",
    ] {
        for (redirection, name) in [
            ("<&-", "standard input: "),
            (">&-", "standard output: "),
            (">&- <&-", "standard output: "),
        ] {
            let output = run_redirected(&folder, arguments, redirection);
            complains(&output, 2, &[name, "Bad file descriptor"]);
        }
        // Where no error message can be written either.
        let output = run_redirected(&folder, arguments, "2>&-");
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(output.stdout.is_empty(), "{arguments}");
    }
    assert_eq!(before, (folder.read("k"), names()));
}

/// Output that is open for reading only, and input for writing only.
#[test]
fn standard_descriptors_that_cannot_be_used() {
    let folder = tree();
    folder.tag_tree();
    let before = folder.read("k");
    for arguments in [
        "mac --key-file key message",
        "info",
        "--help",
        "tag -k k t",
        "check -k k m",
    ] {
        let output = run_redirected(&folder, arguments, "1< message");
        complains(&output, 2, &["standard output: "]);
    }
    assert_eq!(folder.read("k"), before, "nonces were used");
    for arguments in [
        "mac --key-file key",
        "mac --key-file - message",
        "check -k k -",
    ] {
        let output = run_redirected(&folder, arguments, "0> other");
        complains(&output, 2, &["standard input: "]);
    }
    // An empty message is a valid message.
    prints(
        &run_redirected(&folder, "mac --key-file key", "< /dev/null"),
        &format!("{}\n", &KEY[32..]),
    );
}
