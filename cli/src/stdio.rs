// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Detects whether the program was started with standard input or output closed.
//!
//! Before `main`, Rust's runtime opens `/dev/null` in place of closed descriptors, so that no other
//! file gets their numbers. The command would then read an empty message from there and lose output
//! without an error. So this module looks before the runtime starts.

use rustix::io::Errno;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static INPUT_CLOSED: AtomicBool = AtomicBool::new(false);
static OUTPUT_CLOSED: AtomicBool = AtomicBool::new(false);

/// Returns an error if standard input was closed.
pub(crate) fn check_input() -> io::Result<()> {
    check(&INPUT_CLOSED)
}

/// Returns an error if standard output was closed.
pub(crate) fn check_output() -> io::Result<()> {
    check(&OUTPUT_CLOSED)
}

fn check(closed: &AtomicBool) -> io::Result<()> {
    if closed.load(Relaxed) {
        return Err(Errno::BADF.into());
    }
    Ok(())
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
    // SAFETY: makes only system calls, which return an error for a closed descriptor. The path is
    // NUL-terminated. The new descriptor gets the lowest free number, which is that of standard
    // input.
    unsafe {
        let is_closed = |descriptor| libc::fcntl(descriptor, libc::F_GETFD) == -1;
        OUTPUT_CLOSED.store(is_closed(libc::STDOUT_FILENO), Relaxed);
        if is_closed(libc::STDIN_FILENO) {
            INPUT_CLOSED.store(true, Relaxed);
            // Opens a folder: reading it fails, even through /dev/stdin.
            libc::open(c"/".as_ptr(), libc::O_RDONLY | libc::O_DIRECTORY);
        }
    }
}
