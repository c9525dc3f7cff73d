// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Kills the process at every system call, and lets every system call fail.
#![cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]

use super::{
    HandedOut, KeyFile, child, is_temporary, names, next, only_temporaries_beside_key, place,
};
use libc::{c_int, pid_t};
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::mem::MaybeUninit;
use std::path::Path;
use std::process::{Child, ChildStdout};
use std::ptr;
use tempfile::TempDir;

/// A traced child, stopped before a system call.
struct Traced {
    child: Child,
    stdout: BufReader<ChildStdout>,
    thread: pid_t,
}

impl Traced {
    /// Starts a job and runs it to the point where it announces its thread.
    fn start(job: &str, path: &Path) -> Self {
        let mut child = child::command(job, path).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let thread = loop {
            let mut line = String::new();
            assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "{child:?}");
            if let Some(thread) = line.strip_prefix("> thread ") {
                break thread.trim().parse().unwrap();
            }
        };
        let traced = Self {
            child,
            stdout,
            thread,
        };
        let status = traced.wait();
        assert!(
            libc::WIFSTOPPED(status) && libc::WSTOPSIG(status) == libc::SIGSTOP,
            "{status:x}"
        );
        let options = libc::PTRACE_O_TRACESYSGOOD | libc::PTRACE_O_EXITKILL;
        traced.ptrace(libc::PTRACE_SETOPTIONS, options);
        traced
    }

    /// Runs to the next system call. Returns its number, or `None` if the job is done.
    fn to_call(&self) -> Option<i64> {
        self.to_stop()
            .then(|| i64::try_from(self.registers().orig_rax).unwrap())
    }

    /// Runs the system call before which it is stopped.
    fn through_call(&self) {
        assert!(self.to_stop());
    }

    /// Skips the system call before which it is stopped, and makes it return an error.
    fn fail_call(&self, error: c_int) {
        let mut registers = self.registers();
        registers.orig_rax = u64::MAX;
        self.set_registers(&registers);
        self.through_call();
        registers.rax = 0_u64.wrapping_sub(error.unsigned_abs().into());
        self.set_registers(&registers);
    }

    /// Kills it where it is stopped, and returns what it said.
    fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.rest()
    }

    /// Runs it to its end, and returns what it said.
    fn run(self) -> Vec<String> {
        while self.to_stop() {}
        // The failed call may have ended it.
        let _ = self.try_ptrace(libc::PTRACE_DETACH, 0);
        self.rest()
    }

    fn rest(mut self) -> Vec<String> {
        let mut stdout = Vec::new();
        self.stdout.read_to_end(&mut stdout).unwrap();
        // A traced thread must be waited for separately.
        let mut status = 0;
        // SAFETY: the status may be written.
        while unsafe { libc::waitpid(self.thread, &raw mut status, libc::__WALL) } == self.thread {}
        self.child.wait().unwrap();
        child::said(&stdout)
    }

    /// Runs to the next entry or exit of a system call. False if it stopped itself or ended.
    fn to_stop(&self) -> bool {
        let mut signal = 0;
        loop {
            self.ptrace(libc::PTRACE_SYSCALL, signal);
            let status = self.wait();
            if !libc::WIFSTOPPED(status) {
                return false;
            }
            signal = libc::WSTOPSIG(status);
            if signal == libc::SIGTRAP | 0x80 {
                return true;
            }
            if signal == libc::SIGSTOP {
                return false;
            }
        }
    }

    fn wait(&self) -> c_int {
        let mut status = 0;
        // SAFETY: the status may be written.
        let waited = unsafe { libc::waitpid(self.thread, &raw mut status, libc::__WALL) };
        assert_eq!(waited, self.thread, "the child cannot be traced");
        status
    }

    fn registers(&self) -> libc::user_regs_struct {
        let mut registers = MaybeUninit::uninit();
        // SAFETY: the child is stopped, and there is room for its registers.
        unsafe {
            let null = ptr::null_mut::<u8>();
            let result = libc::ptrace(
                libc::PTRACE_GETREGS,
                self.thread,
                null,
                registers.as_mut_ptr(),
            );
            assert_eq!(result, 0);
            registers.assume_init()
        }
    }

    fn set_registers(&self, registers: &libc::user_regs_struct) {
        // SAFETY: the child is stopped, and `registers` holds its registers.
        let result = unsafe {
            let null = ptr::null_mut::<u8>();
            libc::ptrace(
                libc::PTRACE_SETREGS,
                self.thread,
                null,
                ptr::from_ref(registers),
            )
        };
        assert_eq!(result, 0);
    }

    #[track_caller]
    fn ptrace(&self, request: libc::c_uint, data: c_int) {
        self.try_ptrace(request, data).unwrap();
    }

    fn try_ptrace(&self, request: libc::c_uint, data: c_int) -> io::Result<()> {
        let data = libc::c_long::from(data);
        // SAFETY: these requests take a number and no pointer.
        match unsafe { libc::ptrace(request, self.thread, ptr::null_mut::<u8>(), data) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Runs the job once for each of its system calls, and passes the child to `at` before that call.
/// Returns the number of calls.
fn at_every_call(job: &str, path: &Path, mut at: impl FnMut(Traced)) -> usize {
    for number in 0.. {
        let traced = Traced::start(job, path);
        for _ in 0..number {
            if traced.to_call().is_none() {
                traced.kill();
                return number;
            }
            traced.through_call();
        }
        if traced.to_call().is_none() {
            traced.kill();
            return number;
        }
        at(traced);
    }
    unreachable!()
}

fn add(said: &[String], handed_out: &mut HandedOut) {
    for counter in child::counters(said) {
        handed_out.add(counter);
    }
}

#[test]
fn killed_at_every_call_of_reserve() {
    let (folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let mut handed_out = HandedOut::default();
    let calls = at_every_call("reserve, traced", &path, |traced| {
        add(&traced.kill(), &mut handed_out);
        assert!(KeyFile::open(&path).is_ok());
        handed_out.add(next(&file));
        assert!(only_temporaries_beside_key(&folder));
    });
    assert!(calls > 10, "{calls}");
    // Killed before the call that replaces the key file. At any other, nothing is left.
    assert_eq!(names(&folder).len(), 2);
}

#[test]
fn every_call_of_reserve_fails() {
    let (folder, path) = place();
    let file = KeyFile::create(&path).unwrap();
    let mut handed_out = HandedOut::default();
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
    // open the folder, open the file, flock, fstat, statat, fstat, create, fchmod, write, fsync,
    // random bytes, link, rename, fsync.
    assert!(errors >= 13, "{errors}");
}

/// Whether the key file exists, which it must do completely or not at all. Removes it.
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
    /// Runs to the call that creates a file without a name, and lets it fail as on file systems
    /// that have no such files.
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

/// On file systems that have no files without names.
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
    // Those of the job are used up.
    assert_eq!(next(&KeyFile::open(&path).unwrap()), 2);
}

/// On those that cannot rename without replacing either.
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

/// The order that matters in a power failure: the new file is on the disk before it gets the name,
/// and the name before a nonce is handed out.
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
        // The last writes print what the child says.
        assert_eq!(
            order[..5],
            ["write", "fsync", "rename", "fsync", "write"],
            "{job}"
        );
        assert!(order[5..].iter().all(|&call| call == "write"), "{order:?}");
    }
}
