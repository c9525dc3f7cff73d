// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Kills the process at every system call, and lets every system call fail.
#![cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]

use super::traced::{Traced, at_every_call};
use super::{
    HandedOut, KeyFile, child, counter, is_temporary, names, next, number,
    only_temporaries_beside_key, place, text, write,
};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use tempfile::TempDir;

fn add(said: &[String], handed_out: &mut HandedOut<u64>) {
    for counter in child::counters(said) {
        handed_out.add(counter);
    }
}

#[test]
fn killed_at_every_call_of_reserve() {
    let (folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let mut handed_out = HandedOut::new();
    let calls = at_every_call("reserve, traced", &path, |traced| {
        add(&traced.kill(), &mut handed_out);
        assert!(KeyFile::open(&path).is_ok());
        handed_out.add(next(&file));
        assert!(only_temporaries_beside_key(&folder));
    });
    assert!(calls > 10, "{calls}");
    // A child was killed just before the call that replaces the key file. At any other call,
    // nothing is left.
    assert_eq!(names(&folder).len(), 2);
}

#[test]
fn every_call_of_reserve_fails() {
    let (folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let mut handed_out = HandedOut::new();
    let mut errors = 0;
    at_every_call("reserve, traced", &path, |traced| {
        traced.fail_call(libc::EIO);
        let said = traced.run();
        add(&said, &mut handed_out);
        if said.iter().any(|line| line.starts_with("error ")) {
            assert_eq!(child::counters(&said), []);
            assert_eq!(names(&folder), ["key"], "{said:?}");
            errors += 1;
        }
        handed_out.add(next(&file));
        assert_eq!(names(&folder), ["key"]);
    });
    // Getting random bytes may need no system call. The others: open the folder, open the file,
    // flock, fstat, statat, fstat, create, fchmod, write, fsync, link, rename, fsync.
    assert!(errors >= 13, "{errors}");
}

/// The file is restored each time.
#[test]
fn a_restored_file_is_killed_or_fails_at_every_call() {
    for kill in [true, false] {
        let (folder, path) = place();
        let mut handed_out = HandedOut::new();
        let (mut before, mut after) = (0, 0);
        write(&path, text(41));
        at_every_call("reserve, traced", &path, |traced| {
            let said = if kill {
                traced.kill()
            } else {
                traced.fail_call(libc::EIO);
                traced.run()
            };
            let numbers = child::numbers(&said);
            if fs::read_to_string(&path).unwrap() == text(41) {
                assert_eq!(numbers, []);
                before += 1;
            } else {
                assert_eq!(fs::read_to_string(&path).unwrap(), text(43));
                after += 1;
            }
            let file = KeyFile::open(&path).unwrap();
            let more = file
                .reserve(1)
                .unwrap()
                .map(|nonce| number(&nonce.unwrap()));
            for number in numbers.into_iter().chain(more) {
                assert!(counter(number) >= 41);
                handed_out.add(number);
            }
            assert!(only_temporaries_beside_key(&folder));
            write(&path, text(41));
        });
        assert!(before > 10 && after > 1, "{before} {after}");
    }
}

/// Runs a reservation up to the call that asks for random bytes. Returns `None` if that needs no
/// system call, as in C libraries that use the kernel's vDSO.
fn to_random_bytes(path: &Path) -> Option<Traced> {
    let traced = Traced::start("reserve, traced", path);
    while let Some(call) = traced.to_call() {
        // A call for 0 bytes only checks whether the system call exists.
        if call == libc::SYS_getrandom && traced.registers().rsi > 0 {
            return Some(traced);
        }
        assert!(!CHANGES.contains(&call), "{call} before the random bytes");
        traced.through_call();
    }
    traced.kill();
    None
}

/// The calls by which a reservation makes changes.
const CHANGES: [i64; 7] = [
    libc::SYS_unlinkat,
    libc::SYS_linkat,
    libc::SYS_fchmod,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_fsync,
    libc::SYS_write,
];

#[test]
fn no_random_bytes() {
    let (folder, path) = place();
    let before = text(41);
    write(&path, &before);
    for (error, why) in [
        (Some(libc::EIO), "Input/output error"),
        (None, "the random source gave only zeros"),
    ] {
        let Some(traced) = to_random_bytes(&path) else {
            return;
        };
        if let Some(error) = error {
            traced.fail_call(error);
        } else {
            let registers = traced.registers();
            traced.through_call();
            let memory = format!("/proc/{}/mem", traced.thread);
            let memory = File::options().write(true).open(memory).unwrap();
            let zeros = vec![0; usize::try_from(registers.rsi).unwrap()];
            memory.write_all_at(&zeros, registers.rdi).unwrap();
        }
        let said = traced.run();
        let start = format!(
            "error {}: no random bytes for nonces: {why}",
            path.display()
        );
        assert!(said.len() == 1 && said[0].starts_with(&start), "{said:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), before);
        assert_eq!(names(&folder), ["key"]);
    }
}

/// Returns whether the key file exists; if so, it must be complete. Removes it.
fn exists_completely(folder: &TempDir, path: &Path) -> bool {
    let exists = path.exists();
    if exists {
        assert_eq!(next(&KeyFile::open(path).unwrap()), 0);
        fs::remove_file(path).unwrap();
    }
    for name in names(folder) {
        assert!(is_temporary(&name), "{name}");
    }
    exists
}

#[test]
fn killed_at_every_call_of_create() {
    let (folder, path) = place();
    let (mut existing, mut missing) = (0, 0);
    at_every_call("create, traced", &path, |traced| {
        let said = traced.kill();
        let exists = exists_completely(&folder, &path);
        assert!(exists || said.is_empty(), "{said:?}");
        *(if exists { &mut existing } else { &mut missing }) += 1;
    });
    assert!(existing > 1 && missing > 8, "{existing} {missing}");
}

#[test]
fn every_call_of_create_fails() {
    let (folder, path) = place();
    let mut errors = 0;
    at_every_call("create, traced", &path, |traced| {
        traced.fail_call(libc::EIO);
        let said = traced.run();
        if said.iter().any(|line| line.starts_with("error ")) {
            errors += 1;
        }
        let exists = exists_completely(&folder, &path);
        assert!(exists || !said.contains(&"created".into()), "{said:?}");
        assert_eq!(names(&folder), [""; 0], "{said:?}");
    });
    assert!(errors >= 7, "{errors}");
}

impl Traced {
    /// Runs up to the call that creates a file without a name, and lets it fail, as on file systems
    /// that do not support such files.
    fn without_nameless_files(&self) {
        let nameless = u64::from(libc::O_TMPFILE.unsigned_abs());
        loop {
            let call = self.to_call().unwrap();
            let flags = self.registers().rdx;
            if call == libc::SYS_openat && flags & nameless == nameless {
                return self.fail_call(libc::EOPNOTSUPP);
            }
            self.through_call();
        }
    }
}

/// On file systems that do not support files without names.
#[test]
fn created_and_replaced_with_a_temporary_name() {
    let (folder, path) = place();
    for job in ["create, traced", "reserve, traced"] {
        let traced = Traced::start(job, &path);
        traced.without_nameless_files();
        while traced.to_call() != Some(libc::SYS_fsync) {
            traced.through_call();
        }
        let temporary = |name: &String| is_temporary(name);
        assert_eq!(
            names(&folder).iter().filter(|name| temporary(name)).count(),
            1
        );
        let said = traced.run();
        assert!(
            !said.iter().any(|line| line.starts_with("error")),
            "{said:?}"
        );
        assert_eq!(names(&folder), ["key"]);
    }
    // The nonces of the job are used up.
    assert_eq!(next(&KeyFile::open(&path).unwrap()), 2);
}

/// On file systems that cannot rename without replacing either.
#[test]
fn created_by_a_link() {
    for exists in [false, true] {
        let (folder, path) = place();
        if exists {
            fs::write(&path, "something").unwrap();
        }
        let traced = Traced::start("create, traced", &path);
        traced.without_nameless_files();
        while traced.to_call() != Some(libc::SYS_renameat2) {
            traced.through_call();
        }
        traced.fail_call(libc::EINVAL);
        let said = traced.run();
        let said = said.last().unwrap();
        assert_eq!(names(&folder), ["key"]);
        if exists {
            assert!(said.ends_with("exists, and is not overwritten"), "{said}");
            assert_eq!(fs::read_to_string(&path).unwrap(), "something");
        } else {
            assert_eq!(said, "created");
            assert_eq!(next(&KeyFile::open(&path).unwrap()), 0);
        }
    }
}

/// The order that matters in a power failure: the new file is on the disk before it has the name,
/// and the name is on the disk before a nonce is handed out.
#[test]
fn the_order_of_calls() {
    let (_folder, path) = place();
    KeyFile::create(&path).unwrap();
    for (job, renames) in [
        ("reserve, traced", [libc::SYS_renameat, libc::SYS_renameat2]),
        ("create, traced", [libc::SYS_linkat; 2]),
    ] {
        let path = if job == "create, traced" {
            path.with_file_name("new")
        } else {
            path.clone()
        };
        let traced = Traced::start(job, &path);
        let mut order = Vec::new();
        while let Some(call) = traced.to_call() {
            order.push(match call {
                libc::SYS_write => "write",
                libc::SYS_fsync => "fsync",
                call if renames.contains(&call) => "rename",
                _ => "",
            });
            traced.through_call();
        }
        traced.kill();
        order.retain(|call| !call.is_empty());
        // The last writes print the child's output.
        assert_eq!(
            order[..5],
            ["write", "fsync", "rename", "fsync", "write"],
            "{job}"
        );
        assert!(order[5..].iter().all(|&call| call == "write"), "{order:?}");
    }
}
