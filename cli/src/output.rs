// SPDX-License-Identifier: Apache-2.0 OR MIT

//! Writes to standard output and standard error without panicking if they are closed.

use crate::error::Error;
use rustix::fs::{OFlags, fcntl_getfl};
use rustix::io::Errno;
use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, BufWriter, Write};
use std::os::fd::AsFd;

pub(crate) const STDOUT: &str = "standard output";

/// Makes writing beyond a limit on the length of files an error, instead of a signal that ends the command
/// without a message. To be called first. The command starts no other programs, which would inherit this.
pub(crate) fn fail_at_limits() {
    // SAFETY: installs no handler.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Like `print!`, but a closed pipe or a full disk gives an error.
pub(crate) fn print(text: fmt::Arguments) -> Result<(), Error> {
    print_all(|stdout| stdout.write_fmt(text))
}

/// Like `print`, but for long output, which is written in large pieces.
pub(crate) fn print_all(
    write: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), Error> {
    let print = || {
        let mut stdout = BufWriter::with_capacity(64 << 10, open()?);
        write(&mut stdout)?;
        stdout.flush()
    };
    print().map_err(|error| Error::new(&STDOUT, error))
}

/// Checks that standard output can be written. To be called before long work.
pub(crate) fn check() -> Result<(), Error> {
    open().map(drop).map_err(|error| Error::new(&STDOUT, error))
}

/// Returns standard output as a file. `io::stdout` would flush each line, and would ignore that it
/// is open for reading only.
pub(crate) fn open() -> io::Result<File> {
    let stdout = io::stdout().as_fd().try_clone_to_owned()?;
    if fcntl_getfl(&stdout)? & OFlags::RWMODE == OFlags::RDONLY {
        return Err(Errno::BADF.into());
    }
    Ok(stdout.into())
}

/// Returns the metadata of standard output if it is a regular file.
pub(crate) fn file() -> Option<Metadata> {
    let metadata = open().ok()?.metadata().ok()?;
    metadata.is_file().then_some(metadata)
}

/// Prints an error to standard error.
pub(crate) fn complain(error: &Error) {
    say(format_args!("{error}"));
}

/// Prints a line to standard error, ignoring failure.
pub(crate) fn say(line: fmt::Arguments) {
    let _ = writeln!(io::stderr(), "hornet: {line}");
}
