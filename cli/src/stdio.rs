// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Detects whether the program was started with standard input, output or error closed.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of closed descriptors, so that no other
//! file gets their numbers. The command would then read an empty message from there and lose output
//! and errors without noticing. So this module looks before the runtime starts.

use crate::error::Error;
use crate::output::STDOUT;
use crate::source::STDIN;
use rustix::io::Errno;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// For each descriptor, its number, its name and whether it was closed.
static ALL: [(libc::c_int, &str, AtomicBool); 3] = [
    (libc::STDOUT_FILENO, STDOUT, AtomicBool::new(false)),
    (libc::STDIN_FILENO, STDIN, AtomicBool::new(false)),
    (
        libc::STDERR_FILENO,
        "standard error",
        AtomicBool::new(false),
    ),
];

/// Returns an error if one of them was closed.
pub(crate) fn check() -> Result<(), Error> {
    match ALL.iter().find(|(_, _, closed)| closed.load(Relaxed)) {
        Some((_, name, _)) => Err(Error::new(name, io::Error::from(Errno::BADF))),
        None => Ok(()),
    }
}

/// Called before the runtime starts.
#[used]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
#[cfg_attr(
    target_vendor = "apple",
    unsafe(link_section = "__DATA,__mod_init_func")
)]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    for (descriptor, _, closed) in &ALL {
        // SAFETY: makes only a system call, which returns an error for a closed descriptor.
        closed.store(
            unsafe { libc::fcntl(*descriptor, libc::F_GETFD) } == -1,
            Relaxed,
        );
    }
}
