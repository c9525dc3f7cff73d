// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Locks on files that exist while a process has them.

use super::names;
use hornet_key_file::{LockFile, Problem};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use tempfile::TempDir;

fn place() -> (TempDir, OwnedFd) {
    let folder = tempfile::tempdir().unwrap();
    let opened = File::open(folder.path()).unwrap().into();
    (folder, opened)
}

fn wait(folder: &OwnedFd) -> Result<LockFile, Problem> {
    LockFile::wait(folder, OsStr::new("lock"))
}

#[test]
fn one_at_a_time() {
    let (folder, opened) = place();
    let inside = AtomicUsize::new(0);
    let turns = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..100 {
                    let lock = wait(&opened).unwrap();
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    assert_eq!(names(&folder), ["lock"]);
                    thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    turns.fetch_add(1, Ordering::SeqCst);
                    drop(lock);
                }
            });
        }
    });
    assert_eq!(turns.into_inner(), 800);
    assert_eq!(names(&folder), [""; 0]);
}

#[test]
fn the_second_waits() {
    let (_folder, opened) = place();
    let first = wait(&opened).unwrap();
    let (send, receive) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            let second = wait(&opened).unwrap();
            send.send(()).unwrap();
            drop(second);
        });
        let early = receive.recv_timeout(Duration::from_millis(100));
        early.unwrap_err();
        drop(first);
        receive.recv().unwrap();
    });
}

/// A file that a killed process has left is locked like any other.
#[test]
fn a_file_that_was_left() {
    let (folder, opened) = place();
    fs::write(folder.path().join("lock"), "").unwrap();
    drop(wait(&opened).unwrap());
    assert_eq!(names(&folder), [""; 0]);
}

/// A lock whose file another has removed is no lock: who comes then takes another file.
#[test]
fn a_name_that_is_gone() {
    let (folder, opened) = place();
    let lock = wait(&opened).unwrap();
    fs::rename(folder.path().join("lock"), folder.path().join("other")).unwrap();
    let second = wait(&opened).unwrap();
    // It does not take the name from the second.
    drop(lock);
    assert_eq!(names(&folder), ["lock", "other"]);
    drop(second);
    assert_eq!(names(&folder), ["other"]);
}
