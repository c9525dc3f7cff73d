// SPDX-License-Identifier: Apache-2.0 OR MIT

//! `hornet tag` and `hornet check` on trees that are deep or broad: the time, the memory and the
//! system calls grow with the size of the tree, not with its square.

#![cfg(target_os = "linux")]

mod common;

use common::{Folder, finds, paths, prints};
use rustix::fs::{AtFlags, Mode, OFlags, mkdirat, openat, unlinkat};
use rustix::process::{Resource, Rlimit, setrlimit};
use std::fs::{self, File};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What each folder of a chain contains besides the next one.
#[derive(Clone, Copy)]
enum Beside {
    Nothing,
    /// A file before and one after the next folder in the order of manifests, and a folder with a
    /// file.
    Others,
}

/// A chain of folders, each in the one before, with a file in the last one.
struct Chain {
    depth: usize,
    last: OwnedFd,
}

impl Chain {
    fn new(top: &Path, depth: usize, beside: Beside) -> Self {
        fs::create_dir_all(top).unwrap();
        let mut folder: OwnedFd = File::open(top).unwrap().into();
        let inner = |folder: &OwnedFd, name: &str| {
            mkdirat(folder, name, Mode::RWXU).unwrap();
            openat(folder, name, OFlags::DIRECTORY, Mode::empty()).unwrap()
        };
        let file = |folder: &OwnedFd, name: &str| {
            let flags = OFlags::CREATE | OFlags::WRONLY;
            let file = openat(folder, name, flags, Mode::RUSR).unwrap();
            File::from(file).write_all(name.as_bytes()).unwrap();
        };
        for _ in 0..depth {
            folder = inner(&folder, "d");
            if let Beside::Others = beside {
                file(&folder, "a");
                file(&folder, "z");
                file(&inner(&folder, "e"), "f");
            }
        }
        file(&folder, "f");
        Self {
            depth,
            last: folder,
        }
    }
}

/// Removes the folders, the last one first. The standard library does so recursively, which would
/// overflow the stack.
impl Drop for Chain {
    fn drop(&mut self) {
        for _ in 0..self.depth {
            for file in ["f", "a", "z", "e/f"] {
                let _ = unlinkat(&self.last, file, AtFlags::empty());
            }
            let _ = unlinkat(&self.last, "e", AtFlags::REMOVEDIR);
            self.last = openat(&self.last, "..", OFlags::DIRECTORY, Mode::empty()).unwrap();
            unlinkat(&self.last, "d", AtFlags::REMOVEDIR).unwrap();
        }
    }
}

/// Returns how many files and folders a command opens. `None` if that cannot be traced here.
fn opened(folder: &Folder, arguments: &str) -> Option<usize> {
    let log = folder.path("log");
    let mut strace = Command::new("strace");
    strace
        .args([
            "-f",
            "-qq",
            "--seccomp-bpf",
            "-e",
            "trace=openat,openat2",
            "-o",
        ])
        .arg(&log)
        .arg(env!("CARGO_BIN_EXE_hornet"))
        .args(arguments.split(' '))
        .current_dir(folder.path(""));
    let output = strace.output().ok()?;
    if fs::read(&log).unwrap_or_default().is_empty() {
        eprintln!("not tested: strace cannot trace here");
        return None;
    }
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let log = fs::read_to_string(&log).unwrap();
    // A call that is interleaved with another thread's takes two lines.
    let begun = |line: &&str| line.contains(" openat(") || line.contains(" openat2(");
    Some(log.lines().filter(begun).count())
}

/// Opening each from the top would take 150 calls per folder.
const DEPTH: usize = 300;

/// Uses one chain, and two whose folders alternate, and goes down and up again.
#[test]
fn as_many_folders_are_opened_as_there_are() {
    let commands = [
        "tag -k k -o m --threads 2 t",
        "check -k k --threads 3 --strict --quiet m",
        "tag -k k -o m --force --threads 3 --follow-symlinks t",
        "check -k k --threads 2 --strict --json m",
    ];
    for (beside, chains, most) in [
        // The walk opens each folder, and so does the thread that reads the file.
        (Beside::Nothing, 1, 3),
        // Three threads may go through two chains with 5 entries per folder.
        (Beside::Others, 2, 30),
    ] {
        let folder = Folder::new();
        prints(&folder.run("keygen k"), "");
        let name = |chain: usize| folder.path(format!("t/{chain}"));
        let _chains: Vec<_> = (0..chains)
            .map(|chain| Chain::new(&name(chain), DEPTH, beside))
            .collect();
        for command in commands {
            let Some(count) = opened(&folder, command) else {
                return;
            };
            let folders = DEPTH * chains;
            let most = 100 + most * folders;
            assert!(count >= folders, "{command}: {count} of {folders}");
            assert!(count <= most, "{command}: {count} of {folders}");
        }
    }
}

#[test]
fn each_file_of_a_broad_folder_is_opened_once() {
    let folder = Folder::new();
    prints(&folder.run("keygen k"), "");
    fs::create_dir(folder.path("t")).unwrap();
    for index in 0..3000 {
        folder.file(format!("t/{index}"), "");
    }
    for command in ["tag -k k -o m t", "check -k k --strict --quiet m"] {
        let Some(count) = opened(&folder, command) else {
            return;
        };
        assert!((3000..3300).contains(&count), "{command}: {count}");
    }
}

/// The path is 15 times as long as the system accepts, and has more folders than any process may
/// have open. The test takes seconds.
#[test]
fn thirty_thousand_folders() {
    // In memory if possible: on a disk, removing the folders takes a minute.
    let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new());
    let folder = Folder(folder.unwrap());
    prints(&folder.run("keygen k"), "");
    let chain = Chain::new(&folder.path("t"), 30_000, Beside::Nothing);
    let path = format!("t/{}f", "d/".repeat(30_000));
    let listed = format!("{path}: OK\n");
    let json = format!(r#"{{"path":"{path}","status":"OK"}}"#);
    for (descriptors, options) in [(64, ""), (256, " --follow-symlinks")] {
        let run = |arguments: &str| {
            let mut command = folder.hornet(arguments);
            // SAFETY: `setrlimit` may be called after a fork.
            unsafe {
                command.pre_exec(move || {
                    let limit = Rlimit {
                        current: Some(descriptors),
                        maximum: Some(descriptors),
                    };
                    setrlimit(Resource::Nofile, limit).map_err(Into::into)
                });
            }
            let output = File::create(folder.path("printed")).unwrap();
            let mut child = command
                .stdout(output)
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let end = Instant::now() + Duration::from_secs(120);
            let status = loop {
                if let Some(status) = child.try_wait().unwrap() {
                    break status;
                }
                if Instant::now() > end {
                    child.kill().unwrap();
                    child.wait().unwrap();
                    panic!("{arguments} takes more than two minutes");
                }
                thread::sleep(Duration::from_millis(20));
            };
            assert_eq!(status.code(), Some(0), "{arguments}");
            folder.read("printed")
        };
        run(&format!("tag -k k -o m --force{options} t"));
        assert!(paths(&folder.read("m")) == [path.as_str()]);
        assert!(run("check -k k --strict m") == listed);
        assert!(run("check -k k --strict --json m").starts_with(&json));
    }
    drop(chain);
    let missing = format!("{path}: MISSING\n");
    let left = "m: 1 file: 1 missing";
    finds(&folder.run("check -k k m"), 1, &missing, &[left]);
}
