// SPDX-License-Identifier: Apache-2.0 OR MIT

//! The command as a whole: usage, help, version, and output that cannot be written.

mod common;

use common::{Folder, KEY, TAG, VERSION, broken_pipe, complains, prints, rejects};
use std::fs::OpenOptions;

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
