// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Child processes that stop at every system call, where they can be killed or the call can be made
//! to fail.
#![cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]

use super::child;
use libc::{c_int, pid_t};
use std::io::{self, BufRead, BufReader, Read};
use std::mem::MaybeUninit;
use std::path::Path;
use std::process::{Child, ChildStdout};
use std::ptr;

/// A traced child, stopped before a system call.
pub(crate) struct Traced {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub(crate) thread: pid_t,
}

impl Traced {
    /// Starts a job and runs it until it announces its thread.
    pub(crate) fn start(job: &str, path: &Path) -> Self {
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
    pub(crate) fn to_call(&self) -> Option<i64> {
        self.to_stop()
            .then(|| i64::try_from(self.registers().orig_rax).unwrap())
    }

    /// Executes the system call at which it is stopped.
    pub(crate) fn through_call(&self) {
        assert!(self.to_stop());
    }

    /// Skips the system call at which it is stopped, and makes it return an error.
    pub(crate) fn fail_call(&self, error: c_int) {
        let mut registers = self.registers();
        registers.orig_rax = u64::MAX;
        self.set_registers(&registers);
        self.through_call();
        registers.rax = 0_u64.wrapping_sub(error.unsigned_abs().into());
        self.set_registers(&registers);
    }

    /// Kills it where it is stopped, and returns its output.
    pub(crate) fn kill(mut self) -> Vec<String> {
        self.child.kill().unwrap();
        self.rest()
    }

    /// Runs it to the end, and returns its output.
    pub(crate) fn run(self) -> Vec<String> {
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
        // SAFETY: the status is writable.
        while unsafe { libc::waitpid(self.thread, &raw mut status, libc::__WALL) } == self.thread {}
        self.child.wait().unwrap();
        child::said(&stdout)
    }

    /// Runs to the next entry or exit of a system call. Returns false if it stopped itself or
    /// ended.
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
        // SAFETY: the status is writable.
        let waited = unsafe { libc::waitpid(self.thread, &raw mut status, libc::__WALL) };
        assert_eq!(waited, self.thread, "the child cannot be traced");
        status
    }

    pub(crate) fn registers(&self) -> libc::user_regs_struct {
        let mut registers = MaybeUninit::uninit();
        // SAFETY: the child is stopped, and the buffer is large enough for its registers.
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
pub(crate) fn at_every_call(job: &str, path: &Path, mut at: impl FnMut(Traced)) -> usize {
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
