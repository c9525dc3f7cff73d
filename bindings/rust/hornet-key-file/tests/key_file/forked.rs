// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Copies of a process: what `fork` duplicates is used by one of the two.

use super::{HandedOut, KeyFile, child, number, place, problem};
use hornet_key_file::{Nonces, Problem};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::path::Path;

/// Runs the function in a child, after `fork` or the system call alone, and returns what it returns.
fn in_child(by: Fork, run: impl FnOnce() -> String) -> String {
    let mut ends = [0; 2];
    // SAFETY: the array has room for two descriptors.
    assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
    // SAFETY: both were just made, and have no other owner.
    let [mut read, mut write] = ends.map(|end| unsafe { File::from_raw_fd(end) });
    // SAFETY: the child runs this function alone, and ends without unwinding. glibc lets it allocate.
    let child = unsafe {
        match by {
            Fork::Libc => libc::fork(),
            #[cfg(any(not(target_os = "linux"), target_arch = "s390x"))] // which has another order
            Fork::System => libc::fork(),
            #[cfg(all(target_os = "linux", not(target_arch = "s390x")))]
            Fork::System => i32::try_from(libc::syscall(
                libc::SYS_clone,
                libc::c_long::from(libc::SIGCHLD),
                0_usize,
                0_usize,
                0_usize,
                0_usize,
            ))
            .unwrap(),
        }
    };
    if child == 0 {
        let text = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        let text = text.unwrap_or_else(|_| "panicked".into());
        let written = write.write_all(text.as_bytes());
        // SAFETY: ends this process, and runs nothing of the parent's.
        unsafe { libc::_exit(i32::from(written.is_err())) };
    }
    assert!(child > 0);
    drop(write);
    let mut text = String::new();
    read.read_to_string(&mut text).unwrap();
    let mut status = -1;
    // SAFETY: the child is waited for once.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0);
    text
}

#[derive(Clone, Copy)]
enum Fork {
    Libc,
    /// The system call, without the library's handlers.
    System,
}

const WAYS: [Fork; 2] = [Fork::Libc, Fork::System];

const REFUSED: &str = "was opened before a fork, in another process, which may use the same nonces: open it again in this one";

/// Takes up to `count` nonces; returns their numbers, and the errors.
fn taken(nonces: &mut Nonces, count: usize) -> String {
    let lines = nonces.take(count).map(|nonce| match nonce {
        Ok(nonce) => format!("{}\n", number(&nonce)),
        Err(error) => format!("{error}\n"),
    });
    lines.collect()
}

/// Does the job in a process of its own, in which no other test holds `malloc`'s lock.
#[track_caller]
fn alone(job: &str, path: &Path) {
    let output = child::command(job, path).output().unwrap();
    assert_eq!(child::all_said(&output), ["forked 2 ways"]);
}

#[test]
fn nonces_are_of_one_process() {
    let (_folder, path) = place();
    alone("take nonces after fork", &path);
}

#[test]
fn a_key_file_is_of_one_process() {
    let (_folder, path) = place();
    alone("use a key file after fork", &path);
}

pub(crate) fn nonces_of_one_process(path: &Path) {
    let file = KeyFile::create(path).unwrap();
    let mut handed_out = HandedOut::new();
    let mut count = 0;
    for by in WAYS {
        let mut nonces = file.reserve(4).unwrap();
        handed_out.add(number(&nonces.next().unwrap().unwrap()));
        // In a child, and in a child of a child that reserves nonces itself.
        let said = in_child(by, || {
            let own = KeyFile::open(path).unwrap();
            let mut own = own.reserve(2).unwrap();
            let mut said = taken(&mut own, 1) + &taken(&mut nonces, 9);
            assert_eq!(nonces.len(), 0);
            said += &in_child(by, || taken(&mut own, 9) + &taken(&mut nonces, 9));
            said
        });
        let refused = format!("{}: {REFUSED}", path.display());
        let lines: Vec<&str> = said.lines().collect();
        // Its own; three of the parent's; one of the child's in the grandchild.
        assert_eq!(lines.len(), 5, "{said}");
        handed_out.add(lines[0].parse().unwrap());
        assert_eq!(lines[1..], [&refused; 4]);
        // The parent goes on.
        let rest = taken(&mut nonces, 9);
        assert_eq!(rest.lines().count(), 3);
        for line in rest.lines() {
            handed_out.add(line.parse().unwrap());
        }
        count += 5;
    }
    assert_eq!(handed_out.0.len(), count);
    child::say(format_args!("forked {} ways", WAYS.len()));
}

pub(crate) fn key_file_of_one_process(path: &Path) {
    let folder = path.parent().unwrap();
    let created = KeyFile::create(path).unwrap();
    let opened = KeyFile::open(path).unwrap();
    for by in WAYS {
        for file in [&created, &opened] {
            let said = in_child(by, || {
                for count in [0, 1] {
                    let error = file.reserve(count).unwrap_err();
                    assert!(matches!(error.problem(), Problem::OtherProcess));
                }
                assert!(file.fork(&folder.join("fork")).is_err());
                // Verifying needs no nonce.
                super::fingerprint(file);
                problem(file.reserve(1), path)
            });
            assert_eq!(said, REFUSED);
            assert_eq!(folder.read_dir().unwrap().count(), 1);
        }
    }
    // Nothing was reserved.
    assert_eq!(super::next(&created), 0);
    child::say(format_args!("forked {} ways", WAYS.len()));
}

/// A child that shares the memory of its parent shares the counter: here, one process goes on
/// counting where the other stopped.
#[test]
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn shared_memory_repeats_nothing() {
    struct Shared {
        nonces: Nonces,
        first: Option<u128>,
    }

    extern "C" fn child(shared: *mut libc::c_void) -> libc::c_int {
        // SAFETY: the parent waits, and so uses it no longer.
        let shared = unsafe { &mut *shared.cast::<Shared>() };
        shared.first = shared
            .nonces
            .next()
            .and_then(Result::ok)
            .map(|nonce| number(&nonce));
        0
    }

    let (_folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let mut shared = Shared {
        nonces: file.reserve(2).unwrap(),
        first: None,
    };
    let mut stack = vec![0_u128; 16 << 10];
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack ends where the vector does, and both outlive the child, which is waited for.
    unsafe {
        let top = stack.as_mut_ptr().add(stack.len()).cast();
        let child = libc::clone(child, top, flags, (&raw mut shared).cast());
        assert!(child > 0);
        assert_eq!(libc::waitpid(child, std::ptr::null_mut(), 0), child);
    }
    let first = shared.first;
    let second = shared
        .nonces
        .next()
        .unwrap()
        .ok()
        .map(|nonce| number(&nonce));
    assert!(second.is_some() && first != second);
    assert!(shared.nonces.next().is_none());
}
