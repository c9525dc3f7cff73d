// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Where a key is in memory while `hornet tag` runs, and who can read it.
#![cfg(target_os = "linux")]

mod common;

use common::Folder;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Stdio};

fn hex(digits: &str) -> Vec<u8> {
    let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap();
    (0..digits.len()).step_by(2).map(byte).collect()
}

/// Returns the names of the mappings that contain the bytes, one for each place.
fn places(child: &Child, mem: &File, bytes: &[u8]) -> Vec<String> {
    let smaps = fs::read_to_string(format!("/proc/{}/smaps", child.id())).unwrap();
    let mut found = Vec::new();
    let mut lines = smaps.lines();
    while let Some(line) = lines.next() {
        let flags = lines
            .by_ref()
            .find(|line| line.starts_with("VmFlags:"))
            .unwrap();
        let range = line.split(' ').next().unwrap().split_once('-').unwrap();
        let [start, end] = [range.0, range.1].map(|end| u64::from_str_radix(end, 16).unwrap());
        let mut memory = vec![0; usize::try_from(end - start).unwrap()];
        // Some of the kernel's own mappings cannot be read.
        if !flags.contains(" rd ") || mem.read_exact_at(&mut memory, start).is_err() {
            continue;
        }
        let windows = memory
            .windows(bytes.len())
            .filter(|window| *window == bytes);
        found.extend(windows.map(|_| flags.to_string()));
    }
    found
}

#[test]
fn one_locked_copy_of_the_key() {
    let folder = Folder::new();
    assert!(folder.run("keygen keyfile").status.success());
    let text = fs::read_to_string(folder.path("keyfile")).unwrap();
    let digits = text
        .lines()
        .find_map(|line| line.strip_prefix("key "))
        .unwrap();
    fs::create_dir(folder.path("many")).unwrap();
    for i in 0..1000 {
        let name = format!("many/{i:04}-{}", "x".repeat(200));
        folder.file(name, [7; 300]);
    }

    // The manifest is longer than a pipe's capacity.
    let mut command = folder.hornet("tag -k keyfile many");
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    // Once some of it has arrived, the process waits for a reader of the rest.
    child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();

    match File::open(format!("/proc/{}/mem", child.id())) {
        Ok(mem) => {
            let bytes = hex(digits);
            for half in bytes.chunks(16) {
                let found = places(&child, &mem, half);
                assert_eq!(found.len(), 1, "{found:?}");
                // The mapping is locked and excluded from core dumps.
                assert!(found[0].contains(" dd "), "{found:?}");
                assert!(found[0].contains(" lo "), "{found:?}");
            }
            assert_eq!(places(&child, &mem, digits.as_bytes()).len(), 0);
            assert_eq!(places(&child, &mem, &digits.as_bytes()[..32]).len(), 0);
        }
        Err(error) => assert_eq!(error.kind(), ErrorKind::PermissionDenied),
    }
    child.wait_with_output().unwrap();
}

#[test]
fn no_core_dump() {
    let folder = Folder::new();
    let fifo = folder.fifo("fifo");
    let mut child = folder.hornet("mac --key-file key fifo").spawn().unwrap();
    let writer = File::options().write(true).open(fifo).unwrap();
    // The command is reading the message, or is about to.
    let limits = fs::read_to_string(format!("/proc/{}/limits", child.id()));
    if let Ok(limits) = limits {
        let core = limits
            .lines()
            .find(|line| line.starts_with("Max core file size"));
        assert_eq!(core.unwrap().split_whitespace().nth(4), Some("0"));
    }
    let id = i32::try_from(child.id()).unwrap();
    // SAFETY: sends a signal to a process of this test that has not been waited for.
    assert_eq!(unsafe { libc::kill(id, libc::SIGABRT) }, 0);
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(libc::SIGABRT));
    assert!(!status.core_dumped());
    drop(writer);
}
