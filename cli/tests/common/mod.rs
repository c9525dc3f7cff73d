// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Helpers for the tests of the command: folders to run it in, and assertions about its output.

#![allow(dead_code, reason = "no test program uses all of it")]
#![allow(
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    unreachable_pub,
    missing_docs,
    reason = "for tests only"
)]

use hornet_key_file::KeyFile;
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use tempfile::TempDir;

pub const KEY: &str = "85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b";
pub const MESSAGE: &[u8] = b"Cryptographic Forum Research Group";
/// The tag of the message under the key.
pub const TAG: &str = "a8061dc1305136c6c22b8baf0c0127a9";

/// What `hornet --version` prints: the version of the package, which must be the library's.
pub const VERSION: &str = concat!("hornet ", env!("CARGO_PKG_VERSION"), "\n");

/// A folder with the key and the message of the RFC, removed when dropped.
pub struct Folder(pub TempDir);

impl Folder {
    pub fn new() -> Self {
        let folder = Self(TempDir::new().unwrap());
        folder.secret("key", KEY);
        folder.file("message", MESSAGE);
        folder
    }

    pub fn path(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn file(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Creates a file that only its owner may read and write.
    pub fn secret(&self, name: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.file(name, content);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        path
    }

    pub fn fifo(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        let c_path = CString::new(path.as_os_str().as_bytes()).unwrap();
        // SAFETY: passes a NUL-terminated string.
        assert_eq!(unsafe { libc::mkfifo(c_path.as_ptr(), 0o600) }, 0);
        path
    }

    /// Returns the command in this folder, with arguments separated by spaces.
    pub fn hornet(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hornet"));
        command
            .args(arguments.split_whitespace())
            .current_dir(&self.0)
            .env_remove("HORNET_KERNEL")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub fn run(&self, arguments: &str) -> Output {
        self.hornet(arguments).output().unwrap()
    }

    pub fn run_with_stdin(&self, arguments: &str, stdin: &[u8]) -> Output {
        let mut child = self
            .hornet(arguments)
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        // The command may end before it has read everything.
        let _ = child.stdin.take().unwrap().write_all(stdin);
        child.wait_with_output().unwrap()
    }
}

/// Returns standard error without the line with which `check` says when the manifest was sealed.
fn stderr(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let lines = text.split_inclusive('\n');
    lines
        .filter(|line| !(line.contains(": sealed ") && line.ends_with(" of its key\n")))
        .collect()
}

#[track_caller]
pub fn prints(output: &Output, stdout: &str) {
    assert_eq!(stderr(output), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout);
    assert_eq!(output.status.code(), Some(0));
}

/// Asserts that the command failed with one line on standard error that has all of these words.
#[track_caller]
pub fn complains(output: &Output, status: i32, words: &[&str]) {
    let stderr = stderr(output);
    assert_eq!(output.status.code(), Some(status), "{stderr}");
    assert!(output.stdout.is_empty(), "{output:?}");
    assert!(stderr.starts_with("hornet: "), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    for word in words {
        assert!(stderr.contains(word), "{word:?} is not in {stderr}");
    }
}

/// Asserts that the argument parser rejected the arguments.
#[track_caller]
pub fn rejects(output: &Output, words: &[&str]) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(output.stdout.is_empty(), "{output:?}");
    for word in words {
        assert!(stderr.contains(word), "{word:?} is not in {stderr}");
    }
}

/// Returns what a pipe is whose reader was closed: writing to it fails with `EPIPE`.
///
/// It is a socket that was shut down, because a pipe may have further readers: a child that another
/// test is starting holds copies of all descriptors of this process until it runs its program.
pub fn broken_pipe() -> Stdio {
    let (writer, _reader) = UnixStream::pair().unwrap();
    writer.shutdown(Shutdown::Both).unwrap();
    OwnedFd::from(writer).into()
}

/// Returns both ends of an 80-column terminal: the one that a person reads, and the one that the
/// command writes to. Children of other tests do not inherit them.
pub fn terminal() -> (File, OwnedFd) {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = ptsname(&person, Vec::new()).unwrap();
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
    let command = open(&name, flags, Mode::empty()).unwrap();
    let size = Winsize {
        ws_row: 24,
        ws_col: 80,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    tcsetwinsize(&person, size).unwrap();
    (person.into(), command)
}

/// A folder for commands on many files, with a key file `k` and this tree, `t`:
///
/// ```text
/// a            "one"
/// empty
/// sub/b        "two"
/// sub/deep/c   70,000 bytes
/// ```
pub fn tree() -> Folder {
    let folder = Folder::new();
    prints(&folder.run("keygen k"), "");
    fs::create_dir_all(folder.path("t/sub/deep")).unwrap();
    folder.file("t/a", "one");
    folder.file("t/empty", "");
    folder.file("t/sub/b", "two");
    folder.file("t/sub/deep/c", vec![3; 70_000]);
    folder
}

pub const TREE: [&str; 4] = ["t/a", "t/empty", "t/sub/b", "t/sub/deep/c"];

/// Returns what `hornet check` prints for an unchanged tree.
pub fn all_ok() -> String {
    TREE.map(|path| format!("{path}: OK\n")).concat()
}

impl Folder {
    pub fn key(&self) -> KeyFile {
        KeyFile::open(&self.path("k")).unwrap()
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Tags `t` into `m`.
    #[track_caller]
    pub fn tag_tree(&self) -> String {
        prints(&self.run("tag -k k -o m t"), "");
        self.read("m")
    }
}

/// Asserts that the command printed these lines, and all of these words on standard error.
#[track_caller]
pub fn finds(output: &Output, status: i32, stdout: &str, words: &[&str]) {
    let stderr = stderr(output);
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout, "{stderr}");
    assert_eq!(output.status.code(), Some(status), "{stderr}");
    for word in words {
        assert!(stderr.contains(word), "{word:?} is not in {stderr}");
    }
    assert_eq!(stderr.is_empty(), words.is_empty(), "{stderr}");
}

/// Returns the paths in a manifest, in their escaped form.
pub fn paths(manifest: &str) -> Vec<&str> {
    let lines = manifest
        .lines()
        .filter(|line| line.get(65..67) == Some("  "));
    lines.map(|line| &line[67..]).collect()
}

/// Returns whether a line of a manifest has the tag of this content under its nonce.
pub fn is_tag_of(key_file: &KeyFile, line: &str, content: &[u8]) -> bool {
    let nonce = line[..32].parse().unwrap();
    let tag = line[33..65].parse().unwrap();
    key_file.key().verify(&nonce, content, &tag).is_ok()
}

/// Returns whether the tests run as root, which may read everything.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Returns the manifest that the command writes while another thread keeps changing `t/busy`. If
/// that thread does not run meanwhile, as may happen on a busy machine, the command is run again.
#[track_caller]
pub fn tag_while(folder: &Folder, change: impl Fn(&File, u64) + Sync, options: &str) -> String {
    let stop = AtomicBool::new(false);
    let busy = OpenOptions::new().write(true).open(folder.path("t/busy"));
    let file = busy.unwrap();
    let command = format!("tag -k k {options} -o m --force t");
    let output = thread::scope(|scope| {
        scope.spawn(|| {
            for turn in 0.. {
                if stop.load(SeqCst) {
                    break;
                }
                change(&file, turn);
            }
        });
        let mut outputs = (0..100).map(|_| folder.run(&command));
        let output = outputs.find(|output| output.status.code() != Some(0));
        stop.store(true, SeqCst);
        output.expect("no change was detected")
    });
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("t/busy: "), "{stderr}");
    assert!(stderr.contains("while it was being read"), "{stderr}");
    folder.read("m")
}
