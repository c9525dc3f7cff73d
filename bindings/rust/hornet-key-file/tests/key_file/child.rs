// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Child processes: this test program, started again to do a single job.

use super::{KeyFile, counter, forked, number};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::{env, io};

const JOB: &str = "HORNET_TEST_JOB";
const PATH: &str = "HORNET_TEST_PATH";

/// Returns a command that does the job with the key file at `path`.
pub(crate) fn command(job: &str, path: &Path) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command
        // With two threads, the job runs in its own thread, which can be traced, and the process
        // can be waited for.
        .args(["--exact", "child::job", "--nocapture", "--test-threads=2"])
        .env(JOB, job)
        .env(PATH, path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Returns the lines that a child printed with `say`.
pub(crate) fn said(stdout: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(stdout);
    let lines = text.lines().filter_map(|line| line.strip_prefix("> "));
    lines.map(Into::into).collect()
}

/// Like `said`, for a child that must have succeeded.
#[track_caller]
pub(crate) fn all_said(output: &Output) -> Vec<String> {
    assert!(output.status.success(), "{output:?}");
    said(&output.stdout)
}

/// Returns, as numbers, the nonces that a child reported.
pub(crate) fn numbers(said: &[String]) -> Vec<u128> {
    let numbers = said.iter().filter_map(|line| line.strip_prefix("nonce "));
    numbers.map(|number| number.parse().unwrap()).collect()
}

/// Returns their counters.
pub(crate) fn counters(said: &[String]) -> Vec<u64> {
    numbers(said).into_iter().map(counter).collect()
}

/// Prints a line that the parent recognizes. The newline in front ends the test harness's output.
pub(crate) fn say(line: impl std::fmt::Display) {
    let mut stdout = io::stdout();
    stdout
        .write_all(format!("\n> {line}\n").as_bytes())
        .unwrap();
    stdout.flush().unwrap();
}

fn reserve(file: &KeyFile, count: u64) {
    match file.reserve(count) {
        Ok(nonces) => {
            nonces.for_each(|nonce| say(format_args!("nonce {}", number(&nonce.unwrap()))));
        }
        Err(error) => say(format_args!("error {error}")),
    }
}

/// Not a test: runs the job of a child process.
#[test]
fn job() {
    let (Ok(job), Some(path)) = (env::var(JOB), env::var_os(PATH)) else {
        return;
    };
    let path = Path::new(&path);
    let open = || KeyFile::open(path).unwrap();
    match &job[..] {
        "reserve many times" => {
            let file = open();
            for count in (1..=5).cycle().take(30) {
                reserve(&file, count);
            }
        }
        "reserve forever" => {
            let file = open();
            loop {
                reserve(&file, 2);
            }
        }
        "reserve, traced" => {
            let file = open();
            begin_traced();
            reserve(&file, 2);
            end_traced();
        }
        "create, traced" => {
            begin_traced();
            match KeyFile::create(path) {
                Ok(_) => say("created"),
                Err(error) => say(format_args!("error {error}")),
            }
            end_traced();
        }
        "create, when all is masked" | "create, when nothing is masked" => {
            let mask = if job.contains("all") { 0o777 } else { 0 };
            // SAFETY: affects only new files.
            unsafe { libc::umask(mask) };
            let file = KeyFile::create(path).unwrap();
            reserve(&file, 1);
        }
        "reserve and create, on a full disk" => {
            let file = open();
            // SAFETY: ignores a signal, and installs no handler.
            unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
            limit_files_to_nothing();
            reserve(&file, 1);
            let create = KeyFile::create(&path.with_file_name("new"));
            say(format_args!("error {}", create.unwrap_err()));
        }
        "reserve, killed at the first byte" => {
            let file = open();
            limit_files_to_nothing();
            reserve(&file, 1);
        }
        "read, then reserve, as nobody" => {
            become_nobody();
            match KeyFile::open(path) {
                Ok(file) => {
                    say(format_args!("next {}", file.next_counter().unwrap()));
                    reserve(&file, 1);
                }
                Err(error) => say(format_args!("error {error}")),
            }
        }
        "reserve and create, as nobody" => {
            become_nobody();
            reserve(&open(), 1);
            let create = KeyFile::create(&path.with_file_name("new"));
            say(format_args!("error {}", create.unwrap_err()));
        }
        "take nonces after fork" => forked::nonces_of_one_process(path),
        "use a key file after fork" => forked::key_file_of_one_process(path),
        other => panic!("no job {other}"),
    }
}

fn become_nobody() {
    // SAFETY: only changes the user and the groups of this process.
    unsafe {
        assert_eq!(libc::setgroups(0, std::ptr::null()), 0);
        assert_eq!(libc::setgid(65_534), 0);
        assert_eq!(libc::setuid(65_534), 0);
    }
}

/// Prevents files from growing from now on: a write fails, or raises SIGXFSZ unless it is ignored.
fn limit_files_to_nothing() {
    let limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the limit lives until the call returns.
    let result = unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) };
    assert_eq!(result, 0);
}

/// Lets the parent trace this thread from here on, and reports the thread's number.
#[cfg(target_os = "linux")]
fn begin_traced() {
    // SAFETY: the parent waits for this thread. Without such a parent, this job is not called.
    let thread = unsafe {
        assert_eq!(libc::ptrace(libc::PTRACE_TRACEME), 0, "cannot be traced");
        libc::gettid()
    };
    say(format_args!("thread {thread}"));
    end_traced();
}

#[cfg(not(target_os = "linux"))]
fn begin_traced() {}

/// Stops until the tracer continues it.
fn end_traced() {
    // SAFETY: raising this signal only stops the thread.
    unsafe { libc::raise(libc::SIGSTOP) };
}

/// Returns the signal that killed the child.
pub(crate) fn signal(output: &Output) -> Option<i32> {
    output.status.signal()
}
